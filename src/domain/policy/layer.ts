/**
 * What the layers of the crawl policy have in common. A layer reads a candidate, records its effects in the draft, and
 * returns a rejection or undefined. The same call with a trace also reports what was tried, so that crawling and
 * explaining share their code.
 */
import type { Place, Problem } from '../crawl/place.js';
import type { MetaDefinition, UrlOptions } from '../crawl/policy-definition.js';
import type { Duration } from '../time/units.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import { Subject } from './matching/subject.js';
import { mergeOptions } from './options.js';
import type { ReasonCode } from './reasons.js';
import type { Candidate, Effects, LayerName, TraceStep } from './verdict.js';

export interface Layer {
  readonly name: LayerName;
  judge(candidate: Candidate, draft: Draft, trace?: TraceStep[]): Rejection | undefined;
}

export interface Rejection {
  readonly layer: LayerName;
  readonly reason: ReasonCode;
  readonly place?: Place;
  readonly detail?: string;
  readonly record?: boolean;
  readonly status?: 760 | 761;
  readonly keepDocument?: boolean;
}

/** The opinion of a layer that accepts a URL, with its place in the configuration. */
export interface Opinion {
  readonly layer: LayerName;
  readonly place?: Place;
  readonly detail?: string;
}

const NO_OPTIONS: UrlOptions = {};
const NO_METAS: readonly MetaDefinition[] = [];

/**
 * The effects of one verdict while the layers are being evaluated. Index and follow can be revoked, but never granted
 * again.
 */
export class Draft implements Effects {
  index = true;
  follow = true;
  source: string | undefined = undefined;
  priorityShift = 0;
  metas = NO_METAS;
  options = NO_OPTIONS;
  period: Duration | undefined = undefined;
  fetchUrl: string | undefined = undefined;
  anonymous: boolean | undefined = undefined;
  maxNetworkErrors: number | undefined = undefined;
  networkErrorDelay: Duration | undefined = undefined;
  needsAddress = false;
  /**
   * Site mode accepts the URL, so no crawl rule needs to. When a root is removed, the URLs that it alone had accepted
   * are removed too, unless the rules accept them.
   */
  isOnSite = false;
  opinion: Opinion | undefined = undefined;
  /** Shared by all layers, so that each form of the URL is computed only once. */
  readonly subject: Subject;

  constructor(url: CrawlUrl) {
    this.subject = new Subject(url);
  }

  /** The last setting of an option wins. */
  setOptions(options: UrlOptions): void {
    this.options = this.options === NO_OPTIONS ? options : mergeOptions(this.options, options);
  }

  addMetas(metas: readonly MetaDefinition[]): void {
    if (metas.length === 0) return;
    this.metas = this.metas.length === 0 ? metas : [...this.metas, ...metas];
  }
}

/** A layer without configuration, which has no opinion. */
export const createUnconfiguredLayer = (name: LayerName): Layer => ({
  name,
  judge(_candidate, _draft, trace) {
    trace?.push({ layer: name, test: 'no settings for this crawler', outcome: 'not configured' });
    return undefined;
  },
});

/** Whether the candidate is the root itself, to which rules about links do not apply. */
export function isRoot(candidate: Candidate): boolean {
  if (candidate.discoveredVia === 'root') return true;
  return candidate.discoveredVia === 'stored' && candidate.root?.url.href === candidate.url.href;
}

/** Whether the candidate is the target of a root that redirects, and therefore takes the root's place. */
export const isRootRedirect = (candidate: Candidate): boolean =>
  candidate.discoveredVia === 'redirect' && candidate.hops === 0;

/** Thrown if the configuration does not compile. Lists all problems at once. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map((problem) => problem.message).join('\n'));
  }
}
