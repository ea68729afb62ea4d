/**
 * Reads dynamic forms (XFA 3.3), whose pages Adobe's programs make from a template and the data that were filled in. The
 * PDF itself has a single page, which says that the form cannot be shown.
 */
import type { DocumentContent } from '../document-content.js';
import { createNameSet, extractText, type TextRules } from './markup.js';
import type { Pdfium } from './pdfium.js';

/** The result of FPDF_GetFormType for such a form (fpdf_formfill.h). */
const DYNAMIC_FORM = 2;
/** Labels and texts, without choices, hints, scripts and what is said about the template. */
const TEMPLATE_RULES: TextRules = {
  textElements: createNameSet('text exdata'),
  ignoredElements: createNameSet('script event validate calculate items assist desc proto datasets'),
  separatingElements: createNameSet('text exdata p br div li'),
};
const DATA_RULES: TextRules = {
  textElements: createNameSet('data'),
  ignoredElements: createNameSet('template datadescription'),
  separatingElements: createNameSet('data'),
};
/** The parts that are read, each under its name, or all in one without a name. */
const PARTS = new Set(['template', 'datasets', '']);
const MAX_PARTS = 100;
const MAX_NAME_BYTES = 64;
const MAX_BYTES = 32 * 1024 * 1024;

/** Adds the text of a dynamic form; returns false if the document is none. */
export function readDynamicForm(pdfium: Pdfium, document: number, content: DocumentContent): boolean {
  if (pdfium._FPDF_GetFormType(document) !== DYNAMIC_FORM) return false;
  const parts = readParts(pdfium, document);
  for (const xml of parts)
    extractText(xml, content, TEMPLATE_RULES, {
      onElementEnd(name) {
        if (TEMPLATE_RULES.textElements!.has(name)) content.endBlock();
      },
    });
  for (const xml of parts) extractText(xml, content, DATA_RULES, { onElementEnd: () => content.endBlock() });
  return parts.length > 0;
}

function readParts(pdfium: Pdfium, document: number): string[] {
  const scratch = pdfium.wasmExports.malloc(MAX_NAME_BYTES + 4);
  const count = scratch === 0 ? 0 : Math.min(pdfium._FPDF_GetXFAPacketCount(document), MAX_PARTS);
  const sizeAt = scratch + MAX_NAME_BYTES;
  const getSize = (): number => pdfium.HEAP32[sizeAt / 4]! >>> 0;
  const parts: string[] = [];
  for (let index = 0; index < count; index++) {
    const nameBytes = pdfium._FPDF_GetXFAPacketName(document, index, scratch, MAX_NAME_BYTES);
    // With the zero at its end; a longer name is none of these.
    const nameEnd = scratch + Math.min(Math.max(nameBytes - 1, 0), MAX_NAME_BYTES);
    if (!PARTS.has(Buffer.from(pdfium.HEAPU8.slice(scratch, nameEnd)).toString())) continue;
    pdfium._FPDF_GetXFAPacketContent(document, index, 0, 0, sizeAt);
    const size = getSize();
    const buffer = size > 0 && size <= MAX_BYTES ? pdfium.wasmExports.malloc(size) : 0;
    if (buffer === 0) continue;
    pdfium._FPDF_GetXFAPacketContent(document, index, buffer, size, sizeAt);
    parts.push(Buffer.from(pdfium.HEAPU8.slice(buffer, buffer + size)).toString());
    pdfium.wasmExports.free(buffer);
  }
  pdfium.wasmExports.free(scratch);
  return parts;
}
