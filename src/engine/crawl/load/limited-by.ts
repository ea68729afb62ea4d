import type { CrawlerRunState } from '../../../domain/crawl/run-state.js';
import type { HostPause } from '../../../domain/politeness/server-pace.js';
import { type Duration, type Instant, NEVER } from '../../../domain/time/units.js';
import type { SinkView } from '../../delivery/sink-view.js';
import type { Frontier } from '../frontier/frontier.js';

export interface Load {
  readonly state: CrawlerRunState;
  readonly waiting: ReturnType<Frontier['summarizeWaiting']>;
  readonly fetching: number;
  readonly concurrency: number;
  readonly sinks: readonly SinkView[];
  readonly hasRoom: boolean;
  /** True while the store keeps up: few enough pages are fetched and not yet settled. */
  readonly storeFollows: boolean;
  /** Why the store accepts nothing at present. */
  readonly storeFault?: string;
  /** The quota that is used up for today, if there is one, and when it begins anew. */
  readonly usedUp?: { readonly quota: string; readonly until: Instant };
}

/** What an otherwise idle crawler still has to settle. */
export interface Unsettled {
  /** Number of URLs in error. */
  readonly failing: number;
  /** Number of deletions that are held or awaiting a condition. */
  readonly withheldDeletions: number;
}

export const LIMITS = [
  'paused',
  'stopped',
  'sink-unavailable',
  'sink-slow',
  'database-unavailable',
  'database-slow',
  'threads',
  'last-pages',
  'nothing-due',
  'schedule',
  'quota',
  'hosts-paused',
  'politeness',
  'machine',
] as const;

/** What limits a crawler's speed right now. The fields after `kind` are those that this kind needs. */
export interface Limit extends Partial<Unsettled> {
  readonly kind: (typeof LIMITS)[number];
  readonly sink?: string;
  /** The last failure of the sink or of the database. */
  readonly message?: string;
  readonly threads?: number;
  readonly quota?: string;
  /** When a schedule next allows crawling, absent if never; or when the quota begins anew. */
  readonly until?: Instant;
  /** The hosts with the most due URLs. */
  readonly hosts?: readonly string[];
  /** Their share of the due URLs, from 0 to 1. */
  readonly share?: number;
  readonly nextRequestAt?: Instant;
  /** The pause between requests to the first of the hosts, and what determined it. */
  readonly pause?: Duration;
  readonly pauseCause?: HostPause['cause'];
}

/** `countUnsettled` is called only if nothing is due. */
export async function findLimit(load: Load, countUnsettled: () => Promise<Unsettled>): Promise<Limit> {
  const { state, sinks, waiting, fetching, concurrency } = load;
  if (state !== 'running') return { kind: state };
  if (load.storeFault !== undefined) return { kind: 'database-unavailable', message: load.storeFault };
  // One sink that keeps up is enough: orders for the others are put off.
  const unavailable = sinks.every((sink) => sink.state === 'unavailable') ? sinks[0] : undefined;
  if (unavailable) return { kind: 'sink-unavailable', sink: unavailable.name, message: unavailable.message };
  if (!load.hasRoom) return { kind: 'sink-slow' };
  if (!load.storeFollows) return { kind: 'database-slow' };
  if (fetching >= concurrency) return { kind: 'threads', threads: concurrency };
  if (waiting.urls === 0)
    return fetching > 0 ? { kind: 'last-pages' } : { kind: 'nothing-due', ...(await countUnsettled()) };
  if (load.usedUp) return { kind: 'quota', ...load.usedUp };
  const { closedUntil, nextRequestAt } = waiting;
  if (closedUntil !== undefined) return { kind: 'schedule', until: closedUntil >= NEVER ? undefined : closedUntil };
  if (!waiting.limitedByHost) return { kind: 'machine' };
  const urlsOnLargest = waiting.largest.reduce((sum, host) => sum + host.urls, 0);
  const hosts = waiting.largest.map(({ hostKey }) => hostKey);
  // For any host that is not paused, the time of the next request is known.
  const kind = nextRequestAt === undefined ? 'hosts-paused' : 'politeness';
  const pause = kind === 'politeness' ? waiting.largest[0]?.pause : undefined;
  const reason = pause ? { pauseCause: pause.cause, pause: pause.length } : {};
  return { kind, hosts, share: urlsOnLargest / waiting.urls, nextRequestAt, ...reason };
}
