/**
 * The PDFium functions that are used here. They are described in PDFium's fpdfview.h, fpdf_text.h, fpdf_annot.h,
 * fpdf_formfill.h, fpdf_flatten.h, fpdf_attachment.h and fpdf_doc.h.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PDFiumModule } from '@hyzyla/pdfium';
import { Unreadable } from '../document-content.js';
import type { GrayPicture } from './text-recognizer.js';

type Pointer = number;

export interface Pdfium {
  _FPDF_InitLibraryWithConfig(config: Pointer): void;
  _FPDF_LoadMemDocument(data: Pointer, size: number, password: Pointer): Pointer;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: Pointer): number;
  _FPDF_LoadPage(document: Pointer, index: number): Pointer;
  _FPDF_ClosePage(page: Pointer): void;
  _FPDF_CloseDocument(document: Pointer): void;
  _FPDF_GetPageWidthF(page: Pointer): number;
  _FPDF_GetPageHeightF(page: Pointer): number;
  _FPDF_RenderPageBitmap(bitmap: Pointer, page: Pointer, ...boxRotationAndFlags: readonly number[]): void;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, pixels: Pointer, stride: number): Pointer;
  _FPDFBitmap_FillRect(bitmap: Pointer, ...boxAndColor: readonly number[]): number;
  _FPDFBitmap_GetBuffer(bitmap: Pointer): Pointer;
  _FPDFBitmap_GetStride(bitmap: Pointer): number;
  _FPDFBitmap_Destroy(bitmap: Pointer): void;
  _FPDF_GetMetaText(document: Pointer, tag: Pointer, buffer: Pointer, bytes: number): number;
  _FPDFText_LoadPage(page: Pointer): Pointer;
  _FPDFText_ClosePage(text: Pointer): void;
  _FPDFText_CountChars(text: Pointer): number;
  _FPDFText_GetText(text: Pointer, start: number, count: number, buffer: Pointer): number;
  _FPDFText_GetUnicode(text: Pointer, index: number): number;
  _FPDFText_HasUnicodeMapError(text: Pointer, index: number): number;
  _FPDFText_IsGenerated(text: Pointer, index: number): number;
  _FPDFText_GetFontSize(text: Pointer, index: number): number;
  _FPDFText_GetCharBox(
    text: Pointer,
    index: number,
    left: Pointer,
    right: Pointer,
    bottom: Pointer,
    top: Pointer,
  ): number;
  _FPDFText_GetLooseCharBox(text: Pointer, index: number, rectangle: Pointer): number;
  _FPDFText_GetCharAngle(text: Pointer, index: number): number;
  _FPDFText_GetMatrix(text: Pointer, index: number, matrix: Pointer): number;
  _FPDFText_GetTextObject(text: Pointer, index: number): Pointer;
  _FPDFTextObj_GetFont(object: Pointer): Pointer;
  _FPDFFont_GetBaseFontName(font: Pointer, buffer: Pointer, bytes: number): number;
  _FPDFPage_CountObjects(page: Pointer): number;
  _FPDFPage_GetObject(page: Pointer, index: number): Pointer;
  _FPDFPageObj_GetType(object: Pointer): number;
  _FPDFPage_GetAnnotCount(page: Pointer): number;
  _FPDFPage_GetAnnot(page: Pointer, index: number): Pointer;
  _FPDFPage_CloseAnnot(annotation: Pointer): void;
  _FPDFAnnot_GetSubtype(annotation: Pointer): number;
  _FPDFAnnot_GetFlags(annotation: Pointer): number;
  _FPDFAnnot_GetAP(annotation: Pointer, mode: number, buffer: Pointer, bytes: number): number;
  _FPDFAnnot_GetStringValue(annotation: Pointer, key: Pointer, buffer: Pointer, bytes: number): number;
  _FPDFAnnot_GetFormFieldType(form: Pointer, annotation: Pointer): number;
  _FPDFAnnot_GetFormFieldValue(form: Pointer, annotation: Pointer, buffer: Pointer, bytes: number): number;
  _FPDFAnnot_GetOptionCount(form: Pointer, annotation: Pointer): number;
  _FPDFAnnot_GetOptionLabel(form: Pointer, annotation: Pointer, index: number, buffer: Pointer, bytes: number): number;
  _FPDFAnnot_IsOptionSelected(form: Pointer, annotation: Pointer, index: number): number;
  _FPDFPage_RemoveAnnot(page: Pointer, index: number): number;
  _FPDFPage_Flatten(page: Pointer, usage: number): number;
  _FPDFDOC_InitFormFillEnvironment(document: Pointer, info: Pointer): Pointer;
  _FPDFDOC_ExitFormFillEnvironment(form: Pointer): void;
  _FPDFLink_Enumerate(page: Pointer, position: Pointer, link: Pointer): number;
  _FPDFLink_GetAction(link: Pointer): Pointer;
  _FPDFAction_GetType(action: Pointer): number;
  _FPDFAction_GetURIPath(document: Pointer, action: Pointer, buffer: Pointer, bytes: number): number;
  _FPDFLink_LoadWebLinks(text: Pointer): Pointer;
  _FPDFLink_CountWebLinks(links: Pointer): number;
  _FPDFLink_GetURL(links: Pointer, index: number, buffer: Pointer, units: number): number;
  _FPDFLink_CloseWebLinks(links: Pointer): void;
  _FPDF_GetFormType(document: Pointer): number;
  _FPDF_GetXFAPacketCount(document: Pointer): number;
  _FPDF_GetXFAPacketName(document: Pointer, index: number, buffer: Pointer, bytes: number): number;
  _FPDF_GetXFAPacketContent(document: Pointer, index: number, buffer: Pointer, bytes: number, size: Pointer): number;
  _FPDFDoc_GetAttachmentCount(document: Pointer): number;
  _FPDFDoc_GetAttachment(document: Pointer, index: number): Pointer;
  _FPDFAttachment_GetName(attachment: Pointer, buffer: Pointer, bytes: number): number;
  _FPDFAttachment_GetFile(attachment: Pointer, buffer: Pointer, bytes: number, size: Pointer): number;
  readonly wasmExports: { malloc(bytes: number): Pointer; free(pointer: Pointer): void };
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
}

/** The file is next to the program if that is bundled, otherwise in its package. */
function resolveModulePath(): string {
  const bundledPath = fileURLToPath(new URL('./pdfium.wasm', import.meta.url));
  return existsSync(bundledPath) ? bundledPath : fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
}

/** Loads an instance with its own memory. */
export async function loadPdfium(): Promise<Pdfium> {
  const wasmBinary = new Uint8Array(readFileSync(resolveModulePath())).buffer;
  const pdfium = (await PDFiumModule({ wasmBinary, locateFile: () => '' })) as unknown as Pdfium;
  pdfium._FPDF_InitLibraryWithConfig(0);
  return pdfium;
}

const POINTS_PER_INCH = 72;
/** The resolution for which Tesseract is made. */
const DOTS_PER_INCH = 300;
/** In pixels; a larger page is drawn in a lower resolution. A4 has 8.7 million. */
const MAX_AREA = 10_000_000;
const MAX_EDGE = 10_000;
/** Values of fpdfview.h. */
const GRAY = 1;
const DRAW_GRAY_WITH_ANNOTATIONS = 0x09;
const WHITE = 0xffffffff;

/**
 * Draws a page as a picture for character recognition.
 * @throws Unreadable
 */
export function drawPage(pdfium: Pdfium, page: number): { picture: GrayPicture; dotsPerInch: number } {
  const pageWidth = Math.max(1, pdfium._FPDF_GetPageWidthF(page));
  const pageHeight = Math.max(1, pdfium._FPDF_GetPageHeightF(page));
  const scale = Math.min(
    DOTS_PER_INCH / POINTS_PER_INCH,
    Math.sqrt(MAX_AREA / (pageWidth * pageHeight)),
    MAX_EDGE / Math.max(pageWidth, pageHeight),
  );
  const width = Math.max(1, Math.floor(pageWidth * scale));
  const height = Math.max(1, Math.floor(pageHeight * scale));
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, GRAY, 0, 0);
  if (bitmap === 0) throw new Unreadable('extract-memory', 'PDFium ran out of memory');
  try {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAW_GRAY_WITH_ANNOTATIONS);
    const stride = pdfium._FPDFBitmap_GetStride(bitmap);
    const start = pdfium._FPDFBitmap_GetBuffer(bitmap);
    const pixels = new Uint8Array(width * height);
    for (let row = 0; row < height; row++)
      pixels.set(pdfium.HEAPU8.subarray(start + row * stride, start + row * stride + width), row * width);
    return { picture: { width, height, pixels }, dotsPerInch: Math.round(scale * POINTS_PER_INCH) };
  } finally {
    pdfium._FPDFBitmap_Destroy(bitmap);
  }
}

/** Of one document; the sizes in bytes are those of all its files together and of a name. */
const MAX_ATTACHMENTS = 500;
const MAX_ATTACHED_BYTES = 64 * 1024 * 1024;
const MAX_NAME_BYTES = 2_048;

export interface Attachment {
  readonly name: string;
  /** Empty if they are not wanted. */
  readonly bytes: Uint8Array;
}

/** Reads the files that are attached to a document, as long as it is open. What is too large is left out. */
export function readAttachments(pdfium: Pdfium, document: number, wantsBytes: boolean): readonly Attachment[] {
  const count = Math.min(pdfium._FPDFDoc_GetAttachmentCount(document), MAX_ATTACHMENTS);
  const scratch = count > 0 ? pdfium.wasmExports.malloc(MAX_NAME_BYTES) : 0;
  if (scratch === 0) return [];
  const attachments: Attachment[] = [];
  let remaining = MAX_ATTACHED_BYTES;
  for (let index = 0; index < count; index++) {
    const attachment = pdfium._FPDFDoc_GetAttachment(document, index);
    const bytes = wantsBytes ? readFile(pdfium, attachment, scratch, remaining) : NO_BYTES;
    if (!bytes) continue;
    remaining -= bytes.byteLength;
    const nameBytes = pdfium._FPDFAttachment_GetName(attachment, scratch, MAX_NAME_BYTES);
    const nameEnd = scratch + (nameBytes <= MAX_NAME_BYTES ? Math.max(0, nameBytes - 2) : 0);
    const name = Buffer.from(pdfium.HEAPU8.slice(scratch, nameEnd)).toString('utf16le');
    attachments.push({ name: name || `attachment-${index + 1}`, bytes });
  }
  pdfium.wasmExports.free(scratch);
  return attachments;
}

const NO_BYTES = new Uint8Array(0);

function readFile(pdfium: Pdfium, attachment: number, scratch: number, maxSize: number): Uint8Array | undefined {
  if (attachment === 0 || !pdfium._FPDFAttachment_GetFile(attachment, 0, 0, scratch)) return undefined;
  const size = pdfium.HEAP32[scratch / 4]! >>> 0;
  const buffer = size > 0 && size <= maxSize ? pdfium.wasmExports.malloc(size) : 0;
  if (buffer === 0) return undefined;
  pdfium._FPDFAttachment_GetFile(attachment, buffer, size, scratch);
  const bytes = pdfium.HEAPU8.slice(buffer, buffer + size);
  pdfium.wasmExports.free(buffer);
  return bytes;
}
