/**
 * Finds prefixes without a trailing slash: `http://www.foo.com` also covers www.foo.com.example, which anyone may own.
 * `/docs` also covers /docs-old, which matters only if there is such a folder, so that it is reported only if the
 * configuration names one.
 */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Place, Problem } from '../../crawl/place.js';
import type { MatchExpression } from '../../crawl/policy-definition.js';
import { analyzePattern, literalToRegex } from '../matching/pattern.js';
import { createLintWarning } from './codes.js';

interface Prefix {
  readonly owner: string;
  readonly text: string;
  readonly place: Place;
}

export function lintPrefixes(crawler: CrawlerDefinition): Problem[] {
  const spaceRules = crawler.crawlSpace?.rules.filter(({ kind }) => kind === 'prefix') ?? [];
  const prefixes: Prefix[] = [
    ...crawler.rules.flatMap((rule) => collectPrefixes(rule.match, `rule ${rule.number}`)),
    ...spaceRules.map(({ target, place }) => ({ owner: 'the crawl space', text: target, place })),
    ...(crawler.servers?.records ?? []).map(({ url, place }) => ({ owner: 'a server record', text: url, place })),
    ...crawler.roots
      .filter((root) => root.site && /:\/\/[^/]+\/./.test(root.url))
      .map((root) => ({ owner: 'site mode of a root', text: root.url, place: root.place ?? crawler.place })),
  ];
  const names = listConfiguredNames(crawler, prefixes);
  return prefixes.flatMap((prefix) => lintOpenPrefix(prefix, names));
}

/** URLs and paths that the configuration names. */
function listConfiguredNames({ roots, servers }: CrawlerDefinition, prefixes: readonly Prefix[]): string[] {
  const urls = [...roots.map(({ url }) => url), ...(servers?.records ?? []).map(({ url }) => url)];
  const texts = prefixes.map(({ text }) => text);
  return [...urls, ...texts].flatMap((text) => {
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

/** Reports a prefix that ends within a host name or a folder name (a name with a dot is a file). */
function lintOpenPrefix({ owner, text, place }: Prefix, names: readonly string[]): Problem[] {
  const [host] = /^https?:\/\/[^/?#*]+$/i.exec(text) ?? [];
  const [folder] = /\/[a-z0-9%]+$/i.exec(text) ?? [];
  if (!host && (!folder || text.includes('?') || text.endsWith(`/${folder}`))) return [];
  const sibling = host ? `${text}.example.net/` : names.find((name) => isSibling(name, text));
  if (sibling === undefined) return [];
  const message = `prefix "${text}" of ${owner} also covers ${sibling}: end it with a slash if only ${text}/ is meant`;
  return [createLintWarning('open-prefix', place, message)];
}

/** Whether a name begins with the prefix and continues within its last word. */
const isSibling = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) && name.length > prefix.length && !/[/?#]/.test(name.charAt(prefix.length));
