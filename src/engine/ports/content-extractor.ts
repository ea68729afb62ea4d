/**
 * Extractors turn the bytes of a body into text, links and metas. Each names its media types; the first one in the page
 * reader's list that accepts a media type reads the body.
 */
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { Duration } from '../../domain/time/units.js';
import type { PageContent, ReadLimits } from './page-content.js';

export type Extraction = PageContent & HeldUp;

interface HeldUp {
  /** How long documents of other hosts have waited for this one to be read: its host pauses for it. */
  readonly heldUp?: Duration;
}

/** Why a body could not be read. Its document is still sent, with its bytes and the metas that do not depend on the content. */
export interface Refusal extends HeldUp {
  readonly refused: Extract<ReasonCode, `extract-${string}`>;
  /** Human-readable details. */
  readonly detail: string;
  /** True if the machine was too busy: the same body may be read another time. */
  readonly isPassing?: boolean;
}

export interface ExtractionContext extends ReadLimits {
  /** The page's URL. */
  readonly url: string;
  /** Content-Type as received; undefined if the response has none. */
  readonly contentType: string | undefined;
  /** Which parts of a page are used and which fields are extracted; absent if the whole page is used. */
  readonly content?: ContentDefinition;
  /** Hashes of blocks that stand on most pages of the host. */
  readonly repeatedBlocks?: Int32Array;
  /** True if the page's metas and JSON-LD are delivered. */
  readonly wantsMetas?: boolean;
  /** Names of the metas that say who may see a page, in lower case. */
  readonly accessMetas?: readonly string[];
  /** True if someone is inspecting the page and wants to see what was cut out. */
  readonly showsCut?: boolean;
  /** Maximum number of pages of a document that may be read by OCR; none if missing. */
  readonly maxOcrPages?: number;
}

/**
 * Thrown if an external extractor is currently unavailable. This says nothing about the document, which is visited
 * again later (with the error `code`).
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
  /** The name used in messages. */
  readonly name: string;
  /** Media types in lower case without parameters, or patterns for them. */
  readonly mediaTypes: readonly (string | RegExp)[];
}

/**
 * Runs in the page thread and blocks it; meant for formats that can be read in milliseconds, with memory proportional
 * to the size of the body. A thread that is blocked for too long is stopped, and the page gets the error
 * `parse-timeout`.
 */
export interface SyncExtractor extends ExtractorFacts {
  readonly kind: 'sync';
  extract(body: Uint8Array, mediaType: string, context: ExtractionContext): Extraction | Refusal;
}

/**
 * Runs in a child process or on another server while the page thread continues with other pages. The extractor limits
 * its memory and gives up when the signal aborts. The body is treated as refused if there is no result within
 * `timeLimit` (`extract-timeout`) or if the promise rejects with anything but ExtractorUnavailable (`extract-corrupt`).
 */
export interface AsyncExtractor extends ExtractorFacts {
  readonly kind: 'async';
  readonly timeLimit: Duration;
  /** Must neither keep `body` nor detach its buffer, since the document is made from it. */
  extract(
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal: AbortSignal,
  ): Promise<Extraction | Refusal>;
}

export type ContentExtractor = SyncExtractor | AsyncExtractor;

export const isRefusal = (result: Extraction | Refusal): result is Refusal => 'refused' in result;
