/**
 * Finds where an element of a configuration may contain a secret: according to the table, to names, and to the parts of
 * a URL.
 */
import {
  findParameterRanges,
  findPrivateKeyRanges,
  findUserInfoRanges,
  isSecretHeader,
  isSecretName,
  type TextRange,
} from '../../domain/redact.js';
import type { XmlElement } from './document.js';
import { findCanonicalAttributeName } from './interpret.js';
import { decodeEntities, type XmlAttribute } from './markup.js';
import { ELEMENTS } from './schema.js';

const SUGGESTIVE_NAME = /passw|secret|token|api-?key|authori[sz]|authentication|credential|cookie|private-?key/i;

export const suggestsSecret = (name: string): boolean => SUGGESTIVE_NAME.test(name) || isSecretName(name);

/** Matches a value that consists only of references to environment variables, files and the helper. */
const ONLY_VARIABLES = /^(?:\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$\{(?:file|helper):[^{}]{1,1000}\}|[:\s])+$/;

/** Finds the secrets in an attribute. The ranges refer to the text of the document; none of them is empty. */
export function findSecretRanges(element: XmlElement, attribute: XmlAttribute, text: string): TextRange[] {
  const { valueStart, valueEnd } = attribute;
  const raw = text.slice(valueStart, valueEnd);
  if (isSecret(element, attribute))
    return toDocumentRanges(raw, valueStart, [[getPublicPrefixLength(element, raw), raw.length]]);
  const { decoded, toRawOffset } = decodeWithOffsets(raw);
  const userInfo = findUserInfoRanges(decoded);
  const parameters = isReceiverUrl(element, attribute) ? findParameterRanges(decoded) : [];
  const ranges = [...userInfo, ...parameters]
    .map(([start, end]): TextRange => [toRawOffset(start), toRawOffset(end)])
    .sort((a, b) => a[0] - b[0]);
  return toDocumentRanges(raw, valueStart, removeOverlaps(ranges));
}

/** Finds private keys and placeholders in an element's text, or all of it if its unknown name suggests a secret. */
export function findSecretTextRanges(element: XmlElement, text: string): TextRange[] {
  if (element.children.length > 0 || element.text.trim() === '') return [];
  const raw = text.slice(element.contentStart, element.contentEnd);
  const suggestsSecretText = !ELEMENTS.has(element.local) && suggestsSecret(element.local);
  return toDocumentRanges(
    raw,
    element.contentStart,
    suggestsSecretText ? [[0, raw.length]] : findKeyAndPlaceholderRanges(raw),
  );
}

const findKeyAndPlaceholderRanges = (raw: string): TextRange[] =>
  [...findPrivateKeyRanges(raw), ...[...raw.matchAll(/\*{8}/g)].map(({ index }): TextRange => [index, index + 8])].sort(
    (a, b) => a[0] - b[0],
  );

const toDocumentRanges = (raw: string, base: number, ranges: readonly TextRange[]): TextRange[] =>
  ranges
    .filter(([start, end]) => start < end && !ONLY_VARIABLES.test(raw.slice(start, end)))
    .map(([start, end]) => [base + start, base + end]);

const removeOverlaps = (ranges: readonly TextRange[]): TextRange[] =>
  ranges.filter(([start], index) => index === 0 || start >= (ranges[index - 1] as TextRange)[1]);

/** Receivers may identify senders by a key in the query. */
const isReceiverUrl = (element: XmlElement, { local }: XmlAttribute): boolean =>
  (element.local === 'Sink' || element.local === 'Webhook') && local === 'url';

/** Decodes the entities in a value, and maps offsets in the result to offsets in the raw text. */
function decodeWithOffsets(raw: string): {
  readonly decoded: string;
  readonly toRawOffset: (offset: number) => number;
} {
  if (!raw.includes('&')) return { decoded: raw, toRawOffset: (offset) => offset };
  let decoded = '';
  const starts: number[] = [];
  for (const { 0: token, index } of raw.matchAll(/&[^&;]{1,8};|[\s\S]/g)) {
    const text = decodeEntities(token);
    for (let i = 0; i < text.length; i++) starts.push(text === token ? index + i : index);
    decoded += text;
  }
  return { decoded, toRawOffset: (offset) => starts[offset] ?? raw.length };
}

/** Returns the length of the part that is not secret: `X-Token: ` in an option that sets a header, otherwise 0. */
export function getPublicPrefixLength(element: XmlElement, raw: string): number {
  const isHeader = element.local === 'option' && getNameAttribute(element) === 'header';
  return isHeader ? (/^[^:]*:\s*/.exec(raw)?.[0].length ?? 0) : 0;
}

export const getNameAttribute = (element: XmlElement): string =>
  element.attributes.find(({ local }) => local === 'name')?.value ?? '';

export function isSecret(element: XmlElement, attribute: XmlAttribute): boolean {
  const spec = ELEMENTS.get(element.local);
  const name = spec && findCanonicalAttributeName(attribute.local, spec);
  if (name !== undefined && spec?.attributes[name]?.secret) return true;
  if (attribute.local === 'value' && element.local === 'Header')
    return suggestsSecret(getNameAttribute(element)) || isSecretHeader(getNameAttribute(element));
  if (attribute.local === 'value' && element.local === 'option')
    return ['header', 'credentials'].includes(getNameAttribute(element));
  return name === undefined && suggestsSecret(attribute.local);
}
