import type { MessagePort } from 'node:worker_threads';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { milliseconds } from '../../domain/time/units.js';
import type { FetchEngine, FetchRequest } from '../../engine/ports/fetcher.js';
import { incrementSeq } from './page-thread-protocol.js';
import type { RenderAnswer, RenderCall } from './render-protocol.js';
import { packSecrets } from './secrets-across.js';

interface PendingCall {
  readonly resolve: (outcome: FetchOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** Fetch engine that uses the browser of another thread. Nothing is rendered until it is connected. */
export class RemoteEngine implements FetchEngine {
  readonly engine = 'browser';
  private port: MessagePort | undefined;
  private lastSeq = 0;
  private readonly pendingCalls = new Map<number, PendingCall>();

  /** Replaces the previous port; requests sent over that one still get their results from it, or are lost. */
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
      this.lastSeq = incrementSeq(this.lastSeq);
      this.pendingCalls.set(this.lastSeq, { resolve, reject });
      const call: RenderCall = { seq: this.lastSeq, request: packSecrets(request) };
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
    const pendingCall = this.pendingCalls.get(answer.seq);
    this.pendingCalls.delete(answer.seq);
    if ('error' in answer) pendingCall?.reject(new Error(answer.error));
    else pendingCall?.resolve(answer.outcome);
  }

  private failAll(detail: string): void {
    this.port = undefined;
    for (const { resolve } of this.pendingCalls.values()) resolve(createFailure('render-crash', detail));
    this.pendingCalls.clear();
  }
}

const createFailure = (code: 'render-crash' | 'renderer-unavailable', detail: string): FetchOutcome => ({
  kind: 'failure',
  code,
  detail,
  timings: { header: milliseconds(0), total: milliseconds(0) },
});
