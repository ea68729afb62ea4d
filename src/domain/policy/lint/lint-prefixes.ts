/**
 * Finds prefixes without a trailing slash: `http://www.foo.com` also covers www.foo.com.example, which anyone may own.
 * `/docs` also covers /docs-old, which matters only if there is such a folder, so that it is reported only if the
 * configuration names one.
 */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Place, Problem } from '../../crawl/place.js';
import type { MatchExpression } from '../../crawl/policy-definition.js';
import { flatMapInSteps, type Steps, sortInSteps } from '../../steps.js';
import { analyzePattern, literalToRegex } from '../matching/pattern.js';
import { createLintWarning } from './codes.js';

interface Prefix {
  readonly owner: string;
  readonly text: string;
  readonly place: Place;
}

export function* lintPrefixes(crawler: CrawlerDefinition): Steps<Problem[]> {
  const spaceRules = crawler.crawlSpace?.rules.filter(({ kind }) => kind === 'prefix') ?? [];
  const prefixes: Prefix[] = [
    ...(yield* flatMapInSteps(crawler.rules, (rule) => collectPrefixes(rule.match, `rule ${rule.number}`))),
    ...spaceRules.map(({ target, place }) => ({ owner: 'the crawl space', text: target, place })),
    ...(crawler.servers?.records ?? []).map(({ url, place }) => ({ owner: 'a server record', text: url, place })),
    ...crawler.roots
      .filter((root) => root.site && /:\/\/[^/]+\/./.test(root.url))
      .map((root) => ({ owner: 'site mode of a root', text: root.url, place: root.place ?? crawler.place })),
  ];
  const openPrefixes = yield* flatMapInSteps(prefixes, findOpenName);
  const hasFolder = openPrefixes.some(({ isHost }) => !isHost);
  const names = hasFolder ? yield* sortInSteps(yield* listConfiguredNames(crawler, prefixes)) : [];
  return yield* flatMapInSteps(openPrefixes, (prefix) => lintOpenPrefix(prefix, names));
}

/** URLs and paths that the configuration names. */
function* listConfiguredNames({ roots, servers }: CrawlerDefinition, prefixes: readonly Prefix[]): Steps<string[]> {
  const urls = [...roots.map(({ url }) => url), ...(servers?.records ?? []).map(({ url }) => url)];
  const texts = prefixes.map(({ text }) => text);
  return yield* flatMapInSteps([...urls, ...texts], (text) => {
    const path = URL.parse(text)?.pathname;
    return path === undefined ? [text] : [text, path];
  });
}

function collectPrefixes(expression: MatchExpression, owner: string): Prefix[] {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.children.flatMap((child) => collectPrefixes(child, owner));
    case 'not':
      return collectPrefixes(expression.child, owner);
    case 'atom': {
      const { field, kind, value, litteral, place } = expression;
      if (kind !== 'prefix' || (field !== 'url' && field !== 'path')) return [];
      const { template } = analyzePattern(litteral ? literalToRegex(value) : value);
      return template ? [{ owner, text: template.map((char) => char ?? '.').join(''), place }] : [];
    }
    default:
      return [];
  }
}

interface OpenPrefix extends Prefix {
  readonly isHost: boolean;
}

/** Keeps a prefix that ends within a host name or a folder name (a name with a dot is a file). */
function findOpenName(prefix: Prefix): OpenPrefix[] {
  const { text } = prefix;
  const isHost = /^https?:\/\/[^/?#*]+$/i.test(text);
  const [folder] = /\/[a-z0-9%]+$/i.exec(text) ?? [];
  return isHost || (folder && !text.includes('?') && !text.endsWith(`/${folder}`)) ? [{ ...prefix, isHost }] : [];
}

function lintOpenPrefix({ isHost, owner, text, place }: OpenPrefix, names: readonly string[]): Problem[] {
  const sibling = isHost ? `${text}.example.net/` : findSibling(names, text);
  if (sibling === undefined) return [];
  const message = `prefix "${text}" of ${owner} also covers ${sibling}: end it with a slash if only ${text}/ is meant`;
  return [createLintWarning('open-prefix', place, message)];
}

/** The first name that begins with the prefix and continues within its last word. */
function findSibling(sortedNames: readonly string[], prefix: string): string | undefined {
  let index = findFirst(sortedNames, `${prefix}\0`);
  for (;;) {
    const name = sortedNames[index];
    if (!name?.startsWith(prefix)) return undefined;
    const next = name.charAt(prefix.length);
    if (!/[/?#]/.test(next)) return name;
    // All names that continue with the same character are passed over.
    index = findFirst(sortedNames, prefix + String.fromCharCode(next.charCodeAt(0) + 1));
  }
}

/** Position of the first name that is not before the text. */
function findFirst(sortedNames: readonly string[], text: string): number {
  let low = 0;
  let high = sortedNames.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sortedNames[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
