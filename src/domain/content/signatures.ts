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

/** Maps names of OOXML parts, in the first entries of the archive, to types. */
const OFFICE_PARTS: readonly (readonly [part: RegExp, mediaType: string])[] = [
  [/PK\x03\x04.{26}word\//s, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [/PK\x03\x04.{26}xl\//s, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [/PK\x03\x04.{26}ppt\//s, 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

const HTML =
  /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]|<!--)/i;
const XML = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<\?xml\s/;
const HTML_ROOT = /^[^>]*\?>(?:\s|<!--[^>]*-->|<!doctype[^>]*>)*<html[\s>]/i;

const MAX_HEAD_BYTES = 4096;

/** Returns the media type that the bytes indicate; undefined if they are not conclusive. */
export function sniffMediaType(body: Uint8Array): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAX_HEAD_BYTES)).toString('latin1');
  const signatureType = SIGNATURES.find(([prefix]) => head.startsWith(prefix))?.[1];
  if (signatureType === 'application/zip') return detectArchiveType(head);
  if (signatureType === 'image/bmp' && !/[\x00-\x08]/.test(head.slice(0, 32))) return undefined;
  if (signatureType !== undefined) return signatureType;
  if (head.startsWith('RIFF')) return detectRiffType(head);
  if (head.slice(4, 8) === 'ftyp') return 'video/mp4';
  if (XML.test(head)) return HTML_ROOT.test(head) ? 'application/xhtml+xml' : 'text/xml';
  return HTML.test(head) ? 'text/html' : undefined;
}

function detectArchiveType(head: string): string {
  // OpenDocument and EPUB put their type, uncompressed, into the first entry.
  const storedType = /^.{30}mimetype(application\/(?:vnd\.oasis\.opendocument\.[a-z-]+|epub\+zip))/s.exec(head)?.[1];
  return storedType ?? OFFICE_PARTS.find(([part]) => part.test(head))?.[1] ?? 'application/zip';
}

function detectRiffType(head: string): string | undefined {
  const types: Record<string, string> = { WEBP: 'image/webp', WAVE: 'audio/wave', 'AVI ': 'video/avi' };
  return types[head.slice(8, 12)];
}

/** Whether the bytes that the MIME sniffing standard examines include control characters that never occur in text. */
export function looksBinary(body: Uint8Array): boolean {
  const [first, second] = [body[0], body[1]];
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return false;
  const end = Math.min(body.length, 1445);
  for (let index = 0; index < end; index++) {
    const byte = body[index]!;
    if (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)) return true;
  }
  return false;
}
