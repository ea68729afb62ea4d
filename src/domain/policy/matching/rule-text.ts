/**
 * Converts the text of a rule to the form in which URLs are stored, so that a rule applies to a URL no matter how
 * either of them is written. Default ports, a host's trailing dot, percent-encoding, non-ASCII letters, and the case of
 * scheme and host make no difference.
 */
import type { MatchField, MatchKind } from '../../crawl/policy-definition.js';
import { encodeNonAscii, NON_ASCII } from '../../url/non-ascii.js';
import { normalizeEscapes } from '../../url/url-form.js';

/** Placeholder for any one character in the text of a rule. */
export const ANY_CHARACTER = '\u0000';

const WILDCARD = /([*?\u0000])/;
/** Characters that the URL standard encodes, in the path and in the query. */
const encodePath = createEncoder((char) => URL.parse(`http://h/${char}x`)?.pathname.slice(1, -1));
const encodeQuery = createEncoder((char) => URL.parse(`http://h/?${char}x`)?.search.slice(1, -1));

function createEncoder(encode: (char: string) => string | undefined): (text: string) => string {
  const encodedCharacters = new Map<string, string>();
  for (const char of ' "\'<>[]^`{|}') {
    const encoded = encode(char);
    if (encoded?.startsWith('%')) encodedCharacters.set(char, encoded);
  }
  return (text) => text.replace(/[ "'<>[\]^`{|}]/g, (char) => encodedCharacters.get(char) ?? char);
}

export interface RuleText {
  readonly field: MatchField;
  /** Which part of the field the text is: its end may be changed only if it is also the end of the field. */
  readonly kind: MatchKind;
}

/**
 * Converts a literal text, or one with wildcards (`*`, `?`, ANY_CHARACTER), to the form in which it occurs in canonical
 * URLs.
 */
export function normalizeRuleText(text: string, { field, kind }: RuleText): string {
  switch (field) {
    case 'scheme':
      return text.toLowerCase();
    case 'host':
      return kind === 'exact' || kind === 'suffix'
        ? stripTrailingDot(normalizeHostText(text, kind === 'exact'))
        : normalizeHostText(text);
    case 'url':
      return kind === 'exact' || kind === 'prefix'
        ? normalizeUrlText(text, kind === 'exact')
        : normalizePathAndQuery(text);
    case 'query':
      return normalizePart(text, encodeQuery);
    case 'path':
      return normalizePart(text, encodePath);
    case 'fragment':
      return normalizeEscapes(encodeNonAscii(text));
  }
}

const normalizePart = (text: string, encode: (text: string) => string): string =>
  normalizeEscapes(encodeNonAscii(encode(text)));

function normalizePathAndQuery(text: string): string {
  const queryStart = text.indexOf('?');
  if (queryStart < 0) return normalizePart(text, encodePath);
  return normalizePart(text.slice(0, queryStart), encodePath) + normalizePart(text.slice(queryStart), encodeQuery);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}\//i;

const SERVER_PATTERN = /^([a-z*?\u0000][a-z0-9+.*?\u0000-]*):\/\/([^/?#\\]*)/i;

/** A whole text may be a wildcard, in which `?` is any character of a name, as in `http://www?.example.com/`. */
const HOME_QUERY = /^\?[^./:*?\u0000]+(?:[=&]|$)/;

/** A URL that is canonical already, as nearly all of a long list are: ASCII names of letters, and folders and files of plain characters. */
const PLAIN_URL =
  /^https?:\/\/(?:[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.)*[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*\/?$/;

/** @param endsUrl whether the text is the end of the URL, so that a URL without a path is that of the home page */
function normalizeUrlText(text: string, endsUrl: boolean): string {
  if (PLAIN_URL.test(text) && text.indexOf('/', 8) > 0) return text;
  const [beginning = '', scheme, authority = ''] = SERVER_PATTERN.exec(text) ?? [];
  if (scheme === undefined) return normalizePathAndQuery(text);
  const rest = text.slice(beginning.length);
  const protocol = scheme.toLowerCase();
  const server = authority.slice(authority.lastIndexOf('@') + 1);
  const [, host = server, port] = /^(.*?)(?::(\d*))?$/s.exec(server.endsWith(']') ? '' : server) ?? [];
  const hostName = server.endsWith(']') ? server : host;
  // If nothing follows a name, its last label may be the beginning of a longer one.
  const isWhole = endsUrl && !hostName.includes('*');
  const isComplete = isWhole || rest.startsWith('/') || port !== undefined;
  const hostText = isComplete ? stripTrailingDot(normalizeHostText(hostName, true)) : normalizeHostText(hostName);
  const isDefault = port === '' || port === DEFAULT_PORTS[protocol];
  const portText = port === undefined || isDefault ? '' : `:${port}`;
  // The URL standard puts a slash before the query of a home page.
  const isHomeQuery = (endsUrl ? HOME_QUERY.test(rest) : rest.startsWith('?')) && !hostName.includes('*');
  const isHome = isHomeQuery || (rest === '' && (isWhole || (port !== undefined && isDefault)));
  const path = isHome ? `/${rest}` : removeDotSegments(rest);
  return `${protocol}://${hostText}${portText}${normalizePathAndQuery(path)}`;
}

function removeDotSegments(rest: string): string {
  const queryStart = rest.search(/[?#]/);
  const path = queryStart < 0 ? rest : rest.slice(0, queryStart);
  if (!DOT_SEGMENT.test(path)) return rest;
  const resolved = URL.parse(`http://h${path.replaceAll(ANY_CHARACTER, '*')}`)?.pathname;
  return path.includes(ANY_CHARACTER) || resolved === undefined ? rest : resolved + rest.slice(path.length);
}

const WHOLE_NAME = /^(?:[^/?#@\\:\s[\]]+|\[[^\]]+\])$/;

/** @param isWhole whether the text is a complete name, so that the URL standard can interpret it */
export function normalizeHostText(text: string, isWhole = false): string {
  if (WILDCARD.test(text)) return text.split(WILDCARD).map(normalizeLabels).join('');
  const parsed = isWhole && WHOLE_NAME.test(text) ? URL.parse(`http://${text}/`) : undefined;
  return parsed?.hostname ?? normalizeLabels(text);
}

/** Converts labels of a name to lower case and punycode. Labels that are not valid are only lower-cased. */
function normalizeLabels(text: string): string {
  if (!NON_ASCII.test(text)) return text.toLowerCase();
  const leadingDot = text.startsWith('.') ? '.' : '';
  const host = URL.parse(`http://${text.slice(leadingDot.length)}`)?.hostname;
  return host === undefined ? text.toLowerCase() : leadingDot + host;
}

/** In an expression with plain dots, a dot at the end of a name may also be ANY_CHARACTER. */
export const stripTrailingDot = (host: string): string =>
  /[^.\u0000][.\u0000]$/.test(host) ? host.slice(0, -1) : host;

const SERVER_IN_EXPRESSION = /^(\^?(https?):\/\/(?:\\\.|[^/\\?#:()|[\]])*?)((?:\\\.)?)((?::\d+)?)(?=\/|\$$)/i;

const ENCODED_BYTE = /^%[0-9a-f]{2}$/i;

/** Normalizes escapes outside character classes; inside one, an escape would be several alternative characters. */
function normalizeExpressionEscapes(source: string): string {
  if (!source.includes('%')) return source;
  let text = '';
  let inClass = false;
  for (let index = 0; index < source.length; index++) {
    const char = source.charAt(index);
    const encoded = source.slice(index, index + 3);
    if (char === '\\') text += source.slice(index, ++index + 1);
    else if (!inClass && ENCODED_BYTE.test(encoded)) {
      text += normalizeEscapes(encoded).replace(/^\.$/, '\\.');
      index += 2;
    } else {
      inClass = char === '[' || (inClass && char !== ']');
      text += char;
    }
  }
  return text;
}

/**
 * Normalizes a regular expression as far as possible without running it: percent-encoding, default port and trailing
 * dot.
 */
export function normalizeRuleExpression(source: string, field: MatchField): string {
  const normalized = normalizeExpressionEscapes(source);
  if (field === 'host') return normalized.replace(/([^\\.])\\\.\$$/, '$1$');
  if (field !== 'url') return normalized;
  return normalized.replace(SERVER_IN_EXPRESSION, (_, front: string, scheme: string, _dot: string, port: string) =>
    port.slice(1) === DEFAULT_PORTS[scheme.toLowerCase()] ? front : front + port,
  );
}
