/** Reads pictures of text by OCR: pages that were scanned or photographed. */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import type { TextRecognizer } from './text-recognizer.js';

/** @param recognizer reads the picture, if the request wants that */
export function readPicture(body: Uint8Array, request: DocumentRequest, recognizer?: TextRecognizer): DocumentContent {
  const content = new DocumentContent(request);
  if (!recognizer) {
    content.shortfall = { reason: 'no-text-layer', detail: 'the document is a picture' };
    return content;
  }
  const text = recognizer.recognizeFile(body);
  if (text === undefined) throw new Unreadable('extract-corrupt', 'the picture is damaged');
  content.addText(text);
  content.ocrPages = 1;
  content.addField('pages_read_by_ocr', '1');
  content.shortfall = { reason: 'text-by-ocr', detail: 'the picture was read by character recognition' };
  return content;
}
