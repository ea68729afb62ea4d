/**
 * Layer 3, the crawl space of one crawler and the global one (reference: OmniFind, "Global Web crawl space
 * configuration"). The first matching rule of crawl.rules decides; a URL that no rule matches is allowed. What a domain
 * rule excludes from a crawler may stay in the index if global.rules allows it, since it then belongs to another
 * crawler.
 */

import type { Problem } from '../crawl/place.js';
import type { CrawlSpaceDefinition, CrawlSpaceRule, GlobalCrawlSpaceDefinition } from '../crawl/policy-definition.js';
import { type Address, type Cidr, cidrContains, parseAddress, parseCidr } from '../net/address.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import type { Layer, Rejection } from './layer.js';
import { LiteralIndex } from './matching/literal-index.js';
import { type Necessary, toIndexForm, UNKNOWN } from './matching/necessary.js';
import { normalizeHostText, normalizeRuleText, stripTrailingDot } from './matching/rule-text.js';
import type { Subject } from './matching/subject.js';
import { createWildcardMatcher, listRequiredTexts } from './matching/wildcard.js';
import type { ReasonCode } from './reasons.js';
import type { TraceStep } from './verdict.js';

interface CompiledSpaceRule {
  readonly definition: CrawlSpaceRule;
  readonly matches: (url: CrawlUrl) => boolean;
  /** If set, the address of the URL's host must be in this block, and the URL itself is not compared. */
  readonly block?: Cidr;
  readonly necessary: Necessary;
}

const REASON_OF: Readonly<Record<CrawlSpaceRule['kind'], ReasonCode>> = {
  domain: 'crawl-space-domain',
  address: 'crawl-space-address',
  prefix: 'crawl-space-prefix',
};

export function createCrawlSpaceLayer(
  space: CrawlSpaceDefinition,
  global: GlobalCrawlSpaceDefinition | undefined,
  problems: Problem[],
): Layer {
  const local = compileCrawlSpace(space.rules, problems);
  const shared = global && compileCrawlSpace(global.rules, problems);
  const beforeDomains =
    shared &&
    compileCrawlSpace(
      space.rules.filter(({ kind }) => kind !== 'domain'),
      [],
    );
  return {
    name: 'crawl-space',
    judge(candidate, draft, trace) {
      const decision = local(draft.subject, candidate.address ?? undefined);
      const { rule, passedOver } = decision;
      const domain = rule?.verdict === 'forbid' && rule.kind === 'domain';
      // First case in the reference: a URL that a prefix or address rule also excludes does not belong to another
      // crawler.
      const other = domain ? beforeDomains?.(draft.subject, candidate.address ?? undefined) : undefined;
      const harder = other?.rule?.verdict === 'forbid' ? other.rule : undefined;
      const elsewhere = domain && !harder && shared !== undefined && isAllowedGlobally(shared, draft.subject);
      // Only a stored URL can have a document to keep or delete; a new URL is refused either way.
      const stays = elsewhere && candidate.discoveredVia === 'stored';
      const later = stays ? (other?.passedOver ?? []) : [];
      draft.needsAddress =
        passedOver.some(({ verdict }) => stays || verdict !== (rule?.verdict ?? 'allow')) ||
        later.some(({ verdict }) => verdict === 'forbid');
      const waits = draft.needsAddress && candidate.address === undefined;
      if (trace) {
        trace.push(...passedOver.map((address) => createSkippedStep(address, candidate.address === null, waits)));
        trace.push(createDecidingStep(rule, space.file, waits));
        if (harder) trace.push(createPrecedenceStep(harder));
        else if (domain && shared) isAllowedGlobally(shared, draft.subject, trace);
      }
      if (!rule || waits) return undefined;
      if (rule.verdict === 'forbid')
        return createRejection(harder ?? rule, candidate.discoveredVia === 'stored', elsewhere);
      draft.opinion = { layer: 'crawl-space', place: rule.place, detail: formatSpaceRule(rule) };
      return undefined;
    },
  };
}

export interface SpaceDecision {
  /** Absent if no rule matches. */
  readonly rule?: CrawlSpaceRule;
  /** Address rules before `rule` that could not be tried because the address is unknown. */
  readonly passedOver: readonly CrawlSpaceRule[];
}

export type CrawlSpace = (subject: Subject, address?: string) => SpaceDecision;

/** Creates a function that finds the first rule that matches a URL. */
export function compileCrawlSpace(definitions: readonly CrawlSpaceRule[], problems: Problem[]): CrawlSpace {
  const rules = definitions.map((definition) => compileRule(definition, problems));
  const index = new LiteralIndex(rules.map((rule) => rule.necessary));
  const hasBlocks = rules.some((rule) => rule.block);
  return (subject, known) => {
    const lower = subject.getText('url', 'lower');
    const address = hasBlocks ? findAddress(subject.url, known) : undefined;
    const passedOver: CrawlSpaceRule[] = [];
    for (const number of index.findCandidates(lower, lower)) {
      const rule = rules[number];
      if (!rule) continue;
      if (rule.block && !address) passedOver.push(rule.definition);
      else if (rule.block && address ? cidrContains(rule.block, address) : rule.matches(subject.url))
        return { rule: rule.definition, passedOver };
    }
    return { passedOver };
  };
}

/** The address of the host, which may itself be an IP address. */
const findAddress = (url: CrawlUrl, known: string | undefined): Address | undefined =>
  parseAddress(url.host) ?? (known === undefined ? undefined : parseAddress(known));

function compileRule(definition: CrawlSpaceRule, problems: Problem[]): CompiledSpaceRule {
  switch (definition.kind) {
    case 'domain':
      return { definition, ...createDomainMatcher(definition.target) };
    case 'prefix':
      return { definition, ...createPrefixMatcher(definition.target) };
    case 'address':
      return { definition, matches: () => false, block: parseBlock(definition, problems), necessary: UNKNOWN };
  }
}

type Matcher = Pick<CompiledSpaceRule, 'matches' | 'necessary'>;

/** Matches `*.ibm.com` or `www.ibm.com`, with a port if only that server is meant. */
function createDomainMatcher(target: string): Matcher {
  const [, name = target, port] = /^(.*?)(?::(\d+))?$/.exec(target) ?? [];
  const pattern = stripTrailingDot(normalizeHostText(name, true));
  const named = createWildcardMatcher(pattern, 'star');
  return {
    matches: ({ host, port: own, scheme }) =>
      named(host) && (port === undefined || port === (own || (scheme === 'https' ? '443' : '80'))),
    necessary: listRequiredTexts(pattern, 'star'),
  };
}

/** Scheme and host are not case-sensitive, the path is. */
function createPrefixMatcher(target: string): Matcher {
  const pattern = normalizeRuleText(target, { field: 'url', kind: 'prefix' });
  const begins = createWildcardMatcher(`${pattern}*`, 'star');
  return { matches: ({ href }) => begins(href), necessary: toIndexForm(listRequiredTexts(pattern, 'star')) };
}

function parseBlock({ target, place }: CrawlSpaceRule, problems: Problem[]): Cidr | undefined {
  const block = parseCidr(target);
  if (block) return block;
  const message = `"${target}" is not an address: write IP, IP/BITS or IP NETMASK`;
  problems.push({ severity: 'error', code: 'bad-rule-file', message, place });
  return undefined;
}

export const formatSpaceRule = (rule: CrawlSpaceRule): string => `${rule.verdict} ${rule.kind} ${rule.target}`;

function createSkippedStep(rule: CrawlSpaceRule, unknown: boolean, waits: boolean): TraceStep {
  const effect = waits
    ? "will be decided when the host's address is known"
    : unknown
      ? "skipped: the host's address cannot be resolved"
      : 'the rules after it lead to the same decision';
  const outcome = waits ? 'pending' : 'not evaluated';
  return { layer: 'crawl-space', test: formatSpaceRule(rule), outcome, place: rule.place, effect };
}

function createDecidingStep(rule: CrawlSpaceRule | undefined, file: string, waits: boolean): TraceStep {
  const test = rule ? formatSpaceRule(rule) : `no rule of ${file} matches, so it allows`;
  const forbids = rule?.verdict === 'forbid';
  const outcome = waits ? 'pending' : forbids ? 'reject' : 'accept';
  const reason = outcome === 'reject' && rule ? REASON_OF[rule.kind] : undefined;
  const effect = waits ? `${forbids ? 'forbids' : 'allows'} unless an address rule before it decides` : undefined;
  return { layer: 'crawl-space', test, outcome, reason, place: rule?.place, effect };
}

const createPrecedenceStep = (rule: CrawlSpaceRule): TraceStep => ({
  layer: 'crawl-space',
  test: `${formatSpaceRule(rule)} excludes it as well and takes precedence over a domain rule`,
  outcome: 'set',
  place: rule.place,
  effect: 'status 760, the document is deleted',
});

/** As in OmniFind's table: the status of an excluded URL, and whether its document stays. */
function createRejection(rule: CrawlSpaceRule, stored: boolean, elsewhere: boolean): Rejection {
  return {
    layer: 'crawl-space',
    reason: elsewhere ? 'left-to-another-crawler' : REASON_OF[rule.kind],
    place: rule.place,
    detail: `excluded by the rule "${formatSpaceRule(rule)}"${elsewhere ? ', and the global crawl space allows the host' : ''}`,
    status: stored ? (elsewhere ? 761 : 760) : undefined,
    keepDocument: elsewhere,
  };
}

/** Only what the global crawl space explicitly allows may belong to another crawler. */
function isAllowedGlobally(shared: CrawlSpace, subject: Subject, trace?: TraceStep[]): boolean {
  const { rule } = shared(subject);
  const allowed = rule?.verdict === 'allow';
  trace?.push({
    layer: 'crawl-space',
    test: `global crawl space: ${rule ? formatSpaceRule(rule) : 'no rule matches, so it forbids'}`,
    outcome: 'set',
    place: rule?.place,
    effect: allowed ? 'status 761, the document stays' : 'status 760, the document is deleted',
  });
  return allowed;
}
