/** Reads PDF documents with PDFium compiled to WebAssembly. */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { composeAccent } from './accents.js';
import { type CodeTexts, readLigatures } from './pdf-encodings.js';
import { repairText } from './pdf-repair.js';
import type { Pdfium } from './pdfium.js';

/**
 * Results of FPDF_GetLastError (fpdfview.h) that mean that a password is needed or the kind of encryption is unknown.
 */
const ENCRYPTED = new Set([4, 5]);
/** Result of FPDFAction_GetType for an action that opens a URI (fpdf_doc.h). */
const OPENS_URI = 3;
const MOST_PAGES = 20_000;
/** FPDF_ANNOT_FREETEXT and FPDF_ANNOT_WIDGET (fpdf_annot.h). */
const FREE_TEXT = 3;
const WIDGET = 20;
/** Flags of annotations that are hidden or not shown on a screen (ISO 32000-1, 12.5.3). */
const UNSEEN = 2 | 32;
/** Maximum number of annotations on one page. */
const MOST_ANNOTATIONS = 2_000;
/** Size in bytes of the buffer for one piece of text. */
const ROOM = 256 * 1024;

const VALUE = 'V';
/** The annotation's dictionary entry that contains the text. */
const SHOWN: ReadonlyMap<number, string> = new Map([
  [FREE_TEXT, 'Contents'],
  [WIDGET, VALUE],
]);
/** Text and choice fields; buttons also have values, but no text. */
const TEXT_FIELDS = new Set(['Tx', 'Ch']);
/** Bytes for the name of a dictionary entry. */
const KEY_ROOM = 16;

export function readPdf(pdfium: Pdfium, body: Uint8Array, request: DocumentRequest): DocumentContent {
  const reading = new PdfReading(pdfium, body, request);
  try {
    return reading.read();
  } finally {
    reading.close();
  }
}

/** Some programs write an accent next to the letter below it. These accents do not occur on their own in text. */
const ACCENTED = /([\u00a8\u02c7\u02d8\u02da\u02dd])([A-Za-z\u0131])/g;

/** The mark at the end of a line whose last word continues on the next one. It also stands for unknown characters. */
const HYPHENATED = /[\ufffe\u0002]\s*/g;

/**
 * Hyphens in numbers, and between a lower-case and a capital letter, would also be there within a line, so they stay.
 */
function replaceHyphen(mark: string, at: number, text: string): string {
  const sides = `${text[at - 1]}${text[at + mark.length]}`;
  return /^[\p{L}\p{N}]{2}$/u.test(sides) && /\p{N}|\p{Ll}\p{Lu}/u.test(sides) ? '-' : '';
}

/** Searched for first, because PDFium's own search for links takes longer. */
const WEB_LINK = /https?:|www\./i;

class PdfReading {
  private readonly content: DocumentContent;
  private readonly data: number;
  private readonly document: number;
  /** Memory into which PDFium writes. */
  private readonly room: number;
  private codes: ReadonlyMap<string, CodeTexts> | undefined;

  constructor(
    private readonly pdfium: Pdfium,
    private readonly body: Uint8Array,
    private readonly request: DocumentRequest,
  ) {
    this.content = new DocumentContent(request);
    this.data = this.allocate(body.byteLength);
    pdfium.HEAPU8.set(body, this.data);
    this.document = pdfium._FPDF_LoadMemDocument(this.data, body.byteLength, 0);
    if (this.document === 0) {
      pdfium.wasmExports.free(this.data);
      throw toUnreadable(pdfium._FPDF_GetLastError());
    }
    this.room = this.allocate(ROOM);
  }

  read(): DocumentContent {
    const { content, pdfium, document } = this;
    this.readProperties();
    const pages = pdfium._FPDF_GetPageCount(document);
    if (pages === 0) throw new Unreadable('extract-corrupt', 'the document has no page');
    content.addField('page_count', String(pages));
    // Reading stops early, because part of the document is better than nothing.
    const end = performance.now() + this.request.timeLimit * 0.7;
    for (let index = 0; index < Math.min(pages, MOST_PAGES); index++) {
      if (content.isFull || performance.now() > end) content.markTruncated();
      if (content.isFull || performance.now() > end) break;
      this.readPage(index);
    }
    return content;
  }

  close(): void {
    if (this.document !== 0) this.pdfium._FPDF_CloseDocument(this.document);
    this.pdfium.wasmExports.free(this.room);
    this.pdfium.wasmExports.free(this.data);
  }

  private allocate(bytes: number): number {
    const pointer = this.pdfium.wasmExports.malloc(bytes);
    if (pointer === 0) throw new Unreadable('extract-memory', 'PDFium ran out of memory');
    return pointer;
  }

  private readProperties(): void {
    const { content } = this;
    content.title = this.readProperty('Title');
    content.addAuthor(this.readProperty('Author'));
    content.addField('subject', this.readProperty('Subject'));
    content.addField('keywords', this.readProperty('Keywords'));
    content.addField('generator', this.readProperty('Creator'));
    content.addField('producer', this.readProperty('Producer'));
    content.addTime('date_created', toIsoTime(this.readProperty('CreationDate')));
    content.addTime('date_modified', toIsoTime(this.readProperty('ModDate')));
  }

  private readProperty(name: string): string {
    const tag = this.allocate(name.length + 1);
    this.pdfium.HEAPU8.set(Buffer.from(`${name}\0`, 'latin1'), tag);
    const bytes = this.pdfium._FPDF_GetMetaText(this.document, tag, this.room, ROOM);
    this.pdfium.wasmExports.free(tag);
    return bytes > ROOM || bytes < 2 ? '' : this.readUtf16(bytes / 2 - 1);
  }

  private readPage(index: number): void {
    const { pdfium } = this;
    const page = pdfium._FPDF_LoadPage(this.document, index);
    // A corrupt page does not make the others unreadable.
    if (page === 0) return;
    this.readLinks(page);
    const text = pdfium._FPDFText_LoadPage(page);
    if (text !== 0) {
      if (WEB_LINK.test(this.readText(text))) this.readWebLinks(text);
      pdfium._FPDFText_ClosePage(text);
    }
    this.readAnnotations(page);
    pdfium._FPDF_ClosePage(page);
  }

  /** Reads text that is shown on the page without being part of it: annotations and the contents of form fields. */
  private readAnnotations(page: number): void {
    const { pdfium, content } = this;
    const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), MOST_ANNOTATIONS);
    for (let index = 0; index < count && !content.isFull; index++) {
      const annotation = pdfium._FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      const key = SHOWN.get(pdfium._FPDFAnnot_GetSubtype(annotation));
      if (key !== undefined && (pdfium._FPDFAnnot_GetFlags(annotation) & UNSEEN) === 0) {
        const text = this.readString(annotation, key);
        if (text !== '' && (key !== VALUE || TEXT_FIELDS.has(this.readString(annotation, 'FT')))) {
          content.addText(text);
          content.endWord();
        }
      }
      pdfium._FPDFPage_CloseAnnot(annotation);
    }
  }

  private readString(annotation: number, key: string): string {
    const { pdfium, room } = this;
    pdfium.HEAPU8.set(Buffer.from(`${key}\0`, 'latin1'), room);
    const at = room + KEY_ROOM;
    const bytes = pdfium._FPDFAnnot_GetStringValue(annotation, room, at, ROOM - KEY_ROOM);
    return bytes < 4 || bytes > ROOM - KEY_ROOM ? '' : this.readUtf16(bytes / 2 - 1, at);
  }

  /** Reads the page's text and returns it as PDFium has it. */
  private readText(text: number): string {
    const { pdfium, content } = this;
    const count = pdfium._FPDFText_CountChars(text);
    const atOnce = ROOM / 4;
    let page = '';
    for (let start = 0; start < count && !content.isFull && page.length < 4_000_000; start += atOnce) {
      const units = pdfium._FPDFText_GetText(text, start, Math.min(atOnce, count - start), this.room);
      page += units > 1 ? this.readUtf16(units - 1) : '';
    }
    content.addText(
      repairText(pdfium, text, page, () => this.getLigatures())
        .replace(HYPHENATED, replaceHyphen)
        .replace(ACCENTED, (both, accent: string, letter: string) => composeAccent(accent, letter) ?? both),
    );
    content.endWord();
    return page;
  }

  private getLigatures(): ReadonlyMap<string, CodeTexts> {
    this.codes ??= readLigatures(this.body);
    return this.codes;
  }

  private readLinks(page: number): void {
    const { pdfium, content } = this;
    const cells = this.room;
    pdfium.HEAP32[cells / 4] = 0;
    for (let found = 0; found < this.request.maxLinks; found++) {
      if (!pdfium._FPDFLink_Enumerate(page, cells, cells + 4)) return;
      const position = pdfium.HEAP32[cells / 4]!;
      const action = pdfium._FPDFLink_GetAction(pdfium.HEAP32[cells / 4 + 1]!);
      if (action !== 0 && pdfium._FPDFAction_GetType(action) === OPENS_URI) content.addLink(this.readUri(action));
      pdfium.HEAP32[cells / 4] = position;
    }
  }

  private readUri(action: number): string {
    const at = this.room + 16;
    const bytes = this.pdfium._FPDFAction_GetURIPath(this.document, action, at, ROOM - 16);
    if (bytes < 2 || bytes > ROOM - 16) return '';
    return Buffer.from(this.pdfium.HEAPU8.subarray(at, at + bytes - 1)).toString('utf8');
  }

  /** Reads URLs that are written in the text. */
  private readWebLinks(text: number): void {
    const { pdfium, content } = this;
    const links = pdfium._FPDFLink_LoadWebLinks(text);
    if (links === 0) return;
    const count = Math.min(pdfium._FPDFLink_CountWebLinks(links), this.request.maxLinks);
    for (let index = 0; index < count; index++) {
      const units = pdfium._FPDFLink_GetURL(links, index, this.room, ROOM / 2);
      const href = units > 1 ? this.readUtf16(units - 1) : '';
      if (/^https?:/i.test(href)) content.addLink(href);
    }
    pdfium._FPDFLink_CloseWebLinks(links);
  }

  private readUtf16(units: number, at = this.room): string {
    const { HEAPU8 } = this.pdfium;
    return Buffer.from(HEAPU8.buffer, HEAPU8.byteOffset + at, units * 2).toString('utf16le');
  }
}

function toUnreadable(error: number): Unreadable {
  return ENCRYPTED.has(error)
    ? new Unreadable('extract-encrypted', 'the document cannot be opened without a password')
    : new Unreadable('extract-corrupt', `PDFium cannot open the document (error ${error})`);
}

/**
 * Converts `D:20240131120000+01'00'` (ISO 32000, 7.9.4); a missing month or day counts as the first, and a missing time
 * zone as UTC.
 */
export function toIsoTime(written: string): string {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(written.trim());
  if (!parts) return '';
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, zoneHour, zoneMinute] =
    parts;
  const zone = sign === undefined ? 'Z' : `${sign}${zoneHour}:${zoneMinute ?? '00'}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}
