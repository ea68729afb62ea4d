/** Reads PDF documents with PDFium compiled to WebAssembly. */
import type { Shortfall } from '../../../../domain/content/shortfall.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { composeAccent } from './accents.js';
import { findMissingValues, PdfAnnotations } from './pdf-annotations.js';
import { countUnnamedGlyphs } from './pdf-characters.js';
import { type CodeTexts, readLigatures } from './pdf-encodings.js';
import { readDynamicForm } from './pdf-forms.js';
import { readXmp } from './pdf-metadata.js';
import { goesOn } from './pdf-paragraphs.js';
import { repairText } from './pdf-repair.js';
import { drawPage, type Pdfium, readAttachments } from './pdfium.js';
import type { TextRecognizer } from './text-recognizer.js';

/**
 * Results of FPDF_GetLastError (fpdfview.h) that mean that a password is needed or the kind of encryption is unknown.
 */
const ENCRYPTION_ERRORS = new Set([4, 5]);
/** Result of FPDFAction_GetType for an action that opens a URI (fpdf_doc.h). */
const URI_ACTION = 3;
const MAX_PAGES = 20_000;
/** Size in bytes of the buffer for one piece of text. */
const BUFFER_SIZE = 256 * 1024;
const MAX_PAGE_LENGTH = 4_000_000;
/** How rights management marks the encrypted document in one that says so (ISO 32000-2, 7.6.7), or used to name it. */
const ENCRYPTED_PAYLOAD = '/EncryptedPayload';
const PROTECTED_BY_MICROSOFT = 'MicrosoftIRMServices Protected';
/** Types of objects on a page (fpdf_edit.h). */
const TEXT_OBJECT = 1;
const IMAGE_OBJECT = 3;
const FORM_OBJECT = 5;
const MAX_OBJECTS = 20_000;
/** Share of pages, and percentage of characters, from which a document counts as read in part only. */
const MIN_PICTURE_SHARE = 0.5;
const MIN_LOST_PERCENT = 10;
/** Reading stops before the limit is reached, because part of the document is better than nothing. */
const USABLE_TIME = 0.7;

/** @param recognizer reads pages that are pictures, if the request wants that */
export function readPdf(
  pdfium: Pdfium,
  body: Uint8Array,
  request: DocumentRequest,
  recognizer?: TextRecognizer,
): DocumentContent {
  const reader = new PdfReader(pdfium, body, request, recognizer);
  try {
    return reader.read();
  } finally {
    reader.close();
  }
}

/** Returns a function that tells whether the time for the document is over: that of the processor, or that of the clock. */
function createTimer({ timeLimit, clockLimit = timeLimit }: DocumentRequest): () => boolean {
  const startedAt = performance.now();
  const usage = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(usage);
    return (
      (user + system) / 1_000 > timeLimit * USABLE_TIME || performance.now() - startedAt > clockLimit * USABLE_TIME
    );
  };
}

/** Some programs write an accent next to the letter below it. These accents do not occur on their own in text. */
const SEPARATE_ACCENT = /([\u00a8\u02c7\u02d8\u02da\u02dd])([A-Za-z\u0131])/g;

/** The mark at the end of a line whose last word continues on the next one. It also stands for unknown characters. */
const LINE_END_MARK = /[\ufffe\u0002]\s*/g;

/**
 * Keeps hyphens in numbers, and between a lower-case and a capital letter, which would also be there within a line.
 */
function replaceHyphen(mark: string, index: number, text: string): string {
  const neighbors = `${text[index - 1]}${text[index + mark.length]}`;
  return /^[\p{L}\p{N}]{2}$/u.test(neighbors) && /\p{N}|\p{Ll}\p{Lu}/u.test(neighbors) ? '-' : '';
}

/** Tested first, because PDFium's own search for links takes longer. */
const WEB_LINK = /https?:|www\./i;

class PdfReader {
  private readonly content: DocumentContent;
  private readonly dataPointer: number;
  private readonly document: number;
  /** Memory into which PDFium writes. */
  private readonly scratch: number;
  private readonly annotations: PdfAnnotations;
  private characterCount = 0;
  /** Characters of which the file does not tell what they are, and those of them that cannot even be guessed. */
  private unnamedCount = 0;
  private lostCount = 0;
  /** Pieces of text of which PDFium returns nothing. */
  private missingCount = 0;
  /** Pages that are pictures. */
  private picturePages = 0;
  /** Pages that were read by OCR. */
  private ocrPages = 0;
  /** That of the last page with a text. */
  private lastText = '';
  private ligatures: ReadonlyMap<string, CodeTexts> | undefined;

  constructor(
    private readonly pdfium: Pdfium,
    private readonly body: Uint8Array,
    private readonly request: DocumentRequest,
    private readonly recognizer: TextRecognizer | undefined,
  ) {
    this.content = new DocumentContent(request);
    this.dataPointer = this.allocate(body.byteLength);
    pdfium.HEAPU8.set(body, this.dataPointer);
    this.document = pdfium._FPDF_LoadMemDocument(this.dataPointer, body.byteLength, 0);
    if (this.document === 0) {
      pdfium.wasmExports.free(this.dataPointer);
      throw toUnreadable(pdfium._FPDF_GetLastError());
    }
    this.scratch = this.allocate(BUFFER_SIZE);
    this.annotations = new PdfAnnotations(pdfium, this.document, { pointer: this.scratch, size: BUFFER_SIZE });
  }

  read(): DocumentContent {
    const { content, pdfium, document } = this;
    this.readProperties();
    this.readAttachments();
    const pageCount = pdfium._FPDF_GetPageCount(document);
    if (pageCount === 0) throw new Unreadable('extract-corrupt', 'the document has no pages');
    content.addField('page_count', String(pageCount));
    // Where programs have printed the form into the file, there are more pages than the one that says to wait.
    if (readDynamicForm(pdfium, document, content) && pageCount === 1) return content;
    const isOverTime = createTimer(this.request);
    for (let index = 0; index < Math.min(pageCount, MAX_PAGES); index++) {
      const isCut = isOverTime();
      if (isCut)
        content.shortfall = {
          reason: 'text-cut',
          detail: `${index} of ${pageCount} pages were read in the time allowed`,
        };
      if (isCut || content.isFull) content.markTruncated();
      if (isCut || content.isFull) break;
      this.readPage(index);
    }
    if (this.recognizer) this.describeOcr(pageCount);
    content.shortfall ??= this.findShortfall(pageCount);
    return content;
  }

  /** Whatever was read so far counts, because another try would take as long. */
  private describeOcr(pageCount: number): void {
    const { content, ocrPages } = this;
    content.ocrPages = ocrPages;
    content.addField('pages_read_by_ocr', String(ocrPages));
    const detail = `${ocrPages} of ${pageCount} pages were read by character recognition`;
    content.shortfall = { reason: 'text-by-ocr', detail };
  }

  private findShortfall(pageCount: number): Shortfall | undefined {
    const { picturePages, missingCount, content } = this;
    const shownCount = Math.max(this.characterCount + missingCount, 1);
    const toPercent = (count: number): number => Math.min(100, Math.round((count / shownCount) * 100));
    const unnamed = toPercent(this.unnamedCount + missingCount);
    const lost = toPercent(this.lostCount + missingCount);
    if (picturePages > 0) content.addField('pages_without_text', String(picturePages));
    if (unnamed > 0) content.addField('unknown_characters_percent', String(unnamed));
    if (picturePages >= pageCount * MIN_PICTURE_SHARE)
      return { reason: 'no-text-layer', detail: `${picturePages} of ${pageCount} pages have no text, only pictures` };
    if (lost < MIN_LOST_PERCENT) return undefined;
    return { reason: 'text-incomplete', detail: `for ${lost} % of the letters, the file does not say which they are` };
  }

  close(): void {
    this.annotations.close();
    this.pdfium._FPDF_CloseDocument(this.document);
    this.pdfium.wasmExports.free(this.scratch);
    this.pdfium.wasmExports.free(this.dataPointer);
  }

  private allocate(byteCount: number): number {
    const pointer = this.pdfium.wasmExports.malloc(byteCount);
    if (pointer === 0) throw new Unreadable('extract-memory', 'PDFium ran out of memory');
    return pointer;
  }

  private readProperties(): void {
    const { content } = this;
    content.title = this.readProperty('Title');
    const xmp = content.title.trim() === '' ? readXmp(this.body) : undefined;
    content.title ||= xmp?.get('title')?.[0] ?? '';
    content.addAuthor(this.readProperty('Author') || xmp?.get('creator')?.join(', '));
    content.addField('subject', this.readProperty('Subject'));
    content.addField('keywords', this.readProperty('Keywords') || xmp?.get('subject')?.join(', '));
    content.addField('generator', this.readProperty('Creator'));
    content.addField('producer', this.readProperty('Producer'));
    content.addTime('date_created', toIsoTime(this.readProperty('CreationDate')) || xmp?.get('createdate')?.[0]);
    content.addTime('date_modified', toIsoTime(this.readProperty('ModDate')) || xmp?.get('modifydate')?.[0]);
  }

  /** @throws Unreadable if the document says no more than that one of them is the real document */
  private readAttachments(): void {
    const attachments = readAttachments(this.pdfium, this.document, this.request.members === true);
    const { buffer, byteOffset, byteLength } = this.body;
    const isWrapper = attachments.length > 0 && Buffer.from(buffer, byteOffset, byteLength).includes(ENCRYPTED_PAYLOAD);
    if (isWrapper || attachments.some(({ name }) => name.startsWith(PROTECTED_BY_MICROSOFT)))
      throw new Unreadable('extract-encrypted', 'the document is protected by rights management');
    for (const { name, bytes } of attachments)
      this.content.addMember({ path: name, size: bytes.byteLength, open: () => bytes });
  }

  private readProperty(name: string): string {
    const tag = this.allocate(name.length + 1);
    this.pdfium.HEAPU8.set(Buffer.from(`${name}\0`, 'latin1'), tag);
    const byteCount = this.pdfium._FPDF_GetMetaText(this.document, tag, this.scratch, BUFFER_SIZE);
    this.pdfium.wasmExports.free(tag);
    return byteCount > BUFFER_SIZE || byteCount < 2 ? '' : this.readUtf16(byteCount / 2 - 1);
  }

  private readPage(index: number): void {
    const { pdfium } = this;
    const page = pdfium._FPDF_LoadPage(this.document, index);
    // A corrupt page does not make the others unreadable.
    if (page === 0) return;
    this.readLinks(page);
    const textPage = pdfium._FPDFText_LoadPage(page);
    let pageText = '';
    let characterCount = 0;
    if (textPage !== 0) {
      pageText = this.readText(textPage);
      characterCount = pdfium._FPDFText_CountChars(textPage);
      if (WEB_LINK.test(pageText)) this.readWebLinks(textPage);
      pdfium._FPDFText_ClosePage(textPage);
    }
    this.countShortfall(page, pageText.length);
    this.readAnnotations(page, index, pageText, characterCount);
    pdfium._FPDF_ClosePage(page);
  }

  /** Reads text that is shown on the page without being part of it. */
  private readAnnotations(page: number, index: number, pageText: string, characterCount: number): void {
    const { content } = this;
    const annotations = this.annotations.read(page);
    const isDrawn = this.annotations.draw(page, annotations.drawn);
    const drawnText = isDrawn ? this.readDrawnText(index, pageText, characterCount) : '';
    for (const text of [drawnText, ...findMissingValues(annotations, `${pageText} ${drawnText}`)]) {
      if (text === '') continue;
      content.endBlock();
      content.addText(text);
    }
  }

  /** Returns what has been drawn on the page, which comes after its own text. */
  private readDrawnText(index: number, pageText: string, characterCount: number): string {
    const { pdfium } = this;
    const page = pdfium._FPDF_LoadPage(this.document, index);
    const textPage = page === 0 ? 0 : pdfium._FPDFText_LoadPage(page);
    const text = textPage === 0 ? '' : this.readPageText(textPage);
    // PDFium sometimes knows the characters of the page's fonts no longer.
    const drawnText = text.startsWith(pageText) ? this.repairText(textPage, text, characterCount) : '';
    if (textPage !== 0) pdfium._FPDFText_ClosePage(textPage);
    if (page !== 0) pdfium._FPDF_ClosePage(page);
    return drawnText;
  }

  /** Counts pages that show something and have no text, and pieces of text without a single known character. */
  private countShortfall(page: number, characters: number): void {
    const { pdfium } = this;
    const objectCount = pdfium._FPDFPage_CountObjects(page);
    if (characters >= objectCount) return;
    let textCount = 0;
    let hasPicture = false;
    for (let index = 0; index < Math.min(objectCount, MAX_OBJECTS); index++) {
      const type = pdfium._FPDFPageObj_GetType(pdfium._FPDFPage_GetObject(page, index));
      if (type === TEXT_OBJECT) textCount++;
      else if (type === IMAGE_OBJECT || type === FORM_OBJECT) hasPicture = true;
    }
    this.missingCount += Math.max(0, textCount - characters);
    if (characters > 0 || textCount > 0 || !hasPicture) return;
    this.picturePages++;
    this.recognizeText(page);
  }

  private recognizeText(page: number): void {
    const { pdfium, recognizer, content } = this;
    if (!recognizer) return;
    if (this.ocrPages >= (this.request.ocr?.maxPages ?? 0)) content.markTruncated();
    else {
      const { picture, dotsPerInch } = drawPage(pdfium, page);
      content.addText(recognizer.recognize(picture, dotsPerInch));
      content.endWord();
      this.ocrPages++;
    }
  }

  private readPageText(textPage: number): string {
    const { pdfium } = this;
    const count = pdfium._FPDFText_CountChars(textPage);
    const maxUnits = BUFFER_SIZE / 4;
    let pageText = '';
    for (let start = 0; start < count && pageText.length < MAX_PAGE_LENGTH; start += maxUnits) {
      const units = pdfium._FPDFText_GetText(textPage, start, Math.min(maxUnits, count - start), this.scratch);
      pageText += units > 1 ? this.readUtf16(units - 1) : '';
    }
    return pageText;
  }

  /** Adds the page's repaired text to the content; returns the text as PDFium provides it. */
  private readText(textPage: number): string {
    const pageText = this.readPageText(textPage);
    this.characterCount += pageText.length;
    const text = this.repairText(textPage, pageText).trim();
    if (text === '') return pageText;
    if (goesOn(this.lastText, text)) this.content.endWord();
    else this.content.endBlock();
    this.lastText = text;
    this.content.addText(text);
    this.content.endWord();
    return pageText;
  }

  /** @param start the first character that is wanted, by PDFium's index */
  private repairText(textPage: number, pageText: string, start = 0): string {
    const unnamed = countUnnamedGlyphs(this.pdfium, textPage, start);
    this.unnamedCount += unnamed.count;
    this.lostCount += unnamed.lost;
    return repairText(this.pdfium, textPage, pageText, {
      hasUnnamedGlyphs: unnamed.count > 0,
      start,
      getLigatures: () => this.getLigatures(),
    })
      .replace(LINE_END_MARK, replaceHyphen)
      .replace(SEPARATE_ACCENT, (match, accent: string, letter: string) => composeAccent(accent, letter) ?? match);
  }

  private getLigatures(): ReadonlyMap<string, CodeTexts> {
    this.ligatures ??= readLigatures(this.body);
    return this.ligatures;
  }

  private readLinks(page: number): void {
    const { pdfium, content } = this;
    const scratch = this.scratch;
    pdfium.HEAP32[scratch / 4] = 0;
    for (let linkCount = 0; linkCount < this.request.maxLinks; linkCount++) {
      if (!pdfium._FPDFLink_Enumerate(page, scratch, scratch + 4)) return;
      const position = pdfium.HEAP32[scratch / 4]!;
      const action = pdfium._FPDFLink_GetAction(pdfium.HEAP32[scratch / 4 + 1]!);
      if (action !== 0 && pdfium._FPDFAction_GetType(action) === URI_ACTION) content.addLink(this.readUri(action));
      pdfium.HEAP32[scratch / 4] = position;
    }
  }

  private readUri(action: number): string {
    const pointer = this.scratch + 16;
    const byteCount = this.pdfium._FPDFAction_GetURIPath(this.document, action, pointer, BUFFER_SIZE - 16);
    if (byteCount < 2 || byteCount > BUFFER_SIZE - 16) return '';
    return Buffer.from(this.pdfium.HEAPU8.subarray(pointer, pointer + byteCount - 1)).toString('utf8');
  }

  /** Reads URLs that are written in the text. */
  private readWebLinks(textPage: number): void {
    const { pdfium, content } = this;
    const links = pdfium._FPDFLink_LoadWebLinks(textPage);
    if (links === 0) return;
    const count = Math.min(pdfium._FPDFLink_CountWebLinks(links), this.request.maxLinks);
    for (let index = 0; index < count; index++) {
      const units = pdfium._FPDFLink_GetURL(links, index, this.scratch, BUFFER_SIZE / 2);
      const href = units > 1 ? this.readUtf16(units - 1) : '';
      if (/^https?:/i.test(href)) content.addLink(href);
    }
    pdfium._FPDFLink_CloseWebLinks(links);
  }

  private readUtf16(units: number): string {
    const { HEAPU8 } = this.pdfium;
    return Buffer.from(HEAPU8.buffer, HEAPU8.byteOffset + this.scratch, units * 2).toString('utf16le');
  }
}

function toUnreadable(error: number): Unreadable {
  return ENCRYPTION_ERRORS.has(error)
    ? new Unreadable('extract-encrypted', 'the document cannot be opened without a password')
    : new Unreadable('extract-corrupt', `PDFium cannot open the document (error ${error})`);
}

/**
 * Converts `D:20240131120000+01'00'` (ISO 32000, 7.9.4); a missing month or day is taken as the first, and a missing
 * time zone as UTC.
 */
export function toIsoTime(text: string): string {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(text.trim());
  if (!parts) return '';
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, zoneHour, zoneMinute] =
    parts;
  const zone = sign === undefined ? 'Z' : `${sign}${zoneHour}:${zoneMinute ?? '00'}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}
