/**
 * Finds prefixes without a trailing slash: `http://www.foo.com` also covers www.foo.com.example, and `/docs` also
 * covers /docs-old.
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
  return prefixes.flatMap(lintOpenPrefix);
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
function lintOpenPrefix({ owner, text, place }: Prefix): Problem[] {
  const [host] = /^https?:\/\/[^/?#*]+$/i.exec(text) ?? [];
  const [folder] = /\/[a-z0-9%]+$/i.exec(text) ?? [];
  if (!host && (!folder || text.includes('?') || text.endsWith(`/${folder}`))) return [];
  const sibling = host ? `${text}.example.net/` : `${text}-other/`;
  const message = `prefix "${text}" of ${owner} also covers ${sibling}: end it with a slash if only ${text}/ is meant`;
  return [createLintWarning('open-prefix', place, message)];
}
