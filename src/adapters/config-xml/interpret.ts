/**
 * Converts the document to checked values. The table says which elements and attributes exist and what their values
 * mean. Unknown, missing and duplicate ones are collected as problems with their places, and reading continues.
 */

import type { Place } from '../../domain/crawl/place.js';
import { NOT_UTF8_MESSAGE, REPLACEMENT_CHARACTER } from '../../domain/policy/rule-file-problems.js';
import { Secret, UnreadableSecret } from '../../domain/secret.js';
import { findLikelySpelling, suggestSpelling } from '../../domain/spelling.js';
import { ITEMS_PER_STEP, runAtOnce, type Steps } from '../../domain/steps.js';
import { hasUserInfo } from '../../domain/url/crawl-url.js';
import type { SecretUse } from '../../engine/ports/configuration-reading.js';
import { findNamespace, type XmlDocument, type XmlElement } from './document.js';
import type { XmlAttribute } from './markup.js';
import type { ProblemCode, Problems } from './problems.js';
import { findOptionSpec, OPTION } from './schema/policy.js';
import { type AttributeSpec, type Attributes, type ElementSpec, findVocabulary, type Values } from './schema/spec.js';
import { ELEMENTS, getElementSpec } from './schema.js';

/** An element that the table defines, with its values. */
export interface Node<A extends Attributes = Attributes> {
  readonly spec: ElementSpec;
  readonly element: XmlElement;
  readonly values: Values<A>;
  readonly children: readonly Node[];
  readonly place: Place;
  /** True if a required value is missing or wrong; the problem has been reported, and `values` is incomplete. */
  readonly broken: boolean;
}

export interface InterpretContext {
  readonly document: XmlDocument;
  readonly problems: Problems;
  /** Variables for `${NAME}`; with `as written`, references stay unchanged, for display and editing. */
  readonly env: Readonly<Record<string, string | undefined>> | 'as written';
  /** Reads the secret for `${file:PATH}` or `${helper:NAME}`; throws UnreadableSecret. */
  readonly readSecret?: (reference: string) => string;
  /** The secrets for `${secret:NAME}`, by name. Absent: there are none. */
  readonly storedSecrets?: ReadonlyMap<string, string>;
  /** Receives every reference to a stored secret. */
  readonly secretUses?: SecretUse[];
}

/** Returns the valid children of one kind. */
export const findValidChildren = <A extends Attributes>(node: Node, spec: ElementSpec<A>): Node<A>[] =>
  findChildren(node, spec).filter((child) => !child.broken);

/** Returns all children of one kind. Invalid ones are included so that their own children are checked, too. */
export const findChildren = <A extends Attributes>(node: Node, spec: ElementSpec<A>): Node<A>[] =>
  node.children.filter((child) => child.spec.name === spec.name) as unknown as Node<A>[];

/** Returns the only child of a kind, if there is one. */
export const findOnlyChild = <A extends Attributes>(node: Node, spec: ElementSpec<A>): Node<A> | undefined =>
  findValidChildren(node, spec)[0];

/** Whether the node is of this kind; narrows the type of its values. */
export const isOfKind = <A extends Attributes>(node: Node, spec: ElementSpec<A>): node is Node<A> & Node =>
  node.spec.name === spec.name;

/** Returns the defaults of an element, which apply if it is absent. */
export function collectDefaults<A extends Attributes>(spec: ElementSpec<A>): Values<A> {
  const values: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(spec.attributes)) values[name] = computeDefault(attribute);
  return values as Values<A>;
}

/** Prefix of the environment variables that any configuration may use. */
const SECRET_PREFIX = 'CRAWLWAY_SECRET_';
/** Cache of parsed defaults, because some types, such as time zones, are slow to parse and elements may be numerous. */
const defaultValues = new WeakMap<AttributeSpec<unknown>, { readonly value: unknown }>();

function computeDefault(attribute: AttributeSpec<unknown>): unknown {
  if (attribute.default === undefined) return undefined;
  const cached = defaultValues.get(attribute);
  if (cached) return cached.value;
  const parsed = attribute.type.parse(attribute.default);
  if (!parsed.ok) throw new Error(`the table's default ${attribute.default} is not ${attribute.type.label}`);
  defaultValues.set(attribute, parsed);
  return parsed.value;
}

export const interpretElement = (element: XmlElement, spec: ElementSpec, context: InterpretContext): Node =>
  runAtOnce(interpretInSteps(element, spec, context));

/** @param count number of the elements so far */
export function* interpretInSteps(
  element: XmlElement,
  spec: ElementSpec,
  context: InterpretContext,
  count = { elements: 0 },
): Steps<Node> {
  if (++count.elements % ITEMS_PER_STEP === 0) yield;
  const place = context.document.placeAt(element.start);
  const { values, broken } = readAttributes(element, spec, context);
  const children: Node[] = [];
  for (const child of element.children) {
    const childSpec = resolveSpec(child, spec, context);
    if (!childSpec) continue;
    if (childSpec.once && children.some((sibling) => sibling.spec === childSpec)) {
      const message = `${childSpec.name} may appear only once in ${spec.name}`;
      context.problems.add('duplicate-element', message, context.document.placeAt(child.start));
    }
    children.push(yield* interpretInSteps(child, childSpec, context, count));
  }
  if (spec.text === undefined && element.text.trim() !== '') {
    context.problems.add('ignored-text', `text inside ${spec.name} has no meaning`, place);
  }
  return { spec, element, values, children, place, broken };
}

/** Whether unknown names in this element are errors instead of warnings, because they are probably mistakes. */
const isStrict = (spec: ElementSpec): boolean => spec.vocabulary !== 'crawl' || spec.name === 'Rule';

function resolveSpec(element: XmlElement, parent: ElementSpec, context: InterpretContext): ElementSpec | undefined {
  const place = context.document.placeAt(element.start);
  const vocabulary = findVocabulary(element.namespace, element.prefix);
  if (vocabulary === 'foreign') {
    context.problems.add(
      'ignored-element',
      `element ${element.name} is in a namespace that Crawlway does not use: it is kept but ignored`,
      place,
    );
    return undefined;
  }
  if (vocabulary === 'undeclared') warnAboutUndeclaredPrefix(element.prefix, place, context.problems);
  if (parent.children.includes(element.local)) return getElementSpec(element.local);
  const knownSpec = ELEMENTS.get(element.local);
  const likelyName = findLikelySpelling(element.local, parent.children);
  if (isUnknownAction(element, parent)) {
    context.problems.add(
      'ignored-element',
      `unknown action ${element.local}: the rule is used without it; a rule may contain ${joinNames(parent.children)}`,
      place,
    );
  } else if (knownSpec) {
    const message = `${element.local} does not belong in ${parent.name}: it belongs in ${listParents(knownSpec)}`;
    context.problems.add('unknown-element', message, place);
  } else if (likelyName !== undefined || isStrict(parent) || vocabulary !== 'crawl') {
    const hint =
      likelyName === undefined
        ? ` in ${parent.name}: it may contain ${joinNames(parent.children)}`
        : `: did you mean ${likelyName}?`;
    context.problems.add('unknown-element', `unknown element ${element.local}${hint}`, place);
  } else {
    context.problems.add(
      'ignored-element',
      `element ${element.local} has no meaning here: it is kept but ignored`,
      place,
    );
  }
  return undefined;
}

/**
 * Whether the element is an action of the product that Crawlway does not support. A rule can be used without such an
 * action, but without one of its match elements it would match too much. Actions differ from match elements by their
 * namespace; if there is none, by having neither attributes nor children.
 */
export const isUnknownAction = (element: XmlElement, parent: ElementSpec): boolean =>
  parent.name === 'Rule' &&
  findVocabulary(element.namespace, element.prefix) === 'crawl' &&
  (element.namespace !== undefined || (element.attributes.length === 0 && element.children.length === 0)) &&
  !ELEMENTS.has(element.local) &&
  findLikelySpelling(element.local, parent.children) === undefined;

function listParents(spec: ElementSpec): string {
  const parents = [...ELEMENTS.values()]
    .filter((candidate) => candidate.children.includes(spec.name))
    .map((parent) => parent.name);
  return parents.length === 0 ? 'no other element' : joinNames(parents, 'or');
}

function joinNames(names: readonly string[], conjunction = 'and'): string {
  if (names.length === 0) return 'nothing';
  return names.length === 1 ? (names[0] as string) : `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`;
}

function warnAboutUndeclaredPrefix(prefix: string, place: Place, problems: Problems): void {
  const message = `the prefix ${prefix} is not declared with xmlns:${prefix}`;
  if (!problems.list.some((problem) => problem.message === message)) problems.add('undeclared-prefix', message, place);
}

function readAttributes(element: XmlElement, spec: ElementSpec, context: InterpretContext) {
  const writtenAttributes = matchAttributes(element, spec, context);
  const values: Record<string, unknown> = {};
  let broken = false;
  for (const [name, attribute] of Object.entries(spec.attributes)) {
    const found = writtenAttributes.get(name);
    if (found) {
      const result = readValue({ element, context }, found, attribute);
      values[name] = result ? result.value : computeDefault(attribute);
      broken ||= !result && attribute.required === true;
    } else if (attribute.required) {
      broken = true;
      const message = `${spec.name} requires the attribute ${attribute.aliases?.[0] ?? name}`;
      context.problems.add('missing-attribute', message, context.document.placeAt(element.start));
    } else values[name] = computeDefault(attribute);
  }
  return { values, broken };
}

function matchAttributes(element: XmlElement, spec: ElementSpec, context: InterpretContext): Map<string, XmlAttribute> {
  const writtenAttributes = new Map<string, XmlAttribute>();
  for (const attribute of element.attributes) {
    if (attribute.name === 'xmlns' || ['xmlns', 'xml', 'xsi'].includes(attribute.prefix)) continue;
    const place = context.document.placeAt(attribute.start);
    const name = isForeign(attribute, element) ? undefined : findCanonicalAttributeName(attribute.local, spec);
    if (name === undefined) reportUnknownAttribute(attribute, spec, context);
    else if (writtenAttributes.has(name)) {
      const message = `${attribute.local} sets the same attribute as ${writtenAttributes.get(name)?.local}: remove one of them`;
      context.problems.add('duplicate-attribute', message, place);
    } else writtenAttributes.set(name, attribute);
  }
  return writtenAttributes;
}

const isForeign = ({ prefix }: XmlAttribute, element: XmlElement): boolean =>
  prefix !== '' && findVocabulary(findNamespace(element, prefix), prefix) === 'foreign';

/** Returns the attribute's name in the table, with aliases resolved. */
export function findCanonicalAttributeName(local: string, spec: ElementSpec): string | undefined {
  if (Object.hasOwn(spec.attributes, local)) return local;
  return Object.keys(spec.attributes).find((name) => spec.attributes[name]?.aliases?.includes(local));
}

/** Advice for attributes of the product that Crawlway does not support. */
const REPLACEMENT_HINTS: Readonly<Record<string, string>> = {
  'Crawler fetcher':
    'write <cw:FetchWith fetcher="…"/> inside the Crawler, where fetcher is the name of a cw:Fetcher in this file',
};

function reportUnknownAttribute(attribute: XmlAttribute, spec: ElementSpec, context: InterpretContext): void {
  const place = context.document.placeAt(attribute.start);
  const names = Object.keys(spec.attributes);
  const likelyName = findLikelySpelling(attribute.local, names);
  if (attribute.prefix === '' && (likelyName !== undefined || isStrict(spec))) {
    const hint = likelyName === undefined ? `; allowed: ${joinNames(names)}` : suggestSpelling(attribute.local, names);
    context.problems.add('unknown-attribute', `unknown attribute ${attribute.local} on ${spec.name}${hint}`, place);
  } else {
    const advice = REPLACEMENT_HINTS[`${spec.name} ${attribute.local}`];
    const hint = advice === undefined ? '' : `; ${advice}`;
    const message = `attribute ${attribute.name} on ${spec.name} has no meaning here: it is kept but ignored${hint}`;
    context.problems.add('ignored-attribute', message, place);
  }
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*|(?:env|file|helper|secret):[^{}]{1,1000})\}/g;

/** References that no value may contain unless its attribute `mayContainVariables`: all but `${env:NAME}`. */
const GUARDED_VARIABLE = new RegExp(VARIABLE.source.replace('env|', ''));

/** Variables for `${env:NAME}`, whose values may be displayed, logged and sent to any site. */
const PUBLIC_PREFIX = 'CRAWLWAY_ENV_';

/**
 * Whether the attribute may refer to variables with secrets. In other attributes, their values would be displayed, logged or sent to
 * any site that the configuration names.
 */
const mayContainVariables = (spec: AttributeSpec<unknown>, element: XmlElement): boolean =>
  spec.secret === true || spec.variables === true || (element.local === OPTION.name && isOptionWithVariables(element));

const isOptionWithVariables = ({ attributes }: XmlElement): boolean =>
  attributes.some(({ local, value: name }) => {
    const spec = local === 'name' ? findOptionSpec(name) : undefined;
    return spec?.secret === true || spec?.variables === true;
  });

/** Replaces references to variables and secrets. Returns undefined if one is missing, after reporting that. */
export function expandVariables(
  text: string,
  context: Omit<InterpretContext, 'document'>,
  place: Place,
): string | undefined {
  const { env, problems, readSecret } = context;
  if (env === 'as written') return text;
  let isComplete = true;
  const reportMissing = (message: string, code: ProblemCode = 'missing-variable'): string => {
    isComplete = false;
    problems.add(code, message, place);
    return '';
  };
  const reportUnset = (name: string): string =>
    name.startsWith(SECRET_PREFIX)
      ? reportMissing(
          `the environment variable ${name} is not set: set it before you start the server`,
          'unset-variable',
        )
      : reportMissing(describeUnavailableVariable(name));
  const value = text.replace(VARIABLE, (_, name: string) => {
    if (name.startsWith(STORED_PREFIX))
      return readStoredSecret({ name: name.slice(STORED_PREFIX.length), place }, context, reportMissing);
    if (name.startsWith('env:'))
      return readPublicVariable(name.slice('env:'.length), env) ?? reportMissing(describeUnsetVariable(name));
    if (name.includes(':'))
      return readSecret ? readExternalSecret(readSecret, name, reportMissing) : reportMissing(SERVER_ONLY_SECRETS);
    return (Object.hasOwn(env, name) ? env[name] : undefined) ?? reportUnset(name);
  });
  return isComplete ? value : undefined;
}

const readPublicVariable = (name: string, env: Readonly<Record<string, string | undefined>>): string | undefined =>
  Object.hasOwn(env, PUBLIC_PREFIX + name) ? env[PUBLIC_PREFIX + name] : undefined;

const describeUnsetVariable = (reference: string): string =>
  `\${${reference}}: the environment variable ${PUBLIC_PREFIX}${reference.slice('env:'.length)} is not set`;

const STORED_PREFIX = 'secret:';

function readStoredSecret(
  use: SecretUse,
  { storedSecrets, secretUses }: Omit<InterpretContext, 'document'>,
  reportMissing: (message: string, code: ProblemCode) => string,
): string {
  secretUses?.push(use);
  const { name } = use;
  const value = storedSecrets?.get(name);
  if (value !== undefined) return value;
  const hint =
    suggestSpelling(name, [...(storedSecrets?.keys() ?? [])]) || `: set it with crawlway secrets set ${name}`;
  return reportMissing(`there is no secret named ${name}${hint}`, 'unknown-secret');
}

const SERVER_ONLY_SECRETS = 'only the server reads secrets from files and helpers; use an environment variable';

const describeUnavailableVariable = (name: string): string =>
  `the variable ${name} is not available to configurations: set ${SECRET_PREFIX}${name} and refer to that name, or start the server with CRAWLWAY_ALLOW_VARIABLES=${name}`;

function readExternalSecret(
  readSecret: (reference: string) => string,
  name: string,
  reportMissing: (message: string) => string,
): string {
  try {
    return readSecret(name);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return reportMissing(`\${${name}}: ${error.message}`);
  }
}

function readValue(
  { element, context }: { readonly element: XmlElement; readonly context: InterpretContext },
  attribute: XmlAttribute,
  spec: AttributeSpec<unknown>,
): { value: unknown } | undefined {
  const place = context.document.placeAt(attribute.start);
  if (context.env !== 'as written' && !mayContainVariables(spec, element) && GUARDED_VARIABLE.test(attribute.value)) {
    const message = `${attribute.local}: variables are allowed only in secrets and in addresses and user names of sinks and proxies; elsewhere, write \${env:NAME}, which is the value of ${PUBLIC_PREFIX}NAME`;
    context.problems.add('misplaced-variable', message, place);
    return undefined;
  }
  const value = expandVariables(attribute.value, context, place);
  if (value === undefined) return undefined;
  if (value.includes(REPLACEMENT_CHARACTER)) {
    context.problems.add(
      'bad-value',
      `${attribute.local}: ${NOT_UTF8_MESSAGE}, or name its encoding in the XML declaration`,
      place,
    );
    return undefined;
  }
  // The reference system writes attributes that have their default value as empty ones. A blank text or list may mean
  // something else, such as nobody, so only those of a crawler are treated as absent.
  const isBlank = attribute.value.trim() === '' && !spec.required;
  if (isBlank && (spec.type.isBlankAbsent || (element.local === 'Crawler' && spec.default !== undefined)))
    return { value: computeDefault(spec) };
  const parsed = spec.type.parse(value);
  if (parsed.ok) return { value: spec.secret ? new Secret(parsed.value as string) : parsed.value };
  const displayedValue =
    spec.secret || value !== attribute.value || hasUserInfo(value) ? 'the value' : `'${value.slice(0, 80)}'`;
  context.problems.add(
    'bad-value',
    `${attribute.local}: ${displayedValue} is not valid; expected ${parsed.wanted}`,
    place,
  );
  return undefined;
}
