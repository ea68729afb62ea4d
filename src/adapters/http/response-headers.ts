/** Converts the header fields of a response to the form that FetchOutcome promises. */

/** Fields whose values may contain commas: repeated ones are separated by a line feed. */
const LINE_SEPARATED_FIELDS: ReadonlySet<string> = new Set(['set-cookie', 'link', 'x-robots-tag']);
/** Fields that servers fill with UTF-8; all others stay in Latin-1, so that an ETag is sent back unchanged. */
const TEXT_FIELDS = ['location', 'link', 'content-disposition', 'refresh'] as const;
/**
 * Fields with a single value, which a proxy or a framework may repeat: the first one is used. Joined values would be
 * a different URL, a different time, or invalid.
 */
const SINGLE_VALUE_FIELDS: ReadonlySet<string> = new Set([
  'location',
  'etag',
  'last-modified',
  'retry-after',
  'refresh',
]);
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** `receivedFields`: lower-case names, and values with one character per byte; an array if a field was repeated. */
export function normalizeHeaders(
  receivedFields: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in receivedFields) {
    const value = receivedFields[name];
    if (typeof value === 'string') headers[name] = value;
    else if (value && SINGLE_VALUE_FIELDS.has(name)) headers[name] = value[0]!;
    else if (value && name === 'content-type') headers[name] = combineContentTypes(value);
    else if (value) headers[name] = value.join(LINE_SEPARATED_FIELDS.has(name) ? '\n' : ', ');
  }
  for (const name of TEXT_FIELDS) {
    const value = headers[name];
    if (value !== undefined) headers[name] = decodeUtf8(value) ?? (name === 'location' ? escapeNonAscii(value) : value);
  }
  return headers;
}

function decodeUtf8(value: string): string | undefined {
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Percent-encodes a URL in a legacy encoding byte by byte, as browsers do, so that the server recognizes it. */
const escapeNonAscii = (url: string): string =>
  url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Returns the last valid media type. An earlier field's charset is kept if the last one repeats its type without a
 * charset (Fetch, "extract a MIME type").
 */
function combineContentTypes(values: readonly string[]): string {
  let lastMediaType: { readonly value: string; readonly essence: string; readonly charset: string } | undefined;
  for (const value of values) {
    const [type = '', ...parameters] = value.split(';');
    const essence = type.trim().toLowerCase();
    if (!MEDIA_TYPE.test(essence) || essence === '*/*') continue;
    const charset = parameters.find((parameter) => /^\s*charset=/i.test(parameter));
    const effectiveCharset = charset ?? (lastMediaType?.essence === essence ? lastMediaType.charset : '');
    lastMediaType = {
      value: charset === undefined && effectiveCharset !== '' ? `${value};${effectiveCharset}` : value,
      essence,
      charset: effectiveCharset,
    };
  }
  return lastMediaType?.value ?? values[0] ?? '';
}
