/**
 * Layer 1, the link rules (reference: Fluid Dynamics Search Engine, "Link Detection"), and the trap rules that need no
 * counting. They apply to links; for a root, only the protocol is checked. Robots exclusion is decided when robots.txt
 * and the page are read.
 */
import type { TrapDefinition } from '../crawl/definition.js';
import type { LinkRulesDefinition } from '../crawl/policy-definition.js';
import { countRepetitions } from '../url/url-pattern.js';
import { isRoot, isRootRedirect, type Layer, type Rejection } from './layer.js';
import type { ReasonCode } from './reasons.js';
import type { Candidate, TraceStep } from './verdict.js';

interface LinkRule {
  readonly name: string;
  readonly reason: ReasonCode;
  readonly forRoots: boolean;
  /** What is wrong with the candidate, or undefined. */
  readonly findObjection: (candidate: Candidate) => string | undefined;
}

export function createLinkRulesLayer(rules: LinkRulesDefinition, traps: TrapDefinition): Layer {
  const linkRules = createLinkRules(rules, traps);
  return {
    name: 'link-rules',
    judge(candidate, _draft, trace) {
      const isRootCandidate = isRoot(candidate);
      let rejection: Rejection | undefined;
      for (const rule of linkRules) {
        if (isRootCandidate && !rule.forRoots) continue;
        const detail = rule.findObjection(candidate);
        trace?.push(toTraceStep(rule, detail, rules));
        if (detail === undefined || rejection) continue;
        rejection = { layer: 'link-rules', reason: rule.reason, place: rules.place, detail };
        if (!trace) break;
      }
      return rejection;
    },
  };
}

function toTraceStep(rule: LinkRule, detail: string | undefined, rules: LinkRulesDefinition): TraceStep {
  const test = detail === undefined ? rule.name : `${rule.name}: ${detail}`;
  if (detail === undefined) return { layer: 'link-rules', test, outcome: 'accept' };
  return { layer: 'link-rules', test, outcome: 'reject', reason: rule.reason, place: rules.place };
}

/** The rules are in the order of the reference. */
function createLinkRules(rules: LinkRulesDefinition, traps: TrapDefinition): LinkRule[] {
  const { maxUrlLength, followQueryStrings, followOffsite } = rules;
  const extensions = new Set(rules.ignoreLinksTo);
  return [
    createProtocolRule(rules.protocols),
    createLinkRule('address length', 'url-too-long', ({ url: { href } }) =>
      href.length > maxUrlLength
        ? `the URL has ${href.length} characters, but only ${maxUrlLength} are allowed`
        : undefined,
    ),
    createLinkRule('query string', 'query-string', ({ url }) =>
      !followQueryStrings && (url.lostQuery || url.href.includes('?'))
        ? 'links with a query string are not followed'
        : undefined,
    ),
    createLinkRule('file extension', 'extension-ignored', ({ url }) => {
      const extension = extensions.size === 0 ? undefined : getExtension(url.path);
      return extension !== undefined && extensions.has(extension) ? `links to .${extension} are ignored` : undefined;
    }),
    createLinkRule('hostname', 'offsite', (candidate) => (followOffsite ? undefined : findOffsiteObjection(candidate))),
    createLinkRule('path depth', 'trap-path-depth', ({ url }) => findDepthObjection(url.path, traps.maxPathDepth)),
    createLinkRule('repeated segments', 'trap-repeated-segments', ({ url }) =>
      findRepetitionObjection(url.path, traps.maxRepeatedSegments),
    ),
  ];
}

const createLinkRule = (name: string, reason: ReasonCode, findObjection: LinkRule['findObjection']): LinkRule => ({
  name,
  reason,
  forRoots: false,
  findObjection,
});

function createProtocolRule(protocols: readonly string[]): LinkRule {
  const allowedProtocols = new Set(protocols);
  return {
    name: 'protocol',
    reason: 'protocol-not-allowed',
    forRoots: true,
    findObjection: ({ url }) =>
      allowedProtocols.has(url.scheme)
        ? undefined
        : `the protocol ${url.scheme} is not among those that this crawler uses: ${protocols.join(', ')}`,
  };
}

/** Returns the extension in lower case, without the dot; undefined if the last segment has none. */
function getExtension(path: string): string | undefined {
  const dotIndex = path.lastIndexOf('.');
  return dotIndex < 0 || path.indexOf('/', dotIndex) >= 0 ? undefined : path.slice(dotIndex + 1).toLowerCase();
}

/** A stored URL has no page to compare it with; a root that redirects may change its host. */
function findOffsiteObjection(candidate: Candidate): string | undefined {
  if (candidate.discoveredVia === 'stored' || isRootRedirect(candidate)) return undefined;
  const source = candidate.from ?? candidate.root?.url;
  if (!source || source.host === candidate.url.host) return undefined;
  return `the host ${candidate.url.host} differs from that of the page, ${source.host}, and links to other hosts are not followed`;
}

function findDepthObjection(path: string, limit: number): string | undefined {
  const depth = countSegments(path);
  return depth > limit ? `the path has ${depth} segments, but only ${limit} are allowed` : undefined;
}

/** A trailing slash does not begin another segment. */
function countSegments(path: string): number {
  let count = 0;
  for (let i = 0; i + 1 < path.length; i++) if (path.charCodeAt(i) === 47) count++;
  return count;
}

function findRepetitionObjection(path: string, limit: number): string | undefined {
  if (countSegments(path) <= limit) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '');
  // In nearly all paths, no segment is repeated so often.
  if (countRepetitions(segments) < limit) return undefined;
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > limit) return `the path segment "${segment}" appears ${count} times, but at most ${limit} are allowed`;
    counts.set(segment, count);
  }
  return undefined;
}
