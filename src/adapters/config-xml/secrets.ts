/**
 * Secrets of a configuration leave the server only as asterisks, and asterisks that come back stand for the secret that was
 * at the same place. A place is the path of names and addresses to the value: whoever points a sink or a credential at
 * another address must write its secret again, so that a secret can never be sent to a stranger by an edit.
 */
import { parseDocument, type XmlDocument, type XmlElement, XmlFault } from './document.js';
import { attributeName } from './interpret.js';
import { specials, type XmlAttribute } from './markup.js';
import { PLACEHOLDER } from './placeholder.js';
import { ELEMENTS } from './schema.js';
import { applySplices, type Splice } from './splice.js';

/** A range of the text that holds a secret. */
interface Secret {
  /** Where it stands, in words that survive other edits. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The text with every secret replaced by asterisks; references to variables stay.
 * @throws XmlFault when the text is no well-formed XML, because then nobody can tell where its secrets are
 */
export function redact(xml: string): string {
  const hidden = findSecrets(parseDocument(xml, 'CrawlConfig.xml'));
  return applySplices(
    xml,
    hidden.map(({ start, end }): Splice => ({ start, end, text: PLACEHOLDER })),
  );
}

/** The text with asterisks replaced by the secrets of `current`. Asterisks that stand for nothing stay: the reader refuses them. */
export function restoreSecrets(xml: string, current: string): string {
  if (!xml.includes(PLACEHOLDER)) return xml;
  try {
    const known = new Map<string, string>();
    for (const { key, start, end } of findSecrets(parseDocument(current, 'current'))) {
      known.set(key, current.slice(start, end));
    }
    const splices: Splice[] = [];
    for (const { key, start, end } of findSecrets(parseDocument(xml, 'new'))) {
      const secret = xml.slice(start, end) === PLACEHOLDER ? known.get(key) : undefined;
      if (secret !== undefined) splices.push({ start, end, text: secret });
    }
    return applySplices(xml, splices);
  } catch (error) {
    if (error instanceof XmlFault) return xml; // the reader tells what is wrong with it
    throw error;
  }
}

const SECRET_IN_RULES =
  /^[ \t#]*authbasic(?:[ \t]|\\\r?\n)+((?:[^\r\n]*\\\r?\n)*[^\r\n]+)|\/\/[^/@:\s]*:([^/@\s]*)@/dgim;

/** The text of an indexer.conf or a crawl.rules with its passwords hidden, commented-out ones too. */
export function redactRules(text: string): string {
  const ranges = [...text.matchAll(SECRET_IN_RULES)].map(({ indices }) => indices?.[1] ?? indices?.[2]);
  return applySplices(text, hiding(ranges.filter((range) => range !== undefined)));
}

function findSecrets(document: XmlDocument): Secret[] {
  const secrets: Secret[] = [];
  const seen = new Map<string, number>();
  const add = (key: string, start: number, end: number): void => {
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    secrets.push({ key: count === 0 ? key : `${key} #${count}`, start, end });
  };
  visit(document.root, '', (path, element, attribute) => {
    for (const [start, end] of secretRanges(element, attribute, document.text)) {
      if (start < end) add(`${path}/@${attribute.local}`, start, end);
    }
  });
  for (const [key, start, end] of commentSecrets(document.text)) add(key, start, end);
  return secrets;
}

function visit(
  element: XmlElement,
  parent: string,
  look: (path: string, element: XmlElement, attribute: XmlAttribute) => void,
): void {
  const path = `${parent}/${element.local}${identity(element)}`;
  for (const attribute of element.attributes) look(path, element, attribute);
  for (const child of element.children) visit(child, path, look);
}

/** Names and addresses, without what may be secret in them. */
function identity(element: XmlElement): string {
  const parts: string[] = [];
  for (const { local, value } of element.attributes) {
    if (local === 'name') parts.push(value);
    if (local === 'url') parts.push(value.replace(USER_INFO, '//'));
    if (local === 'value') parts.push(value.slice(0, headerNameLength(element, value)));
    if (local === 'value' && element.local.startsWith('apply-')) parts.push(value);
  }
  return `[${parts.join(' ')}]`;
}

const USER_INFO = /\/\/[^/@\s]*@/;
const SPEAKING_NAME = /passw|secret|token|api-?key|authori[sz]|authentication|credential|cookie/i;
/** Nothing but references to the environment. */
const ONLY_VARIABLES = /^(?:\$\{[A-Za-z_][A-Za-z0-9_]*\}|[:\s])+$/;

type Range = readonly [start: number, end: number];

function secretRanges(element: XmlElement, attribute: XmlAttribute, text: string): Range[] {
  const { valueStart, valueEnd } = attribute;
  const raw = text.slice(valueStart, valueEnd);
  if (ONLY_VARIABLES.test(raw)) return [];
  if (isSecret(element, attribute)) return [[valueStart + headerNameLength(element, raw), valueEnd]];
  const password = /\/\/[^/@:\s]*:([^/@\s]*)@/d.exec(raw)?.indices?.[1];
  if (!password || ONLY_VARIABLES.test(raw.slice(...password))) return [];
  return [[valueStart + password[0], valueStart + password[1]]];
}

/** What of the value is no secret: `X-Token: ` of an option that sets a header. */
function headerNameLength(element: XmlElement, raw: string): number {
  const isHeader = element.local === 'option' && nameOf(element) === 'header';
  return isHeader ? (/^[^:]*:\s*/.exec(raw)?.[0].length ?? 0) : 0;
}

const nameOf = (element: XmlElement): string => element.attributes.find(({ local }) => local === 'name')?.value ?? '';

function isSecret(element: XmlElement, attribute: XmlAttribute): boolean {
  const spec = ELEMENTS.get(element.local);
  const name = spec && attributeName(attribute.local, spec);
  if (name !== undefined && spec?.attributes[name]?.secret) return true;
  if (attribute.local === 'value' && element.local === 'Header')
    return SPEAKING_NAME.test(nameOf(element)) || /auth|key/i.test(nameOf(element));
  if (attribute.local === 'value' && element.local === 'option')
    return ['header', 'credentials'].includes(nameOf(element));
  return name === undefined && SPEAKING_NAME.test(attribute.local);
}

const SECRET_IN_COMMENT =
  /(?:passw\w{0,20}|secret|token|api-?key|authentication|credentials?)\s{0,9}=\s{0,9}(?:"([^"]{0,999})"|'([^']{0,999})')|\/\/[^/@:\s]*:([^/@\s"']+)@/dgi;

/** Commented-out elements. The comment with its secrets hidden is the place. */
function* commentSecrets(text: string): Generator<readonly [key: string, start: number, end: number]> {
  for (const special of specials(text)) {
    const comment = text.slice(special.start, special.end);
    const ranges: Range[] = [];
    for (const match of comment.matchAll(SECRET_IN_COMMENT)) {
      const range = match.indices?.slice(1).find((group) => group !== undefined);
      if (range && range[0] < range[1] && !ONLY_VARIABLES.test(comment.slice(...range))) ranges.push(range);
    }
    const hidden = applySplices(comment, hiding(ranges));
    for (const [start, end] of ranges) yield [`comment ${hidden}`, special.start + start, special.start + end];
  }
}

const hiding = (ranges: readonly Range[]): Splice[] =>
  ranges.map(([start, end]) => ({ start, end, text: PLACEHOLDER }));
