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
import { canonicalAttributeName } from './interpret.js';
import { decodeEntities, type XmlAttribute } from './markup.js';
import { ELEMENTS } from './schema.js';

const SPEAKING_NAME = /passw|secret|token|api-?key|authori[sz]|authentication|credential|cookie|private-?key/i;

export const suggestsSecret = (name: string): boolean => SPEAKING_NAME.test(name) || isSecretName(name);

/** A value that consists only of references to environment variables, files and the helper. */
const ONLY_VARIABLES = /^(?:\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$\{(?:file|helper):[^{}]{1,1000}\}|[:\s])+$/;

/** Ranges in the text of the document; none of them is empty. */
export function findSecretRanges(element: XmlElement, attribute: XmlAttribute, text: string): TextRange[] {
  const { valueStart, valueEnd } = attribute;
  const raw = text.slice(valueStart, valueEnd);
  if (isSecret(element, attribute))
    return toDocumentRanges(raw, valueStart, [[measureHeaderName(element, raw), raw.length]]);
  const { decoded, offsets } = decodeWithOffsets(raw);
  const userInfo = findUserInfoRanges(decoded);
  const parameters = isSinkUrl(element, attribute) ? findParameterRanges(decoded) : [];
  const ranges = [...userInfo, ...parameters]
    .map(([start, end]): TextRange => [offsets(start), offsets(end)])
    .sort((one, other) => one[0] - other[0]);
  return toDocumentRanges(raw, valueStart, removeOverlaps(ranges));
}

/** Ranges of private keys, and of the text of unknown elements that may be secret (`<my:password>`). */
export function findSecretTextRanges(element: XmlElement, text: string): TextRange[] {
  if (element.children.length > 0 || element.text.trim() === '') return [];
  const raw = text.slice(element.contentStart, element.contentEnd);
  const named = !ELEMENTS.has(element.local) && suggestsSecret(element.local);
  return toDocumentRanges(raw, element.contentStart, named ? [[0, raw.length]] : findKeyAndPlaceholderRanges(raw));
}

const findKeyAndPlaceholderRanges = (raw: string): TextRange[] =>
  [...findPrivateKeyRanges(raw), ...[...raw.matchAll(/\*{8}/g)].map(({ index }): TextRange => [index, index + 8])].sort(
    (one, other) => one[0] - other[0],
  );

const toDocumentRanges = (raw: string, at: number, ranges: readonly TextRange[]): TextRange[] =>
  ranges
    .filter(([start, end]) => start < end && !ONLY_VARIABLES.test(raw.slice(start, end)))
    .map(([start, end]) => [at + start, at + end]);

const removeOverlaps = (ranges: readonly TextRange[]): TextRange[] =>
  ranges.filter(([start], index) => index === 0 || start >= (ranges[index - 1] as TextRange)[1]);

/** Includes webhooks, because their receivers may identify senders by a key in the query. */
const isSinkUrl = (element: XmlElement, { local }: XmlAttribute): boolean =>
  element.local === 'Sink' && local === 'url';

/** The value as a URL parser receives it, and the position of each of its characters in the raw text. */
function decodeWithOffsets(raw: string): { readonly decoded: string; readonly offsets: (at: number) => number } {
  if (!raw.includes('&')) return { decoded: raw, offsets: (at) => at };
  let decoded = '';
  const starts: number[] = [];
  for (const { 0: piece, index } of raw.matchAll(/&[^&;]{1,8};|[\s\S]/g)) {
    const text = decodeEntities(piece);
    for (let i = 0; i < text.length; i++) starts.push(text === piece ? index + i : index);
    decoded += text;
  }
  return { decoded, offsets: (at) => starts[at] ?? raw.length };
}

/** Length of the part of the value that is not secret, such as `X-Token: ` in an option that sets a header. */
export function measureHeaderName(element: XmlElement, raw: string): number {
  const isHeader = element.local === 'option' && findNameAttribute(element) === 'header';
  return isHeader ? (/^[^:]*:\s*/.exec(raw)?.[0].length ?? 0) : 0;
}

export const findNameAttribute = (element: XmlElement): string =>
  element.attributes.find(({ local }) => local === 'name')?.value ?? '';

export function isSecret(element: XmlElement, attribute: XmlAttribute): boolean {
  const spec = ELEMENTS.get(element.local);
  const name = spec && canonicalAttributeName(attribute.local, spec);
  if (name !== undefined && spec?.attributes[name]?.secret) return true;
  if (attribute.local === 'value' && element.local === 'Header')
    return suggestsSecret(findNameAttribute(element)) || isSecretHeader(findNameAttribute(element));
  if (attribute.local === 'value' && element.local === 'option')
    return ['header', 'credentials'].includes(findNameAttribute(element));
  return name === undefined && suggestsSecret(attribute.local);
}
