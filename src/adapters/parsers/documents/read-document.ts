/** Reads one document in the calling process, which must do nothing else, because the input may be hostile. */

import { findDocumentFormat } from '../../../domain/content/document-types.js';
import type { Extraction } from '../../../engine/ports/content-extractor.js';
import { determineLanguage } from '../language.js';
import { type DocumentContent, type DocumentRequest, Unreadable } from './document-content.js';

/** Loads each library with the first document that needs it. A synchronous reader can be interrupted. */
export async function loadReader(
  mediaType: string,
): Promise<(body: Uint8Array, request: DocumentRequest) => DocumentContent | Promise<DocumentContent>> {
  switch (findDocumentFormat(mediaType)) {
    case 'pdf': {
      const [{ readPdf }, { loadPdfium }] = await Promise.all([
        import('./formats/pdf.js'),
        import('./formats/pdfium.js'),
      ]);
      pdfium ??= loadPdfium();
      const instance = await pdfium;
      return (body, request) => readPdf(instance, body, request);
    }
    case 'word':
      return (await import('./formats/office-open.js')).readWord;
    case 'sheet':
      return (await import('./formats/office-open.js')).readSheets;
    case 'slides':
      return (await import('./formats/office-open.js')).readSlides;
    case 'odf':
      return (await import('./formats/open-document.js')).readOpenDocument;
    case 'epub':
      return (await import('./formats/epub.js')).readEpub;
    case 'rtf':
      return (await import('./formats/rtf.js')).readRtf;
    case 'mail':
      return (await import('./formats/mail.js')).readMail;
    default:
      throw new Unreadable('extract-unsupported', `there is no reader for ${mediaType}`);
  }
}

let pdfium: Promise<import('./formats/pdfium.js').Pdfium> | undefined;

export const toExtraction = (content: DocumentContent): Extraction => content.finish(determineLanguage);
