import { describe, expect, it } from 'vitest';
import { REFRESH, USER } from '../frontier/sources.js';
import { createPartUri } from '../push/parts.js';
import { instant } from '../time/units.js';
import {
  CLEARED,
  createVerificationChanges,
  decideClearing,
  decideForgettingError,
  decideIndexingDespiteCanonical,
  decideRequestedVisit,
  decideResend,
  decideSendingTo,
  type UnsentDeletion,
} from './commands.js';
import { UNKNOWN_STAMP, type UrlState } from './url-state.js';

const NOW = instant(1_000_000);
const PAST = instant(5);
const FUTURE = instant(2_000_000);

const url = (state: Partial<UrlState>): UrlState =>
  ({ url: 'http://a.example/', status: 'indexed', reason: 'indexed', dueAt: FUTURE, ...state }) as UrlState;

it.each([
  ['an indexed document is deleted', { stamp: 's' }, false, { kind: 'delete', reason: CLEARED }],
  ['there is no document to delete', {}, false, undefined],
  ['the document of another crawler stays', { stamp: 's' }, true, undefined],
] as const)('clearing a URL: %s', (_, state, keepsDocument, order) => {
  expect(decideClearing(url(state), keepsDocument)).toEqual({ remove: true, changes: {}, order, changed: true });
});

it.each([
  ['it is forgotten', { status: 'error' }, { remove: true }],
  ['one that was removed is forgotten, too', { status: 'removed' }, { remove: true }],
  [
    'one with a document is visited again',
    { status: 'error', stamp: 's' },
    {
      remove: false,
      changes: { status: 'indexed', reason: 'indexed', temporaryErrors: 0, source: REFRESH, dueAt: NOW },
    },
  ],
  ['one without an error stays as it is', { status: 'visited' }, undefined],
] as const)('forgetting a URL in error: %s', (_, state, expected) => {
  const disposition = decideForgettingError(url(state), false, NOW);
  if (expected === undefined) expect(disposition).toBeUndefined();
  else expect(disposition).toMatchObject(expected);
});

it.each([
  ['is visited in its queue', { reason: 'canonical-elsewhere', source: 2 }, { source: 2, dueAt: NOW }],
  ['is refreshed if it is in no queue', { reason: 'canonical-elsewhere' }, { source: REFRESH, dueAt: NOW }],
  ['stays as it is if it gave way to none', { reason: 'noindex', source: 2 }, undefined],
] as const)('a page whose canonical URL has no document %s', (_, state, changes) => {
  expect(decideIndexingDespiteCanonical(url(state), NOW)?.changes).toEqual(changes);
});

it.each([
  ['begins now', { source: REFRESH }, { source: USER, dueAt: NOW }],
  ['keeps the time at which it became due', { source: REFRESH, dueAt: PAST }, { source: USER, dueAt: PAST }],
  ['of a URL in no queue begins now', { dueAt: PAST }, { source: USER, dueAt: NOW }],
  ...(['excluded', 'elsewhere', 'filtered', 'removed'] as const).map(
    (status) => [`of a URL that is ${status} is not made`, { status }, undefined] as const,
  ),
] as const)('a requested visit %s', (_, state, changes) => {
  expect(decideRequestedVisit(url(state), NOW)?.changes).toEqual(changes);
});

describe('a document for one sink', () => {
  const newPrincipals = { hasNewPrincipals: true };
  const samePrincipals = { hasNewPrincipals: false };
  const visit = (reason: string) => ({
    changes: { ...createVerificationChanges(NOW), reason, source: REFRESH },
    order: undefined,
  });

  it.each([
    ['is copied', { stamp: 's' }, samePrincipals, false, { changes: {}, order: { kind: 'add', reason: 'backfill' } }],
    [
      'goes back to its own sink with new principals',
      { stamp: 's' },
      newPrincipals,
      true,
      { changes: {}, order: { kind: 'add', reason: 'access-changed' } },
    ],
    ['does not go back to its own sink without a change', { stamp: 's' }, samePrincipals, true, undefined],
    ['is found by a visit', { stamp: 's' }, undefined, false, visit('backfill')],
    ['gets its new principals by a visit', { stamp: 's' }, undefined, true, visit('access-changed')],
    ['that is unknown is found by a visit', { stamp: UNKNOWN_STAMP }, undefined, false, visit('backfill')],
    [
      'that is unknown is found by the visit that is due',
      { stamp: UNKNOWN_STAMP, dueAt: PAST },
      undefined,
      false,
      undefined,
    ],
    [
      'that is known does not wait for the visit that is due',
      { stamp: 's', dueAt: PAST },
      undefined,
      false,
      visit('backfill'),
    ],
    ['does not exist', {}, undefined, false, undefined],
    ['belongs to another crawler', { stamp: 's', status: 'elsewhere' }, samePrincipals, false, undefined],
  ] as const)('%s', (_, state, copy, isFromSameSink, expected) => {
    const disposition = decideSendingTo(url(state), copy, isFromSameSink, NOW);
    expect(disposition && { changes: disposition.changes, order: disposition.order }).toEqual(
      expected && { changes: expected.changes, order: expected.order },
    );
    expect(disposition?.remove ?? false).toBe(false);
  });
});

describe('a deletion that is sent again', () => {
  const deletion = (particulars: Partial<UnsentDeletion> = {}): UnsentDeletion => ({
    uri: 'http://a.example/',
    state: 'refused',
    reason: 'http-404',
    ...particulars,
  });
  const gone = { status: 'error', reason: 'http-404' } as const;

  it.each([
    ['is sent if the page is still gone', gone, deletion(), 'deletion'],
    ['is sent if it waits', { ...gone, pendingDeletion: 'http-404' }, deletion({ state: 'held' }), 'deletion'],
    [
      'is sent if it waits, although the page is back',
      { pendingDeletion: 'http-404' },
      deletion({ state: 'awaiting' }),
      'deletion',
    ],
    ['is sent for an operator, although the page is back', {}, deletion({ reason: CLEARED }), 'deletion'],
    ['is cancelled if the page is back', {}, deletion(), 'the page responds again'],
    [
      'is cancelled if the page is back, whatever else waits',
      { pendingDeletion: 'http-410' },
      deletion(),
      'the page responds again',
    ],
    [
      'is cancelled if it no longer waits',
      gone,
      deletion({ state: 'held' }),
      'the document was deleted for a different reason',
    ],
    [
      'is cancelled if it no longer waits for a sign of life',
      gone,
      deletion({ state: 'awaiting' }),
      'the document was deleted for a different reason',
    ],
    ['is that of a part', gone, deletion({ uri: createPartUri('http://a.example/', 'p1') }), 'part'],
  ] as const)('%s', (_, state, unsentDeletion, expected) => {
    const resend = decideResend(url(state), unsentDeletion);
    expect(resend.kind === 'cancelled' ? resend.reason : resend.kind).toBe(expected);
    if (resend.kind === 'part') expect(resend.id).toBe('p1');
  });

  it.each([
    ['a page in error stays and is visited when it is due', gone, false],
    ['a page that was given up is forgotten', { status: 'error', reason: 'too-many-temporary-errors' }, true],
    ['a page without a server record is forgotten', { status: 'error', reason: 'no-server-record' }, true],
    ['a page that says noindex stays', { status: 'visited', reason: 'noindex' }, false],
    ['a page that redirects stays', { status: 'redirected', reason: 'redirected' }, false],
  ] as const)('%s', (_, state, remove) => {
    const { reason } = state;
    const resend = decideResend(url(state), deletion({ reason }));
    const changes = remove ? {} : { stamp: null, simhash: null, etag: null, lastModified: null };
    expect(resend).toEqual({
      kind: 'deletion',
      disposition: { remove, changes, order: { kind: 'delete', reason }, changed: true },
    });
  });
});
