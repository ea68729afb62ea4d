/** The page that a redirect waits for may be visited while the redirecting page's own visit is still in flight. */
import { expect, it } from 'vitest';
import { HOST, judgeRedirect, redirectingHost } from '../../../../test/support/redirecting-host.js';
import { AWAITING_TARGET, REDIRECTED_FOR_NOW } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { before, hours, minutes } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { PageResult } from '../../ports/page-task.js';

it.each(['indexed', 'redirected'] as const)(
  'a redirect whose target is visited during its own visit is visited again after it (until then %s)',
  async (status) => {
    const { redirects, source, target, inFlight, requested } = redirectingHost();
    Object.assign(source, { status });
    await redirects.waitForVisit(target, source.url);
    expect(requested.splice(0)).toEqual([target.url]);

    inFlight.add(source.url);
    await redirects.noteSettled(target, { reason: 'indexed' });
    expect(requested).toEqual([]);

    inFlight.clear();
    await redirects.noteSettled({ ...source, status: 'redirected' }, { reason: AWAITING_TARGET });
    expect(requested.splice(0)).toEqual([source.url]);
    await redirects.noteSettled({ ...source, status: 'redirected' }, { reason: AWAITING_TARGET });
    expect(requested).toEqual([]);
  },
);

it('a page that no longer redirects after the visit it missed is left to its next regular visit', async () => {
  const { redirects, source, target, inFlight, requested } = redirectingHost();
  await redirects.waitForVisit(target, source.url);
  requested.length = 0;
  inFlight.add(source.url);
  await redirects.noteSettled(target, { reason: 'indexed' });
  inFlight.clear();
  await redirects.noteSettled(source, { reason: 'indexed' });
  await redirects.noteSettled(source, { reason: AWAITING_TARGET });
  expect(requested).toEqual([]);
});

it('a temporary redirect is requested again at once if its own site links to it, and not if a stranger does', async () => {
  const { redirects, source, requested } = redirectingHost();
  await redirects.noteSettled(Object.assign(source, { reason: REDIRECTED_FOR_NOW }), { reason: REDIRECTED_FOR_NOW });
  await redirects.noteLinked('http://evil.example/', [computeUrlKey(source.url)]);
  expect(requested).toEqual([]);
  await redirects.noteLinked(`${HOST}/list`, [computeUrlKey(source.url)]);
  expect(requested).toEqual([source.url]);
});

it('a new address that is not believed is requested once more if its own site links to it, and not if a stranger does', async () => {
  const { redirects, target, requested } = redirectingHost();
  const refused = Object.assign(target, { discoveredVia: 'redirect', stamp: undefined, reason: 'redirect-wall' });
  const keys = [computeUrlKey(target.url)];
  await redirects.noteSettled(refused, { reason: 'redirect-wall' });
  await redirects.noteLinked('http://evil.example/', keys);
  expect(requested).toEqual([]);
  await redirects.noteLinked(`${HOST}/list`, keys);
  await redirects.noteSettled(refused, { reason: 'redirect-wall' });
  await redirects.noteLinked(`${HOST}/list`, keys);
  expect(requested).toEqual([target.url]);
});

it.each<[string, Partial<UrlState>, boolean]>([
  ['of an indexed page', { discoveredVia: 'redirect', stamp: 'c' }, false],
  ['of a page that was found by a link', { discoveredVia: 'link', stamp: undefined }, false],
  ['of an address that is forgotten', { discoveredVia: 'redirect', stamp: undefined }, true],
])('no link is awaited to the redirect wall %s', async (_, state, removed) => {
  const { redirects, target } = redirectingHost();
  await redirects.noteSettled({ ...target, ...state }, { reason: 'redirect-wall', removed });
  expect(redirects.areAwaitingLinks).toBe(false);
});

it('a page whose cookie check has led back to it is visited again, even if its own visit is written and not over yet', async () => {
  const { redirects, source, inFlight, requested } = redirectingHost();
  Object.assign(source, { status: 'redirected', stamp: undefined });
  inFlight.add(source.url);
  await redirects.visitAgain(source.url);
  expect(requested).toEqual([]);

  inFlight.clear();
  await redirects.noteSettled(source, { reason: 'redirected' });
  expect(requested).toEqual([source.url]);
});

it('a page is visited again even if its visit is over before its state is read', async () => {
  const { redirects, source, pages, requested } = redirectingHost();
  Object.assign(source, { status: 'waiting', stamp: undefined });
  const again = redirects.visitAgain(source.url);
  pages[0] = { ...source, status: 'redirected' };
  await redirects.noteSettled(source, { reason: 'redirected' });
  await again;
  expect(requested).toEqual([source.url]);
});

it.each([
  ['/', 'redirect-to-home'],
  ['', 'redirect-to-home'],
  ['/?id=7', undefined],
  ['/new', undefined],
])('a page is not replaced by the home page of a site: a redirect to %s is an error: %s', async (path, code) => {
  const crawl = redirectingHost();
  const now = crawl.clock.now();
  crawl.pages.push({ ...crawl.target, url: `${HOST}${path}`, lastVisitAt: now });
  expect(await judgeRedirect(crawl, `${HOST}${path}`, now)).toMatchObject(
    code ? { kind: 'error', code } : { kind: 'redirect' },
  );
});

it.each([
  [9, 'was seen just now', { kind: 'redirect', proven: true }, []],
  [11, 'was seen some time ago, and may have ended', { kind: 'redirect', waits: true }, [`${HOST}/new`]],
])(
  'the end of a chain is where a page has gone, if its next redirect, %i minutes old, %s',
  async (age, _, outcome, asked) => {
    const crawl = redirectingHost();
    const { clock, source, target, pages, requested } = crawl;
    const end = `${HOST}/newest`;
    Object.assign(target, { status: 'redirected', canonical: end, stamp: undefined, lastVisitAt: clock.now() });
    clock.advance(minutes(age));
    Object.assign(source, { lastVisitAt: before(clock.now(), minutes(5)) });
    pages.push({ ...target, id: 3, url: end, status: 'indexed', stamp: 'd', lastVisitAt: clock.now() } as UrlState);
    expect(await judgeRedirect(crawl, target.url, clock.now())).toMatchObject(outcome);
    expect(requested).toEqual(asked);
  },
);

it('the end of a chain that fails is visited once, also if that cannot be written before its document is known', async () => {
  const crawl = redirectingHost();
  const { redirects, source, target, pages, clock, requested } = crawl;
  const end = { ...target, id: 3, url: `${HOST}/newest`, status: 'error', reason: 'http-5xx' } as UrlState;
  pages.push(end);
  Object.assign(target, { status: 'redirected', canonical: end.url, stamp: undefined, lastVisitAt: clock.now() });
  expect(await judgeRedirect(crawl, target.url, clock.now())).toMatchObject({ kind: 'redirect', waits: true });
  expect(requested.splice(0)).toEqual([end.url]);
  Object.assign(source, { status: 'redirected', reason: AWAITING_TARGET, canonical: target.url });
  clock.advance(minutes(1));
  await redirects.noteSettled(end, { reason: 'http-5xx' });
  expect(requested.splice(0)).toEqual([source.url]);
  expect(await judgeRedirect(crawl, target.url, clock.now())).toMatchObject({
    kind: 'error',
    code: 'redirect-target-failed',
  });
  expect(requested).toEqual([]);
});

it('a new address without a document ends the old one after a day, if its page leads there all the time', async () => {
  const crawl = redirectingHost();
  const { clock, source, target } = crawl;
  const redirectTo = async (changes: Partial<UrlState>) => {
    Object.assign(target, { stamp: 'd', status: 'indexed' }, changes, { lastVisitAt: clock.now() });
    return judgeRedirect(crawl, target.url, clock.now());
  };
  const noindex = { status: 'excluded', reason: 'noindex', stamp: undefined } as const;
  expect(await redirectTo(noindex)).toMatchObject({ kind: 'error', code: 'redirect-target-failed' });
  clock.advance(hours(23));
  expect(await redirectTo(noindex)).toMatchObject({ kind: 'error', code: 'redirect-target-failed' });
  const well = { outcome: { kind: 'unchanged' }, links: [], refused: [] } as unknown as PageResult;
  await crawl.redirects.look(source, well, clock.now());
  for (let hour = 0; hour < 24; hour++) {
    expect(await redirectTo(noindex), `hour ${hour}`).toMatchObject({ kind: 'error', code: 'redirect-target-failed' });
    clock.advance(hours(1));
  }
  expect(await redirectTo(noindex)).toMatchObject({ kind: 'redirect' });
  expect(source.stamp).toBeDefined();
});

it('a page whose document may have been delivered before a crash redirects like one that is indexed', async () => {
  const crawl = redirectingHost();
  const { redirects, source, target, inDoubt, requested, clock } = crawl;
  Object.assign(source, { stamp: undefined, status: 'waiting' });
  Object.assign(target, { stamp: undefined, status: 'waiting' });
  expect(await judgeRedirect(crawl, target.url, clock.now())).not.toHaveProperty('waits');
  inDoubt.add(source.url);
  expect(await judgeRedirect(crawl, target.url, clock.now())).toMatchObject({ kind: 'redirect', waits: true });

  requested.length = 0;
  Object.assign(source, { status: 'redirected', reason: AWAITING_TARGET });
  await redirects.noteSettled(target, { reason: 'indexed' });
  expect(requested).toEqual([source.url]);
});
