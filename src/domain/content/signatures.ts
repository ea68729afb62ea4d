/** Detects media types by the first bytes (MIME sniffing standard, sections 6 and 7, and office formats). */

/** Maps bytes, as a Latin-1 string, to types. */
const SIGNATURES: readonly (readonly [prefix: string, mediaType: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['%!PS-Adobe-', 'application/postscript'],
  ['PK\x03\x04', 'application/zip'],
  ['PK\x05\x06', 'application/zip'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'application/x-ole-storage'],
  ['{\\rtf', 'application/rtf'],
  ['\x1f\x8b\x08', 'application/gzip'],
  ['BZh', 'application/x-bzip2'],
  ['\xfd7zXZ\x00', 'application/x-xz'],
  ['7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  ['Rar!\x1a\x07', 'application/vnd.rar'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['BM', 'image/bmp'],
  ['II*\x00', 'image/tiff'],
  ['MM\x00*', 'image/tiff'],
  ['\x00\x00\x01\x00', 'image/x-icon'],
  ['ID3', 'audio/mpeg'],
  ['OggS\x00', 'application/ogg'],
  ['\x1aE\xdf\xa3', 'video/webm'],
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
];

/** Maps names of OOXML parts, among the first entries of the archive, to types. Other archives have such folders, too, but other files in them. */
const OFFICE_PARTS: readonly (readonly [part: RegExp, mediaType: string])[] = [
  [/^word[\\/].+\.(?:xml|rels|bin)$/i, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [/^xl[\\/](?:_rels[\\/])?workbook\.bin/i, 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
  [/^xl[\\/].+\.(?:xml|rels|bin)$/i, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [/^ppt[\\/].+\.(?:xml|rels|bin)$/i, 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

const HTML =
  /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]|<!--)/i;
const XML = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<\?xml\s/;
/** What may stand before the first element. */
const PROLOG = String.raw`^(?:\xef\xbb\xbf)?(?:\s|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^>]*>)*`;
const HTML_ROOT = new RegExp(String.raw`${PROLOG}<html[\s>]`, 'i');
/** RSS, Atom and sitemaps; no page begins with these elements. */
const LIST_ROOT = new RegExp(
  String.raw`${PROLOG}<(?:rss\s|rdf:rdf\s[^>]*purl\.org/(?:rss|net/rss)|(?:\w{1,20}:)?(?:feed\s[^>]*(?:/Atom|/atom/)|(?:urlset|sitemapindex)[\s>]))`,
  'i',
);

const MAX_HEAD_BYTES = 4096;

/** Returns the media type that the bytes indicate; undefined if they are not conclusive. */
export function sniffMediaType(body: Uint8Array): string | undefined {
  const head = readHead(body);
  const signatureType = matchSignature(head);
  if (signatureType !== undefined) return signatureType;
  if (XML.test(head)) return HTML_ROOT.test(head) ? 'application/xhtml+xml' : 'text/xml';
  return HTML.test(head) ? 'text/html' : undefined;
}

/** Whether markup is a page, whatever kind of XML it is called. */
export const isHtmlRoot = (body: Uint8Array): boolean => HTML_ROOT.test(readHead(body));

/** Whether markup is a feed or a sitemap, which servers often call a page (MIME sniffing standard, section 7.3). */
export const isListRoot = (body: Uint8Array): boolean => LIST_ROOT.test(readHead(body));

/**
 * What programs that send a file print before it by mistake: blank lines, a byte order mark, warnings of PHP. The
 * readers of these formats pass over it.
 */
const PREAMBLE =
  /^(?:\xef\xbb\xbf|\s)*(?:(?:<[^>]{1,20}>\s*)*(?:PHP )?(?:Notice|Warning|Deprecated|Strict Standards)\b[\t\n\r -~\x80-\xff]{0,3000}?[\n>])?(?=%PDF-\d\.\d\s{1,4}[%\d]|\{\\rtf1|PK\x03\x04|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1)/;

/** Where a document begins that is known by its signature. */
export const findDocumentStart = (body: Uint8Array): number => PREAMBLE.exec(toLatin1(body))?.[0].length ?? 0;

/** Formats that are text themselves, with signatures that no other text begins with. */
const TEXT_FORMAT = /^(?:%PDF-\d\.\d|\{\\rtf1)/;

/**
 * Returns the media type of a well-known binary format that the bytes have beyond doubt, whatever they are called.
 * Signatures that a text may begin with (BM, ID3, GIF89a) count only if the bytes cannot be text.
 */
export function findSignature(body: Uint8Array): string | undefined {
  if (body[0] === LESS_THAN && body[1] !== FIRST_OF_BREAK) return undefined;
  const start = findDocumentStart(body);
  const head = readHead(body);
  const signatureType = matchSignature(head);
  const isCertain = start > 0 || TEXT_FORMAT.test(head) || looksBinary(body);
  return signatureType !== undefined && isCertain ? signatureType : undefined;
}

const LESS_THAN = 0x3c;
/** Warnings of PHP begin with a line break, as `<br />`. */
const FIRST_OF_BREAK = 0x62;

/** The first bytes of a document or page, without what stands before a document by mistake. */
const readHead = (body: Uint8Array): string => toLatin1(body, findDocumentStart(body));

const toLatin1 = (body: Uint8Array, start = 0): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1', start, start + MAX_HEAD_BYTES);

function matchSignature(head: string): string | undefined {
  const signatureType = SIGNATURES.find(([prefix]) => head.startsWith(prefix))?.[1];
  if (signatureType === 'application/zip') return detectArchiveType(head);
  if (signatureType === 'image/bmp' && !/[\x00-\x08]/.test(head.slice(0, 32))) return undefined;
  if (signatureType !== undefined) return signatureType;
  if (head.startsWith('ustar', 257)) return 'application/x-tar';
  if (head.startsWith('RIFF')) return detectRiffType(head);
  return head.slice(4, 8) === 'ftyp' ? 'video/mp4' : undefined;
}

function detectArchiveType(head: string): string {
  // OpenDocument and EPUB put their type, uncompressed, into the first entry.
  const storedType = /^.{30}mimetype(application\/(?:vnd\.oasis\.opendocument\.[a-z-]+|epub\+zip))/s.exec(head)?.[1];
  if (storedType !== undefined) return storedType;
  const names = listEntries(head);
  return OFFICE_PARTS.find(([part]) => names.some((name) => part.test(name)))?.[1] ?? 'application/zip';
}

const ENTRY = 'PK\x03\x04';

/** Lists the names of the archive's first entries (APPNOTE.TXT, 4.3.7), but not those of an archive that is stored in it. */
function listEntries(head: string): string[] {
  const names: string[] = [];
  const read = (at: number): number => head.charCodeAt(at) + 256 * head.charCodeAt(at + 1);
  for (let start = 0, end = 0; start >= end && head.startsWith(ENTRY, start); ) {
    end = start + 30 + read(start + 26);
    names.push(head.slice(start + 30, end));
    const size = read(start + 18) + 65_536 * read(start + 20);
    // The size of an entry that was written to a stream follows its data.
    const isStreamed = (read(start + 6) & 8) !== 0;
    start = head.indexOf(ENTRY, isStreamed ? end : end + read(start + 28) + size);
  }
  return names;
}

function detectRiffType(head: string): string | undefined {
  const types: Record<string, string> = { WEBP: 'image/webp', WAVE: 'audio/wave', 'AVI ': 'video/avi' };
  return types[head.slice(8, 12)];
}

/** Number of bytes at the start of a body that the MIME sniffing standard examines. */
const EXAMINED_BYTES = 1445;

/** Whether the bytes that the MIME sniffing standard examines include control characters that never occur in text. */
export function looksBinary(body: Uint8Array): boolean {
  if (hasWideMark(body)) return false;
  const end = Math.min(body.length, EXAMINED_BYTES);
  for (let index = 0; index < end; index++) if (isControl(body[index]!)) return true;
  return false;
}

/** Share of control characters from which bytes are not a text with some stray ones; random bytes have twice as many. */
const MAX_CONTROL_SHARE = 0.05;

/** Share of zero bytes of a text in UTF-16 or UTF-32 that does not say so; every other byte of a Latin one. */
const MIN_WIDE_SHARE = 0.3;

/** Whether the first bytes have so many control characters that they cannot be text in any encoding. */
export function isBinary(body: Uint8Array): boolean {
  if (hasWideMark(body)) return false;
  const end = Math.min(body.length, EXAMINED_BYTES);
  let controls = 0;
  let zeros = 0;
  for (let index = 0; index < end; index++) {
    const byte = body[index]!;
    if (byte === 0) zeros++;
    else if (isControl(byte)) controls++;
  }
  if (controls + zeros <= end * MAX_CONTROL_SHARE) return false;
  return controls > end * MAX_CONTROL_SHARE || zeros < end * MIN_WIDE_SHARE;
}

/** Whether the bytes begin with the byte order mark of UTF-16 or UTF-32. */
function hasWideMark(body: Uint8Array): boolean {
  const [first, second] = [body[0], body[1]];
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return true;
  return first === 0 && second === 0 && body[2] === 0xfe && body[3] === 0xff;
}

const isControl = (byte: number): boolean =>
  byte < 0x20 && (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte !== 0x1b));
