/** What a visit means: the table of outcomes, for a page that was never indexed and for one that is in the index. */
import { describe, expect, it } from 'vitest';
import { decide, document, INDEXED, NOW, rules, state, YESTERDAY } from '../../../test/support/url-states.js';
import { ERROR_CODES, type ErrorCode } from '../fetch/error-codes.js';
import { INDEX, REFRESH } from '../frontier/sources.js';
import { before, days, hours, minutes, NEVER, after as plus } from '../time/units.js';
import { isHoldCause } from './change-guard.js';
import { classifyError, decideDisposition } from './disposition.js';
import { createExclusion } from './exclusion.js';
import type { VisitOutcome } from './state-changes.js';
import type { UrlState } from './url-state.js';

const success = (from: UrlState) => ({
  source: REFRESH,
  dueAt: plus(NOW, hours(5)),
  lastVisitAt: NOW,
  visits: from.visits + 1,
  temporaryErrors: 0,
  permanentError: false,
});
const FORGOTTEN = { stamp: null, simhash: null, etag: null, lastModified: null };

describe('a document', () => {
  it('that is new is added', () => {
    expect(decide(state(), document({ etag: '"2"' }))).toMatchObject({
      remove: false,
      changed: true,
      order: { kind: 'add', reason: 'indexed' },
      changes: {
        ...success(state()),
        status: 'indexed',
        reason: 'indexed',
        stamp: 's1',
        simhash: 1n,
        etag: '"2"',
        lastModified: null,
        contentType: 'text/html',
        title: 'T',
        changes: 0,
        lastChangeAt: NOW,
      },
    });
  });

  it('that has changed is added again, and the change is counted', () => {
    const troubled = { ...INDEXED, temporaryErrors: 3, permanentError: true };
    const { order, changed, changes } = decide(troubled, document({ stamp: 's2', simhash: 2n }));
    expect({ order, changed }).toEqual({ order: { kind: 'add', reason: 'changed' }, changed: true });
    expect(changes).toMatchObject({ ...success(INDEXED), stamp: 's2', simhash: 2n, changes: 2, lastChangeAt: NOW });
  });

  it('without a text to compare has changed if its stamp has', () => {
    const image = { ...INDEXED, simhash: undefined };
    const { changed, changes } = decide(image, document({ stamp: 's2', simhash: undefined }));
    expect([changed, changes.changes]).toEqual([true, INDEXED.changes + 1]);
    expect(decide(state(), document({ simhash: undefined })).changes.changes).toBe(0);
  });

  it('that has not changed sends nothing', () => {
    const { order, changed, changes } = decide(INDEXED, document({ simhash: 9n }));
    expect({ order, changed }).toEqual({ order: undefined, changed: false });
    expect(changes).toMatchObject({ stamp: 's1', changes: 1, lastChangeAt: YESTERDAY });
  });

  it('that no longer belongs in the index is deleted, unless it never was there', () => {
    const outcome = document({ index: false, reason: 'noindex', stamp: 's2', simhash: 2n });
    const gone = decide(INDEXED, outcome);
    expect(gone).toMatchObject({ remove: false, changed: true, order: { kind: 'delete', reason: 'noindex' } });
    expect(gone.changes).toMatchObject({ status: 'visited', reason: 'noindex', stamp: null, simhash: 2n, changes: 2 });
    const never = decide(state(), outcome);
    expect(never).toMatchObject({ remove: false, changed: false, changes: { status: 'visited', stamp: null } });
    expect(never.order).toBeUndefined();
  });

  it.each([
    ['the same text', 2n, false],
    ['another text', 3n, true],
    ['no text to compare', undefined, true],
  ])('that is not in the index shows by its text whether it has changed: %s', (_, simhash, changed) => {
    const visited = state({ ...INDEXED, status: 'visited', stamp: undefined, simhash: 2n });
    const outcome = document({ index: false, reason: 'noindex', stamp: 's9', simhash });
    expect(decide(visited, outcome)).toMatchObject({ changed, changes: { changes: changed ? 2 : 1 } });
    // It returns to the index in any case.
    expect(decide(visited, document({ simhash }))).toMatchObject({
      changed,
      order: { kind: 'add', reason: 'indexed' },
    });
  });

  it.each([
    ['gives way to its canonical URL', undefined, 'canonical-elsewhere', 'http://a.example/c', 'http://a.example/c'],
    ['gives way to an unknown URL', undefined, 'canonical-elsewhere', undefined, undefined],
    ['is in the index itself again', 'http://a.example/c', 'indexed', undefined, null],
    ['is a copy of another one', 'http://a.example/c', 'duplicate', 'http://a.example/d', null],
  ])('that %s', (_, canonical, reason, related, expected) => {
    const outcome = document({ index: reason === 'indexed', reason: reason as 'indexed', related });
    const { changes } = decide({ ...INDEXED, canonical }, outcome);
    expect(changes.canonical).toBe(expected);
    expect('canonical' in changes).toBe(expected !== undefined);
  });
});

describe('a page that is unchanged according to its server', () => {
  it('keeps its status; only validators that differ are stored', () => {
    const outcome = { kind: 'unchanged', etag: 'W/"1"', lastModified: INDEXED.lastModified } as const;
    const { changes, ...rest } = decide({ ...INDEXED, reason: 'changed', temporaryErrors: 2 }, outcome);
    expect(rest).toEqual({ remove: false, changed: false });
    expect(changes).toMatchObject({ ...success(INDEXED), status: 'indexed', reason: 'changed', etag: 'W/"1"' });
    expect(changes.lastModified).toBeUndefined();
    expect(decide(INDEXED, { ...outcome, etag: '"2"' }).changes).toMatchObject({ etag: null, lastModified: null });
    expect(decide(INDEXED, { kind: 'unchanged' }).changes.etag).toBeUndefined();
    const newDate = decide(INDEXED, { kind: 'unchanged', etag: '"1"', lastModified: 'Mon' }).changes;
    expect([newDate.etag, newDate.lastModified]).toEqual([undefined, 'Mon']);
  });

  it.each([
    ['in the index, after an error', { ...INDEXED, status: 'error', reason: 'http-404' }, 'indexed', 'indexed'],
    ['not in the index, after an error', state({ status: 'error', reason: 'http-404' }), 'visited', 'unchanged'],
    ['not in the index', state({ status: 'visited', reason: 'noindex' }), 'visited', 'noindex'],
  ] as const)('%s', (_, from, status, reason) => {
    expect(decide(from as UrlState, { kind: 'unchanged' }).changes).toMatchObject({ status, reason });
  });
});

describe('a URL without a document', () => {
  it.each([
    ['redirect', { kind: 'redirect' }, 'redirected', 'redirected'],
    ['sitemap', { kind: 'sitemap' }, 'visited', 'links-only'],
  ] as const)('a %s takes its former document out of the index', (_, outcome, status, reason) => {
    const { changes, ...rest } = decide(INDEXED, outcome);
    expect(rest).toEqual({ remove: false, changed: true, order: { kind: 'delete', reason } });
    expect(changes).toMatchObject({ ...success(INDEXED), ...FORGOTTEN, status, reason });
    const first = decide(state(), outcome);
    expect(first).toMatchObject({ changed: false, changes: { status, reason } });
    expect(first.order).toBeUndefined();
    expect(first.changes.lastChangeAt).toBeUndefined();
  });

  it.each([
    ['with news', 'visited', true, true],
    ['without news', 'visited', false, false],
    ['with news, for the first time', 'waiting', true, false],
  ] as const)('a sitemap %s has changed: only one that was read before can', (_, status, changed, expected) => {
    const result = decide(state({ status, visits: 4, changes: 2 }), { kind: 'sitemap', changed });
    expect(result.changed).toBe(expected);
    expect(result.changes.changes).toBe(expected ? 3 : undefined);
    expect(result.changes.lastChangeAt).toBe(expected ? NOW : undefined);
  });
});

describe('an excluded URL', () => {
  const exclusion = createExclusion('robots-disallowed', undefined);
  const excluded = { status: 'excluded', reason: 'robots-disallowed', temporaryErrors: 0, permanentError: false };

  it('loses its document, and is visited again when its period has passed if the site can change its mind', () => {
    const { changes, ...rest } = decide({ ...INDEXED, temporaryErrors: 2, permanentError: true }, exclusion);
    expect(rest).toEqual({ remove: false, changed: true, order: { kind: 'delete', reason: 'robots-disallowed' } });
    expect(changes).toEqual({
      ...excluded,
      ...FORGOTTEN,
      source: REFRESH,
      dueAt: plus(NOW, hours(5)),
      lastVisitAt: NOW,
    });
  });

  it('is not visited again if only the configuration can', () => {
    const { changes, ...rest } = decide(state(), { ...exclusion, revisit: false });
    expect(rest).toEqual({ remove: false, changed: false, order: undefined });
    expect(changes).toEqual({ ...excluded, ...FORGOTTEN, source: null, dueAt: NEVER });
  });

  it('is forgotten if no server record covers it, and its document is deleted', () => {
    const outcome = { ...exclusion, removeStatus: true };
    const order = { kind: 'delete', reason: 'robots-disallowed' };
    expect(decide(INDEXED, outcome)).toEqual({ remove: true, changes: {}, changed: true, order });
    expect(decide(state(), outcome)).toEqual({ remove: true, changes: {}, changed: false });
  });

  it('that is left to another crawler keeps its document, and is forgotten if it never was in the crawl', () => {
    const outcome = { ...exclusion, keepDocument: true };
    const kept = {
      remove: false,
      changed: false,
      changes: { status: 'elsewhere', reason: 'robots-disallowed', source: null, dueAt: NEVER },
    };
    expect(decide(INDEXED, outcome)).toEqual(kept);
    expect(decide(state({ visits: 1 }), outcome)).toEqual(kept);
    expect(decide(state({ stamp: 's1' }), outcome)).toEqual(kept);
    expect(decide(state({ discoveredVia: 'root' }), outcome)).toEqual(kept);
    expect(decide(state(), outcome)).toEqual({ remove: true, changed: false, changes: {} });
  });
});

const error = (code: ErrorCode, retryAfter?: Parameters<typeof plus>[1]): VisitOutcome => ({
  kind: 'error',
  code,
  retryAfter,
});

describe('a permanent error', () => {
  const failed = {
    status: 'error',
    reason: 'http-404',
    source: REFRESH,
    dueAt: plus(NOW, hours(5)),
    lastVisitAt: NOW,
    permanentError: true,
    temporaryErrors: 0,
    ...FORGOTTEN,
  };

  it('deletes the document at once; the page is visited once more', () => {
    expect(decide({ ...INDEXED, temporaryErrors: 2 }, error('http-404'))).toEqual({
      remove: false,
      changed: true,
      order: { kind: 'delete', reason: 'http-404' },
      changes: { ...failed, visits: 4 },
    });
    expect(decide(state(), error('http-404'))).toEqual({
      remove: false,
      changed: false,
      order: undefined,
      changes: { ...failed, visits: 1 },
    });
  });

  it('removes the URL when it is the second in a row', () => {
    expect(decide(state({ permanentError: true, visits: 1, temporaryErrors: 2 }), error('http-404'))).toEqual({
      remove: false,
      changed: false,
      order: undefined,
      changes: {
        status: 'removed',
        reason: 'removed-after-errors',
        source: null,
        dueAt: NEVER,
        lastVisitAt: NOW,
        visits: 2,
        temporaryErrors: 2,
        canonical: null,
        ...FORGOTTEN,
      },
    });
  });

  it('does not remove the URL while the deletion of its document is held', () => {
    expect(decide({ ...INDEXED, permanentError: true }, error('http-404'))).toMatchObject({
      order: { kind: 'delete', reason: 'http-404' },
      changes: { status: 'error', permanentError: true },
    });
  });

  it.each(['http-404', 'connect-timeout'] as const)('forgets a sitemap that robots.txt names: %s', (code) => {
    const guessed = { discoveredVia: 'robots', temporaryErrors: 5 } as const;
    expect(decide(state(guessed), error(code))).toEqual({
      remove: true,
      changes: {},
      changed: false,
      order: undefined,
    });
    expect(decide({ ...INDEXED, ...guessed }, error(code))).toMatchObject({ remove: true, changed: true });
  });

  it('is visited again after `errorExpiry`, if it is set', () => {
    const schedule = { errorExpiry: days(30) };
    expect(decide(state(), error('http-404'), { schedule }).changes.dueAt).toBe(plus(NOW, days(30)));
  });
});

describe('a temporary error', () => {
  it('keeps document and validators, and is counted', () => {
    const { changes, ...rest } = decide(
      { ...INDEXED, temporaryErrors: 1, permanentError: true },
      error('connect-timeout'),
    );
    expect(rest).toEqual({ remove: false, changed: false });
    expect(changes).toEqual({
      source: REFRESH,
      dueAt: plus(NOW, minutes(6)),
      status: 'error',
      reason: 'connect-timeout',
      lastVisitAt: NOW,
      visits: 4,
      temporaryErrors: 2,
    });
  });

  it('leaves a first visit a first visit', () => {
    expect(decide(state(), error('connect-timeout')).changes.source).toBe(INDEX);
    expect(decide(state({ source: undefined }), error('connect-timeout')).changes.source).toBe(REFRESH);
  });

  it('gives up after as many in a row as are allowed, and deletes the document', () => {
    expect(decide({ ...INDEXED, temporaryErrors: 4 }, error('http-408')).changes.status).toBe('error');
    const given = decide({ ...INDEXED, temporaryErrors: 5 }, error('http-408'));
    expect(given).toMatchObject({
      remove: false,
      changed: true,
      order: { kind: 'delete', reason: 'too-many-temporary-errors' },
      changes: { status: 'removed', temporaryErrors: 6, dueAt: NEVER },
    });
    const schedule = { maxTemporaryErrors: 0 };
    expect(decide(INDEXED, error('http-408'), { schedule }).changes.status).toBe('removed');
  });

  it('that is only a doubt is not counted, and the page is visited again within an hour, however often', () => {
    const doubt = { kind: 'error', code: 'redirect-wall', doubted: true } as const;
    const { changes, order } = decide({ ...INDEXED, temporaryErrors: 5 }, doubt);
    expect(order).toBeUndefined();
    expect(changes).toMatchObject({ status: 'error', reason: 'redirect-wall', temporaryErrors: 5 });
    const doubted = state({ status: 'error', reason: 'redirect-wall', lastVisitAt: before(NOW, minutes(55)) });
    expect(decide(doubted, doubt).changes.dueAt).toBe(plus(NOW, hours(1)));
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    'of %s never deletes anything if the crawler is to blame',
    (code) => {
      const blamesCrawler = (ERROR_CODES[code] as { blame: string }).blame === 'crawler';
      const errors = { classes: { [code]: 'temporary' as const } };
      const { changes, order } = decide({ ...INDEXED, temporaryErrors: 5 }, error(code), { errors });
      expect(order === undefined).toBe(blamesCrawler);
      // A page whose change is not believed has responded: it has not failed several times in a row.
      expect(changes.temporaryErrors).toBe(isHoldCause(code) ? 0 : blamesCrawler ? 5 : 6);
      expect(blamesCrawler).toBe(
        /^(?:extractor|plugin|reading|login-failed|move-undecided|proxy|quota)/.test(code) || isHoldCause(code),
      );
    },
  );
});

it('an operator can move an error code to the other class', () => {
  const policy = { maxTemporaryErrors: 5, retryDelay: minutes(1), maxRetryDelay: days(1) };
  expect(classifyError('http-404', { ...policy, classes: {} })).toBe('permanent');
  expect(classifyError('http-408', { ...policy, classes: {} })).toBe('temporary');
  expect(classifyError('http-404', { ...policy, classes: { 'http-404': 'temporary' } })).toBe('temporary');
  const errors = { classes: { 'http-404': 'temporary' as const, 'http-408': 'permanent' as const } };
  expect(decide(INDEXED, error('http-404'), { errors }).order).toBeUndefined();
  expect(decide(INDEXED, error('http-408'), { errors }).order).toEqual({ kind: 'delete', reason: 'http-408' });
});

it('a start URL loses its document after too many temporary errors, but is visited again', () => {
  const gone = error('http-408');
  const disposition = decideDisposition({ ...INDEXED, temporaryErrors: 5 }, gone, { ...rules({}), isStart: true }, NOW);
  expect(disposition).toMatchObject({
    remove: false,
    order: { kind: 'delete' },
    changes: { status: 'error', temporaryErrors: 6, ...FORGOTTEN },
  });
  expect(disposition.changes.dueAt).toBeLessThan(plus(NOW, hours(25)));
});
