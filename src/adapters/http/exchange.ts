/**
 * One request and its response, whichever parser reads it: phases, time limits, and one settlement, after which
 * anything that still arrives is ignored.
 */
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { ConnectionAttempt } from './connector.js';
import type { Deadlines, TimedTask } from './deadlines.js';
import { type ExchangePhase, FetchFailure, toFetchFailure } from './fetch-failure.js';
import type { RequestPlan } from './request-plan.js';
import { ResponseReader } from './response-reader.js';

/** Milliseconds on the scale of `performance.now()`; 0 if that point was not reached. */
export interface ExchangeTimestamps {
  startedAt: number;
  sentAt: number;
  headerAt: number;
}

/** Undefined means success: the reader has the response. */
export type Settle = (failure: FetchFailure | undefined) => void;

/**
 * How many bytes a server may send besides a body, and for each byte of one: headers, interim responses, extensions of
 * chunks. A chunk of one byte takes six.
 */
const MAX_OVERHEAD_BYTES = 1024 * 1024;
const MAX_OVERHEAD_FACTOR = 16;

export const TOO_LATE_MESSAGE = 'The request was not sent: another node may have taken over the host.';

type AwaitedStep = ConnectionAttempt['phase'];

const CONNECT_TIMEOUTS: Readonly<Record<AwaitedStep, readonly [ErrorCode, string]>> = {
  name: ['dns-no-answer', 'The name servers did not answer within the time allowed.'],
  proxy: ['proxy-failed', 'The proxy did not respond, or did not connect, within the time allowed.'],
  connection: ['connect-timeout', 'No connection was established within the time allowed.'],
};

export abstract class Exchange implements TimedTask {
  readonly reader: ResponseReader;
  readonly timestamps: ExchangeTimestamps;
  deadline: number;
  slot = -1;
  protected settled = false;
  private phase: ExchangePhase = 'connect';
  private readonly finalDeadline: number;
  private bytesReadBefore = 0;

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
  /** What the exchange waits for before it can send the request. */
  protected abstract readonly awaited: AwaitedStep;
  /** Number of bytes read from the connection since it was opened; 0 if it is watched elsewhere. */
  protected abstract readonly bytesRead: number;
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

  get isFlooded(): boolean {
    const { bytesRead, bytesReadBefore, reader } = this;
    const overhead = bytesRead - bytesReadBefore - MAX_OVERHEAD_FACTOR * reader.transferred;
    return this.timestamps.sentAt > 0 && overhead > MAX_OVERHEAD_BYTES;
  }

  /** True if the process was suspended for so long that it may no longer send the request. */
  protected get isTooLate(): boolean {
    const { sendBy } = this.plan;
    return sendBy !== undefined && Number(process.hrtime.bigint() / 1_000_000n) >= sendBy;
  }

  protected onSent(): void {
    this.phase = 'header';
    this.bytesReadBefore = this.bytesRead;
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
    this.fail(
      this.isFlooded
        ? new FetchFailure('protocol', 'The server is flooding the connection with bytes that do not belong to a body.')
        : this.createTimeoutFailure(),
    );
  }

  private createTimeoutFailure(): FetchFailure {
    if (this.phase === 'connect') return new FetchFailure(...CONNECT_TIMEOUTS[this.awaited]);
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

/** Fields whose values may contain commas: repeated ones are separated by a line feed. */
const LINE_SEPARATED_FIELDS: ReadonlySet<string> = new Set(['set-cookie', 'link', 'x-robots-tag']);
/** Fields that servers fill with UTF-8; all others stay in Latin-1, so that an ETag is sent back unchanged. */
const TEXT_FIELDS = ['location', 'link', 'content-disposition', 'refresh'] as const;
/**
 * Fields with a single value, which a proxy or a framework may repeat: the first one is used. Joined values would be
 * a different URL, a different time, or invalid.
 */
const SINGLE_VALUE_FIELDS: ReadonlySet<string> = new Set([
  'location',
  'etag',
  'last-modified',
  'retry-after',
  'refresh',
]);
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Converts the header fields of a response to the form that FetchOutcome promises.
 * @param receivedFields lower-case names, and values with one character per byte; an array if a field was repeated
 */
export function normalizeHeaders(
  receivedFields: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in receivedFields) {
    const value = receivedFields[name];
    if (typeof value === 'string') headers[name] = value;
    else if (value && SINGLE_VALUE_FIELDS.has(name)) headers[name] = value[0]!;
    else if (value && name === 'content-type') headers[name] = combineContentTypes(value);
    else if (value) headers[name] = value.join(LINE_SEPARATED_FIELDS.has(name) ? '\n' : ', ');
  }
  for (const name of TEXT_FIELDS) {
    const value = headers[name];
    if (value !== undefined) headers[name] = decodeUtf8(value) ?? (name === 'location' ? escapeNonAscii(value) : value);
  }
  return headers;
}

function decodeUtf8(value: string): string | undefined {
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Percent-encodes a URL in a legacy encoding byte by byte, as browsers do, so that the server recognizes it. */
const escapeNonAscii = (url: string): string =>
  url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Returns the last valid media type. An earlier field's charset is kept if the last one repeats its type without a
 * charset (Fetch, "extract a MIME type").
 */
function combineContentTypes(values: readonly string[]): string {
  let lastMediaType: { readonly value: string; readonly essence: string; readonly charset: string } | undefined;
  for (const value of values) {
    const [type = '', ...parameters] = value.split(';');
    const essence = type.trim().toLowerCase();
    if (!MEDIA_TYPE.test(essence) || essence === '*/*') continue;
    const charset = parameters.find((parameter) => /^\s*charset=/i.test(parameter));
    const effectiveCharset = charset ?? (lastMediaType?.essence === essence ? lastMediaType.charset : '');
    lastMediaType = {
      value: charset === undefined && effectiveCharset !== '' ? `${value};${effectiveCharset}` : value,
      essence,
      charset: effectiveCharset,
    };
  }
  return lastMediaType?.value ?? values[0] ?? '';
}
