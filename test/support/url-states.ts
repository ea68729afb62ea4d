/** States of a URL, its visits and the rules for them, for tests of what a visit means. */
import { decideDisposition } from '../../src/domain/crawl/disposition.js';
import type { DispositionRules } from '../../src/domain/crawl/revisit.js';
import type { VisitOutcome } from '../../src/domain/crawl/state-changes.js';
import type { UrlState } from '../../src/domain/crawl/url-state.js';
import { INDEX, REFRESH } from '../../src/domain/frontier/sources.js';
import { days, hours, instant, minutes } from '../../src/domain/time/units.js';

export const NOW = instant(days(1_000));
export const YESTERDAY = instant(NOW - days(1));

export const rules = ({ schedule, errors, refresh, ...parts }: PartialRules = {}): DispositionRules => ({
  schedule: { period: hours(5), ...schedule },
  errors: { maxTemporaryErrors: 5, retryDelay: minutes(1), maxRetryDelay: days(1), classes: {}, ...errors },
  refresh: {
    smart: true,
    minimumAge: hours(1),
    maximumAge: days(7),
    objective: 'freshness',
    hubs: false,
    timeZone: 'UTC',
    ...refresh,
  } as DispositionRules['refresh'],
  ...parts,
});
export interface PartialRules extends Partial<Omit<DispositionRules, 'schedule' | 'errors' | 'refresh'>> {
  readonly schedule?: Partial<DispositionRules['schedule']>;
  readonly errors?: Partial<DispositionRules['errors']>;
  readonly refresh?: Partial<DispositionRules['refresh']>;
}

export const state = (parts: Partial<UrlState> = {}): UrlState => ({
  id: 7,
  crawler: 'docs',
  url: 'http://a.example/x',
  hostKey: 'a.example',
  status: 'waiting',
  reason: 'accepted',
  source: INDEX,
  dueAt: NOW,
  hops: 1,
  redirects: 0,
  discoveredVia: 'link',
  firstSeenAt: instant(0),
  temporaryErrors: 0,
  permanentError: false,
  visits: 0,
  changes: 0,
  inheritedMetas: [],
  ...parts,
});
export const INDEXED = state({
  status: 'indexed',
  reason: 'indexed',
  source: REFRESH,
  lastVisitAt: YESTERDAY,
  visits: 3,
  changes: 1,
  lastChangeAt: YESTERDAY,
  stamp: 's1',
  simhash: 1n,
  etag: '"1"',
  lastModified: 'Sun, 22 Nov 2026 10:00:00 GMT',
});

export const document = (parts: Partial<Extract<VisitOutcome, { kind: 'document' }>> = {}): VisitOutcome => ({
  kind: 'document',
  index: true,
  reason: 'indexed',
  stamp: 's1',
  simhash: 1n,
  contentType: 'text/html',
  title: 'T',
  ...parts,
});

export const decide = (from: UrlState, outcome: VisitOutcome, parts: PartialRules = {}) =>
  decideDisposition(from, outcome, rules(parts), NOW);
