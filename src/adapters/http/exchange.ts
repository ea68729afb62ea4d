/**
 * One request and its response, whichever parser reads it: phases, time limits, and one settlement, after which
 * anything that still arrives is ignored.
 */
import type { Deadlines, TimedTask } from './deadlines.js';
import { type ExchangePhase, FetchFailure, toFetchFailure } from './fetch-failure.js';
import type { RequestPlan } from './request-plan.js';
import { normalizeHeaders } from './response-headers.js';
import { ResponseReader } from './response-reader.js';

/** Milliseconds on the scale of `performance.now()`; 0 if that point was not reached. */
export interface ExchangeTimestamps {
  startedAt: number;
  sentAt: number;
  headerAt: number;
}

/** Undefined means success: the reader has the response. */
export type Settle = (failure: FetchFailure | undefined) => void;

export const TOO_LATE_MESSAGE = 'The request was not sent: another node may have taken over the host.';

export abstract class Exchange implements TimedTask {
  readonly reader: ResponseReader;
  readonly timestamps: ExchangeTimestamps;
  deadline: number;
  slot = -1;
  protected settled = false;
  private phase: ExchangePhase = 'connect';
  private readonly finalDeadline: number;

  constructor(
    protected readonly plan: RequestPlan,
    private readonly deadlines: Deadlines<Exchange>,
    private readonly settle: Settle,
  ) {
    this.reader = new ResponseReader(plan.limits);
    const now = performance.now();
    this.timestamps = { startedAt: now, sentAt: 0, headerAt: 0 };
    this.finalDeadline = now + plan.timeLimits.total;
    this.deadline = Math.min(this.finalDeadline, now + plan.timeLimits.connect);
  }

  /** IP address of the peer; empty until there is a connection. */
  abstract readonly address: string;
  /**
   * True if the connection has served earlier requests. If it ends before a response, the server may have closed it
   * before this request was sent.
   */
  abstract readonly reused: boolean;
  /** True while the exchange is still waiting for the name servers. */
  protected abstract readonly isResolving: boolean;
  protected abstract start(): void;
  /** Releases the connection, or destroys it if the response did not end cleanly. */
  protected abstract release(clean: boolean): void;

  run(): void {
    this.deadlines.watch(this);
    this.start();
  }

  get isUnanswered(): boolean {
    return this.phase !== 'body';
  }

  /** True if the process was suspended for so long that it may no longer send the request. */
  protected get isTooLate(): boolean {
    const { sendBy } = this.plan;
    return sendBy !== undefined && Number(process.hrtime.bigint() / 1_000_000n) >= sendBy;
  }

  protected onSent(): void {
    this.phase = 'header';
    this.timestamps.sentAt = performance.now();
    this.setDeadline(this.timestamps.sentAt, this.plan.timeLimits.header);
  }

  protected onHeader(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    // Interim responses (103 …) come before the final one.
    if (this.settled || status < 200) return;
    this.phase = 'body';
    this.timestamps.headerAt = performance.now();
    this.setDeadline(this.timestamps.headerAt, this.plan.timeLimits.body);
    try {
      this.reader.begin(status, normalizeHeaders(headers));
    } catch (error) {
      this.fail(error);
    }
  }

  protected onBody(chunk: Uint8Array): void {
    if (this.settled) return;
    this.setDeadline(performance.now(), this.plan.timeLimits.body);
    try {
      if (!this.reader.addChunk(chunk)) this.finish(undefined, false);
    } catch (error) {
      this.fail(error);
    }
  }

  protected onEnd(): void {
    this.finish(undefined, true);
  }

  protected fail(error: unknown): void {
    // For redirects and errors, the header section contains everything that matters.
    const isUsable = this.phase === 'body' && (this.reader.isBodyOptional || this.reader.isProvablyWhole);
    this.finish(isUsable ? undefined : toFetchFailure(error, this.phase), false);
  }

  expire(): void {
    this.fail(this.createTimeoutFailure());
  }

  private createTimeoutFailure(): FetchFailure {
    if (this.phase === 'connect') {
      return this.isResolving
        ? new FetchFailure('dns-no-answer', 'The name servers did not answer within the time allowed.')
        : new FetchFailure('connect-timeout', 'No connection was established within the time allowed.');
    }
    if (this.deadline >= this.finalDeadline) {
      return new FetchFailure('read-timeout', 'The complete response did not arrive within the total time allowed.');
    }
    return this.phase === 'header'
      ? new FetchFailure('read-timeout', 'The response header did not arrive within the time allowed.')
      : new FetchFailure('read-timeout', 'The body stalled for longer than allowed.');
  }

  /** Ends the exchange because the caller no longer needs it. */
  abandon(): void {
    this.finish(new FetchFailure('connection-failed', 'The crawler itself aborted the fetch.'), false);
  }

  private setDeadline(now: number, duration: number): void {
    this.deadline = Math.min(this.finalDeadline, now + duration);
  }

  private finish(failure: FetchFailure | undefined, clean: boolean): void {
    if (this.settled) return;
    this.settled = true;
    this.deadlines.unwatch(this);
    this.release(clean);
    this.settle(failure);
  }
}
