/** Reads the file name that the Content-Disposition header gives a document (RFC 6266). */
import { parseParameters } from './link-header.js';

const MAX_HEADER_LENGTH = 4_096;
const MAX_NAME_LENGTH = 255;
const EXTENDED_VALUE = /^(utf-8|iso-8859-1)'[^']*'(.*)$/is;

/** Returns the file name without folders and control characters; undefined if there is no readable name. */
export function parseFileName(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const parameters = parseParameters(header);
  return toPlainName(decodeExtended(parameters.get('filename*'))) ?? toPlainName(parameters.get('filename'));
}

/** Decodes charset, language and percent-encoded bytes (RFC 8187). */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset, encoded] = EXTENDED_VALUE.exec(value ?? '') ?? [];
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
  const lastSegment = name?.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1) ?? '';
  const cleanName = lastSegment.replace(/[\x00-\x1f\x7f]/g, '').trim();
  if (cleanName === '' || cleanName === '.' || cleanName === '..' || !cleanName.isWellFormed()) return undefined;
  return cleanName.slice(0, MAX_NAME_LENGTH);
}
