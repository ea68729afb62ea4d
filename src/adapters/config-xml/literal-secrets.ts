/**
 * Finds secrets that are written as plain text in CrawlConfig.xml or a rule file, and replaces them with references to
 * stored secrets. What is secret follows from the table: secret attributes and options, logins and keys in the addresses
 * that may contain them, and private keys. In comments, and in elements and attributes that Crawlway does not use, names
 * decide, because these may be leftovers of the same.
 */

import {
  findParameterRanges,
  findPrivateKeyRanges,
  findUserInfoRanges,
  isSecretHeader,
  isSecretName,
  type TextRange,
} from '../../domain/redact.js';
import { forEachInSteps, type Steps } from '../../domain/steps.js';
import type { LiteralSecret, TextsByFile } from '../../engine/ports/configuration-reading.js';
import type { XmlDocument, XmlElement } from './document.js';
import { findCanonicalAttributeName } from './interpret.js';
import { decodeEntities, findSpecialSections, type XmlAttribute } from './markup.js';
import { findOptionSpec, OPTION } from './schema/policy.js';
import { HEADER } from './schema/server.js';
import { SINK, WEBHOOK } from './schema/sink.js';
import type { AttributeSpec } from './schema/spec.js';
import { ELEMENTS } from './schema.js';
import { applySplices } from './splice.js';

type Element = Pick<XmlElement, 'local' | 'attributes'> & { readonly parent?: XmlElement | undefined };
type Attribute = Pick<XmlAttribute, 'local' | 'value' | 'valueStart' | 'valueEnd'>;

/** Finds all literal secrets, in the order of the text. */
export function* findLiteralSecretsInSteps({ root, text, placeAt }: XmlDocument): Steps<LiteralSecret[]> {
  const secrets: LiteralSecret[] = [];
  const add = (element: Element, attribute: string, [start, end]: TextRange): void => {
    const raw = text.slice(start, end);
    // As in readAttributes, line ends in attributes are spaces.
    const value = decodeEntities(attribute === 'text' ? raw : raw.replace(/\r\n|[\r\n\t]/g, ' '));
    secrets.push({ place: placeAt(start), start, end, value, ...describe(element, attribute) });
  };
  const visit = (element: Element & Partial<XmlElement>): void => {
    for (const attribute of element.attributes)
      for (const range of findRanges(element, attribute, text)) add(element, attribute.local, range);
    if (element.children?.length === 0)
      for (const range of findTextRanges(element as XmlElement, text)) add(element, 'text', range);
  };
  yield* forEachInSteps(listElements(root), visit);
  for (const { start, end } of findSpecialSections(text)) {
    for (const element of readTags(text, start, end)) visit(element);
    const raw = text.slice(start, end);
    for (const range of keepLiterals(raw, start, findRangesOfProse(raw)))
      add({ local: 'comment', attributes: [] }, 'text', range);
  }
  return removeOverlaps(secrets);
}

function* listElements(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* listElements(child);
}

const REFERENCE = /\$\{[^{}]+\}/;

function findRanges(element: Element, attribute: Attribute, text: string): TextRange[] {
  const raw = text.slice(attribute.valueStart, attribute.valueEnd);
  const { isSecret, isAddress, publicPrefix = 0 } = classify(element, attribute);
  const isReceiver = attribute.local === 'url' && (element.local === SINK.name || element.local === WEBHOOK.name);
  const { decoded, toRawOffset } = decodeWithOffsets(raw);
  const partRanges = [
    ...(isAddress ? findUserInfoRanges(decoded) : []),
    ...(isReceiver ? findParameterRanges(decoded).filter(([, , name]) => name === '' || isSecretName(name)) : []),
  ].map(([start, end]): TextRange => [toRawOffset(start), toRawOffset(end)]);
  return keepLiterals(raw, attribute.valueStart, isSecret ? [[publicPrefix, raw.length]] : partRanges);
}

interface Classification {
  /** Whether the whole value is secret, except for a public prefix (`X-Token: `). */
  readonly isSecret: boolean;
  readonly publicPrefix?: number;
  /** Whether the value may contain a URL with a login. */
  readonly isAddress?: boolean;
}

function classify(element: Element, { local, value }: Attribute): Classification {
  const spec = ELEMENTS.get(element.local);
  const name = spec && findCanonicalAttributeName(local, spec);
  if (!spec || name === undefined) return { isSecret: suggestsSecret(local) && !isSwitch(value), isAddress: true };
  const nameAttribute = getName(element) ?? '';
  if (spec.name === OPTION.name && name === 'value') {
    const option = findOptionSpec(nameAttribute);
    const [prefix, header] = (nameAttribute === 'header' && /^([^:]*):\s*/.exec(value)) || ['', undefined];
    const isSecret = option?.secret === true && (header === undefined || isSecretHeader(header));
    return { isSecret, publicPrefix: prefix.length, isAddress: option?.variables === true };
  }
  if (spec.name === HEADER.name && name === 'value') return { isSecret: isSecretHeader(nameAttribute) };
  const { secret = false, variables = false } = spec.attributes[name] as AttributeSpec<unknown>;
  return { isSecret: secret, isAddress: variables };
}

const SUGGESTIVE_NAME = /passw|passphrase|^(?:pass|pwd)$|secret|token|api-?key|credential|private-?key/i;

const suggestsSecret = (name: string): boolean => SUGGESTIVE_NAME.test(name);

const isSwitch = (value: string): boolean => /^(?:true|false|yes|no|\d*)$/i.test(value);

const getName = ({ attributes }: Element): string | undefined =>
  attributes.find(({ local }) => local === 'name')?.value;

/** Finds private keys in an element's text, or all of it if its unknown name suggests a secret. */
function findTextRanges(element: XmlElement, text: string): TextRange[] {
  const { local, contentStart, contentEnd } = element;
  const raw = text.slice(contentStart, contentEnd);
  const isSecret = !ELEMENTS.has(local) && suggestsSecret(local) && !isSwitch(element.text);
  return keepLiterals(raw, contentStart, isSecret ? [[0, raw.length]] : findPrivateKeyRanges(raw));
}

/** Leaves out empty ranges and those that refer to a secret kept elsewhere. */
const keepLiterals = (raw: string, base: number, ranges: readonly TextRange[]): TextRange[] =>
  ranges
    .filter(([start, end]) => raw.slice(start, end).trim() !== '' && !REFERENCE.test(raw.slice(start, end)))
    .map(([start, end]) => [base + start, base + end]);

function removeOverlaps(secrets: LiteralSecret[]): LiteralSecret[] {
  let searchedUntil = 0;
  return secrets
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < searchedUntil) return false;
      searchedUntil = end;
      return true;
    });
}

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

/** Finds logins in URLs, and lines such as `password: x`. */
function findRangesOfProse(text: string): TextRange[] {
  const lineRanges = [...text.matchAll(/(?<=^|<!--)(?:(?!-->)[^\n"'<>])+/gm)].flatMap(({ 0: line, index }) =>
    findRangesOfLine(`#${line}`).map(([start, end]): TextRange => [index + start - 1, index + end - 1]),
  );
  return [...findUserInfoRanges(text), ...lineRanges];
}

const TAG_PART = /<([^\s<>/="'!?]{1,64})|([\w.:-]{1,64})\s*=\s*(?:"([^"]*)|'([^']*))/g;

/** Reads the tags in a comment, CDATA section or processing instruction, even if they are incomplete. */
function readTags(text: string, start: number, end: number): Element[] {
  const stripPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);
  let attributes: XmlAttribute[] = [];
  const elements: Element[] = [{ local: '', attributes }];
  for (const { 0: whole, 1: tag, 2: name, 3: value, 4: quoted, index } of text.slice(start, end).matchAll(TAG_PART)) {
    if (tag !== undefined) {
      attributes = [];
      elements.push({ local: stripPrefix(tag), attributes });
    } else if (name !== undefined) {
      const valueEnd = Math.min(start + index + whole.length, end);
      const content = value ?? quoted ?? '';
      const local = stripPrefix(name);
      const valueStart = valueEnd - content.length;
      attributes.push({
        name,
        prefix: '',
        local,
        value: content,
        start: valueStart,
        end: valueEnd,
        valueStart,
        valueEnd,
      });
    }
  }
  return elements;
}

/** Describes a secret by the nearest element with a name: `password of Sink main`, `sink-main-password`. */
function describe(element: Element, attribute: string): Pick<LiteralSecret, 'description' | 'name'> {
  const path: Element[] = [];
  for (let scope: Element | undefined = element; scope; scope = scope.parent) path.unshift(scope);
  const hasOwnValue = attribute === 'value' || attribute === 'text';
  const owner = path.findLast((scope) => getName(scope) !== undefined && (scope !== element || !hasOwnValue));
  const parts = [...new Set([owner, element])].flatMap((scope) => (scope ? [scope.local, getName(scope) ?? ''] : []));
  const name = createName([...parts, ...(attribute === 'value' ? [] : [attribute])]);
  const ownName = getName(element);
  const elementText = ownName === undefined ? element.local : `${element.local} ${ownName}`;
  return { description: `${attribute} of ${elementText}`, name };
}

export const MAX_NAME_LENGTH = 64;

const createName = (parts: readonly string[]): string =>
  parts
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .slice(0, MAX_NAME_LENGTH - 4)
    .replace(/^-|-$/g, '') || 'secret';

/** Matches a command of indexer.conf or crawl.rules, also in a comment, up to its value. */
const COMMAND = /^([\s\uFEFF#]*)([^\s\uFEFF#=:][^\s=:]*)(?:[ \t=:]|\\\r?\n)+/;

/**
 * Finds the literal secrets in a rule file: everything after a command whose name suggests a login (`AuthBasic`,
 * `ProxyAuthBasic`, even if misspelled), secret headers, and logins in URLs. In a comment, several words are prose unless
 * they look like `AuthBasic user:password`.
 */
export function* findSecretsOfRulesInSteps(text: string, file: string): Steps<LiteralSecret[]> {
  const secrets: LiteralSecret[] = [];
  let start = 0;
  let line = 1;
  // A backslash at the end of a line continues it.
  yield* forEachInSteps(text.matchAll(/(?<!\\|\\\r)(?:\r\n|\n|\r)|$/g), ({ index, 0: lineBreak }) => {
    const raw = text.slice(start, index);
    const [, margin = '', command = 'url'] = COMMAND.exec(raw) ?? [];
    for (const [from, to] of keepLiterals(raw, 0, findRangesOfLine(raw))) {
      secrets.push({
        place: { file, line, column: margin.length + 1 },
        start: start + from,
        end: start + to,
        value: raw.slice(from, to).replace(/\\\r?\n/g, ' '),
        description: `${command} in ${file}`,
        name: createName([file, command]),
      });
    }
    line += raw.split('\n').length;
    start = index + lineBreak.length;
  });
  return secrets;
}

function findRangesOfLine(line: string): readonly TextRange[] {
  const [prefix = '', margin = '', name = ''] = COMMAND.exec(line) ?? [];
  const end = line.trimEnd().length;
  const value = line.slice(prefix.length, end);
  if (/^HTTPHeader$/i.test(name)) {
    const [header, headerName = ''] = /^["']?([^:]*):\s*/.exec(value) ?? [];
    return header !== undefined && isSecretHeader(headerName) ? [[prefix.length + header.length, end]] : [];
  }
  const isLogin = /^(?:proxy)?auth(?!ors?\b|ority)/i.test(name);
  const isProse = margin.includes('#') && /\S\s+\S/.test(value) && !(isLogin && value.includes(':'));
  const isSecret = (isLogin || suggestsSecret(name)) && !isProse && !isSwitch(value);
  return isSecret ? [[prefix.length, end]] : findUserInfoRanges(line);
}

/**
 * Replaces literal secrets with references to stored secrets, whose names are different from each other and from those
 * that are taken.
 */
export function replaceLiteralSecrets(
  texts: TextsByFile,
  secrets: readonly LiteralSecret[],
  takenNames: Iterable<string> = [],
): { readonly texts: TextsByFile; readonly secrets: readonly LiteralSecret[] } {
  const names = new Set(takenNames);
  for (const text of texts.values())
    for (const [, name] of text.matchAll(/\$\{secret:([^{}]+)\}/g)) names.add(name as string);
  const namedSecrets = secrets.map((secret) => {
    let { name } = secret;
    for (let suffix = 2; names.has(name); suffix++) name = `${secret.name}-${suffix}`;
    names.add(name);
    return { ...secret, name };
  });
  const replacedTexts = [...texts].map(([file, text]) => {
    const splices = namedSecrets
      .filter(({ place }) => place.file === file)
      .map(({ start, end, name }) => ({ start, end, text: `\${secret:${name}}` }));
    return [file, applySplices(text, splices)] as const;
  });
  return { texts: new Map(replacedTexts), secrets: namedSecrets };
}
