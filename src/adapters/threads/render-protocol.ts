/** The messages that page threads and the main thread exchange with the thread that runs the browser. */
import type { MessagePort } from 'node:worker_threads';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import type { ScriptPermit } from '../../engine/ports/page-processor.js';

/** From a page thread. */
export interface RenderCall {
  readonly seq: number;
  readonly request: FetchRequest;
}

export type RenderAnswer =
  | { readonly seq: number; readonly outcome: FetchOutcome }
  | { readonly seq: number; readonly error: string };

/** From the main thread. */
export type RenderNotice =
  | { readonly do: 'configure'; readonly renderer: RendererDefinition; readonly fetchers: readonly FetcherDefinition[] }
  /** Another thread will send requests over this port. */
  | { readonly do: 'connect'; readonly port: MessagePort }
  | { readonly do: 'permit'; readonly seq: number; readonly permit: ScriptPermit }
  | { readonly do: 'close' };

/** To the main thread. */
export type FromRenderThread =
  | { readonly log: 'info' | 'warn'; readonly message: string }
  /** A page wants to make a request to another site. */
  | { readonly seq: number; readonly url: string; readonly isScript: boolean };
