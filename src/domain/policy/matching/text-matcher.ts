/**
 * Compiles one pattern to a predicate on texts: a plain comparison if the pattern is plain, otherwise the linear-time
 * engine.
 */
import { RE2JS } from 're2js';
import type { MatchField, MatchKind, MatchNorm } from '../../crawl/policy-definition.js';
import { decodeNonAscii, NON_ASCII } from '../../url/non-ascii.js';
import { toUnicodeHost, toUnicodeUrl } from '../../url/unicode-host.js';
import { fold, foldAccents } from './fold.js';
import { mapTexts, NO_REQUIRED_TEXTS, type RequiredTexts, requireAll, requireText } from './necessary.js';
import { analyzePattern, literalToRegex } from './pattern.js';
import { ANY_CHARACTER, normalizeRuleExpression, normalizeRuleText } from './rule-text.js';
import { findTemplate, matchesAt, type Template } from './template.js';

export type TextMatcher = (text: string) => boolean;

export interface PatternDefinition {
  readonly field: MatchField;
  readonly kind: MatchKind;
  readonly norm: MatchNorm;
  readonly value: string;
  readonly litteral: boolean;
}

export interface CompiledPattern {
  /** Expects a text folded with the same norm. */
  readonly matches: TextMatcher;
  /** Refers to texts folded with the same norm. */
  readonly requiredTexts: RequiredTexts;
}

/** Longer patterns are rejected, because their automata would take too much memory. */
const MAX_PATTERN_LENGTH = 4096;

/** @throws Error with a message for users if the pattern is not a regular expression that runs in linear time */
export function compilePattern(definition: PatternDefinition): CompiledPattern {
  const { value, kind, norm, field } = definition;
  if (value.length > MAX_PATTERN_LENGTH) throw new Error(`longer than ${MAX_PATTERN_LENGTH} characters`);
  const source = definition.litteral ? literalToRegex(value) : value;
  const { template } = analyzePattern(source);
  if (template && kind !== 'exact' && mayNameUnicodeHost(source, field)) {
    // A part of a label is nowhere in its punycode.
    const text = toUrlForm(template.map((char) => char ?? ANY_CHARACTER).join(''), definition);
    const matchesUrlForm = text.includes(ANY_CHARACTER) ? () => false : createLiteralMatcher(text, kind);
    const matchesUnicode = createRegexMatcher(source, definition);
    return { matches: (url) => matchesUrlForm(url) || matchesUnicode(url), requiredTexts: NO_REQUIRED_TEXTS };
  }
  if (template) {
    const text = toUrlForm(template.map((char) => char ?? ANY_CHARACTER).join(''), definition);
    if (!text.includes(ANY_CHARACTER))
      return { matches: createLiteralMatcher(text, kind), requiredTexts: requireText(text) };
    const chars = text.split('').map((char) => (char === ANY_CHARACTER ? undefined : char));
    return {
      matches: createTemplateMatcher(chars, kind),
      requiredTexts: requireAll(text.split(ANY_CHARACTER).map(requireText)),
    };
  }
  const expression = normalizeRuleExpression(source, field);
  const { requiredTexts } = analyzePattern(expression);
  // A non-ASCII character is several characters in the URL, so the index cannot find it.
  const foldedTexts = NON_ASCII.test(expression)
    ? NO_REQUIRED_TEXTS
    : mapTexts(requiredTexts, (text) => fold(text, norm));
  return { matches: createRegexMatcher(expression, definition), requiredTexts: foldedTexts };
}

/** Converts a text to the form of canonical URLs and folds it. */
export const toUrlForm = (
  literal: string,
  { field, kind, norm }: Omit<PatternDefinition, 'value' | 'litteral'>,
): string => fold(normalizeRuleText(literal, { field, kind }), field === 'host' ? 'none' : norm);

function createLiteralMatcher(literal: string, kind: MatchKind): TextMatcher {
  switch (kind) {
    case 'exact':
      return (text) => text === literal;
    case 'prefix':
      return (text) => text.startsWith(literal);
    case 'suffix':
      return (text) => text.endsWith(literal);
    case 'inside':
      return (text) => text.includes(literal);
  }
}

/** For patterns like `www.foo.com`, where a dot is any one character. */
function createTemplateMatcher(template: Template, kind: MatchKind): TextMatcher {
  const { length } = template;
  switch (kind) {
    case 'exact':
      return (text) => text.length === length && matchesAt(template, text, 0);
    case 'prefix':
      return (text) => matchesAt(template, text, 0);
    case 'suffix':
      return (text) => matchesAt(template, text, text.length - length);
    case 'inside':
      return (text) => findTemplate(template, text) >= 0;
  }
}

const ANCHORS: Readonly<Record<MatchKind, readonly [open: string, close: string]>> = {
  exact: ['^(?:', ')$'],
  prefix: ['^(?:', ')'],
  suffix: ['(?:', ')$'],
  inside: ['', ''],
};

/** Whether a pattern may contain letters of a host that canonical URLs have in punycode. */
export const mayNameUnicodeHost = (pattern: string, field: MatchField): boolean =>
  (field === 'host' || field === 'url') && NON_ASCII.test(pattern);

/** Converts the host in a text of a canonical URL to the letters that people write. */
export const toUnicodeText = (text: string, field: MatchField): string =>
  field === 'host' ? toUnicodeHost(text) : toUnicodeUrl(text);

/** @throws Error with the engine's own message */
function createRegexMatcher(
  source: string,
  { field, kind, norm }: Pick<PatternDefinition, 'field' | 'kind' | 'norm'>,
): TextMatcher {
  const readsHost = mayNameUnicodeHost(source, field);
  const shouldDecode = norm === 'none' && NON_ASCII.test(source);
  // The accents of a host are composed (UTS 46), and it has no case, as a scheme has none.
  const hostSource = readsHost && field === 'host' ? source.normalize('NFC') : source;
  const foldedSource =
    norm === 'norm' ? foldAccents(hostSource) : norm === 'lower' || shouldDecode ? decodeNonAscii(hostSource) : source;
  const flags = norm === 'none' && field !== 'host' && field !== 'scheme' ? 0 : RE2JS.CASE_INSENSITIVE;
  const unanchoredRegex = RE2JS.compile(foldedSource, flags);
  const [openingAnchor, closingAnchor] = ANCHORS[kind];
  // Compiled without anchors first, so that a stray parenthesis cannot pair with one of theirs.
  const regex =
    kind === 'inside' ? unanchoredRegex : RE2JS.compile(openingAnchor + foldedSource + closingAnchor, flags);
  if (!shouldDecode && !readsHost) return (text) => regex.test(text);
  return (text) => {
    const decodedText = shouldDecode ? decodeNonAscii(text) : text;
    const unicodeText = readsHost ? toUnicodeText(decodedText, field) : decodedText;
    return regex.test(norm === 'norm' ? foldAccents(unicodeText) : unicodeText);
  };
}
