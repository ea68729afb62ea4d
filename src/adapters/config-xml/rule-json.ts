/**
 * Converts crawl rules between XML and JSON. Elements and attributes have the same names in both, so the two forms are
 * equivalent.
 */
import { MATCH_ELEMENTS } from '../../domain/policy/match-elements.js';
import { parseDocument, type XmlDocument, type XmlElement, XmlFault } from './document.js';
import { findCanonicalAttributeName, interpretElement, type Node } from './interpret.js';
import { escapeAttribute, LIMITS } from './markup.js';
import { Problems, TooManyProblems } from './problems.js';
import { readRule } from './read/rules.js';
import { RULE } from './schema/crawl.js';
import { findVocabulary } from './schema/spec.js';
import { ELEMENTS } from './schema.js';

/** A match element, for example `{ "element": "Path", "value": "/cgi-bin" }`. */
interface MatchJson {
  /** One of MATCH_ELEMENTS. */
  readonly element: string;
  readonly field?: string;
  readonly kind?: string;
  readonly norm?: string;
  readonly value?: string;
  readonly litteral?: boolean;
  /** The match elements inside And, Or and Not. */
  readonly children?: readonly MatchJson[];
}

/** An action element, for example `{ "element": "Priority", "shift": -1 }`. */
interface ActionJson {
  /** Index, NoIndex, Follow, NoFollow, Accept, Ignore, Source, AddMeta, Priority or Render. */
  readonly element: string;
  readonly name?: string;
  readonly value?: string;
  readonly scope?: string;
  readonly shift?: number;
  readonly mode?: string;
  readonly readyWhen?: string;
  readonly steps?: string;
}

export interface RuleJson {
  /** If there are several, all of them must match. */
  readonly match: readonly MatchJson[];
  readonly actions: readonly ActionJson[];
}

/** Namespace prefixes in the target document; an empty one stands for the default namespace. */
export interface Prefixes {
  readonly rules: string;
  readonly crawl: string;
}

type ElementJson = MatchJson & ActionJson;

/** Converts a Rule element to JSON. References to variables are not replaced. */
export function ruleToJson(rule: XmlElement): RuleJson {
  const children = rule.children.filter((child) => findVocabulary(child.namespace, child.prefix) !== 'foreign');
  const isMatch = (element: XmlElement): boolean => MATCH_ELEMENTS.includes(element.local);
  return {
    match: children.filter(isMatch).map(elementToJson),
    actions: children.filter((element) => !isMatch(element)).map(elementToJson),
  };
}

function elementToJson(element: XmlElement): ElementJson {
  const spec = ELEMENTS.get(element.local);
  const json: Record<string, unknown> = { element: element.local };
  for (const { local, value } of element.attributes) {
    const name = spec && findCanonicalAttributeName(local, spec);
    if (!name) continue;
    const parsed = spec.attributes[name]?.type.parse(value);
    const hasJsonType = parsed?.ok && (typeof parsed.value === 'boolean' || typeof parsed.value === 'number');
    json[name] = hasJsonType ? parsed.value : value;
  }
  if (element.children.length > 0) json['children'] = element.children.map(elementToJson);
  return json as unknown as ElementJson;
}

/**
 * Returns the lines of a Rule element. Unknown elements are included; checkRule reports them.
 * @throws XmlFault if it is nested too deeply
 */
export function ruleToXml(rule: RuleJson, prefixes: Prefixes): string[] {
  const name = formatQualifiedName('Rule', prefixes.crawl);
  const lines = [
    ...rule.match.flatMap((match) => elementToXml(match, prefixes.rules)),
    ...rule.actions.flatMap((action) => elementToXml(action, prefixes.crawl)),
  ];
  return [`<${name}>`, ...lines.map((line) => `  ${line}`), `</${name}>`];
}

function elementToXml({ element, children, ...attributes }: MatchJson, prefix: string, depth = 1): string[] {
  if (depth > LIMITS.depth) {
    const message = `match elements are nested deeper than ${LIMITS.depth}`;
    throw new XmlFault('xml-too-large', message, { file: 'rule', line: 1, column: 1 });
  }
  const name = formatQualifiedName(element, prefix);
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${sanitizeName(key)}="${escapeAttribute(String(value))}"`)
    .join('');
  if (!children || children.length === 0) return [`<${name}${attributeText}/>`];
  const lines = children.flatMap((child) => elementToXml(child, prefix, depth + 1));
  return [`<${name}${attributeText}>`, ...lines.map((line) => `  ${line}`), `</${name}>`];
}

const formatQualifiedName = (local: string, prefix: string): string =>
  prefix === '' ? sanitizeName(local) : `${prefix}:${sanitizeName(local)}`;

/** Prevents a name from outside from becoming markup. */
const sanitizeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');

export interface CheckedRule {
  /** The Rule element by itself, as written. */
  readonly xml: string;
  readonly problems: Problems;
}

/**
 * Checks a single rule as if it were in the file. Lines are counted from the beginning of the rule.
 * @throws XmlFault if it is not well-formed XML
 */
export function checkRule(xml: string): CheckedRule {
  const document = parseDocument(xml, 'rule');
  const { root } = document;
  const problems = new Problems();
  try {
    if (root.local === RULE.name) readRule(interpretRule(document, problems), problems);
    else problems.add('wrong-root', `expected one Rule element, but found ${root.name}`, document.placeAt(root.start));
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error;
  }
  return { xml: xml.slice(root.start, root.end), problems };
}

const interpretRule = (document: XmlDocument, problems: Problems): Node =>
  interpretElement(document.root, RULE, { document, problems, env: 'as written' });
