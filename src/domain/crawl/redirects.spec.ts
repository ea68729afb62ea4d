import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, INDEXED, state, NOW as VISITED_AT } from '../../../test/support/url-states.js';
import { createTextSample } from '../content/text-sample.js';
import { computeTextSketch } from '../content/text-sketch.js';
import { ERROR_CODES, type ErrorCode } from '../fetch/error-codes.js';
import { REFRESH } from '../frontier/sources.js';
import { hours, instant, after as plus } from '../time/units.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { classifyRedirect, compareNewTexts, judgeTarget } from './redirects.js';
import { UNKNOWN_STAMP, URL_STATUSES, type UrlState } from './url-state.js';

const NOW = 1_000_000;
const target = (fields: Partial<UrlState>): UrlState =>
  ({ status: 'indexed', reason: 'indexed', stamp: 'a', lastVisitAt: instant(NOW), ...fields }) as UrlState;
const SOURCE = { url: 'http://a/old', status: 'indexed', reason: 'indexed' } as const;
const judge = (fields: Partial<UrlState>, source: Partial<UrlState> = {}) =>
  judgeTarget({ ...SOURCE, ...source }, target(fields), instant(NOW));

const REMOVED_STATE = {
  ...{ status: 'removed', reason: 'removed-after-errors', stamp: undefined },
  ...{ permanentError: false, temporaryErrors: 0 },
} as const;
const states = fc.record({
  status: fc.constantFrom(...URL_STATUSES),
  reason: fc.constantFrom('indexed', ...(Object.keys(ERROR_CODES) as ErrorCode[])),
  stamp: fc.constantFrom(undefined, 'a', UNKNOWN_STAMP),
  lastVisitAt: fc.option(fc.integer({ min: NOW - 5, max: NOW + 5 }).map(instant), { nil: undefined }),
  pendingDeletion: fc.constantFrom(undefined, 'http-404' as const),
});

describe('the target of a redirect', () => {
  it('has failed if a sink has refused its document', () => {
    expect(judge({ status: 'visited', reason: 'order-refused', stamp: undefined }).kind).toBe('failed');
    expect(judge({ status: 'visited', reason: 'noindex', stamp: undefined }).kind).toBe('no-document');
  });

  it('that repeats the text of its source is visited again, now that the source is known to redirect', () => {
    const repeats = { status: 'visited', reason: 'exact-duplicate', stamp: undefined } as const;
    expect(judge({ ...repeats, canonical: SOURCE.url }).kind).toBe('unknown');
    expect(judge({ ...repeats, canonical: 'http://a/other' }).kind).toBe('no-document');
    const resembles = { ...repeats, reason: 'near-duplicate' } as const;
    expect(judge(resembles).kind).toBe('unknown');
    expect(judge(resembles, { status: 'redirected', reason: 'awaiting-redirect-target' }).kind).toBe('no-document');
    expect(judge(resembles, { status: 'error', reason: 'redirect-target-failed' }).kind).toBe('no-document');
  });

  it('is visited again if a crash has left in doubt whether its document has arrived', () => {
    expect(judge({ stamp: UNKNOWN_STAMP }).kind).toBe('unknown');
    const held = { status: 'visited', reason: 'noindex', pendingDeletion: 'noindex' } as const;
    expect(judge({ stamp: UNKNOWN_STAMP, ...held }).kind).toBe('no-document');
  });

  it('takes the place of a document only if it was visited since and is in the index', () => {
    fc.assert(
      fc.property(states, (fields) => {
        if (judge(fields).kind !== 'there') return;
        expect(fields.stamp).toBe('a');
        expect(fields.pendingDeletion).toBeUndefined();
        expect(fields.lastVisitAt).toBeGreaterThanOrEqual(NOW);
        expect(['error', 'removed', 'waiting', 'excluded']).not.toContain(fields.status);
      }),
    );
  });

  it('is gone only if its server says so', () => {
    fc.assert(
      fc.property(states, (fields) => {
        const verdict = judge(fields);
        if (verdict.kind === 'gone' && fields.status !== 'removed')
          expect(ERROR_CODES[fields.reason as ErrorCode].blame).toBe('page');
        if (fields.status === 'error' && verdict.kind === 'failed') expect(verdict.reason).toBe(fields.reason);
      }),
    );
  });

  it.each([
    ['waiting for its first visit', { status: 'waiting', stamp: undefined, lastVisitAt: undefined }, 'unknown'],
    ['visited before the redirect', { lastVisitAt: instant(NOW - 1) }, 'unknown'],
    ['in the index', {}, 'there'],
    ['not to be indexed', { status: 'visited', reason: 'noindex', stamp: undefined }, 'no-document'],
    ['missing', { status: 'error', reason: 'http-404', stamp: undefined }, 'gone'],
    ['ill', { status: 'error', reason: 'http-5xx', stamp: undefined }, 'failed'],
    ['indexed and ill', { status: 'error', reason: 'http-5xx' }, 'failed'],
    ['given up because it is missing', { ...REMOVED_STATE, permanentError: true }, 'gone'],
    ['given up because it is ill', { ...REMOVED_STATE, temporaryErrors: 6 }, 'failed'],
    [
      'given up because it is ill, and was missing before',
      { ...REMOVED_STATE, permanentError: true, temporaryErrors: 6 },
      'failed',
    ],
    ['given up before the redirect', { ...REMOVED_STATE, lastVisitAt: instant(NOW - 1) }, 'unknown'],
    ['excluded by the policy', { status: 'excluded', stamp: undefined }, 'no-document'],
  ] as const)('%s', (_name, fields, kind) => expect(judge(fields as Partial<UrlState>).kind).toBe(kind));
});

describe('a redirect compared with other pages of its host', () => {
  const counts = fc.record({ same: fc.nat(5), others: fc.nat(5) });

  it('is never that of one page alone if others are redirected to the same URL', () => {
    fc.assert(
      fc.property(counts, fc.nat(3), (evidence, available) => {
        const kind = classifyRedirect(evidence, available);
        if (evidence.same > 0) expect(kind).not.toBe('alone');
        if (kind === 'wall') expect(evidence.same).toBeGreaterThan(evidence.others);
        if (available === 0) expect(kind).not.toBe('look');
      }),
    );
  });

  it.each([
    ['nothing is known', { same: 0, others: 0 }, 2, 'look'],
    ['one other page is well', { same: 0, others: 1 }, 1, 'look'],
    ['two others are well', { same: 0, others: 2 }, 5, 'alone'],
    ['there is no other page', { same: 0, others: 0 }, 0, 'alone'],
    ['two others lead to the same place', { same: 2, others: 0 }, 5, 'wall'],
    ['one other leads there, one is well', { same: 1, others: 1 }, 5, 'shared'],
  ] as const)('%s', (_name, evidence, available, kind) => expect(classifyRedirect(evidence, available)).toBe(kind));
});

it.each([
  ['unknown', 'b', 'closed', 23, 'same'],
  ['unknown', 'b', 'open', 23, 'different'],
  ['unknown', 'a', 'closed', 23, 'unknown'],
  ['unknown', 'a', 'closed', 24, 'different'],
  ['same', 'a', 'closed', 24, 'same'],
  ['same', 'b', 'closed', 24, 'same'],
  ['same', 'b', 'open', 23, 'different'],
  ['different', 'b', 'closed', 23, 'different'],
  ['different', 'a', 'closed', 23, 'different'],
] as const)(
  'what other new addresses say, %s so far, if %s says %s after %i h: %s',
  (others, url, text, time, expected) => {
    const [closed, open] = ['We are closed today.', 'A text of its own.'].map(
      (words) =>
        createTextSample({ title: '', text: words }, toCrawlUrl('http://h/'), computeTextSketch(words), undefined)!,
    );
    const first = { url: 'a', source: 's', since: instant(NOW), seenAt: instant(NOW), sample: closed!, others };
    const seenAt = plus(instant(NOW), hours(time));
    expect(compareNewTexts(first, { url, seenAt, sample: (text === 'open' ? open : closed)! })).toBe(expected);
  },
);

describe('a URL that redirects', () => {
  it('names the URL that has taken its place, and forgets the former one if there is no target', () => {
    const canonicalOf = (outcome: object, from: Partial<UrlState>) =>
      decide(state(from), { kind: 'redirect', ...outcome }).changes.canonical;
    expect(canonicalOf({ target: 'http://a.example/b' }, { canonical: 'http://a.example/a' })).toBe(
      'http://a.example/b',
    );
    expect(canonicalOf({}, { canonical: 'http://a.example/a' })).toBeNull();
    expect(canonicalOf({}, {})).toBeUndefined();
  });

  it('keeps its document while it waits for its target, and is looked at again within six hours', () => {
    const outcome = { kind: 'redirect', target: 'http://a.example/b', waits: true } as const;
    expect(decide(INDEXED, outcome)).toEqual({
      remove: false,
      changed: false,
      changes: {
        status: 'redirected',
        reason: 'awaiting-redirect-target',
        canonical: 'http://a.example/b',
        source: INDEXED.source ?? REFRESH,
        dueAt: plus(VISITED_AT, hours(6)),
        lastVisitAt: VISITED_AT,
        visits: INDEXED.visits + 1,
        simhash: null,
      },
    });
  });
});
