import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { Log } from '../../engine/ports/log.js';
import type { ScriptPermit } from '../../engine/ports/page-processor.js';
import type { FromRenderThread, RenderNotice } from './render-protocol.js';
import { packSecrets } from './secrets-across.js';

export type ScriptJudge = (url: string, isScript: boolean) => Promise<ScriptPermit>;

/** The main thread's handle on the thread that runs the browser. */
export class RenderThread {
  private readonly worker: Worker;
  private ended = false;

  constructor(
    entry: URL,
    log: Log,
    private readonly judgeScript: ScriptJudge,
    private readonly onEnd: () => void,
  ) {
    this.worker = new Worker(entry, {
      name: 'renderer',
      resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 },
    });
    this.worker.on('message', (message: FromRenderThread) => {
      if ('log' in message) log[message.log](message.message);
      else void this.answer(message);
    });
    this.worker.on('error', (error) => log.error("the browser's thread failed", { error: String(error) }));
    this.worker.on('exit', () => this.handleExit());
    this.worker.unref();
  }

  configure(renderer: RendererDefinition, fetchers: readonly FetcherDefinition[]): void {
    this.send({ do: 'configure', renderer: packSecrets(renderer), fetchers: packSecrets(fetchers) });
  }

  /** Creates the port through which another thread requests rendered pages. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.worker.postMessage({ do: 'connect', port: port2 } satisfies RenderNotice, [port2]);
    return port1;
  }

  close(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      const timeout = setTimeout(() => void this.worker.terminate(), 10_000);
      this.worker.once('exit', () => {
        clearTimeout(timeout);
        resolve();
      });
      this.send({ do: 'close' });
    });
  }

  private async answer({ seq, url, isScript }: Exclude<FromRenderThread, { log: unknown }>): Promise<void> {
    const permit = await this.judgeScript(url, isScript).catch((): ScriptPermit => ({ refusal: 'host-rests' }));
    this.send({ do: 'permit', seq, permit });
  }

  private send(notice: RenderNotice): void {
    this.worker.postMessage(notice);
  }

  private handleExit(): void {
    this.ended = true;
    this.onEnd();
  }
}
