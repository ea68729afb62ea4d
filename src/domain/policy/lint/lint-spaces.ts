/** Crawl spaces and server records: rules that never decide, hosts in two spaces, hosts that nobody takes. */
import type { CrawlerDefinition, CrawlSpaceRule, ServerDefinition, ServersDefinition } from '../../crawl/definition.js';
import { type Place, type Problem, placeText } from '../../crawl/place.js';
import { crawlUrl } from '../../url/crawl-url.js';
import { compileCrawlSpace, spaceRuleText } from '../crawl-space.js';
import { Subject } from '../matching/subject.js';
import { recordPrefix } from '../server-records.js';
import { type Clauses, covers } from './clauses.js';
import { warning } from './codes.js';
import { wildcardClauses } from './wildcard-clauses.js';

/** Each rule is compared with all earlier ones. */
const MAX_COMPARED = 2000;

/** The first matching rule decides, so a rule behind one that matches at least the same never does. */
export function lintSpaceRules(rules: readonly CrawlSpaceRule[]): Problem[] {
  const earlier: { readonly rule: CrawlSpaceRule; readonly clauses: Clauses }[] = [];
  return rules.slice(0, MAX_COMPARED).flatMap((rule) => {
    const clauses = spaceClauses(rule);
    const first = earlier.find((other) => covers(other.clauses, clauses));
    earlier.push({ rule, clauses });
    if (!first) return [];
    const where = `"${spaceRuleText(first.rule)}" (${placeText(first.rule.place)})`;
    const message = `"${spaceRuleText(rule)}" never decides: ${where} comes first and matches the same`;
    return [warning('space-rule-unreachable', rule.place, message)];
  });
}

function spaceClauses({ kind, target }: CrawlSpaceRule): Clauses {
  if (kind === 'domain' && !/:\d+$/.test(target))
    return wildcardClauses({ field: 'host', value: target, norm: 'lower' }, 'star');
  if (kind === 'prefix') return wildcardClauses({ field: 'url', value: `${target}*`, norm: 'none' }, 'star');
  return [[{ field: 'host', kind: 'opaque', text: `${kind} ${target}`, norm: 'none' }]];
}

export function lintServers({ records }: ServersDefinition): Problem[] {
  const seen = new Map<string, Place>();
  return records.flatMap(({ url, place }) => {
    const prefix = recordPrefix(url);
    const before = seen.get(prefix);
    seen.set(prefix, place);
    if (!before) return [];
    return [
      warning(
        'server-duplicate',
        before,
        `server record ${url} is written again (${placeText(place)}), and that one counts`,
      ),
    ];
  });
}

type Takes = (host: string) => boolean;

interface Space {
  readonly crawler: CrawlerDefinition;
  readonly takes: Takes;
}

/** Global and local spaces must fit together: every host that may stay in the index has one crawler that takes it. */
export function lintGlobalSpace({ crawlers, globalCrawlSpace }: ServerDefinition): Problem[] {
  if (!globalCrawlSpace) return [];
  const spaces = crawlers
    .filter((crawler) => crawler.crawlSpace)
    .map((crawler) => ({ crawler, takes: takesHost(crawler) }));
  const allows = globalCrawlSpace.rules.filter(({ verdict }) => verdict === 'allow');
  const local = spaces.flatMap(({ crawler }) => crawler.crawlSpace?.rules ?? []);
  return [
    ...lintSpaceRules(globalCrawlSpace.rules),
    ...(spaces.length === crawlers.length ? allows.flatMap((rule) => takenByNone(rule, local, spaces)) : []),
    ...takenByTwo([...local, ...allows], spaces),
  ];
}

/** By domain rules alone: only they divide hosts between crawlers. */
function takesHost({ crawlSpace }: CrawlerDefinition): Takes {
  const space = compileCrawlSpace(crawlSpace?.rules.filter(({ kind }) => kind === 'domain') ?? [], []);
  return (host) => space(new Subject(crawlUrl(`http://${host}/`))).rule?.verdict !== 'forbid';
}

/** Host names that stand for a domain rule: itself, or for a wildcard one that fits and those that others name. */
function hostsOf({ target }: CrawlSpaceRule, others: readonly CrawlSpaceRule[]): string[] {
  const host = target.replace(/:\d+$/, '');
  if (!host.includes('*')) return [host];
  const pattern = wildcardClauses({ field: 'host', value: host, norm: 'lower' }, 'star');
  const named = others
    .filter(({ kind, target: text }) => kind === 'domain' && !text.includes('*'))
    .map(({ target: text }) => text);
  const fitting = named.filter((text) =>
    covers(pattern, wildcardClauses({ field: 'host', value: text, norm: 'lower' }, 'star')),
  );
  return [host.replace(/\*/g, 'any'), ...fitting];
}

function takenByNone(rule: CrawlSpaceRule, local: readonly CrawlSpaceRule[], spaces: readonly Space[]): Problem[] {
  if (hostsOf(rule, local).some((host) => spaces.some(({ takes }) => takes(host)))) return [];
  const message = `global.rules allows ${rule.target}, but no local crawl space takes it: its documents stay and are never crawled again`;
  return [warning('host-in-no-space', rule.place, message)];
}

function takenByTwo(rules: readonly CrawlSpaceRule[], spaces: readonly Space[]): Problem[] {
  const domains = rules.filter(({ kind, verdict }) => kind === 'domain' && verdict === 'allow');
  const seen = new Set<string>();
  return domains.flatMap((rule) => {
    if (seen.has(rule.target)) return [];
    seen.add(rule.target);
    const both = spaces.filter(({ takes }) => takes(hostsOf(rule, [])[0] ?? ''));
    if (both.length < 2) return [];
    const names = both.map(({ crawler }) => crawler.name).join(' and ');
    const message = `${rule.target} is in the crawl spaces of ${names}: forbid it in all but one`;
    return [warning('host-in-two-spaces', rule.place, message)];
  });
}
