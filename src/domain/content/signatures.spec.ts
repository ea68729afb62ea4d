import { describe, expect, it } from 'vitest';
import { zipEntry } from '../../../test/support/sample-documents.js';
import { findSignature, isBinary, looksBinary, sniffMediaType } from './signatures.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('the first bytes', () => {
  it.each([
    ['%PDF-1.7', 'application/pdf'],
    ['%!PS-Adobe-3.0', 'application/postscript'],
    [zipEntry('file.txt'), 'application/zip'],
    ['PK\x05\x06\x00', 'application/zip'],
    [zipEntry('word/document.xml'), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    [zipEntry('xl\\workbook.xml'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    [zipEntry('ppt/presentation.xml'), 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    [
      zipEntry('mimetype', 'application/vnd.oasis.opendocument.text-template'),
      'application/vnd.oasis.opendocument.text-template',
    ],
    [zipEntry('mimetype', 'application/epub+zip'), 'application/epub+zip'],
    [zipEntry('passwords.txt'), 'application/zip'],
    [zipEntry('letter.docx', zipEntry('word/document.xml')), 'application/zip'],
    [zipEntry('word/', '') + zipEntry('word/letter.docx', 'PK'), 'application/zip'],
    [
      zipEntry('_rels/.rels', 'x', true).replace(/(?<=^.{18}).{4}/s, '\xff\xff\xff\xff') +
        zipEntry('word/document.xml'),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    [`${zipEntry('a').slice(0, 28)}`, 'application/zip'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00', 'application/x-ole-storage'],
    ['{\\rtf1\\ansi', 'application/rtf'],
    ['\x1f\x8b\x08\x00', 'application/gzip'],
    ['BZh9', 'application/x-bzip2'],
    ['\xfd7zXZ\x00', 'application/x-xz'],
    ['7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
    ['Rar!\x1a\x07\x00', 'application/vnd.rar'],
    [`${'\x00'.repeat(257)}ustar`, 'application/x-tar'],
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF87a', 'image/gif'],
    ['GIF89a', 'image/gif'],
    ['BM\x00\x00', 'image/bmp'],
    ['II*\x00', 'image/tiff'],
    ['MM\x00*', 'image/tiff'],
    ['\x00\x00\x01\x00', 'image/x-icon'],
    ['RIFF\x00\x00\x00\x00WEBP', 'image/webp'],
    ['RIFF\x00\x00\x00\x00WAVE', 'audio/wave'],
    ['RIFF\x00\x00\x00\x00AVI ', 'video/avi'],
    ['ID3\x04', 'audio/mpeg'],
    ['OggS\x00', 'application/ogg'],
    ['\x1aE\xdf\xa3', 'video/webm'],
    ['\x00\x00\x00\x20ftypisom', 'video/mp4'],
    ['wOFF', 'font/woff'],
    ['wOF2', 'font/woff2'],
    [' \r\n<!DOCTYPE HTML>', 'text/html'],
    ['\xef\xbb\xbf<html lang="en">', 'text/html'],
    ['<!-- a page -->', 'text/html'],
    ['<?xml version="1.0"?><rss/>', 'text/xml'],
    ['<?xml version="1.0"?>\n<!-- by hand -->\n<!DOCTYPE html>\n<html xmlns="x">', 'application/xhtml+xml'],
  ])('%j are those of %s', (text, mediaType) => {
    expect(sniffMediaType(bytes(text))).toBe(mediaType);
  });

  it.each(['', 'BMW builds cars', '<htmlish>', 'plain text', 'RIFF\x00\x00\x00\x00NONE', 'xml <?xml '])(
    '%j are not conclusive',
    (text) => {
      expect(sniffMediaType(bytes(text))).toBeUndefined();
    },
  );
});

describe('a signature that a text may begin with', () => {
  it.each(['ID3 tags explained', 'GIF89a is a format', 'BM: a list', 'PK\x03\x04'.replace(/[\x00-\x08]/g, 'x')])(
    'counts for nothing in %j',
    (text) => expect(findSignature(bytes(text))).toBeUndefined(),
  );

  it('counts in bytes that are no text, and always in formats that are text themselves', () => {
    expect(findSignature(bytes('ID3\x04\x00\x00'))).toBe('audio/mpeg');
    expect(findSignature(bytes('%PDF-1.4\n%text'))).toBe('application/pdf');
    expect(findSignature(bytes('{\\rtf1 text}'))).toBe('application/rtf');
    expect(findSignature(bytes('<html>\x00'))).toBeUndefined();
  });
});

describe('bytes that cannot be text', () => {
  const random = (length: number): string =>
    Array.from({ length }, (_, i) => String.fromCharCode((i * 7919) & 0xff)).join('');

  it('have a control character for looksBinary, and many of them for isBinary', () => {
    expect(looksBinary(bytes('a line\r\n\tand a form feed\f\x1b'))).toBe(false);
    expect(looksBinary(bytes('one \x01'))).toBe(true);
    expect(looksBinary(bytes(`${'a'.repeat(1_444)}\x01`))).toBe(true);
    expect(looksBinary(bytes(`${'a'.repeat(1_445)}\x01`))).toBe(false);
    expect(isBinary(bytes('one \x01'.padEnd(20)))).toBe(false);
    expect(isBinary(bytes('two \x01\x01'.padEnd(20)))).toBe(true);
    expect(isBinary(bytes(random(512)))).toBe(true);
  });

  it('are not those of UTF-16 and UTF-32, with or without their mark', () => {
    for (const encoded of ['\xff\xfea\x00b\x00', '\xfe\xff\x00a\x00b', '\x00\x00\xfe\xff\x00\x00\x00a']) {
      expect(looksBinary(bytes(encoded))).toBe(false);
      expect(isBinary(bytes(encoded))).toBe(false);
    }
    expect(isBinary(bytes('a\x00b\x00c\x00'))).toBe(false);
    expect(isBinary(bytes('abcdefg\x00\x00\x00'))).toBe(false);
    expect(isBinary(bytes('abcdefgh\x00\x00'))).toBe(true);
  });
});
