/**
 * What turns the bytes of a body into text, links and metas. Each extractor names its media types; the first one in the list
 * of the page reader that takes a media type reads the body.
 */
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { Duration } from '../../domain/time/units.js';
import type { PageContent, ReadLimits } from './page-content.js';

export type Extraction = PageContent;

/** Why a body could not be read. Its document still goes out, with its bytes and the metas that do not depend on the content. */
export interface Refusal {
  readonly refused: Extract<ReasonCode, `extract-${string}`>;
  /** For a person. */
  readonly detail: string;
}

export interface ExtractionContext extends ReadLimits {
  /** URL of the page. */
  readonly url: string;
  /** Content-Type as received; undefined when the answer has none. */
  readonly contentType: string | undefined;
  /** What counts of pages and which fields are wanted of them; absent: all that they say. */
  readonly content?: ContentDefinition;
  /** Metas of the page and its JSON-LD are delivered. */
  readonly wantsMetas?: boolean;
  /** A person looks at the page and wants to see what was cut out. */
  readonly showsCut?: boolean;
}

/**
 * What an extractor elsewhere throws when it cannot be asked now: that says nothing about the document, which is visited again
 * later (error `code`).
 */
export class ExtractorUnavailable extends Error {
  override readonly name = 'ExtractorUnavailable';
  constructor(
    message: string,
    readonly code: Extract<ErrorCode, 'extractor-unavailable' | 'plugin-failed'> = 'extractor-unavailable',
  ) {
    super(message);
  }
}

interface ExtractorFacts {
  /** For messages. */
  readonly name: string;
  /** Media types without parameters, lower case, or patterns of them. */
  readonly mediaTypes: readonly (string | RegExp)[];
}

/**
 * Reads in the page thread, which does nothing else meanwhile: for formats that are read in milliseconds and in memory in
 * proportion to the body. A thread that stays in one for too long is stopped, and the page gets the error `parse-timeout`.
 */
export interface SyncExtractor extends ExtractorFacts {
  readonly kind: 'sync';
  extract(body: Uint8Array, mediaType: string, context: ExtractionContext): Extraction | Refusal;
}

/**
 * Reads elsewhere, in a child process or on another server; the page thread goes on with other pages. The extractor bounds the
 * memory that it takes, and gives up when the signal aborts. Without an answer at `timeLimit` the body counts as refused
 * (`extract-timeout`), and so it does when the promise rejects (`extract-corrupt`), unless with ExtractorUnavailable.
 */
export interface AsyncExtractor extends ExtractorFacts {
  readonly kind: 'async';
  readonly timeLimit: Duration;
  /** Must neither keep `body` nor detach its buffer: the document is made of it. */
  extract(
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal: AbortSignal,
  ): Promise<Extraction | Refusal>;
}

export type ContentExtractor = SyncExtractor | AsyncExtractor;

export const isRefusal = (read: Extraction | Refusal): read is Refusal => 'refused' in read;
