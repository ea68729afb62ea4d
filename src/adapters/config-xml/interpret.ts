/**
 * Converts the document to checked values according to the table: which elements and attributes are known, what their
 * values mean, what is missing or duplicated. Nothing is fatal; all problems are collected with their places.
 */

import type { Place } from '../../domain/crawl/place.js';
import { NOT_UTF8, NOT_UTF8_MESSAGE } from '../../domain/policy/not-utf8.js';
import { UnreadableSecret } from '../../domain/secret.js';
import { hasUserInfo } from '../../domain/url/crawl-url.js';
import { findNamespace, type XmlDocument, type XmlElement } from './document.js';
import type { XmlAttribute } from './markup.js';
import { PLACEHOLDER } from './placeholder.js';
import type { Problems } from './problems.js';
import type { AttributeSpec, Attributes, ElementSpec, Values } from './schema/spec.js';
import { findVocabulary } from './schema/vocabulary.js';
import { ELEMENTS, getElementSpec } from './schema.js';
import { findLikelySpelling, suggestSpelling } from './spelling.js';
import { boolean } from './value-types/plain.js';

/** An element that the table knows, with its values. */
export interface Node<A extends Attributes = Attributes> {
  readonly spec: ElementSpec;
  readonly element: XmlElement;
  readonly values: Values<A>;
  readonly children: readonly Node[];
  readonly place: Place;
  /** True if a required value is missing or wrong; the problem has been reported, and `values` is incomplete. */
  readonly broken: boolean;
}

export interface ReadContext {
  readonly document: XmlDocument;
  readonly problems: Problems;
  /** Variables for `${NAME}`; `as written` leaves them unreplaced, for showing and editing. */
  readonly env: Readonly<Record<string, string | undefined>> | 'as written';
  /** Secrets for `${file:PATH}` and `${helper:NAME}`; throws UnreadableSecret. */
  readonly outsideSecret?: (reference: string) => string;
}

/** The valid children of one kind. */
export const findValidChildren = <A extends Attributes>(node: Node, spec: ElementSpec<A>): Node<A>[] =>
  findChildren(node, spec).filter((child) => !child.broken);

/** All children of one kind, including invalid ones, to continue checking inside them. */
export const findChildren = <A extends Attributes>(node: Node, spec: ElementSpec<A>): Node<A>[] =>
  node.children.filter((child) => child.spec.name === spec.name) as unknown as Node<A>[];

/** The only child of a kind, if present. */
export const findOnlyChild = <A extends Attributes>(node: Node, spec: ElementSpec<A>): Node<A> | undefined =>
  findValidChildren(node, spec)[0];

/** Whether the node is of this kind; narrows the type of its values. */
export const isOfKind = <A extends Attributes>(node: Node, spec: ElementSpec<A>): node is Node<A> & Node =>
  node.spec.name === spec.name;

/** The defaults of an element, which are the values of an absent one. */
export function collectDefaults<A extends Attributes>(spec: ElementSpec<A>): Values<A> {
  const values: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(spec.attributes)) values[name] = computeDefault(attribute);
  return values as Values<A>;
}

/** Prefix of variables that any configuration may use. */
const SECRET_PREFIX = 'CRAWLWAY_SECRET_';
/** Defaults that have been checked: some, such as time zones, take long to check, and elements may be numerous. */
const defaultValues = new WeakMap<AttributeSpec<unknown>, { readonly value: unknown }>();

function computeDefault(attribute: AttributeSpec<unknown>): unknown {
  if (attribute.default === undefined) return undefined;
  const known = defaultValues.get(attribute);
  if (known) return known.value;
  const parsed = attribute.type.parse(attribute.default);
  if (!parsed.ok) throw new Error(`the table's default ${attribute.default} is not ${attribute.type.label}`);
  defaultValues.set(attribute, parsed);
  return parsed.value;
}

export function interpretElement(element: XmlElement, spec: ElementSpec, around: ReadContext): Node {
  const place = around.document.placeAt(element.start);
  const { values, broken } = readAttributes(element, spec, around);
  const children: Node[] = [];
  for (const child of element.children) {
    const known = resolveSpec(child, spec, around);
    if (!known) continue;
    if (known.once && children.some((other) => other.spec === known)) {
      const message = `${known.name} may appear only once in ${spec.name}`;
      around.problems.add('duplicate-element', message, around.document.placeAt(child.start));
    }
    children.push(interpretElement(child, known, around));
  }
  if (spec.text === undefined && element.text.trim() !== '') {
    around.problems.add('ignored-text', `text inside ${spec.name} has no meaning`, place);
  }
  return { spec, element, values, children, place, broken };
}

/** Whether unknown names in this element are errors, because they could hide a mistake. */
const isStrict = (spec: ElementSpec): boolean => spec.vocabulary !== 'crawl' || spec.name === 'Rule';

function resolveSpec(element: XmlElement, parent: ElementSpec, around: ReadContext): ElementSpec | undefined {
  const place = around.document.placeAt(element.start);
  const vocabulary = findVocabulary(element.namespace, element.prefix);
  if (vocabulary === 'foreign') {
    around.problems.add(
      'ignored-element',
      `element ${element.name} is not one of Crawlway's: it is kept and ignored`,
      place,
    );
    return undefined;
  }
  if (vocabulary === 'undeclared') warnAboutPrefix(element.prefix, place, around.problems);
  if (parent.children.includes(element.local)) return getElementSpec(element.local);
  const elsewhere = ELEMENTS.get(element.local);
  const likely = findLikelySpelling(element.local, parent.children);
  if (isUnknownAction(element, parent)) {
    around.problems.add(
      'ignored-element',
      `action ${element.local} is not known: the rule is used without it; a rule may contain ${joinNames(parent.children)}`,
      place,
    );
  } else if (elsewhere) {
    const message = `${element.local} does not belong in ${parent.name}: it belongs in ${listParents(elsewhere)}`;
    around.problems.add('unknown-element', message, place);
  } else if (likely !== undefined || isStrict(parent) || vocabulary !== 'crawl') {
    const hint =
      likely === undefined
        ? ` in ${parent.name}: it may contain ${joinNames(parent.children)}`
        : `: did you mean ${likely}?`;
    around.problems.add('unknown-element', `unknown element ${element.local}${hint}`, place);
  } else {
    around.problems.add(
      'ignored-element',
      `element ${element.local} has no meaning here: it is kept and ignored`,
      place,
    );
  }
  return undefined;
}

/**
 * Whether the element is an action of the product that Crawlway does not have. It must not be a match element, because
 * without that a rule would match more than it says. The namespace distinguishes them, or, if there is none, the fact
 * that a match element has a value or children.
 */
export const isUnknownAction = (element: XmlElement, parent: ElementSpec): boolean =>
  parent.name === 'Rule' &&
  findVocabulary(element.namespace, element.prefix) === 'crawl' &&
  (element.namespace !== undefined || (element.attributes.length === 0 && element.children.length === 0)) &&
  !ELEMENTS.has(element.local) &&
  findLikelySpelling(element.local, parent.children) === undefined;

function listParents(spec: ElementSpec): string {
  const parents = [...ELEMENTS.values()]
    .filter((other) => other.children.includes(spec.name))
    .map((other) => other.name);
  return parents.length === 0 ? 'no other element' : joinNames(parents, 'or');
}

function joinNames(names: readonly string[], word = 'and'): string {
  if (names.length === 0) return 'nothing';
  return names.length === 1 ? (names[0] as string) : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

function warnAboutPrefix(prefix: string, place: Place, problems: Problems): void {
  const message = `the prefix ${prefix} is not declared with xmlns:${prefix}`;
  if (!problems.list.some((problem) => problem.message === message)) problems.add('undeclared-prefix', message, place);
}

function readAttributes(element: XmlElement, spec: ElementSpec, around: ReadContext) {
  const written = matchAttributes(element, spec, around);
  const values: Record<string, unknown> = {};
  let broken = false;
  for (const [name, attribute] of Object.entries(spec.attributes)) {
    const found = written.get(name);
    if (found) {
      const read = readValue({ element, around }, found, attribute);
      values[name] = read ? read.value : computeDefault(attribute);
      broken ||= !read && attribute.required === true;
    } else if (attribute.required) {
      broken = true;
      const message = `${spec.name} requires the attribute ${attribute.aliases?.[0] ?? name}`;
      around.problems.add('missing-attribute', message, around.document.placeAt(element.start));
    } else values[name] = computeDefault(attribute);
  }
  return { values, broken };
}

function matchAttributes(element: XmlElement, spec: ElementSpec, around: ReadContext): Map<string, XmlAttribute> {
  const written = new Map<string, XmlAttribute>();
  for (const attribute of element.attributes) {
    if (attribute.name === 'xmlns' || ['xmlns', 'xml', 'xsi'].includes(attribute.prefix)) continue;
    const place = around.document.placeAt(attribute.start);
    const name = isForeign(attribute, element) ? undefined : canonicalAttributeName(attribute.local, spec);
    if (name === undefined) reportUnknown(attribute, spec, around);
    else if (written.has(name)) {
      const message = `${attribute.local} is set twice, the other time as ${written.get(name)?.local}`;
      around.problems.add('duplicate-attribute', message, place);
    } else written.set(name, attribute);
  }
  return written;
}

const isForeign = ({ prefix }: XmlAttribute, element: XmlElement): boolean =>
  prefix !== '' && findVocabulary(findNamespace(element, prefix), prefix) === 'foreign';

/** The attribute's name in the table, with aliases resolved. */
export function canonicalAttributeName(local: string, spec: ElementSpec): string | undefined {
  if (Object.hasOwn(spec.attributes, local)) return local;
  return Object.keys(spec.attributes).find((name) => spec.attributes[name]?.aliases?.includes(local));
}

/** What to write instead of attributes of the product that Crawlway does not have. */
const INSTEAD: Readonly<Record<string, string>> = {
  'Crawler fetcher': 'write <cw:FetchWith fetcher="…"/> inside the Crawler, which names a cw:Fetcher of this file',
};

function reportUnknown(attribute: XmlAttribute, spec: ElementSpec, around: ReadContext): void {
  const place = around.document.placeAt(attribute.start);
  const names = Object.keys(spec.attributes);
  const likely = findLikelySpelling(attribute.local, names);
  if (attribute.prefix === '' && (likely !== undefined || isStrict(spec))) {
    const hint = likely === undefined ? `; allowed: ${joinNames(names)}` : suggestSpelling(attribute.local, names);
    around.problems.add('unknown-attribute', `unknown attribute ${attribute.local} on ${spec.name}${hint}`, place);
  } else {
    const instead = INSTEAD[`${spec.name} ${attribute.local}`];
    const hint = instead === undefined ? '' : `; ${instead}`;
    const message = `attribute ${attribute.name} on ${spec.name} has no meaning here: it is kept and ignored${hint}`;
    around.problems.add('ignored-attribute', message, place);
  }
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*|(?:file|helper):[^{}]{1,1000})\}/g;

/**
 * Whether variables are allowed; elsewhere, their values would be shown, logged or sent to any site that the
 * configuration names.
 */
const mayContainVariables = (spec: AttributeSpec<unknown>, element: XmlElement): boolean =>
  spec.secret === true || spec.variables === true || (element.local === 'option' && isSecretOption(element));

const isSecretOption = ({ attributes }: XmlElement): boolean =>
  attributes.some(({ local, value }) => local === 'name' && (value === 'header' || value === 'credentials'));

/** Undefined if a variable is missing; the problem has been reported. */
function expandVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  { problems, outsideSecret }: ReadContext,
  place: Place,
): string | undefined {
  let whole = true;
  const reportMissing = (message: string): string => {
    whole = false;
    problems.add('missing-variable', message, place);
    return '';
  };
  const value = text.replace(VARIABLE, (_, name: string) => {
    if (name.includes(':'))
      return outsideSecret ? readExternalSecret(outsideSecret, name, reportMissing) : reportMissing(NOT_HERE);
    return (Object.hasOwn(env, name) ? env[name] : undefined) ?? reportMissing(describeUnsetVariable(name));
  });
  return whole ? value : undefined;
}

const NOT_HERE = 'only the server reads secrets from files and helpers; use an environment variable';

const describeUnsetVariable = (name: string): string =>
  name.startsWith(SECRET_PREFIX)
    ? `the environment variable ${name} is not set: set it before you check the configuration or start the server`
    : `the variable ${name} is not available to configurations: set ${SECRET_PREFIX}${name} and write that name, or start the server with CRAWLWAY_ALLOW_VARIABLES=${name}`;

function readExternalSecret(
  read: (reference: string) => string,
  name: string,
  missing: (message: string) => string,
): string {
  try {
    return read(name);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return missing(`\${${name}}: ${error.message}`);
  }
}

function readValue(
  { element, around }: { readonly element: XmlElement; readonly around: ReadContext },
  written: XmlAttribute,
  spec: AttributeSpec<unknown>,
): { value: unknown } | undefined {
  const place = around.document.placeAt(written.start);
  if (around.env !== 'as written' && !mayContainVariables(spec, element) && written.value.search(VARIABLE) >= 0) {
    const message = `${written.local}: variables are allowed only in secrets and in addresses and users of sinks and proxies; write the value`;
    around.problems.add('misplaced-variable', message, place);
    return undefined;
  }
  const value = around.env === 'as written' ? written.value : expandVariables(written.value, around.env, around, place);
  if (value === undefined) return undefined;
  if (value.includes(PLACEHOLDER)) {
    const message = `${written.local}: these asterisks do not stand for a known secret; write the secret, or use a variable like \${NAME}`;
    around.problems.add('bad-value', message, place);
    return undefined;
  }
  if (value.includes(NOT_UTF8)) {
    around.problems.add('bad-value', `${written.local}: ${NOT_UTF8_MESSAGE}`, place);
    return undefined;
  }
  // An empty switch is treated as absent, because the reference system writes switches with their default value that
  // way.
  if (spec.type === boolean && written.value.trim() === '') return { value: computeDefault(spec) };
  const parsed = spec.type.parse(value);
  if (parsed.ok) return { value: parsed.value };
  const shown = spec.secret || value !== written.value || hasUserInfo(value) ? 'the value' : `'${value.slice(0, 80)}'`;
  around.problems.add('bad-value', `${written.local}: ${shown} is not valid; expected ${parsed.wanted}`, place);
  return undefined;
}
