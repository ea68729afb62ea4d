/** Reads the file name that the Content-Disposition header gives a document (RFC 6266). */
import { parseParameters } from './link-header.js';

const LONGEST_HEADER = 4_096;
const LONGEST_NAME = 255;
const EXTENDED = /^(utf-8|iso-8859-1)'[^']*'(.*)$/is;

/** The file name without folders and control characters; undefined if there is no readable name. */
export function parseFileName(header: string | undefined): string | undefined {
  if (header === undefined || header.length > LONGEST_HEADER) return undefined;
  const parameters = parseParameters(header);
  return toPlainName(decodeExtended(parameters.get('filename*'))) ?? toPlainName(parameters.get('filename'));
}

/** Decodes charset, language and percent-encoded bytes (RFC 8187). */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset, encoded] = EXTENDED.exec(value ?? '') ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  try {
    return charset.toLowerCase() === 'utf-8' ? decodeURIComponent(encoded) : decodeLatin1(encoded);
  } catch {
    return undefined;
  }
}

const decodeLatin1 = (encoded: string): string =>
  encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function toPlainName(name: string | undefined): string | undefined {
  const last = name?.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1) ?? '';
  const clean = last.replace(/[\x00-\x1f\x7f]/g, '').trim();
  if (clean === '' || clean === '.' || clean === '..' || !clean.isWellFormed()) return undefined;
  return clean.slice(0, LONGEST_NAME);
}
