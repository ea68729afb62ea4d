/**
 * Turns the bytes of a body into text, links and metas. Each extractor names its media types; the first one in the list of the page
 * reader that accepts a media type reads the body.
 */
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { Duration } from '../../domain/time/units.js';
import type { PageContent, ReadLimits } from './page-content.js';

export type Extraction = PageContent;

/** Why a body could not be read. Its document is still sent, with its bytes and the metas that do not depend on the content. */
export interface Refusal {
  readonly refused: Extract<ReasonCode, `extract-${string}`>;
  /** For a person. */
  readonly detail: string;
}

export interface ExtractionContext extends ReadLimits {
  /** URL of the page. */
  readonly url: string;
  /** Content-Type as received; undefined if the answer has none. */
  readonly contentType: string | undefined;
  /** Which parts of pages count and which fields are wanted; absent: everything. */
  readonly content?: ContentDefinition;
  /** Metas of the page and its JSON-LD are delivered. */
  readonly wantsMetas?: boolean;
  /** A person looks at the page and wants to see what was cut out. */
  readonly showsCut?: boolean;
}

/**
 * Thrown by an extractor elsewhere that is not available now: that says nothing about the document, which is visited again later
 * (error `code`).
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
 * Reads in the page thread, which does nothing else meanwhile: for formats that are read in milliseconds and in memory proportional
 * to the body. A thread that is blocked for too long is stopped, and the page gets the error `parse-timeout`.
 */
export interface SyncExtractor extends ExtractorFacts {
  readonly kind: 'sync';
  extract(body: Uint8Array, mediaType: string, context: ExtractionContext): Extraction | Refusal;
}

/**
 * Reads elsewhere, in a child process or on another server; the page thread continues with other pages. The extractor bounds its
 * memory, and gives up when the signal aborts. Without an answer within `timeLimit` the body counts as refused (`extract-timeout`),
 * and also when the promise rejects (`extract-corrupt`), except with ExtractorUnavailable.
 */
export interface AsyncExtractor extends ExtractorFacts {
  readonly kind: 'async';
  readonly timeLimit: Duration;
  /** Must neither keep `body` nor detach its buffer: the document is made from it. */
  extract(
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal: AbortSignal,
  ): Promise<Extraction | Refusal>;
}

export type ContentExtractor = SyncExtractor | AsyncExtractor;

export const isRefusal = (read: Extraction | Refusal): read is Refusal => 'refused' in read;
