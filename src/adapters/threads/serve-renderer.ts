import type { MessagePort } from 'node:worker_threads';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchEngine } from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import type { ScriptPermit } from '../../engine/ports/page-processor.js';
import { incrementSeq } from './page-thread-protocol.js';
import type { FromRenderThread, RenderAnswer, RenderCall, RenderNotice } from './render-protocol.js';
import type { ScriptJudge } from './render-thread.js';
import { unpackSecrets } from './secrets-across.js';

type CreateEngine = (
  renderer: RendererDefinition,
  fetchers: readonly FetcherDefinition[],
  log: Pick<Log, 'info' | 'warn'>,
  judgeScript: ScriptJudge,
) => FetchEngine;

/** The other side of a RenderThread: renders pages for the connected threads, with the latest configuration. */
export function serveRenderer(main: MessagePort, createEngine: CreateEngine): void {
  let engine: FetchEngine | undefined;
  let lastConfiguration = '';
  const send = (message: FromRenderThread): void => main.postMessage(message);
  const log = {
    info: (message: string) => send({ log: 'info', message }),
    warn: (message: string) => send({ log: 'warn', message }),
  };

  const waiting = new Map<number, (permit: ScriptPermit) => void>();
  let lastSeq = 0;
  const judgeScript: ScriptJudge = (url, isScript) =>
    new Promise((resolve) => {
      lastSeq = incrementSeq(lastSeq);
      waiting.set(lastSeq, resolve);
      send({ seq: lastSeq, url, isScript });
    });

  const configure = ({ renderer, fetchers }: Extract<RenderNotice, { do: 'configure' }>): void => {
    const configuration = JSON.stringify([renderer, fetchers]);
    if (configuration === lastConfiguration) return;
    lastConfiguration = configuration;
    const previous = engine;
    engine = createEngine(unpackSecrets(renderer), unpackSecrets(fetchers), log, judgeScript);
    void previous?.close();
  };

  const serveThread = (port: MessagePort): void => {
    const handleCall = async ({ seq, request }: RenderCall): Promise<RenderAnswer> => {
      try {
        if (!engine) throw new Error('the renderer has not been configured');
        return { seq, outcome: await engine.fetch(unpackSecrets(request)) };
      } catch (error) {
        return { seq, error: String(error) };
      }
    };
    port.on('message', (call: RenderCall) => void handleCall(call).then((answer) => port.postMessage(answer)));
  };

  main.on('message', (notice: RenderNotice) => {
    if (notice.do === 'configure') configure(notice);
    else if (notice.do === 'connect') serveThread(notice.port);
    else if (notice.do === 'permit') {
      waiting.get(notice.seq)?.(notice.permit);
      waiting.delete(notice.seq);
    } else void Promise.resolve(engine?.close()).finally(() => process.exit());
  });
}
