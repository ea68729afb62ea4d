/** The messages between the main thread and the threads that process pages. */
import type { MessagePort } from 'node:worker_threads';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import type { PageResult, PageTask } from '../../engine/ports/page-task.js';
import type { PluginFacts } from '../../engine/ports/plugins.js';

/** Calls that return a result. */
export interface PageCalls {
  /** A packed definition. */
  configure: { argument: Uint8Array; answer: undefined };
  process: { argument: PageTask; answer: PageResult };
  fetch: { argument: FetchRequest; answer: FetchOutcome };
  resolve: { argument: string; answer: string | undefined };
}

/**
 * Maximum sequence number, which fits into the 32-bit cell for the page that is being read. Numbers are reused only
 * long after their previous calls have ended.
 */
const MAX_SEQ = 2 ** 31 - 1;

/** Numbers begin at 1, because 0 means that there is no call. */
export const incrementSeq = (seq: number): number => (seq % MAX_SEQ) + 1;

export type PageCall = {
  [Name in keyof PageCalls]: {
    readonly seq: number;
    readonly call: Name;
    readonly argument: PageCalls[Name]['argument'];
  };
}[keyof PageCalls];

export type PageNotice =
  | { readonly notice: 'root'; readonly crawler: string; readonly root: RootContext }
  | { readonly notice: 'root removed'; readonly crawler: string; readonly url: string }
  | { readonly notice: 'forget'; readonly crawler: string; readonly urls: readonly string[] }
  /** The port through which the thread requests rendered pages. */
  | { readonly notice: 'renderer'; readonly port: MessagePort }
  /** The plug-ins; the first such message also has the port through which to call them. */
  | { readonly notice: 'plugins'; readonly facts: readonly PluginFacts[]; readonly port?: MessagePort }
  | { readonly notice: 'close' };

export type ToPageThread = readonly (PageCall | PageNotice)[];

export type PageAnswer =
  /** `readyAt`: when the answer was ready, see `getUptimeMs`; `readingMs`: how long reading the page took. */
  | { readonly seq: number; readonly answer: unknown; readonly readyAt: number; readonly readingMs: number }
  | { readonly seq: number; readonly error: string };

export type FromPageThread = readonly PageAnswer[];

export interface PageThreadData {
  /**
   * Three 32-bit cells: the `seq` of the call whose page is being read, or 0 if none is; when reading it began
   * (`getTruncatedUptimeMs`); and a heartbeat count that increases every half second unless something blocks the thread.
   */
  readonly reading: SharedArrayBuffer;
}

/**
 * Collects the document's buffer if it can be transferred between threads without a copy, which requires that it
 * contain nothing else.
 */
export function collectTransferableBuffers(result: unknown): ArrayBuffer[] {
  const outcome = (result as Partial<PageResult> | undefined)?.outcome;
  const bytes = outcome?.kind === 'document' ? outcome.document?.master.bytes : (result as { body?: Uint8Array })?.body;
  if (!(bytes instanceof Uint8Array) || !(bytes.buffer instanceof ArrayBuffer)) return [];
  // A view of a shared pool must be copied, because the rest of the pool belongs to others.
  return bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
}

/** The result of `getUptimeMs` truncated to 32 bits; differences remain correct across an overflow. */
export const getTruncatedUptimeMs = (): number => Math.trunc(getUptimeMs()) | 0;

/** Milliseconds of the machine's monotonic clock, the same in all threads. */
export const getUptimeMs = (): number => Number(process.hrtime.bigint()) / 1e6;
