/**
 * Layer 3, the crawl space of one crawler and the global one (reference: OmniFind, "Global Web crawl space
 * configuration"). The first matching rule of crawl.rules decides; a URL that no rule matches is allowed. A document
 * that a domain rule excludes may stay in the index if global.rules allows its host, since it then belongs to another
 * crawler.
 */
import type { Problem } from '../crawl/place.js';
import type { CrawlSpaceDefinition, CrawlSpaceRule, GlobalCrawlSpaceDefinition } from '../crawl/policy-definition.js';
import { type Address, type Cidr, cidrContains, parseAddress, parseCidr } from '../net/address.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import type { Layer, Rejection } from './layer.js';
import { LiteralIndex } from './matching/literal-index.js';
import { NO_REQUIRED_TEXTS, type RequiredTexts, toIndexForm } from './matching/necessary.js';
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
  readonly requiredTexts: RequiredTexts;
}

const REASONS_BY_KIND: Readonly<Record<CrawlSpaceRule['kind'], ReasonCode>> = {
  domain: 'crawl-space-domain',
  address: 'crawl-space-address',
  prefix: 'crawl-space-prefix',
};

export function createCrawlSpaceLayer(
  space: CrawlSpaceDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
  problems: Problem[],
): Layer {
  const localSpace = compileCrawlSpace(space.rules, problems);
  const globalSpace = globalCrawlSpace && compileCrawlSpace(globalCrawlSpace.rules, problems);
  const nonDomainSpace =
    globalSpace &&
    compileCrawlSpace(
      space.rules.filter(({ kind }) => kind !== 'domain'),
      [],
    );
  return {
    name: 'crawl-space',
    judge(candidate, draft, trace) {
      const decision = localSpace(draft.subject, candidate.address ?? undefined);
      const { rule, skippedRules } = decision;
      const isForbiddenDomain = rule?.verdict === 'forbid' && rule.kind === 'domain';
      // First case in the reference: a URL that a prefix or address rule also excludes does not belong to another
      // crawler.
      const otherDecision = isForbiddenDomain
        ? nonDomainSpace?.(draft.subject, candidate.address ?? undefined)
        : undefined;
      const overridingRule = otherDecision?.rule?.verdict === 'forbid' ? otherDecision.rule : undefined;
      const belongsElsewhere =
        isForbiddenDomain &&
        !overridingRule &&
        globalSpace !== undefined &&
        isAllowedGlobally(globalSpace, draft.subject);
      // Only a stored URL can have a document to keep or delete; a new URL is refused either way.
      const keepsDocument = belongsElsewhere && candidate.discoveredVia === 'stored';
      const laterAddressRules = keepsDocument ? (otherDecision?.skippedRules ?? []) : [];
      draft.needsAddress =
        skippedRules.some(({ verdict }) => keepsDocument || verdict !== (rule?.verdict ?? 'allow')) ||
        laterAddressRules.some(({ verdict }) => verdict === 'forbid');
      const awaitsAddress = draft.needsAddress && candidate.address === undefined;
      if (trace) {
        trace.push(
          ...skippedRules.map((skippedRule) =>
            createSkippedStep(skippedRule, candidate.address === null, awaitsAddress),
          ),
        );
        trace.push(createDecidingStep(rule, space.file, awaitsAddress));
        if (overridingRule) trace.push(createPrecedenceStep(overridingRule));
        else if (isForbiddenDomain && globalSpace) isAllowedGlobally(globalSpace, draft.subject, trace);
      }
      if (!rule || awaitsAddress) return undefined;
      if (rule.verdict === 'forbid')
        return createRejection(overridingRule ?? rule, candidate.discoveredVia === 'stored', belongsElsewhere);
      draft.opinion = { layer: 'crawl-space', place: rule.place, detail: formatSpaceRule(rule) };
      return undefined;
    },
  };
}

interface SpaceDecision {
  /** Absent if no rule matches. */
  readonly rule?: CrawlSpaceRule;
  /** Address rules before `rule` that could not be tried because the address is unknown. */
  readonly skippedRules: readonly CrawlSpaceRule[];
}

export type CrawlSpaceMatcher = (subject: Subject, address?: string) => SpaceDecision;

/** Creates a function that finds the first rule that matches a URL. */
export function compileCrawlSpace(definitions: readonly CrawlSpaceRule[], problems: Problem[]): CrawlSpaceMatcher {
  const rules = definitions.map((definition) => compileRule(definition, problems));
  const index = new LiteralIndex(rules.map((rule) => rule.requiredTexts));
  const hasBlocks = rules.some((rule) => rule.block);
  return (subject, knownAddress) => {
    const lowerCaseUrl = subject.getText('url', 'lower');
    const address = hasBlocks ? findAddress(subject.url, knownAddress) : undefined;
    const skippedRules: CrawlSpaceRule[] = [];
    for (const ruleIndex of index.findCandidates(lowerCaseUrl, lowerCaseUrl)) {
      const rule = rules[ruleIndex];
      if (!rule) continue;
      if (rule.block && !address) skippedRules.push(rule.definition);
      else if (rule.block && address ? cidrContains(rule.block, address) : rule.matches(subject.url))
        return { rule: rule.definition, skippedRules };
    }
    return { skippedRules };
  };
}

/** The address of the host, which may itself be an IP address. */
const findAddress = (url: CrawlUrl, knownAddress: string | undefined): Address | undefined =>
  parseAddress(url.host) ?? (knownAddress === undefined ? undefined : parseAddress(knownAddress));

function compileRule(definition: CrawlSpaceRule, problems: Problem[]): CompiledSpaceRule {
  switch (definition.kind) {
    case 'domain':
      return { definition, ...createDomainMatcher(definition.target) };
    case 'prefix':
      return { definition, ...createPrefixMatcher(definition.target) };
    case 'address':
      return {
        definition,
        matches: () => false,
        block: parseBlock(definition, problems),
        requiredTexts: NO_REQUIRED_TEXTS,
      };
  }
}

type Matcher = Pick<CompiledSpaceRule, 'matches' | 'requiredTexts'>;

/** Matches `*.ibm.com` or `www.ibm.com`, with a port if only that server is meant. */
function createDomainMatcher(target: string): Matcher {
  const [, name = target, port] = /^(.*?)(?::(\d+))?$/.exec(target) ?? [];
  const pattern = stripTrailingDot(normalizeHostText(name, true));
  const matchesName = createWildcardMatcher(pattern, 'star');
  return {
    matches: ({ host, port: urlPort, scheme }) =>
      matchesName(host) && (port === undefined || port === (urlPort || (scheme === 'https' ? '443' : '80'))),
    requiredTexts: listRequiredTexts(pattern, 'star'),
  };
}

/** Scheme and host are not case-sensitive, the path is. */
function createPrefixMatcher(target: string): Matcher {
  const pattern = normalizeRuleText(target, { field: 'url', kind: 'prefix' });
  const matchesPrefix = createWildcardMatcher(`${pattern}*`, 'star');
  return { matches: ({ href }) => matchesPrefix(href), requiredTexts: toIndexForm(listRequiredTexts(pattern, 'star')) };
}

function parseBlock({ target, place }: CrawlSpaceRule, problems: Problem[]): Cidr | undefined {
  const block = parseCidr(target);
  if (block) return block;
  const message = `"${target}" is not an address: write IP, IP/BITS or IP NETMASK`;
  problems.push({ severity: 'error', code: 'bad-rule-file', message, place });
  return undefined;
}

export const formatSpaceRule = (rule: CrawlSpaceRule): string => `${rule.verdict} ${rule.kind} ${rule.target}`;

function createSkippedStep(rule: CrawlSpaceRule, isUnresolvable: boolean, awaitsAddress: boolean): TraceStep {
  const effect = awaitsAddress
    ? "will be decided when the host's address is known"
    : isUnresolvable
      ? "skipped: the host's address cannot be resolved"
      : 'the rules after it lead to the same decision';
  const outcome = awaitsAddress ? 'pending' : 'not evaluated';
  return { layer: 'crawl-space', test: formatSpaceRule(rule), outcome, place: rule.place, effect };
}

function createDecidingStep(rule: CrawlSpaceRule | undefined, file: string, awaitsAddress: boolean): TraceStep {
  const test = rule ? formatSpaceRule(rule) : `no rule of ${file} matches, so the URL is allowed`;
  const forbids = rule?.verdict === 'forbid';
  const outcome = awaitsAddress ? 'pending' : forbids ? 'reject' : 'accept';
  const reason = outcome === 'reject' && rule ? REASONS_BY_KIND[rule.kind] : undefined;
  const effect = awaitsAddress
    ? `${forbids ? 'forbids' : 'allows'} unless an address rule before it decides`
    : undefined;
  return { layer: 'crawl-space', test, outcome, reason, place: rule?.place, effect };
}

const createPrecedenceStep = (rule: CrawlSpaceRule): TraceStep => ({
  layer: 'crawl-space',
  test: `${formatSpaceRule(rule)} excludes it as well and takes precedence over a domain rule`,
  outcome: 'set',
  place: rule.place,
  effect: 'status 760, the document is deleted',
});

/** The status of an excluded URL, and whether its document stays in the index, are those of OmniFind's table. */
function createRejection(rule: CrawlSpaceRule, isStored: boolean, belongsElsewhere: boolean): Rejection {
  return {
    layer: 'crawl-space',
    reason: belongsElsewhere ? 'left-to-another-crawler' : REASONS_BY_KIND[rule.kind],
    place: rule.place,
    detail: `excluded by the rule "${formatSpaceRule(rule)}"${belongsElsewhere ? ', and the global crawl space allows the host' : ''}`,
    status: isStored ? (belongsElsewhere ? 761 : 760) : undefined,
    keepDocument: belongsElsewhere,
  };
}

/** Only what the global crawl space explicitly allows may belong to another crawler. */
function isAllowedGlobally(globalSpace: CrawlSpaceMatcher, subject: Subject, trace?: TraceStep[]): boolean {
  const { rule } = globalSpace(subject);
  const allowed = rule?.verdict === 'allow';
  trace?.push({
    layer: 'crawl-space',
    test: `global crawl space: ${rule ? formatSpaceRule(rule) : 'no rule matches, so the URL is forbidden'}`,
    outcome: 'set',
    place: rule?.place,
    effect: allowed ? 'status 761, the document stays' : 'status 760, the document is deleted',
  });
  return allowed;
}
