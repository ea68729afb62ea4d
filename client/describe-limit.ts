import type { LimitDto } from './schema.js';

/**
 * Says in words what limits a crawler's speed right now.
 * @param now milliseconds since 1970
 */
export function describeLimit(limit: LimitDto, now = Date.now()): string {
  switch (limit.kind) {
    case 'paused':
    case 'stopped':
      return `the crawler is ${limit.kind}`;
    case 'sink-unavailable':
      return `the sink ${limit.sink} is unavailable: ${limit.message?.replace(`sink ${limit.sink} at `, '') ?? 'no response'}`;
    case 'sink-slow':
      return 'the sink is slow: the maximum number of orders is in flight';
    case 'database-unavailable':
      return `the database accepts nothing: ${limit.message}`;
    case 'database-slow':
      return 'the database is slow: the maximum number of pages is waiting for it';
    case 'threads':
      return `all ${limit.threads} threads are fetching`;
    case 'last-pages':
      return 'the last due pages are being fetched';
    case 'nothing-due':
      return ['nothing is due', ...describeUnsettled(limit)].join('; ');
    case 'schedule':
      return limit.until === undefined
        ? 'a schedule that never allows crawling'
        : `a schedule: none of the due URLs may be crawled before ${limit.until.replace(/\.\d{3}Z$/, 'Z')}`;
    case 'quota':
      return `quota ${limit.quota}: its bytes for today are used up; crawling continues at ${limit.until!.replace(/\.\d{3}Z$/, 'Z')}`;
    case 'hosts-paused':
      return `an operator, who has paused every host with due URLs; ${describeHosts(limit)}`;
    case 'politeness':
      return `politeness: ${describeHosts(limit)}; ${describePause(limit.pauseSeconds, limit.pauseCause)}next request in ${formatWait(Date.parse(limit.nextRequestAt!) - now)}`;
    case 'machine':
      return 'this machine';
  }
}

const PAUSE_CAUSES: Readonly<Record<NonNullable<LimitDto['pauseCause']>, string>> = {
  crawler: 'as the configuration says',
  schedule: 'as its schedule says',
  robots: 'as its robots.txt says (Crawl-delay)',
  'slow-responses': 'because the host responds more slowly than usual',
  'server-errors': 'because the host responds with errors (5xx)',
  reading: 'because its pages take long to read on this machine',
  rendering: 'because its rendered pages make many requests of their own',
};

/** Says why a host gets its next request only after a pause. */
export const explainPause = (cause: NonNullable<LimitDto['pauseCause']>): string => PAUSE_CAUSES[cause];

const describePause = (seconds: number | undefined, cause: LimitDto['pauseCause']): string =>
  seconds === undefined || cause === undefined || seconds === 0
    ? ''
    : `pause of ${formatWait(seconds * 1000)} ${explainPause(cause)}; `;

function describeUnsettled({ failing = 0, withheldDeletions = 0 }: LimitDto): string[] {
  const errors = failing === 1 ? '1 URL' : `${failing} URLs`;
  const held = withheldDeletions === 1 ? '1 deletion or change is' : `${withheldDeletions} deletions or changes are`;
  return [
    ...(failing > 0 ? [`${errors} failed and will be retried`] : []),
    ...(withheldDeletions > 0 ? [`${held} held`] : []),
  ];
}

const describeHosts = ({ hosts = [], share = 0 }: LimitDto): string =>
  `${Math.round(share * 100)} % of the due URLs are on ${hosts.join(' and ')}`;

/** In minutes or hours once tenths of a second no longer matter. */
function formatWait(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
