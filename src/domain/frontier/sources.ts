/**
 * The six URL sources of the scheduler, their numbers and default weights (reference: CloudView, "How Priorities
 * Work"). Precedence (order inside a source) and weight (share between sources) are two different things.
 */
import { earlier, type Instant } from '../time/units.js';

export const SOURCES = ['user', 'redir', 'index', 'index_follow', 'follow', 'refresh'] as const;

export type SourceName = (typeof SOURCES)[number];

/** Position in SOURCES: 0 user … 5 refresh. */
export type SourceNumber = 0 | 1 | 2 | 3 | 4 | 5;

export const USER: SourceNumber = 0;
export const INDEX: SourceNumber = 2;
export const INDEX_FOLLOW: SourceNumber = 3;
/** The source of sitemaps, which are read only for their links. */
export const SITEMAPS: SourceNumber = 4;
export const REFRESH: SourceNumber = 5;

export const DEFAULT_WEIGHTS: Readonly<Record<SourceName, number>> = {
  user: 10_000,
  redir: 2_000,
  index: 1_000,
  index_follow: 100,
  follow: 10,
  refresh: 1,
};

export const getSourceName = (number: SourceNumber): SourceName => SOURCES[number];

/**
 * The source and due time of a URL that a user wants to have visited immediately. If it is already due, it keeps its
 * due time, from which its waiting time is measured.
 */
export function toImmediateQueuePlace(
  { source, dueAt }: { readonly source?: SourceNumber; readonly dueAt: Instant },
  now: Instant,
): { readonly source: SourceNumber; readonly dueAt: Instant } {
  return { source: USER, dueAt: source === undefined ? now : earlier(dueAt, now) };
}

/** How a URL reached the frontier. Together with what the rules grant, this determines its natural source. */
export type DiscoveredVia = 'root' | 'link' | 'redirect' | 'sitemap' | 'indexnow' | 'due';

/**
 * The source of a queued URL: roots → user, redirect targets → redir, others according to what the rules grant. A
 * priority shift (-2 highest … 2 lowest) moves it among the first five sources.
 */
export function assignSource(
  discoveredVia: DiscoveredVia,
  grants: { index: boolean; follow: boolean },
  shift: number,
): SourceNumber {
  if (discoveredVia === 'due') return REFRESH;
  const natural = chooseNaturalSource(discoveredVia, grants);
  return Math.min(4, Math.max(0, natural + Math.trunc(shift))) as SourceNumber;
}

/** The source of a URL, and why. */
export interface QueueAssignment {
  /** The source according to how the URL was discovered and what the rules grant. */
  readonly natural: SourceName;
  /** What rules and the root's priority add to the source number. */
  readonly shift: number;
  /** The natural source moved by the shift, clamped to the first five sources. */
  readonly source: SourceName;
}

export function explainAssignment(
  discoveredVia: DiscoveredVia | 'robots',
  grants: { index: boolean; follow: boolean },
  shift: number,
): QueueAssignment {
  if (discoveredVia === 'robots')
    return { natural: getSourceName(SITEMAPS), shift: 0, source: getSourceName(SITEMAPS) };
  const natural = assignSource(discoveredVia, grants, 0);
  return {
    natural: getSourceName(natural),
    shift: Math.trunc(shift),
    source: getSourceName(assignSource(discoveredVia, grants, shift)),
  };
}

function chooseNaturalSource(
  discoveredVia: Exclude<DiscoveredVia, 'due'>,
  grants: { index: boolean; follow: boolean },
): number {
  if (discoveredVia === 'root' || discoveredVia === 'indexnow') return 0;
  if (discoveredVia === 'redirect') return 1;
  if (grants.index) return grants.follow ? 3 : 2;
  return 4;
}
