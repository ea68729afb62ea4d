/** The page that a redirect waits for may be visited while the redirecting page's own visit is still in flight. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { computeTextSketch, createTextSample } from '../../../domain/content/text-sample.js';
import { AWAITING_TARGET, REDIRECTED_FOR_NOW } from '../../../domain/crawl/revisit.js';
import { UNKNOWN_STAMP, type UrlState } from '../../../domain/crawl/url-state.js';
import { before, hours, type Instant, minutes } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { PageResult } from '../../ports/page-task.js';
import { Redirects } from './redirects.js';

const HOST = 'http://a.example';

function world() {
  const page = (id: number, path: string, particulars: Partial<UrlState>) =>
    ({ id, url: `${HOST}${path}`, hostKey: HOST, stamp: 'c', ...particulars }) as UrlState;
  const source = page(1, '/old', { status: 'indexed' });
  const target = page(2, '/new', { status: 'indexed' });
  const pages = [source, target];
  const clock = new ManualClock();
  const inFlight = new Set<string>();
  const requested: string[] = [];
  /** Pages of which a former process may have sent the document. */
  const inDoubt = new Set<string>();
  const services = {
    clock,
    inDoubt: {
      applyDoubt: (state: UrlState) => (inDoubt.has(state.url) ? { ...state, stamp: UNKNOWN_STAMP } : state),
    },
    strangers: { areNaming: async ({ foundOn }: { foundOn?: string }) => !foundOn?.startsWith(HOST) },
    store: {
      find: async (_crawler: string, url: string) => pages.find((one) => one.url === url),
      getSetting: async () => undefined,
      list: async () => pages.filter(({ stamp }) => stamp !== undefined),
    },
    // Each page of the host has an address of its own.
    walls: { findEvidence: () => ({ same: 0, others: 2, targets: 2 }) },
    scheduleVisit: async ({ url }: UrlState) => {
      if (inFlight.has(url)) return false;
      requested.push(url);
      return true;
    },
  };
  const redirects = new Redirects('docs', services as unknown as ConstructorParameters<typeof Redirects>[1]);
  return { redirects, source, target, pages, clock, inFlight, inDoubt, requested };
}

it.each(['indexed', 'redirected'] as const)(
  'a redirect whose target is visited during its own visit is visited again after it (until then %s)',
  async (status) => {
    const { redirects, source, target, inFlight, requested } = world();
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
  const { redirects, source, target, inFlight, requested } = world();
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
  const { redirects, source, requested } = world();
  await redirects.noteSettled(Object.assign(source, { reason: REDIRECTED_FOR_NOW }), { reason: REDIRECTED_FOR_NOW });
  await redirects.noteLinked('http://evil.example/', [computeUrlKey(source.url)]);
  expect(requested).toEqual([]);
  await redirects.noteLinked(`${HOST}/list`, [computeUrlKey(source.url)]);
  expect(requested).toEqual([source.url]);
});

it('a new address that is not believed is requested once more if its own site links to it, and not if a stranger does', async () => {
  const { redirects, target, requested } = world();
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
  const { redirects, target } = world();
  await redirects.noteSettled({ ...target, ...state }, { reason: 'redirect-wall', removed });
  expect(redirects.areAwaitingLinks).toBe(false);
});

it('a page whose cookie check has led back to it is visited again, even if its own visit is written and not over yet', async () => {
  const { redirects, source, inFlight, requested } = world();
  Object.assign(source, { status: 'redirected', stamp: undefined });
  inFlight.add(source.url);
  await redirects.visitAgain(source.url);
  expect(requested).toEqual([]);

  inFlight.clear();
  await redirects.noteSettled(source, { reason: 'redirected' });
  expect(requested).toEqual([source.url]);
});

it('a page is visited again even if its visit is over before its state is read', async () => {
  const { redirects, source, pages, requested } = world();
  Object.assign(source, { status: 'waiting', stamp: undefined });
  const again = redirects.visitAgain(source.url);
  pages[0] = { ...source, status: 'redirected' };
  await redirects.noteSettled(source, { reason: 'redirected' });
  await again;
  expect(requested).toEqual([source.url]);
});

/** What a visit of an indexed page that redirects to the target means for its document. */
async function judge({ redirects, source }: ReturnType<typeof world>, target: string, startedAt: Instant) {
  const result = { outcome: { kind: 'redirect', target, permanent: true }, links: [], refused: [] };
  const looked = await redirects.look(source, result as unknown as PageResult, startedAt);
  return (await redirects.judge(source, looked)).outcome;
}

it.each([
  ['/', 'redirect-to-home'],
  ['', 'redirect-to-home'],
  ['/?id=7', undefined],
  ['/new', undefined],
])('a page is not replaced by the home page of a site: a redirect to %s is an error: %s', async (path, code) => {
  const crawl = world();
  const now = crawl.clock.now();
  crawl.pages.push({ ...crawl.target, url: `${HOST}${path}`, lastVisitAt: now });
  expect(await judge(crawl, `${HOST}${path}`, now)).toMatchObject(
    code ? { kind: 'error', code } : { kind: 'redirect' },
  );
});

it.each([
  [9, 'was seen just now', { kind: 'redirect', proven: true }, []],
  [11, 'was seen some time ago, and may have ended', { kind: 'redirect', waits: true }, [`${HOST}/new`]],
])(
  'the end of a chain is where a page has gone, if its next redirect, %i minutes old, %s',
  async (age, _, outcome, asked) => {
    const crawl = world();
    const { clock, source, target, pages, requested } = crawl;
    const end = `${HOST}/newest`;
    Object.assign(target, { status: 'redirected', canonical: end, stamp: undefined, lastVisitAt: clock.now() });
    clock.advance(minutes(age));
    Object.assign(source, { lastVisitAt: before(clock.now(), minutes(5)) });
    pages.push({ ...target, id: 3, url: end, status: 'indexed', stamp: 'd', lastVisitAt: clock.now() } as UrlState);
    expect(await judge(crawl, target.url, clock.now())).toMatchObject(outcome);
    expect(requested).toEqual(asked);
  },
);

it('the end of a chain that fails is visited once, also if that cannot be written before its document is known', async () => {
  const crawl = world();
  const { redirects, source, target, pages, clock, requested } = crawl;
  const end = { ...target, id: 3, url: `${HOST}/newest`, status: 'error', reason: 'http-5xx' } as UrlState;
  pages.push(end);
  Object.assign(target, { status: 'redirected', canonical: end.url, stamp: undefined, lastVisitAt: clock.now() });
  expect(await judge(crawl, target.url, clock.now())).toMatchObject({ kind: 'redirect', waits: true });
  expect(requested.splice(0)).toEqual([end.url]);
  Object.assign(source, { status: 'redirected', reason: AWAITING_TARGET, canonical: target.url });
  clock.advance(minutes(1));
  await redirects.noteSettled(end, { reason: 'http-5xx' });
  expect(requested.splice(0)).toEqual([source.url]);
  expect(await judge(crawl, target.url, clock.now())).toMatchObject({ kind: 'error', code: 'redirect-target-failed' });
  expect(requested).toEqual([]);
});

it('a new address without a document ends the old one after a day, if its page leads there all the time', async () => {
  const crawl = world();
  const { clock, source, target } = crawl;
  const redirectTo = async (changes: Partial<UrlState>) => {
    Object.assign(target, { stamp: 'd', status: 'indexed' }, changes, { lastVisitAt: clock.now() });
    return judge(crawl, target.url, clock.now());
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
  const crawl = world();
  const { redirects, source, target, inDoubt, requested, clock } = crawl;
  Object.assign(source, { stamp: undefined, status: 'waiting' });
  Object.assign(target, { stamp: undefined, status: 'waiting' });
  expect(await judge(crawl, target.url, clock.now())).not.toHaveProperty('waits');
  inDoubt.add(source.url);
  expect(await judge(crawl, target.url, clock.now())).toMatchObject({ kind: 'redirect', waits: true });

  requested.length = 0;
  Object.assign(source, { status: 'redirected', reason: AWAITING_TARGET });
  await redirects.noteSettled(target, { reason: 'indexed' });
  expect(requested).toEqual([source.url]);
});

describe('a page to which another one redirects', () => {
  const OWN = 'river stone cloud garden window silver market engine paper bridge forest candle winter letter summer';
  const FORM = 'welcome to the portal of members where all offers and many colours can be chosen by whoever has a name';
  const OUTAGE = 'We are down for maintenance and will be back soon.';

  /** A world in which one page may show where the pages of the host lead; `find` visits a page to which one redirects. */
  function targets(particulars: Partial<UrlState> = {}) {
    const crawl = world();
    const { redirects, source, target, pages, clock } = crawl;
    const textSketch = computeTextSketch(OWN);
    Object.assign(source, { textSketch, status: 'indexed', lastVisitAt: clock.now() }, particulars);
    pages.splice(1);
    const look = async (outcome: unknown, state: UrlState) => {
      const result = { outcome, links: [], refused: [] } as unknown as PageResult;
      return (await redirects.look(state, result, clock.now())).outcome;
    };
    const find = (text: string, path = '/new', result: object = { index: true }) => {
      const own = computeTextSketch(text);
      const sample = createTextSample({ title: '', text }, toCrawlUrl(`${HOST}${path}`), own, undefined);
      const found = {
        stamp: undefined,
        discoveredVia: 'redirect',
        foundOn: source.url,
        url: `${HOST}${path}`,
      } as const;
      return look({ kind: 'document', ...result, facts: { sample, textSketch: own } }, { ...target, ...found });
    };
    const redirect = () => look({ kind: 'redirect', target: target.url, permanent: true }, { ...source, stamp: 'c' });
    return { ...crawl, find, redirect, look };
  }
  const REFUSED = { kind: 'error', code: 'redirect-wall' };
  const TAKEN = { kind: 'document' };

  it('is none if its page was well just now', async () => {
    const { find, requested } = targets();
    expect(await find(FORM)).toMatchObject(REFUSED);
    expect(requested).toEqual([]);
  });

  it.each<[string, Partial<UrlState>, number, object]>([
    ['one that was well', {}, 11, REFUSED],
    [
      'one that a former process has given up just now',
      { lastVisitAt: before(new ManualClock().now(), minutes(1)) },
      0,
      REFUSED,
    ],
    ['one that redirects, of which a former process knew where', { status: 'redirected' }, 0, REFUSED],
    ['one without a document', { stamp: undefined }, 11, TAKEN],
    ['one whose document may have been delivered', { stamp: undefined, url: `${HOST}/in-doubt` }, 11, REFUSED],
  ])('%s is looked at first if it is not known where that leads now', async (_, state, minutesAgo, expected) => {
    const { clock, find, requested, source, inDoubt } = targets(state);
    inDoubt.add(`${HOST}/in-doubt`);
    clock.advance(minutes(minutesAgo));
    expect(await find(FORM)).toMatchObject(expected);
    expect(requested).toEqual(expected === REFUSED ? [source.url] : []);
  });

  it('is none after its page was found well, also if that visit cannot be written yet', async () => {
    const { find, redirects, source, inDoubt, clock, requested } = targets({
      stamp: undefined,
      lastVisitAt: undefined,
    });
    inDoubt.add(source.url);
    expect(await find(FORM)).toMatchObject(REFUSED);
    clock.advance(minutes(1));
    await redirects.noteSettled(source, { reason: 'directive-wave' });
    requested.length = 0;
    expect(await find(FORM)).toMatchObject(REFUSED);
    expect(requested).toEqual([]);
  });

  it.each<[string, Partial<UrlState>, object]>([
    ['refused, not forgotten, for an indexed page', {}, REFUSED],
    ['refused for what a redirect has led to', { stamp: undefined, discoveredVia: 'redirect' }, REFUSED],
    ['forgotten for a page without a document', { stamp: undefined }, TAKEN],
  ])('is %s if it is an error page to which nothing else leads', async (_, state, expected) => {
    const { find } = targets(state);
    expect(await find(FORM, '/page-not-found', { index: false, reason: 'not-linked' })).toMatchObject(expected);
  });

  it('is taken as soon as the redirect was looked at, although that visit is not written yet', async () => {
    const { clock, find, redirect } = targets();
    clock.advance(hours(24));
    await redirect();
    await find(FORM);
    expect(await find(OWN, '/other')).toMatchObject(TAKEN);
  });

  it('is taken for an hour after the redirect was looked at, if others say something else', async () => {
    const { clock, find, redirect, source } = targets({ status: 'redirected' });
    await redirect();
    await find(FORM);
    clock.advance(minutes(59));
    expect(await find(OWN, '/other')).toMatchObject(TAKEN);
    expect(await find(FORM)).toMatchObject(TAKEN);
    clock.advance(minutes(2));
    expect(await find(FORM)).toMatchObject(REFUSED);
    expect(source.stamp).toBeDefined();
  });

  it.each<Partial<UrlState>>([
    { status: 'redirected' },
    { status: 'redirected', stamp: undefined },
    { status: 'redirected', stamp: undefined, textSketch: undefined },
  ])('is none as long as nothing else is known of the new addresses of its host: %o', async (state) => {
    const { find, redirect } = targets(state);
    await redirect();
    for (const path of ['/new', '/new', '/other', '/new']) expect(await find(FORM, path), path).toMatchObject(REFUSED);
  });

  it('is not refused if it is not for the index, whatever others say', async () => {
    const { find, redirect } = targets({ status: 'redirected' });
    await redirect();
    expect(await find(FORM, '/other')).toMatchObject(REFUSED);
    expect(await find(FORM, '/new', { index: false, reason: 'noindex' })).toMatchObject(TAKEN);
  });

  it.each([
    ['the last one that moves', '/new', true, TAKEN],
    ['one whose redirect had ended', '/new', false, REFUSED],
    ['another one than the first', '/other', true, REFUSED],
  ])('is taken after a day if nothing else is known: %s', async (_, path, isKept, expected) => {
    const { clock, find, redirect, look, source } = targets({ status: 'redirected' });
    for (const time of [0, 12, 10.9].map(hours)) {
      clock.advance(time);
      await redirect();
      expect(await find(FORM)).toMatchObject(REFUSED);
    }
    if (!isKept) await look({ kind: 'unchanged' }, source);
    clock.advance(hours(1.1));
    await redirect();
    expect(await find(FORM, path)).toMatchObject(expected);
  });

  /** The page to which the first one redirects was visited, and the visit is settled. */
  async function settle({ redirects, pages, clock, target }: ReturnType<typeof targets>, refused: boolean) {
    const wall = { status: 'error', reason: 'redirect-wall', stamp: undefined } as const;
    const state = { ...target, ...wall, discoveredVia: 'redirect', foundOn: pages[0]!.url } as const;
    pages[1] = {
      ...state,
      ...(refused ? {} : { status: 'indexed', stamp: 'n' }),
      lastVisitAt: clock.now(),
    } as UrlState;
    await redirects.noteSettled(state, { reason: refused ? 'redirect-wall' : 'indexed' });
  }

  it('is visited again at once if its page was looked at during its own visit', async () => {
    const crawl = targets({ status: 'redirected' });
    const { find, redirect, inFlight, redirects, requested, pages, source, target } = crawl;
    pages.push({ ...target, status: 'waiting', stamp: undefined });
    await find(FORM);
    expect(requested.splice(0)).toEqual([source.url]);
    inFlight.add(target.url);
    await redirect();
    await redirects.noteSettled(source, { reason: AWAITING_TARGET });
    inFlight.clear();
    await settle(crawl, true);
    expect(requested).toEqual([target.url]);
  });

  it('keeps its page waiting, and does not request it, until more is known', async () => {
    const crawl = targets({ status: 'redirected', reason: AWAITING_TARGET });
    const { find, redirect, requested, source, target, clock } = crawl;
    const judgeAgain = () => judge(crawl, target.url, clock.now());
    await redirect();
    await find(FORM);
    await settle(crawl, true);
    expect(await judgeAgain()).toMatchObject({ kind: 'redirect', waits: true });
    await find(FORM);
    await settle(crawl, true);
    expect(requested).toEqual([]);

    await find(FORM, '/other');
    expect(await judgeAgain()).toMatchObject({ kind: 'error', code: 'redirect-target-failed' });
    await find(FORM);
    await settle(crawl, true);
    expect(requested).toEqual([source.url]);
  });

  it('is visited again with all others that were refused, and then its page, as soon as one says something else', async () => {
    const crawl = targets({ status: 'redirected' });
    const { find, redirect, requested, source, target, pages, clock } = crawl;
    await redirect();
    for (const path of ['/new', '/other']) expect(await find(FORM, path)).toMatchObject(REFUSED);
    await settle(crawl, true);
    pages.push({ ...pages[1]!, id: 3, url: `${HOST}/other` });
    clock.advance(hours(2));
    await redirect();
    expect(await find(FORM, '/third')).toMatchObject(REFUSED);
    expect(await find(OWN, '/fourth')).toMatchObject(TAKEN);
    expect(requested.splice(0)).toEqual([target.url, `${HOST}/other`]);

    Object.assign(pages[1]!, { lastVisitAt: clock.now() });
    expect(await judge(crawl, target.url, clock.now())).toMatchObject({ waits: true });
    Object.assign(source, { status: 'error', reason: 'redirect-target-failed' });
    expect(await find(FORM)).toMatchObject(TAKEN);
    await settle(crawl, false);
    expect(requested).toEqual([source.url]);
  });

  it('is taken after a day, although others were the first to be compared with meanwhile', async () => {
    const { clock, find, redirect } = targets({ status: 'redirected' });
    for (let hour = 0; hour < 24; hour += 4) {
      await redirect();
      expect(await find(FORM)).toMatchObject(REFUSED);
      clock.advance(hours(2));
      await redirect();
      expect(await find(OWN, `/other-${hour}`)).toMatchObject(TAKEN);
      clock.advance(hours(2));
    }
    await redirect();
    expect(await find(FORM)).toMatchObject(TAKEN);
  });

  it.each<[string, number, Partial<UrlState>, object]>([
    ['no document, as at first', 0, { stamp: undefined }, TAKEN],
    ['one or two', 1, {}, REFUSED],
    ['one or two, and the redirecting page has none', 2, { stamp: undefined }, REFUSED],
    ['more, which show where they lead', 3, { stamp: undefined }, TAKEN],
  ])('and that reports an outage, on a host with %s', async (_, documents, state, expected) => {
    const { find, pages, source } = targets(state);
    const others = documents - (state.stamp === undefined && 'stamp' in state ? 0 : 1);
    for (let id = 10; id < 10 + others; id++) pages.push({ ...source, id, url: `${HOST}/${id}`, stamp: 'c' });
    expect(await find(OUTAGE)).toMatchObject(expected);
  });
});
