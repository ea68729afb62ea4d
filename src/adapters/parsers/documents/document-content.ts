/** The result of a document reader, or the reason why there is none. */
import type { Heading } from '../../../domain/content/content-definition.js';
import type { Shortfall } from '../../../domain/content/shortfall.js';
import { formatIsoTime } from '../../../domain/time/http-date.js';
import { parseDateOrYear } from '../../../domain/time/written-date.js';
import type { Extraction, Refusal } from '../../../engine/ports/content-extractor.js';
import { removeInvisible } from '../html/text-buffer.js';
import { DocumentHeadings, foldBlanks } from './document-headings.js';
import type { OcrFiles } from './ocr-files.js';

export interface DocumentRequest {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** In UTF-16 code units. */
  readonly maxTextLength: number;
  readonly maxLinks: number;
  /**
   * Limit of processor time for one document in milliseconds; a reader that can stop between pages returns what it has
   * read by then.
   */
  readonly timeLimit: number;
  /** Limit on the clock, for a machine that is busy with other things; `timeLimit` if missing. */
  readonly clockLimit?: number;
  /** Whether the headings are wanted. */
  readonly headings?: boolean;
  /** Whether the files within the document are wanted: attachments of messages, entries of archives. */
  readonly members?: boolean;
  /** What reads the pictures of pages; they are not read if missing. */
  readonly ocr?: OcrRequest;
}

export interface OcrRequest extends OcrFiles {
  readonly languages: readonly string[];
  readonly maxPages: number;
}

/** A file within a document. */
export interface DocumentMember {
  /** Its name, or its path in the archive. */
  readonly path: string;
  /** In bytes, as declared. */
  readonly size: number;
  /** As the document states it; undefined if only the name and the bytes tell. */
  readonly contentType?: string;
  /**
   * @returns its bytes, or its reader if it has no bytes of its own, like a message within a message of Outlook
   * @throws Unreadable
   */
  open(): Uint8Array | MemberReader;
}

export type MemberReader = (request: DocumentRequest) => DocumentContent;

export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  constructor(
    readonly code: Refusal['refused'],
    detail: string,
  ) {
    super(detail);
  }
}

/** Limits in addition to those of the request. */
const MAX_HREF_LENGTH = 16_384;
const MAX_FIELDS = 200;
const MAX_MEMBERS = 500;
const MAX_VALUE_LENGTH = 8_192;
const MAX_TITLE_LENGTH = 4_096;
/** Length of the sample for language detection, if the text itself is not needed. */
const SAMPLE_LENGTH = 16_384;

/** Ends a paragraph, a row or a page within the collected text: a line in what is delivered (U+2029 PARAGRAPH SEPARATOR). */
export const BLOCK_END = '\u2029';

/** Collects the parts of one document, within the limits. */
export class DocumentContent {
  title = '';
  language: string | undefined;
  /** Set if the document is known to show text that was not read. */
  shortfall: Shortfall | undefined;
  /** Number of pages that were read by OCR; undefined if none were to be. */
  ocrPages: number | undefined;
  private readonly pieces: string[] = [];
  private asides: string[] = [];
  private asideDepth = 0;
  private readonly headings = new DocumentHeadings();
  private openHeading: { readonly level: number; readonly start: number } | undefined;
  private length = 0;
  private readonly hrefs = new Set<string>();
  private readonly fields: { name: string; value: string }[] = [];
  private readonly metas: { name: string; value: string }[] = [];
  private isTruncated = false;
  readonly members: DocumentMember[] = [];

  constructor(private readonly request: DocumentRequest) {}

  /** True if no more text is needed. */
  get isFull(): boolean {
    return this.length > Math.max(this.request.maxTextLength, SAMPLE_LENGTH);
  }

  addText(text: string): void {
    if (this.isFull) {
      this.isTruncated = true;
      return;
    }
    this.currentPieces.push(text);
    this.length += text.length;
  }

  /** Ends the current word. */
  endWord(): void {
    const pieces = this.currentPieces;
    const last = pieces[pieces.length - 1];
    if (last !== undefined && last !== ' ' && last !== BLOCK_END) this.addText(' ');
  }

  /** Adds a text whose blocks are separated: lines of their own, or paragraphs whose lines are wrapped. */
  addBlocks(text: string, separator: '\n' | '\n\n'): void {
    this.addText(text.replaceAll('\r', '').replaceAll(separator, BLOCK_END));
  }

  endBlock(): void {
    this.addText(BLOCK_END);
  }

  /** Until `endAside`, text is kept for `addAsides`, because it would tear a sentence apart. */
  beginAside(): void {
    this.asideDepth++;
  }

  endAside(): void {
    if (this.asideDepth > 0) this.asideDepth--;
    this.asides.push(BLOCK_END);
  }

  addAsides(): void {
    if (this.asides.length === 0 || this.asideDepth > 0) return;
    this.endWord();
    for (const piece of this.asides) this.pieces.push(piece);
    this.asides = [];
  }

  /** Where the next text will stand; undefined if headings are not wanted, or if that text is an aside. */
  get position(): number | undefined {
    return this.request.headings && this.asideDepth === 0 ? this.pieces.length : undefined;
  }

  /** The text from a position on, on one line. */
  readSince(position: number): string {
    return foldBlanks(this.pieces.slice(position).join('')).replaceAll('\n', ' ').trim();
  }

  /** What follows `start` is a heading up to `endHeading`, or no heading without a level. Asides have none. */
  beginHeading(level: number | undefined, start = this.position): void {
    if (this.position === undefined || start === undefined) return;
    this.openHeading = level === undefined ? undefined : { level, start };
  }

  endHeading(): void {
    if (!this.openHeading || this.position === undefined) return;
    const { level, start } = this.openHeading;
    const text = this.readSince(start);
    if (text !== '') this.addHeading(level, start, text);
    this.openHeading = undefined;
  }

  /** Adds a heading. With an empty text, what follows belongs to none of those before. */
  addHeading(level: number, start: number | undefined, text: string): void {
    if (start !== undefined) this.headings.add(level, start, text);
  }

  private get currentPieces(): string[] {
    return this.asideDepth > 0 ? this.asides : this.pieces;
  }

  addLink(href: string): void {
    const trimmed = href.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.length > MAX_HREF_LENGTH) return;
    if (this.hrefs.size < this.request.maxLinks) this.hrefs.add(trimmed);
  }

  addAuthor(name: string | undefined): void {
    const value = toPlainLine(name);
    if (value !== '') this.metas.push({ name: 'author', value });
  }

  /** Adds a further meta of the document. Empty values are ignored. */
  addField(name: string, text: string | undefined): void {
    const value = toPlainLine(text);
    if (value !== '' && this.fields.length < MAX_FIELDS) this.fields.push({ name, value });
  }

  addMember(member: DocumentMember): void {
    if (!this.request.members) return;
    if (this.members.length < MAX_MEMBERS) this.members.push(member);
    else this.isTruncated = true;
  }

  /** Adds a field with a time, in ISO 8601 and UTC; anything that is not a time is left out. */
  addTime(name: string, text: string | undefined): void {
    const time = parseDateOrYear(text ?? '');
    if (time !== undefined) this.addField(name, `${formatIsoTime(time).slice(0, 19)}Z`);
  }

  markTruncated(): void {
    this.isTruncated = true;
  }

  /** Adds lines whose headings are known. */
  addLines(text: string, headings: readonly Heading[] = []): void {
    let start = 0;
    for (const heading of headings) {
      this.addBlocks(text.slice(start, heading.start), '\n');
      this.addHeading(heading.level, this.position, heading.text);
      ({ start } = heading);
    }
    this.addBlocks(text.slice(start), '\n');
  }

  finish(
    determineLanguage: (declared: readonly (string | undefined)[], sample: () => string) => string | undefined,
  ): Extraction {
    this.addAsides();
    const fullText = foldBlanks(this.pieces.join('')).trim();
    const { maxTextLength } = this.request;
    const text = fullText.slice(0, maxTextLength);
    const headings = this.headings.locate(this.pieces, text);
    return {
      title: toPlainLine(this.title).slice(0, MAX_TITLE_LENGTH),
      text,
      ...(headings ? { headings } : {}),
      language: determineLanguage([this.language], () => fullText.slice(0, SAMPLE_LENGTH)),
      links: [...this.hrefs].map((href) => ({ href, kind: 'a' as const, nofollow: false })),
      metas: this.metas,
      fields: this.fields,
      robotsMetas: [],
      ...(this.shortfall ? { shortfall: this.shortfall } : {}),
      ...(this.ocrPages === undefined ? {} : { ocrPages: this.ocrPages }),
      truncated: this.isTruncated || (maxTextLength > 0 && fullText.length > maxTextLength),
    };
  }
}

/** Converts text to one line without control characters. */
const toPlainLine = (text: string | undefined): string =>
  removeInvisible((text ?? '').slice(0, MAX_VALUE_LENGTH))
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
