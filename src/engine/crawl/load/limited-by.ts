import type { CrawlerRunState } from '../../../domain/crawl/run-state.js';
import { formatTime } from '../../../domain/explain/words.js';
import { type Instant, NEVER } from '../../../domain/time/units.js';
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
  readonly now: Instant;
}

const NOTHING_DUE = 'nothing is due';

/** What an otherwise idle crawler still has to settle. */
export interface Unsettled {
  /** Number of URLs in error. */
  readonly failing: number;
  /** Number of deletions that are held or awaiting a condition. */
  readonly deletions: number;
}

/** Describes in words what limits a crawler's speed right now. `countUnsettled` is called only if nothing is due. */
export async function describeLimit(load: Load, countUnsettled: () => Promise<Unsettled>): Promise<string> {
  const limit = describeCurrentLimit(load);
  if (limit !== NOTHING_DUE) return limit;
  const { failing, deletions } = await countUnsettled();
  const errors =
    failing === 1 ? '1 URL is in error and will be visited' : `${failing} URLs are in error and will be visited`;
  const waitingDeletions = deletions === 1 ? '1 deletion is waiting' : `${deletions} deletions are waiting`;
  return [
    NOTHING_DUE,
    ...(failing > 0 ? [`${errors} again later`] : []),
    ...(deletions > 0 ? [`${waitingDeletions} for an operator or a sign of life`] : []),
  ].join('; ');
}

function describeCurrentLimit(load: Load): string {
  if (load.state !== 'running') return `the crawler is ${load.state}`;
  // One sink that keeps up is enough: orders for the others are put off.
  const unavailable = load.sinks.every((sink) => sink.state === 'unavailable') ? load.sinks[0] : undefined;
  if (unavailable)
    return `the sink ${unavailable.name} is unavailable: ${unavailable.message?.replace(`sink ${unavailable.name} at `, '') ?? 'no response'}`;
  if (!load.hasRoom) return 'the sink is slow: the maximum number of orders is in flight';
  if (!load.storeFollows) return 'the database is slow: the maximum number of pages is waiting for it';
  if (load.fetching >= load.concurrency) return `all ${load.concurrency} threads are fetching`;
  if (load.waiting.urls === 0) return load.fetching > 0 ? 'the last due pages are being fetched' : NOTHING_DUE;
  if (load.waiting.closedUntil !== undefined) return describeScheduleLimit(load.waiting.closedUntil);
  return load.waiting.limitedByHost ? describePolitenessLimit(load) : 'this machine';
}

const describeScheduleLimit = (until: Instant): string =>
  until >= NEVER
    ? 'a schedule that never allows crawling'
    : `a schedule: none of the due URLs may be crawled before ${formatTime(until)}`;

function describePolitenessLimit({ waiting, now }: Load): string {
  const urlsOnLargest = waiting.largest.reduce((sum, host) => sum + host.urls, 0);
  const share = Math.round((urlsOnLargest / waiting.urls) * 100);
  const summary = `${share} % of the due URLs are on ${waiting.largest.map((host) => host.hostKey).join(' and ')}`;
  // For any host that is not paused, the time of the next request is known.
  if (waiting.nextRequestAt === undefined) return `an operator: all hosts with due URLs are paused; ${summary}`;
  return `politeness: ${summary}; next request in ${formatWait(Math.max(0, (waiting.nextRequestAt - now) / 1000))}`;
}

/** In minutes or hours once tenths of a second no longer matter. */
function formatWait(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
