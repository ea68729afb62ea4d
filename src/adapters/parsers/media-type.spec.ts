import { describe, expect, it } from 'vitest';
import { detectMediaType } from './media-type.js';

const sniffed = (bytes: string, path = '/', header?: string) =>
  detectMediaType(Buffer.from(bytes, 'latin1'), header, path);

describe('the Content-Type header is used', () => {
  it('when it is specific', () => {
    expect(sniffed('%PDF-1.7', '/a.pdf', 'Text/HTML; charset=utf-8')).toBe('text/html');
    expect(sniffed('<html>', '/', ' application/x-own ')).toBe('application/x-own');
    expect(sniffed('a', '/a.html', 'text/plain')).toBe('text/plain');
  });

  it.each(['application/octet-stream', 'binary/octet-stream; x=y', 'html', '', '/', 'text', 'a b/c'])(
    'not when it is %j',
    (header) => expect(sniffed('<!DOCTYPE html><p>', '/', header)).toBe('text/html'),
  );

  it('not when it calls binary content plain text', () => {
    expect(sniffed('%PDF-1.7\x00\x01', '/', 'text/plain')).toBe('application/pdf');
    expect(sniffed('\x00\x01\x02', '/', 'text/plain; charset=utf-8')).toBe('application/octet-stream');
    expect(sniffed('\xff\xfea\0b\0', '/', 'text/plain')).toBe('text/plain');
    expect(sniffed('a\0b\0', '/', 'text/plain; charset="UTF-16LE"')).toBe('text/plain');
  });
});

describe('the bytes decide', () => {
  it.each([
    ['%PDF-1.4', 'application/pdf'],
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x00\x00\x00\x00WEBPVP8 ', 'image/webp'],
    ['\x00\x00\x00\x18ftypmp42', 'video/mp4'],
    ['\x1f\x8b\x08\x00', 'application/gzip'],
    ['{\\rtf1', 'application/rtf'],
    ['  \n<!doctype HTML>', 'text/html'],
    ['\xef\xbb\xbf<html lang=en>', 'text/html'],
    ['<!-- x --><b>', 'text/html'],
    ['<p>', 'text/html'],
    ['<picture', 'text/plain'],
    ['<?xml version="1.0"?><urlset>', 'text/xml'],
    ['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x">\n<html xmlns="y">', 'application/xhtml+xml'],
    ['BMW and other cars', 'text/plain'],
    ['just words', 'text/plain'],
    ['', 'text/plain'],
    ['\x00\x01\x02\x03', 'application/octet-stream'],
  ])('%j', (bytes, mediaType) => expect(sniffed(bytes)).toBe(mediaType));

  it('which kind of Office document an archive is', () => {
    const entry = (name: string) => `PK\x03\x04${'\x00'.repeat(26)}${name}`;
    expect(sniffed(`${entry('[Content_Types].xml')}x${entry('word/document.xml')}`)).toMatch(
      /wordprocessingml\.document$/,
    );
    expect(sniffed(`${entry('xl/workbook.xml')}`)).toMatch(/spreadsheetml\.sheet$/);
    expect(sniffed(entry('mimetypeapplication/vnd.oasis.opendocument.textPK'))).toBe(
      'application/vnd.oasis.opendocument.text',
    );
    expect(sniffed(entry('anything'))).toBe('application/zip');
  });
});

describe('the path decides', () => {
  it.each([
    ['plain words', '/a/b.MD', 'text/markdown'],
    ['{"a":1}', '/a.json', 'application/json'],
    ['a,b', '/a.csv', 'text/csv'],
    ['<?xml version="1.0"?><svg>', '/a.svg', 'image/svg+xml'],
    ['PK\x03\x04', '/a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', '/a.xls', 'application/vnd.ms-excel'],
    ['\x00\x01', '/a.mp3', 'audio/mpeg'],
  ])('that %j at %s is of its type', (bytes, path, mediaType) => expect(sniffed(bytes, path)).toBe(mediaType));

  it.each([
    ['%PDF-1.4', '/a.html', 'application/pdf'],
    ['PK\x03\x04', '/a.html', 'application/zip'],
    ['plain words', '/a.pdf', 'text/plain'],
    ['\x00\x01', '/a.html', 'application/octet-stream'],
    ['plain words', '/constructor.toString', 'text/plain'],
  ])('nothing that contradicts the bytes of %j at %s', (bytes, path, mediaType) =>
    expect(sniffed(bytes, path)).toBe(mediaType),
  );
});
