/**
 * Finds, replaces, moves, removes and inserts individual rules in the text of the configuration, while everything else
 * stays byte for byte the same. A change to one rule can therefore be previewed like any other change of the
 * configuration.
 */
import type { RuleActionDto, RuleDto, RuleMatchDto } from '../../api/schema.js';
import { joinPart, type Part } from './part.js';
import { escapeXml } from './xml-tree.js';

interface Span {
  readonly from: number;
  readonly to: number;
}

export type RuleChange =
  | { readonly kind: 'replace'; readonly index: number; readonly xml: string }
  | { readonly kind: 'insert'; readonly index: number; readonly xml: string }
  | { readonly kind: 'delete'; readonly index: number }
  | { readonly kind: 'move'; readonly from: number; readonly to: number };

/** @throws Error if the text does not contain the rules as the server reported them. */
export function changeRules(xml: string, crawler: string, rules: readonly RuleDto[], change: RuleChange): string {
  if (change.kind === 'replace' || change.kind === 'insert') {
    return joinPart(findRulePart(xml, crawler, rules, change), change.xml);
  }
  const spans = findRules(xml, crawler, rules);
  switch (change.kind) {
    case 'delete':
      return splice(xml, includeIndent(xml, getSpan(spans, change.index)), '');
    case 'move': {
      const places = spans.map((span) => includeComments(xml, span));
      const ruleTexts = places.map(({ from, to }) => xml.slice(from, to));
      const [movedRule = ''] = ruleTexts.splice(change.from, 1);
      ruleTexts.splice(change.to, 0, movedRule);
      return ruleTexts.reduceRight((text, rule, index) => splice(text, getSpan(places, index), rule), xml);
    }
  }
}

/**
 * Returns a rule, or the position of a new one, as a part of the text. @throws Error if the text does not contain the
 * rules as the server reported them.
 */
export function findRulePart(
  xml: string,
  crawler: string,
  rules: readonly RuleDto[],
  { kind, index }: { readonly kind: 'replace' | 'insert'; readonly index: number },
): Part {
  const spans = findRules(xml, crawler, rules);
  const toPart = (from: number, to: number): Part => ({
    before: xml.slice(0, from),
    text: xml.slice(from, to),
    after: xml.slice(to),
  });
  if (kind === 'replace') {
    const { from, to } = getSpan(spans, index);
    return toPart(from, to);
  }
  const previousSpan = spans[index - 1];
  if (!previousSpan) {
    const { from } = includeComments(xml, getSpan(spans, 0));
    const part = toPart(from, from);
    return { ...part, after: `\n${readIndent(xml, from)}${part.after}` };
  }
  const { to } = includeComments(xml, previousSpan);
  const part = toPart(to, to);
  return { ...part, before: `${part.before}\n${readIndent(xml, previousSpan.from)}` };
}

function findRules(xml: string, crawler: string, rules: readonly RuleDto[]): Span[] {
  const blankedXml = blankComments(xml);
  let from = findCrawlerStart(blankedXml, crawler);
  return rules.map((rule) => {
    const start = blankedXml.indexOf(blankComments(rule.xml), from);
    if (start < 0) throw new Error(`Rule ${rule.index + 1} was not found in the configuration; reload the page.`);
    from = start + rule.xml.length;
    return { from: start, to: from };
  });
}

/** Replaces comments with spaces of the same length, so that a commented-out rule is not mistaken for a rule. */
export const blankComments = (xml: string): string =>
  xml.replace(/<!--[\s\S]*?-->/g, (comment) => ' '.repeat(comment.length));

/** Finds where a crawler begins. */
export function findCrawlerStart(xml: string, crawler: string): number {
  for (const { index, 0: tag } of xml.matchAll(/<(?:[\w-]+:)?Crawler\b[^>]*>/g)) {
    const name = /\bname\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(tag);
    if (unescapeXml(name?.[1] ?? name?.[2] ?? '') === crawler) return index;
  }
  throw new Error(`The crawler ${crawler} was not found in the configuration.`);
}

function getSpan(spans: readonly Span[], index: number): Span {
  const span = spans[index];
  if (!span) throw new Error(`There is no rule ${index + 1}.`);
  return span;
}

const splice = (text: string, { from, to }: Span, replacement: string): string =>
  text.slice(0, from) + replacement + text.slice(to);

const MAX_INDENTATION = 200;

/** The comments directly above a rule, and those behind it on its line, are about it (as in splice.ts of the server). */
function includeComments(xml: string, { from, to }: Span): Span {
  const [behind = ''] = /^(?:[ \t]*<!--(?:(?!-->)[^\r\n])*-->)*/.exec(xml.slice(to)) ?? [];
  const readLineBreak = (end: number): string =>
    /\r?\n[ \t]*$/.exec(xml.slice(Math.max(0, end - MAX_INDENTATION), end))?.[0] ?? '';
  let start = from;
  for (;;) {
    const commentEnd = start - readLineBreak(start).length;
    const commentStart = xml.startsWith('-->', commentEnd - 3) ? xml.lastIndexOf('<!--', commentEnd) : -1;
    if (commentEnd === start || commentStart < 0 || readLineBreak(commentStart) === '') break;
    start = commentStart;
  }
  return { from: start, to: to + behind.length };
}

const readIndent = (xml: string, position: number): string =>
  /(?<![ \t])[ \t]*$/.exec(xml.slice(0, position))?.[0] ?? '';

/** Includes the preceding line break and indentation, so that no empty line remains. */
const includeIndent = (xml: string, { from, to }: Span): Span => ({
  from: from - (/(?:\n|(?<![ \t\n]))[ \t]*$/.exec(xml.slice(0, from))?.[0].length ?? 0),
  to,
});

const RULES_NAMESPACE = /xmlns:([\w-]+)\s*=\s*["']exa:com\.exalead\.actionrules\.v2\d["']/;

/** Characters that have a special meaning in regular expressions. */
const REGEX_CHARACTERS = /[\\^$.*+?()[\]{}|]/;

/** Whether a value means the same as a text and as a regular expression. */
export const isPlainText = (value: string): boolean => !REGEX_CHARACTERS.test(value);

/** Elements that are short for an Atom, by its field and kind. */
const SHORT_ELEMENTS: Readonly<Record<string, RuleMatchDto['element']>> = {
  'path prefix': 'Path',
  'host exact': 'Host',
  'url exact': 'Url',
  'query inside': 'InQuery',
};

/** An Atom in place of an element that is short for it, so that a form needs to know Atoms only; plain text is literal. */
export function expandMatch(match: RuleMatchDto): RuleMatchDto {
  const { element, value = '', litteral } = match;
  const names = Object.keys(SHORT_ELEMENTS).find((key) => SHORT_ELEMENTS[key] === element);
  if (names === undefined && element !== 'Atom') return match;
  const [field, kind] = (names?.split(' ') ?? [match.field, match.kind]) as [
    RuleMatchDto['field'],
    RuleMatchDto['kind'],
  ];
  return { ...match, element: 'Atom', field, kind, litteral: (litteral ?? isPlainText(value)) || undefined };
}

type Shortcut = Exclude<RuleMatchDto['element'], 'And' | 'Or' | 'Not' | 'Atom' | 'Length'>;

/** Elements with a value of which one field of the URL is compared, as the form words them. */
export const SHORTCUT_LABELS: Readonly<Record<Shortcut, string>> = {
  Domain: 'domain is',
  Path: 'path begins with',
  Ext: 'extension is',
  Host: 'host is',
  Url: 'URL is',
  Scheme: 'scheme is',
  Query: 'query is',
  InQuery: 'query contains',
};

/** How a configuration writes match elements: the spellings of two attributes are free, and so is the prefix. */
interface Style {
  readonly prefix: string;
  readonly valueName: 'val' | 'value';
  readonly literalName: 'literal' | 'litteral';
  /** Whether it writes Atoms where there are short elements, and no short elements. */
  readonly isLong: boolean;
}

function findStyle(configuration: string): Style {
  const declaredPrefix = RULES_NAMESPACE.exec(configuration)?.[1];
  const prefix = declaredPrefix ? `${declaredPrefix}:` : '';
  const match = `<${prefix}(?:${['Atom', 'Length', ...Object.keys(SHORTCUT_LABELS)].join('|')})\\b[^>]*\\s`;
  const atoms = [...configuration.matchAll(new RegExp(`<${prefix}Atom\\b[^>]*>`, 'g'))].map(([tag]) => tag);
  const isReplaceable = (tag: string): boolean =>
    Object.keys(SHORT_ELEMENTS).some((names) => names.split(' ').every((name) => tag.includes(`"${name}"`)));
  return {
    prefix,
    isLong:
      atoms.some(isReplaceable) &&
      !new RegExp(`<${prefix}(?:${Object.values(SHORT_ELEMENTS).join('|')})\\b`).test(configuration),
    valueName: new RegExp(`${match}value\\s*=`).test(configuration) ? 'value' : 'val',
    literalName: new RegExp(`${match}litteral\\s*=`).test(configuration) ? 'litteral' : 'literal',
  };
}

/** Builds a Rule element from its parts, in the style of the configuration. */
export function buildRuleXml(
  match: readonly RuleMatchDto[],
  actions: readonly RuleActionDto[],
  configuration: string,
): string {
  const style = findStyle(configuration);
  return `<Rule>${match.map((condition) => buildMatchXml(condition, style)).join('')}${actions.map(buildActionXml).join('')}</Rule>`;
}

function buildMatchXml(match: RuleMatchDto, style: Style): string {
  const { element, field, kind, children, value, litteral, ...others } = match;
  const shortElement = element === 'Atom' && !style.isLong ? SHORT_ELEMENTS[`${field} ${kind}`] : undefined;
  const name = style.prefix + (shortElement ?? element);
  const needsLiteral = litteral && !isPlainText(value ?? '');
  const tag = `<${name}${buildAttributesXml({
    ...(shortElement ? {} : { field, kind }),
    ...others,
    [style.valueName]: value,
    [style.literalName]: needsLiteral ? 'true' : undefined,
  })}`;
  if (!children?.length) return `${tag}/>`;
  return `${tag}>${children.map((child) => buildMatchXml(child, style)).join('')}</${name}>`;
}

const buildActionXml = ({ element, ...attributes }: RuleActionDto): string =>
  `<${element}${buildAttributesXml(attributes)}/>`;

const buildAttributesXml = (attributes: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');

export const unescapeXml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
