/** The messages between the main thread and the threads that process pages. */
import type { MessagePort } from 'node:worker_threads';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import type { PageResult, PageTask } from '../../engine/ports/page-task.js';
import type { PluginFacts } from '../../engine/ports/plugins.js';

/** Calls that are answered. */
export interface PageCalls {
  configure: { argument: ServerDefinition; answer: undefined };
  process: { argument: PageTask; answer: PageResult };
  fetch: { argument: FetchRequest; answer: FetchOutcome };
  resolve: { argument: string; answer: string | undefined };
}

/** Fits into the cell that says what is being read; numbers are reused long after their first calls have ended. */
const LAST_SEQ = 2 ** 31 - 1;

/** From 1 on: 0 is not a call. */
export const nextSeq = (seq: number): number => (seq % LAST_SEQ) + 1;

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
  /** Where the browser is asked. */
  | { readonly notice: 'renderer'; readonly port: MessagePort }
  /** The plug-ins, and once, where they are called. */
  | { readonly notice: 'plugins'; readonly facts: readonly PluginFacts[]; readonly port?: MessagePort }
  | { readonly notice: 'close' };

export type ToPageThread = readonly (PageCall | PageNotice)[];

export type PageAnswer =
  /** `at`: when it was ready, see `uptime`; `read`: milliseconds that reading the page took. */
  | { readonly seq: number; readonly answer: unknown; readonly at: number; readonly read: number }
  | { readonly seq: number; readonly error: string };

export type FromPageThread = readonly PageAnswer[];

export interface PageThreadData {
  /**
   * Three cells of 32 bits: the `seq` of the call whose page is being read, 0 while nothing is read; since when (`currentMoment`); and a
   * count that increases every half second, unless something blocks the thread.
   */
  readonly reading: SharedArrayBuffer;
}

/** The buffer of a document that can change threads without a copy: it contains nothing else. */
export function collectTransferableBuffers(result: unknown): ArrayBuffer[] {
  const outcome = (result as Partial<PageResult> | undefined)?.outcome;
  const bytes = outcome?.kind === 'document' ? outcome.document?.master.bytes : (result as { body?: Uint8Array })?.body;
  if (!(bytes instanceof Uint8Array) || !(bytes.buffer instanceof ArrayBuffer)) return [];
  // A view on a shared pool must be copied: its neighbours belong to others.
  return bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
}

/** `uptime` in a cell of 32 bits; differences are correct across its overflow. */
export const currentMoment = (): number => Math.trunc(uptime()) | 0;

/** Milliseconds of the machine's monotonic clock, the same in all threads. */
export const uptime = (): number => Number(process.hrtime.bigint()) / 1e6;
