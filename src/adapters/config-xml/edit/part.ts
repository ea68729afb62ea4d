/**
 * The part of a configuration that belongs to some crawlers: their elements, and the sinks to which no other crawler
 * pushes. Somebody whose role is limited to these crawlers reads it as if it were the whole file, and writes it back.
 */
import type { Place, Problem } from '../../../domain/crawl/place.js';
import { parseDocument, type XmlDocument, type XmlElement, XmlFault } from '../document.js';
import { createPlaceFinder } from '../pieces.js';
import { PROBLEM_CODES } from '../problems.js';
import { ELEMENTS } from '../schema.js';
import { applySplices } from '../splice.js';
import * as t from '../value-types.js';
import { findChildren, getAttributeValue } from './scope.js';

const FILE = 'CrawlConfig.xml';

/** A whole configuration with a changed part, or what somebody limited to the part may not change. */
export interface WidenedPart {
  readonly xml: string;
  /** The sinks of the part. */
  readonly sinks: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  /** Where the part has a place of the whole; undefined elsewhere. */
  toPart(place: Place): Place | undefined;
}

export function readPart(xml: string, crawlers: ReadonlySet<string>): string {
  const { root } = parseDocument(xml, FILE);
  const startTag = xml.slice(root.start, root.contentStart).replace(/(?<!\s)\s*\/>$/, '>');
  const elements = findOwn(root, crawlers).map(({ start, end }) => `  ${xml.slice(start, end)}\n`);
  return `${startTag}\n${elements.join('')}</${root.name}>\n`;
}

/**
 * Puts a changed part into the whole. Comments between its elements are not kept.
 * @param maySecret whether the crawlers may refer to a stored secret to which they do not refer yet
 */
export function widenPart(
  xml: string,
  crawlers: ReadonlySet<string>,
  part: string,
  maySecret: (name: string) => boolean,
): WidenedPart {
  const whole = parseDocument(xml, FILE);
  const sent = parsePart(part);
  if ('problems' in sent) return { xml, sinks: new Set(), toPart: () => undefined, ...sent };
  const own = findOwn(whole.root, crawlers);
  const problems: Problem[] = [];
  const refuse = (element: XmlElement, message: string): void =>
    void problems.push({
      severity: PROBLEM_CODES['beyond-role'].severity,
      code: 'beyond-role',
      message: `${message}: only an administrator of the whole server may change this`,
      place: sent.placeAt(element.start),
    });
  const pairs = own.map((before) => ({
    before,
    after: findChildren(sent.root, before.local).find((element) => keyOf(element) === keyOf(before)),
  }));
  if (nameTag(xml, whole.root) !== nameTag(part, sent.root)) refuse(sent.root, `the tag ${sent.root.name} differs`);
  for (const { before, after } of pairs) {
    if (!after) refuse(sent.root, `${keyOf(before)} is missing`);
    else if (before.local === 'Sink') {
      for (const name of ['type', 'url'])
        if (getValues(before, name) !== getValues(after, name)) refuse(after, `the ${name} of ${keyOf(after)} differs`);
    }
  }
  const allowed = new Set(own.flatMap((element) => listOutsideReferences(element).map(({ text }) => text)));
  for (const element of sent.root.children) {
    if (!pairs.some(({ after }) => after === element)) refuse(element, `${keyOf(element)} is new or belongs to others`);
    for (const { text, at } of listOutsideReferences(element)) {
      const secret = /^\$\{secret:(.*)\}$/.exec(text)?.[1];
      if (!allowed.has(text) && !(secret !== undefined && maySecret(secret))) refuse(at, `${text} is new here`);
    }
  }
  const copies = pairs.flatMap(({ before, after }) => (after ? [{ before, after }] : []));
  const splices = copies.map(({ before, after }) => ({
    start: before.start,
    end: before.end,
    text: part.slice(after.start, after.end),
  }));
  const widened = applySplices(xml, splices);
  return {
    xml: widened,
    sinks: new Set(own.filter(({ local }) => local === 'Sink').map((sink) => getAttributeValue(sink, 'name')!)),
    problems,
    toPart: createPlaceMapping(widened, sent, copies),
  };
}

interface Copy {
  readonly before: XmlElement;
  readonly after: XmlElement;
}

/** Elements of the part stand in the whole as they were sent, behind others whose length may have changed. */
function createPlaceMapping(widened: string, sent: XmlDocument, copies: readonly Copy[]): WidenedPart['toPart'] {
  const placeInWhole = createPlaceFinder(widened, FILE);
  let shift = 0;
  const ranges = copies.map(({ before, after }) => {
    const start = before.start + shift;
    shift += after.end - after.start - (before.end - before.start);
    return { first: placeInWhole(start), last: placeInWhole(start + after.end - after.start), after };
  });
  return (place) => {
    for (const { first, last, after } of ranges) {
      if (isBefore(place, first) || !isBefore(place, last)) continue;
      const to = sent.placeAt(after.start);
      const column = place.line === first.line ? place.column - first.column + to.column : place.column;
      return { ...place, line: place.line - first.line + to.line, column };
    }
    return undefined;
  };
}

/** Problems of a text that is not well-formed are those of the part itself. */
function parsePart(part: string): XmlDocument | { readonly problems: readonly Problem[] } {
  try {
    return parseDocument(part, FILE);
  } catch (fault) {
    if (!(fault instanceof XmlFault)) throw fault;
    return { problems: [{ severity: 'error', code: fault.code, message: fault.message, place: fault.place }] };
  }
}

const isBefore = (a: Place, b: Place): boolean => a.line < b.line || (a.line === b.line && a.column < b.column);

const nameTag = (xml: string, root: XmlElement): string =>
  xml
    .slice(root.start, root.contentStart)
    .replace(/(?<!\s)\s*\/?>$/, '')
    .replace(/\s+/g, ' ');

/** An attribute of another vocabulary may have the same name; whoever writes two of them gets neither. */
const getValues = (element: XmlElement, local: string): string =>
  element.attributes.flatMap((attribute) => (attribute.local === local ? [attribute.value] : [])).join(', ');

const keyOf = (element: XmlElement): string => `${element.local} ${getValues(element, 'name')}`.trim();

function findOwn(root: XmlElement, crawlers: ReadonlySet<string>): XmlElement[] {
  const sinks = findChildren(root, 'Sink').map((sink) => getAttributeValue(sink, 'name') ?? '');
  const isOwn = (crawler: XmlElement): boolean => crawlers.has(getAttributeValue(crawler, 'name') ?? '');
  const listSinks = (crawler: XmlElement): string[] => {
    const named = findChildren(crawler, 'PushTo').map((push) => getAttributeValue(push, 'sink') ?? '');
    return named.length > 0 ? named : sinks;
  };
  const all = findChildren(root, 'Crawler');
  const own = new Set(all.filter(isOwn).flatMap(listSinks));
  const others = new Set(all.filter((crawler) => !isOwn(crawler)).flatMap(listSinks));
  const ownSinks = findChildren(root, 'Sink').filter((sink) => {
    const name = getAttributeValue(sink, 'name') ?? '';
    return own.has(name) && !others.has(name);
  });
  return root.children.filter((child) => (all.includes(child) && isOwn(child)) || ownSinks.includes(child));
}

/** Attributes and options, in lower case, that name something outside the element: files, other elements, servers. */
const OUTSIDE_NAMES: ReadonlySet<string> = new Set(
  ['fetcher', 'sink', 'proxy'].concat(
    [...ELEMENTS.values()].flatMap(({ attributes }) =>
      Object.entries(attributes)
        .filter(([, { type }]) => type === t.fileName)
        .flatMap(([name, { aliases = [] }]) => [name, ...aliases])
        .map((name) => name.toLowerCase()),
    ),
  ),
);

/** A fetcher has logins, which a crawler can also use by not naming another fetcher. */
const DEFAULT_FETCHER = 'fetcher="default"';

interface OutsideReference {
  /** Such as `sink="main"` or `${secret:NAME}`. */
  readonly text: string;
  readonly at: XmlElement;
}

function* findOutsideReferences(at: XmlElement): Generator<OutsideReference> {
  const option = getAttributeValue(at, 'name')?.toLowerCase() ?? '';
  for (const { local, value } of at.attributes) {
    const name = local.toLowerCase();
    if (OUTSIDE_NAMES.has(name)) yield { text: `${name}="${value.trim()}"`, at };
    if (name === 'value' && OUTSIDE_NAMES.has(option)) yield { text: `${option}="${value.trim()}"`, at };
  }
  const texts = [at.text, ...at.attributes.map(({ value }) => value)];
  for (const [text] of texts.join('\n').matchAll(/\$\{[^}]*(?:\}|$)/g)) yield { text, at };
  if (at.local.toLowerCase() === 'allowaddress')
    yield { text: `AllowAddress ${at.attributes.map(({ value }) => value).join(' ')}`, at };
  if (at.local === 'Crawler' && findChildren(at, 'FetchWith').length === 0) yield { text: DEFAULT_FETCHER, at };
  for (const child of at.children) yield* findOutsideReferences(child);
}

const listOutsideReferences = (element: XmlElement): OutsideReference[] => [...findOutsideReferences(element)];
