import type { MessagePort } from 'node:worker_threads';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { milliseconds } from '../../domain/time/units.js';
import type { FetchEngine, FetchRequest } from '../../engine/ports/fetcher.js';
import { nextSeq } from './page-thread-protocol.js';
import type { RenderAnswer, RenderCall } from './render-protocol.js';
import { packSecrets } from './secrets-across.js';

interface Waiting {
  readonly resolve: (outcome: FetchOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** The browser of another thread as a fetch engine of this thread. Nothing is rendered until it is connected. */
export class RemoteEngine implements FetchEngine {
  readonly engine = 'browser';
  private port: MessagePort | undefined;
  private seq = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** Replaces the previous port; requests sent over that one still get their results there, or are lost. */
  connect(port: MessagePort): void {
    this.port = port;
    port.on('message', (answer: RenderAnswer) => this.settleCall(answer));
    port.on('close', () => {
      if (this.port === port) this.failAll("the browser's thread ended");
    });
    port.unref();
  }

  fetch(request: FetchRequest): Promise<FetchOutcome> {
    const { port } = this;
    if (!port) return Promise.resolve(createFailure('renderer-unavailable', 'no browser is connected'));
    return new Promise((resolve, reject) => {
      this.seq = nextSeq(this.seq);
      this.waiting.set(this.seq, { resolve, reject });
      const call: RenderCall = { seq: this.seq, request: packSecrets(request) };
      port.postMessage(call);
    });
  }

  async resolve(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    // The browser's thread outlives a configuration's fetchers.
  }

  private settleCall(answer: RenderAnswer): void {
    const waiting = this.waiting.get(answer.seq);
    this.waiting.delete(answer.seq);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.outcome);
  }

  private failAll(detail: string): void {
    this.port = undefined;
    for (const { resolve } of this.waiting.values()) resolve(createFailure('render-crash', detail));
    this.waiting.clear();
  }
}

const createFailure = (code: 'render-crash' | 'renderer-unavailable', detail: string): FetchOutcome => ({
  kind: 'failure',
  code,
  detail,
  timings: { header: milliseconds(0), total: milliseconds(0) },
});
