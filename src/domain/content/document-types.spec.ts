import { expect, it } from 'vitest';
import { findDocumentFormat } from './document-types.js';

it.each([
  ['application/x-pdf', 'pdf'],
  ['text/rtf', 'rtf'],
  ['application/x-rtf', 'rtf'],
  ['application/x-mimearchive', 'webArchive'],
  ['application/x-gzip', 'tar'],
  ['application/x-ole-storage', 'compound'],
  ['image/tiff', 'picture'],
  ['text/html', undefined],
  ['', undefined],
])('a file sent as %j has the format %s', (mediaType, format) => expect(findDocumentFormat(mediaType)).toBe(format));
