/**
 * Determines the media type of a body: by its signature if that contradicts the header, by the header if that is
 * specific, otherwise by the bytes and the path.
 */
import { DOCUMENT_EXTENSIONS } from '../../domain/content/document-types.js';
import {
  findSignature,
  isBinary,
  isHtmlRoot,
  isListRoot,
  looksBinary,
  sniffMediaType,
} from '../../domain/content/signatures.js';
import { toBuffer } from './bytes.js';

const ESSENCE = /^\s*([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)\s*(?:[;,]|$)/i;

/** Types that servers send when they do not know the actual one. */
const GENERIC_TYPES = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/download',
  'application/force-download',
  'application/x-download',
  'application/x-force-download',
  'application/unknown',
  'unknown/unknown',
  'content/unknown',
]);

/** What servers call pages by the program that makes them, or because they do not know the extension. */
const NAMES_OF_PAGES =
  /^(?:text\/(?:htm|x-html|x-server-parsed-html|(?:x-)?(?:php|asp|jsp)|unknown)|application\/(?:(?:x-)?(?:html|php|asp|jsp|cgi|unknown)|x-httpd-[\w.-]+|x-unknown-[\w.-]+)|multipart\/mixed|magnus-internal\/[\w-]+|www\/unknown)$/;

const TYPES_BY_EXTENSION = new Map([
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['xhtml', 'application/xhtml+xml'],
  ['txt', 'text/plain'],
  ['text', 'text/plain'],
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['css', 'text/css'],
  ['js', 'text/javascript'],
  ['mjs', 'text/javascript'],
  ['json', 'application/json'],
  ['jsonl', 'application/x-ndjson'],
  ['ndjson', 'application/x-ndjson'],
  ['xml', 'text/xml'],
  ['rss', 'application/rss+xml'],
  ['atom', 'application/atom+xml'],
  ['svg', 'image/svg+xml'],
  ['ics', 'text/calendar'],
  ...DOCUMENT_EXTENSIONS,
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
]);

/** Container formats whose actual type only the file name reveals. */
const CONTAINERS: Record<string, RegExp> = {
  'application/zip': /^application\/(?:vnd\.|epub|zip)/,
  'application/x-ole-storage': /^application\/(?:msword|vnd\.ms-)/,
};

const ARCHIVE_NAMES = new Set(['application/zip', 'application/x-zip-compressed']);
/**
 * Types of Office's old formats, which servers also send for the present ones, and for the pages, texts and messages that
 * programs offer as documents.
 */
const OLD_OFFICE_NAMES = new Set(['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint']);
const isZip = (body: Uint8Array): boolean => body[0] === 0x50 && body[1] === 0x4b;

/** Text formats, which the file name may indicate if the bytes can be text. */
const TEXT_TYPE = /^text\/|^message\/|^multipart\/|[/+](?:json|xml)$|-ndjson$|-flat-xml$/;

/** Wide encodings, in which most texts contain many zero bytes. */
const WIDE_CHARSET = /charset\s{0,9}=\s{0,9}["']?(?:utf-?16|utf-?32|ucs-?2|unicode|csunicode|iso-10646-ucs-2)/i;

/** Formats that are stored in an archive or another container, whose signature does not tell them apart. */
const STORED_IN_CONTAINER =
  /^(?:application|model)\/(?!pdf$|rtf$|postscript$|(?:x-)?javascript$|(?:[^/]*\+)?(?:json|xml)$)/;

/** What bodies may be called whose first bytes are a signature, by its media type or the part before the slash. */
const NAMES_BY_SIGNATURE: Record<string, RegExp> = {
  'application/pdf': /pdf/,
  'application/rtf': /rtf/,
  'application/postscript': /postscript/,
  'application/ogg': /^(?:application\/(?:x-)?ogg|audio\/|video\/)/,
  'video/mp4': /^(?:application\/mp4|audio\/|video\/|image\/(?!svg))/,
  application: STORED_IN_CONTAINER,
  image: /^image\/(?!svg)/,
  audio: /^(?:audio|video)\//,
  video: /^(?:audio|video)\//,
  font: /font/,
};

/** Returns the media type in lower case, without parameters. `path` is the URL's path. */
export function detectMediaType(body: Uint8Array, contentType: string | undefined, path: string): string {
  const declaredType = ESSENCE.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (declaredType === undefined || GENERIC_TYPES.has(declaredType)) return detectFromBody(body, path);
  if (ARCHIVE_NAMES.has(declaredType) && isZip(body)) return detectFromBody(body, path);
  if (OLD_OFFICE_NAMES.has(declaredType) && body.length > 0 && sniffMediaType(body) !== 'application/x-ole-storage')
    return isWebArchive(body) ? 'multipart/related' : detectFromBody(body, path);
  if (NAMES_OF_PAGES.test(declaredType) && sniffMediaType(body) === 'text/html') return 'text/html';
  const signature = findSignature(body);
  if (signature !== undefined) return canBe(signature, declaredType) ? declaredType : detectFromBody(body, path);
  if (!TEXT_TYPE.test(declaredType) || WIDE_CHARSET.test(contentType ?? '')) return declaredType;
  // Servers label unknown files as plain text, so a single byte that cannot be text is enough.
  const isText = declaredType === 'text/plain' ? !looksBinary(body) : !isBinary(body);
  return isText ? correctTextType(declaredType, body, path) : detectFromBody(body, path);
}

/** What servers that do not know the extension call plain text. */
const KINDS_OF_PLAIN_TEXT = /^text\/(?:markdown|csv|tab-separated-values)$/;

/** A page that is called XML states its directives as any page does, and a feed that is called a page is none. */
function correctTextType(declaredType: string, body: Uint8Array, path: string): string {
  if (declaredType === 'text/xml' || declaredType === 'application/xml')
    return isHtmlRoot(body) ? 'application/xhtml+xml' : declaredType;
  if (declaredType !== 'text/html' && declaredType !== 'text/plain') return declaredType;
  if (isListRoot(body)) return 'text/xml';
  const typeByExtension = findTypeByExtension(path);
  return declaredType === 'text/plain' && KINDS_OF_PLAIN_TEXT.test(typeByExtension ?? '')
    ? typeByExtension!
    : declaredType;
}

/** Whether the body begins like a message whose parts belong to one page, which Confluence calls a Word document. */
const isWebArchive = (body: Uint8Array): boolean =>
  /^[\w-]{1,40}:[^\0]{0,2000}\bmultipart\/related\b/i.test(toBuffer(body).toString('latin1', 0, 4_096));

function canBe(signature: string, declaredType: string): boolean {
  const names = NAMES_BY_SIGNATURE[signature] ?? NAMES_BY_SIGNATURE[signature.slice(0, signature.indexOf('/'))];
  return declaredType === signature || names?.test(declaredType) === true;
}

const findTypeByExtension = (path: string): string | undefined =>
  TYPES_BY_EXTENSION.get(/\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '');

function detectFromBody(body: Uint8Array, path: string): string {
  const typeByExtension = findTypeByExtension(path);
  const signature = sniffMediaType(body);
  if (signature !== undefined) {
    const allowedTypes = signature === 'text/xml' ? TEXT_TYPE : CONTAINERS[signature];
    return typeByExtension !== undefined && allowedTypes?.test(typeByExtension) ? typeByExtension : signature;
  }
  if (looksBinary(body))
    return typeByExtension !== undefined && !TEXT_TYPE.test(typeByExtension)
      ? typeByExtension
      : 'application/octet-stream';
  return typeByExtension !== undefined && TEXT_TYPE.test(typeByExtension) ? typeByExtension : 'text/plain';
}
