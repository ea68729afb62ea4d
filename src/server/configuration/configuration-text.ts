/**
 * CrawlConfig.xml as text. A file may be in any encoding that its XML declaration names; from then on it is UTF-8, in the
 * program, in the history, over the API and when it is written again.
 */

const DECLARED_ENCODING = /^(\uFEFF?<\?xml[^>]{0,200}?\sencoding\s*=\s*(["']))([^"'<>]{1,40})\2/;
/** An XML declaration comes first and is short. */
const DECLARATION_LENGTH = 300;

/** Decodes a document (XML 1.0, appendix F) and has its declaration name UTF-8. */
export function decodeConfiguration(bytes: Uint8Array, charset?: string): string {
  return declareUtf8(decode(bytes, charset));
}

/**
 * Names UTF-8 as the encoding of a text that says something else. Text that is not decoded any more has no other
 * encoding, and it is written as UTF-8.
 */
export const declareUtf8 = (xml: string): string =>
  xml.replace(DECLARED_ENCODING, (declaration, start: string, quote: string, encoding: string) =>
    encoding.toLowerCase() === 'utf-8' ? declaration : `${start}UTF-8${quote}`,
  );

/** @param charset what the sender says; it goes before the declaration (RFC 7303, 3) */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  const utf16 = findUtf16(bytes);
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  try {
    // Text in another encoding is practically never valid UTF-8, but files are converted without changing what they declare.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const start = Buffer.from(bytes.subarray(0, DECLARATION_LENGTH)).toString('latin1');
    return decodeAs(charset ?? DECLARED_ENCODING.exec(start)?.[3], bytes);
  }
}

/** By its mark, or by how `<?` looks in it. */
function findUtf16([first, second, third]: Uint8Array): string | undefined {
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0 && third !== 0)) return 'utf-16le';
  return undefined;
}

/** An unknown encoding is read as UTF-8, in which the characters that are not are reported with their places. */
function decodeAs(encoding: string | undefined, bytes: Uint8Array): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
