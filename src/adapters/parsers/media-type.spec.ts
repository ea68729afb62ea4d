import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zipEntry } from '../../../test/support/sample-documents.js';
import { detectMediaType } from './media-type.js';

const sniffed = (bytes: string, path = '/', header?: string) =>
  detectMediaType(Buffer.from(bytes, 'latin1'), header, path);

describe('the Content-Type header is used', () => {
  it('when it is specific', () => {
    expect(sniffed('words', '/a.pdf', 'Text/HTML; charset=utf-8')).toBe('text/html');
    expect(sniffed('<html>', '/', ' application/x-own ')).toBe('application/x-own');
    expect(sniffed('a', '/a.html', 'text/plain')).toBe('text/plain');
  });

  it.each(['application/octet-stream', 'binary/octet-stream; x=y', 'html', '', '/', 'text', 'a b/c'])(
    'not when it is %j',
    (header) => expect(sniffed('<!DOCTYPE html><p>', '/', header)).toBe('text/html'),
  );

  it.each([
    'application/x-httpd-php',
    'application/x-httpd-php5',
    'text/x-server-parsed-html; charset=utf-8',
    'text/htm',
    'multipart/mixed',
    'application/x-unknown',
  ])('not when it names the program that has made a page: %j', (header) => {
    expect(sniffed('<!DOCTYPE html><p>', '/', header)).toBe('text/html');
    expect(sniffed('<?php echo 1;', '/', header)).not.toBe('text/html');
  });

  it('not when it calls binary content plain text', () => {
    expect(sniffed('%PDF-1.7\x00\x01', '/', 'text/plain')).toBe('application/pdf');
    expect(sniffed('\x00\x01\x02', '/', 'text/plain; charset=utf-8')).toBe('application/octet-stream');
    expect(sniffed('\xff\xfea\0b\0', '/', 'text/plain')).toBe('text/plain');
    expect(sniffed('a\0b\0', '/', 'text/plain; charset="UTF-16LE"')).toBe('text/plain');
  });
});

const PNG = '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR';
const DOCX = zipEntry('word/document.xml');
const WORDPROCESSING = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('a signature goes before a wrong Content-Type header', () => {
  it.each([
    ['%PDF-1.4\n1 0 obj', 'text/html; charset=UTF-8', 'application/pdf'],
    ['%PDF-1.4\n1 0 obj', 'image/png', 'application/pdf'],
    ['%PDF-1.4\n1 0 obj', 'application/xml', 'application/pdf'],
    ['{\\rtf1 a}', 'text/html', 'application/rtf'],
    [DOCX, 'text/html', WORDPROCESSING],
    [DOCX, 'image/jpeg', WORDPROCESSING],
    [DOCX, 'application/pdf', WORDPROCESSING],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'text/plain', 'application/x-ole-storage'],
    ['\x1f\x8b\x08\x00\x00', 'text/html', 'application/gzip'],
    [PNG, 'text/html', 'image/png'],
    [PNG, 'image/svg+xml', 'image/png'],
    ['\xff\xd8\xff\xe0\x00\x10JFIF', 'text/html', 'image/jpeg'],
    ['GIF89a\x01\x00\x01\x00', 'text/css', 'image/gif'],
    ['BM\x36\x00\x00\x00', 'text/html', 'image/bmp'],
    ['ID3\x04\x00\x00', 'text/html', 'audio/mpeg'],
    ['BZh91AY&SY\x00\x01', 'text/html', 'application/x-bzip2'],
    ['wOFF\x00\x01\x00\x00', 'text/html', 'font/woff'],
    ['\x00\x00\x00\x18ftypmp42', 'text/html', 'video/mp4'],
    ['RIFF\x00\x00\x00\x00WEBPVP8 ', 'application/json', 'image/webp'],
  ])('%j called %s is %s', (bytes, header, mediaType) => expect(sniffed(bytes, '/a', header)).toBe(mediaType));

  it('whatever follows it, and whatever text the header promises', () => {
    const marks = ['%PDF-1.7', 'PK\x03\x04', '\x1f\x8b\x08', PNG, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'OggS\x00'];
    const names = fc.constantFrom('text/html', 'text/plain; charset=utf-8', 'text/xml', 'application/ld+json');
    fc.assert(
      fc.property(fc.constantFrom(...marks), fc.uint8Array({ maxLength: 3_000 }), names, (mark, rest, name) => {
        const body = Buffer.concat([Buffer.from(mark, 'latin1'), rest]);
        expect(detectMediaType(body, name, '/a.html')).not.toMatch(/^text\/|xml$|json$/);
      }),
    );
  });

  it.each([
    ['GIF89a is a format of images', 'text/html'],
    ['BMW and other cars', 'text/html'],
    ['ID3 tags explained', 'text/plain'],
    ['BZh and other marks', 'text/markdown'],
    ['wOFF fonts', 'text/css'],
    ['%!PS-Adobe- is the first line', 'text/html'],
    ['<p>%PDF-1.4</p>', 'text/html'],
  ])('but a text may begin like it: %j', (bytes, mediaType) => expect(sniffed(bytes, '/a', mediaType)).toBe(mediaType));

  it.each([
    ['PK\x03\x04\x00', 'application/java-archive'],
    ['PK\x03\x04\x00', 'model/3mf'],
    [DOCX, 'application/vnd.ms-word.document.macroenabled.12'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'application/x-msi'],
    ['\x00\x00\x00\x18ftypheic', 'image/heic'],
    ['\x00\x00\x00\x18ftypM4A ', 'audio/mp4'],
    ['II*\x00\x10\x00', 'image/x-canon-cr2'],
    ['%PDF-1.4\n', 'application/x-pdf'],
    ['{\\rtf1 a}', 'text/rtf'],
    ['OggS\x00\x02', 'audio/ogg'],
  ])('and %j may be called %s', (bytes, mediaType) => expect(sniffed(bytes, '/a', mediaType)).toBe(mediaType));
});

describe('what stands before a document by mistake', () => {
  const WARNING = '<br />\n<b>Notice</b>:  Undefined index: id in <b>/var/www/get.php</b> on line <b>7</b><br />\n';
  const files = [
    ['%PDF-1.3\n3 0 obj\n', 'application/pdf'],
    ['%PDF-1.7\r\n%\xe2\xe3\xcf\xd3\r\n', 'application/pdf'],
    [DOCX, WORDPROCESSING],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00', 'application/x-ole-storage'],
    ['{\\rtf1 a}', 'application/rtf'],
  ] as const;
  const preambles = ['\r\n\n', ' \n', '\xef\xbb\xbf', '\xef\xbb\xbf\n', WARNING, 'Warning: a b in c on line 2\n'];
  const headers = ['text/html; charset=UTF-8', 'text/plain', 'application/octet-stream', undefined];

  it.each(files)('does not hide %j', (bytes, mediaType) => {
    for (const preamble of preambles)
      for (const header of headers) expect(sniffed(preamble + bytes, '/get.php', header)).toBe(mediaType);
  });

  it.each([
    '<h1>Notice</h1><p>%PDF-1.4</p>',
    '<html><p>\n%PDF-1.4\n1 0 obj',
    'Warning: %PDF-1.4 is old',
    'A PDF:\n%PDF-1.4\n1 0 obj',
  ])('is the text of a page that speaks of files: %j', (bytes) =>
    expect(sniffed(bytes, '/a', 'text/html')).toBe('text/html'),
  );
});

it('plain text is what its extension says if that is a kind of it', () => {
  for (const [path, mediaType] of [
    ['/README.md', 'text/markdown'],
    ['/a.markdown', 'text/markdown'],
    ['/a.CSV', 'text/csv'],
    ['/a.tsv', 'text/tab-separated-values'],
    ['/a.html', 'text/plain'],
    ['/a.json', 'text/plain'],
    ['/a.md/b', 'text/plain'],
  ] as const)
    expect(sniffed('# words', path, 'text/plain; charset=utf-8')).toBe(mediaType);
  expect(sniffed('# words', '/a.md', 'text/html')).toBe('text/html');
});

describe('markup that is called something else', () => {
  const PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><head>';

  it.each([
    [`<?xml version="1.0"?>\n<!-- <a> --><!DOCTYPE html PUBLIC "x" "y">\n${PAGE}`, 'text/xml', 'application/xhtml+xml'],
    [PAGE, 'application/xml; charset=utf-8', 'application/xhtml+xml'],
    ['<rss version="2.0"><channel>', 'text/html', 'text/xml'],
    ['\xef\xbb\xbf<?xml version="1.0"?><?xml-stylesheet href="a>b"?><rss version="2.0">', 'text/html', 'text/xml'],
    ['<?xml version="1.0"?>\n<feed xml:lang="en" xmlns="http://www.w3.org/2005/Atom">', 'text/plain', 'text/xml'],
    ['<rdf:RDF xmlns:rdf="x"\nxmlns="http://purl.org/rss/1.0/">', 'text/html', 'text/xml'],
    ['<!-- made by hand --><urlset xmlns="x">', 'text/html', 'text/xml'],
    ['<?xml version="1.0"?><sm:sitemapindex xmlns:sm="x">', 'text/plain', 'text/xml'],
  ])('%j called %s is %s', (bytes, header, mediaType) => expect(sniffed(bytes, '/a', header)).toBe(mediaType));

  it.each([
    ['<article><html>', 'text/xml'],
    ['<rdf:RDF xmlns:foaf="x">', 'text/html'],
    ['<feed-list class="x">', 'text/html'],
    ['<p>A feed: <rss version="2.0">', 'text/html'],
    [PAGE, 'application/rss+xml'],
    [PAGE, 'text/plain'],
    ['<rss version="2.0">', 'text/markdown'],
  ])('but %j is %s', (bytes, header) => expect(sniffed(bytes, '/a', header)).toBe(header));
});

describe('text whose first kilobyte is binary', () => {
  const random = Array.from({ length: 2_000 }, (_, index) => String.fromCharCode((index * 167 + 13) % 256)).join('');

  it.each(['text/html', 'application/xhtml+xml', 'application/json', 'text/css'])('is not %s', (header) =>
    expect(sniffed(`x${random}`, '/a.html', header)).toBe('application/octet-stream'),
  );

  it('is text all the same with a few stray characters, or in a wide encoding', () => {
    const words = 'Words of a page, one after the other. '.repeat(30);
    const wide = Buffer.from(words, 'utf16le').toString('latin1');
    expect(sniffed(`${words}\x00\x01\x02${words}`, '/', 'text/html')).toBe('text/html');
    expect(sniffed(wide, '/', 'text/html')).toBe('text/html');
    expect(sniffed(`\xff\xfe${wide}`, '/', 'text/html')).toBe('text/html');
    expect(sniffed('\x00\x00\xfe\xff\x00\x01\xf6\x00'.repeat(50), '/', 'text/html')).toBe('text/html');
    expect(sniffed('\x01\x02'.repeat(50), '/', 'text/html; charset=utf-16')).toBe('text/html');
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
    expect(sniffed(`${zipEntry('[Content_Types].xml')}x${zipEntry('word/document.xml')}`)).toMatch(
      /wordprocessingml\.document$/,
    );
    expect(sniffed(`${zipEntry('xl/workbook.xml')}`)).toMatch(/spreadsheetml\.sheet$/);
    expect(sniffed(zipEntry('mimetype', 'application/vnd.oasis.opendocument.text'))).toBe(
      'application/vnd.oasis.opendocument.text',
    );
    expect(sniffed(zipEntry('anything'))).toBe('application/zip');
  });
});

describe('the path decides', () => {
  it.each([
    ['plain words', '/a/b.MD', 'text/markdown'],
    ['{"a":1}', '/a.json', 'application/json'],
    ['{"a":1}\n{"a":2}', '/a.jsonl', 'application/x-ndjson'],
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
