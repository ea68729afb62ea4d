import { describe, expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { INDEX, REFRESH } from '../frontier/sources.js';
import type { Effects, Verdict } from '../policy/verdict.js';
import { days, hours, instant, NEVER } from '../time/units.js';
import { createCanonicalizer } from '../url/canonicalize.js';
import { decideReEvaluation, predictEffects } from './re-evaluation.js';
import type { UrlState } from './url-state.js';

const NOW = instant(Date.UTC(2026, 0, 10));
const FUTURE = instant(NOW + hours(1));

const url = (state: Partial<UrlState>): UrlState =>
  ({
    id: 1,
    url: 'http://a.example/page',
    status: 'waiting',
    reason: 'accepted',
    discoveredVia: 'link',
    dueAt: FUTURE,
    hops: 1,
    visits: 1,
    temporaryErrors: 0,
    ...state,
  }) as UrlState;

const effects = (particulars: Partial<Effects> = {}): Effects => ({
  index: true,
  follow: true,
  priorityShift: 0,
  metas: [],
  options: {},
  ...particulars,
});

const accept = (particulars: Partial<Effects> = {}): Verdict => ({
  accepted: true,
  reason: 'accepted',
  effects: effects(particulars),
  record: false,
  keepDocument: false,
  needsAddress: false,
});

const reject = (particulars: Partial<Verdict> = {}): Verdict => ({
  ...accept({ index: false, follow: false }),
  accepted: false,
  reason: 'not-accepted',
  layer: 'crawl-rules',
  ...particulars,
});

/** A condition that leaves no record. */
const FILTERED = reject({ layer: 'conditions', reason: 'condition-filtered' });

const INDEXED = { status: 'indexed', reason: 'indexed', stamp: 's' } as const;
const EXCLUDED = { status: 'excluded', reason: 'not-accepted', dueAt: NEVER } as const;
const ELSEWHERE = { status: 'elsewhere', reason: 'crawl-space-domain', stamp: 's', dueAt: NEVER } as const;

const reEvaluate = (state: Partial<UrlState>, verdict: Verdict) => {
  const { errors, refresh } = crawlerDefinition();
  return decideReEvaluation({
    state: url(state),
    verdict,
    rules: { errors, refresh, schedule: {} },
    canonicalize: createCanonicalizer(['sort-parameters']),
    now: NOW,
  });
};

describe('a stored URL that the rules accept', () => {
  const unchanged = undefined;

  it.each([
    ['comes back if the rules excluded it', EXCLUDED, accept(), { status: 'waiting', dueAt: NOW, source: 3 }],
    ['comes back with its document', ELSEWHERE, accept(), { status: 'indexed', dueAt: NOW, source: 3 }],
    [
      'comes back with its error forgotten',
      { ...ELSEWHERE, permanentError: true },
      accept(),
      { permanentError: false },
    ],
    ['comes back in the source that the rules grant', EXCLUDED, accept({ follow: false }), { source: INDEX }],
    ['comes back as a sitemap', { ...EXCLUDED, discoveredVia: 'robots' }, accept({ index: false }), { source: 4 }],
    ['stays out if robots.txt excluded it', { ...EXCLUDED, reason: 'robots-disallowed' }, accept(), unchanged],
    ['stays out if its media type excluded it', { ...EXCLUDED, reason: 'mime-type-excluded' }, accept(), unchanged],
    [
      'stays out if it was one of an endless pattern',
      { ...EXCLUDED, reason: 'trap-endless-pattern' },
      accept(),
      unchanged,
    ],
    [
      'stays out while the deletion of its document is held',
      { ...EXCLUDED, reason: 'robots-disallowed', stamp: 's' },
      accept({ index: false }),
      unchanged,
    ],
    ['stays removed', { status: 'removed' }, accept(), unchanged],
    ['stays indexed', INDEXED, accept(), unchanged],
    [
      'leaves the index for its links',
      INDEXED,
      accept({ index: false }),
      { status: 'visited', reason: 'links-only', stamp: null },
    ],
    ['leaves the index', INDEXED, accept({ index: false, follow: false }), { status: 'visited', reason: 'no-index' }],
    ['has no document to delete', { status: 'visited', reason: 'noindex' }, accept({ index: false }), unchanged],
    [
      'is visited to be indexed',
      { status: 'visited', reason: 'links-only' },
      accept(),
      { source: REFRESH, dueAt: NOW },
    ],
    [
      'is visited to be indexed, too',
      { status: 'visited', reason: 'no-index' },
      accept(),
      { source: REFRESH, dueAt: NOW },
    ],
    ['is not indexed against its page', { status: 'visited', reason: 'noindex' }, accept(), unchanged],
    [
      'is a sitemap, which is never indexed',
      { status: 'visited', reason: 'links-only', discoveredVia: 'robots' },
      accept(),
      unchanged,
    ],
    ['moves to the source that the rules grant', { source: 3 }, accept({ follow: false }), { source: INDEX }],
    ['stays in its source', { source: 3 }, accept(), unchanged],
    ['stays with the refreshes', { source: REFRESH }, accept({ follow: false }), unchanged],
    ['stays with the sitemaps', { source: 4, discoveredVia: 'robots' }, accept(), unchanged],
    ['stays where an operator put its root', { source: 1, discoveredVia: 'root' }, accept(), unchanged],
    ['is in no queue', { source: undefined }, accept({ follow: false }), unchanged],
    [
      'is visited if it now has a different canonical form',
      { ...INDEXED, url: 'http://a.example/?b&a' },
      accept(),
      { source: REFRESH, dueAt: NOW },
    ],
    ['is visited anyway', { ...INDEXED, url: 'http://a.example/?b&a', dueAt: NOW }, accept(), unchanged],
    [
      'is visited earlier than planned',
      { ...INDEXED, lastVisitAt: NOW, dueAt: instant(NOW + days(30)) },
      accept(),
      { source: REFRESH },
    ],
    [
      'that waits for its first visit keeps its time',
      { lastVisitAt: NOW, dueAt: instant(NOW + days(30)) },
      accept(),
      unchanged,
    ],
    [
      'that is excluded keeps its time',
      { ...EXCLUDED, reason: 'robots-disallowed', lastVisitAt: NOW },
      accept(),
      unchanged,
    ],
  ] as const)('%s', (_, state, verdict, changes) => {
    const disposition = reEvaluate(state, verdict);
    if (changes === undefined) expect(disposition).toBeUndefined();
    else expect(disposition).toMatchObject({ remove: false, changes });
  });

  it('has its document deleted for the reason why it leaves the index', () => {
    expect(reEvaluate(INDEXED, accept({ index: false }))?.order).toEqual({ kind: 'delete', reason: 'links-only' });
    expect(reEvaluate(ELSEWHERE, accept({ index: false }))?.order).toBeUndefined();
  });
});

describe('a stored URL that the rules reject', () => {
  const excluded = { status: 'excluded', reason: 'not-accepted', stamp: null, source: null, dueAt: NEVER };

  it.each([
    ['is excluded', INDEXED, reject(), excluded],
    ['is excluded before its first visit', {}, reject(), excluded],
    ['stays excluded', EXCLUDED, reject(), undefined],
    ['stays while the deletion of its document is held', { ...EXCLUDED, stamp: 's' }, FILTERED, undefined],
    ['stays removed', { status: 'removed' }, reject(), undefined],
    [
      'is left to another crawler',
      INDEXED,
      reject({ keepDocument: true }),
      { status: 'elsewhere', source: null, dueAt: NEVER },
    ],
    ['stays with the other crawler', ELSEWHERE, reject({ keepDocument: true }), undefined],
    ['is no longer left to another crawler', ELSEWHERE, reject(), excluded],
    ['waits for its visit if its server record is gone', INDEXED, reject({ layer: 'server-records' }), undefined],
    [
      'cannot wait for a visit if it was left to another crawler',
      ELSEWHERE,
      reject({ layer: 'server-records' }),
      excluded,
    ],
  ] as const)('%s', (_, state, verdict, changes) => {
    const disposition = reEvaluate(state, verdict);
    if (changes === undefined) expect(disposition).toBeUndefined();
    else expect(disposition).toMatchObject({ remove: false, changes });
  });

  it('has its document deleted, unless it belongs to another crawler', () => {
    expect(reEvaluate(INDEXED, reject())?.order).toEqual({ kind: 'delete', reason: 'not-accepted' });
    expect(reEvaluate(ELSEWHERE, reject())?.order).toEqual({ kind: 'delete', reason: 'not-accepted' });
    expect(reEvaluate(INDEXED, reject({ keepDocument: true }))?.order).toBeUndefined();
    expect(reEvaluate({}, reject())?.order).toBeUndefined();
  });
});

it.each([
  ['nothing for a removed URL', { status: 'removed' }, reject(), {}],
  ['nothing for a page that stays indexed', INDEXED, accept(), {}],
  ['a URL that comes back', EXCLUDED, accept(), { newlyAccepted: 'accepted' }],
  [
    'a URL that comes back and leaves the index',
    ELSEWHERE,
    accept({ index: false }),
    { newlyAccepted: 'accepted', documentsDeleted: 'links-only' },
  ],
  ['nothing for a URL that robots.txt excludes', { ...EXCLUDED, reason: 'robots-disallowed' }, accept(), {}],
  ['a page that leaves the index', INDEXED, accept({ index: false }), { documentsDeleted: 'links-only' }],
  ['a URL that changes its source', { source: 3 }, accept({ follow: false }), { changedSource: 'accepted' }],
  ['a URL that is excluded', {}, reject(), { excluded: 'not-accepted' }],
  ['a document that is excluded', INDEXED, reject(), { excluded: 'not-accepted', documentsDeleted: 'not-accepted' }],
  [
    'a document that is not left to another crawler any more',
    ELSEWHERE,
    reject(),
    { documentsDeleted: 'not-accepted' },
  ],
  ['a URL that is left to another crawler', INDEXED, reject({ keepDocument: true }), { keptElsewhere: 'not-accepted' }],
  ['nothing for a URL that stays with another crawler', ELSEWHERE, reject({ keepDocument: true }), {}],
] as const)('the preview counts %s', (_, state, verdict, expected) => {
  expect(predictEffects(url(state), verdict)).toEqual(expected);
});
