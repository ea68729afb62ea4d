/**
 * Layer 3, the crawl space of one crawler and the global one (seed: OmniFind, "Global Web crawl space configuration").
 * The first matching rule of crawl.rules decides; no match allows. What a domain rule excludes from a crawler may stay in
 * the index when global.rules allows it: then another crawler has it.
 */
import type { CrawlSpaceDefinition, CrawlSpaceRule, GlobalCrawlSpaceDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import { cidrContains, parseAddress, parseCidr } from '../net/address.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import type { Layer, Rejection } from './layer.js';
import { encodeHost, encodeNonAscii } from './matching/fold.js';
import { LiteralIndex } from './matching/literal-index.js';
import { type Necessary, UNKNOWN } from './matching/necessary.js';
import { wildcardMatcher, wildcardPieces } from './matching/wildcard.js';
import type { ReasonCode } from './reasons.js';
import type { Candidate, TraceStep } from './verdict.js';

/** unknown: the host's address has not been looked up yet. */
type SpaceMatch = boolean | 'unknown';

interface CompiledSpaceRule {
  readonly definition: CrawlSpaceRule;
  readonly matches: (url: CrawlUrl, address: string | undefined) => SpaceMatch;
  readonly necessary: Necessary;
}

const REASON_OF: Readonly<Record<CrawlSpaceRule['kind'], ReasonCode>> = {
  domain: 'crawl-space-domain',
  address: 'crawl-space-address',
  prefix: 'crawl-space-prefix',
};

export function crawlSpaceLayer(
  space: CrawlSpaceDefinition,
  global: GlobalCrawlSpaceDefinition | undefined,
  problems: Problem[],
): Layer {
  const local = compileCrawlSpace(space.rules, problems);
  const shared = global && compileCrawlSpace(global.rules, problems);
  return {
    name: 'crawl-space',
    judge(candidate, draft, trace) {
      const match = local(candidate.url, candidate.address);
      traceLocal(match, space.file, trace);
      if (!match) return undefined;
      if (match.pending) {
        draft.needsAddress = true;
        return undefined;
      }
      if (match.rule.verdict === 'forbid') return exclusion(candidate, match.rule, shared, trace);
      draft.opinion = { layer: 'crawl-space', place: match.rule.place, detail: spaceRuleText(match.rule) };
      return undefined;
    },
  };
}

export interface SpaceDecision {
  readonly rule: CrawlSpaceRule;
  /** The rule is about an address that is not known yet: nothing after it can be decided. */
  readonly pending: boolean;
}

export type CrawlSpace = (url: CrawlUrl, address?: string) => SpaceDecision | undefined;

/** The first rule that matches a URL; undefined when none does. */
export function compileCrawlSpace(definitions: readonly CrawlSpaceRule[], problems: Problem[]): CrawlSpace {
  const rules = definitions.map((definition) => compileRule(definition, problems));
  const index = new LiteralIndex(rules.map((rule) => rule.necessary));
  return (url, address) => {
    const lower = url.href.toLowerCase();
    for (const number of index.candidates(lower, lower)) {
      const rule = rules[number];
      const match = rule?.matches(url, address);
      if (rule && match) return { rule: rule.definition, pending: match === 'unknown' };
    }
    return undefined;
  };
}

function compileRule(definition: CrawlSpaceRule, problems: Problem[]): CompiledSpaceRule {
  switch (definition.kind) {
    case 'domain':
      return { definition, ...domainMatcher(definition.target) };
    case 'prefix':
      return { definition, ...prefixMatcher(definition.target) };
    case 'address':
      return { definition, matches: addressMatcher(definition, problems), necessary: UNKNOWN };
  }
}

type Matcher = Pick<CompiledSpaceRule, 'matches' | 'necessary'>;

/** `*.ibm.com` or `www.ibm.com`, with a port when only that server is meant. */
function domainMatcher(target: string): Matcher {
  const [, name = target, port] = /^(.*?)(?::(\d+))?$/.exec(target) ?? [];
  const pattern = name.split('*').map(encodeHost).join('*');
  const named = wildcardMatcher(pattern, 'star');
  return {
    matches: ({ host, port: own, scheme }) =>
      named(host) && (port === undefined || port === (own || (scheme === 'https' ? '443' : '80'))),
    necessary: wildcardPieces(pattern, 'star'),
  };
}

/** Scheme and host in any case; the path as it is written. */
function prefixMatcher(target: string): Matcher {
  const [authority = ''] = /^[^/]*(?:\/\/[^/]*)?/.exec(target) ?? [];
  const pattern = authority.toLowerCase() + encodeNonAscii(target.slice(authority.length));
  const begins = wildcardMatcher(`${pattern}*`, 'star');
  return { matches: ({ href }) => begins(href), necessary: wildcardPieces(pattern.toLowerCase(), 'star') };
}

function addressMatcher({ target, place }: CrawlSpaceRule, problems: Problem[]): CompiledSpaceRule['matches'] {
  const cidr = parseCidr(target);
  if (!cidr) {
    const message = `"${target}" is no address: write IP, IP/BITS or IP NETMASK`;
    problems.push({ severity: 'error', code: 'bad-rule-file', message, place });
    return () => false;
  }
  return (url, known) => {
    const address = parseAddress(url.host) ?? (known === undefined ? undefined : parseAddress(known));
    return address ? cidrContains(cidr, address) : 'unknown';
  };
}

export const spaceRuleText = (rule: CrawlSpaceRule): string => `${rule.verdict} ${rule.kind} ${rule.target}`;

function traceLocal(match: SpaceDecision | undefined, file: string, trace?: TraceStep[]): void {
  if (!trace) return;
  if (!match) {
    trace.push({ layer: 'crawl-space', test: `no rule of ${file} matches, so it allows`, outcome: 'accept' });
    return;
  }
  const { rule, pending } = match;
  const outcome = pending ? 'pending' : rule.verdict === 'allow' ? 'accept' : 'reject';
  const reason = outcome === 'reject' ? REASON_OF[rule.kind] : undefined;
  const effect = pending ? "decided when the host's address is known" : undefined;
  trace.push({ layer: 'crawl-space', test: spaceRuleText(rule), outcome, reason, place: rule.place, effect });
}

/** The seed's table: which status an excluded URL gets, and whether its document stays. */
function exclusion(
  candidate: Candidate,
  rule: CrawlSpaceRule,
  shared: CrawlSpace | undefined,
  trace?: TraceStep[],
): Rejection {
  const stored = candidate.arrival === 'stored';
  const excluded: Rejection = {
    layer: 'crawl-space',
    reason: REASON_OF[rule.kind],
    place: rule.place,
    detail: spaceRuleText(rule),
    status: stored ? 760 : undefined,
  };
  if (rule.kind !== 'domain' || !shared) return excluded;
  const match = shared(candidate.url);
  const elsewhere = match?.rule.verdict === 'allow';
  traceGlobal(match, elsewhere, trace);
  if (!elsewhere) return excluded;
  return {
    ...excluded,
    reason: 'left-to-another-crawler',
    status: stored ? 761 : undefined,
    keepDocument: stored,
  };
}

function traceGlobal(match: SpaceDecision | undefined, elsewhere: boolean, trace?: TraceStep[]): void {
  trace?.push({
    layer: 'crawl-space',
    test: `global crawl space: ${match ? spaceRuleText(match.rule) : 'no rule matches, so it forbids'}`,
    outcome: 'set',
    place: match?.rule.place,
    effect: elsewhere ? 'status 761, the document stays' : 'status 760, the document is deleted',
  });
}
