import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { HOST, judgeRedirect, redirectingHost } from '../../../../test/support/redirecting-host.js';
import { createTextSample } from '../../../domain/content/text-sample.js';
import { computeTextSketch } from '../../../domain/content/text-sketch.js';
import { AWAITING_TARGET } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { before, hours, minutes } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { PageResult } from '../../ports/page-task.js';

describe('a page to which another one redirects', () => {
  const OWN = 'river stone cloud garden window silver market engine paper bridge forest candle winter letter summer';
  const FORM = 'welcome to the portal of members where all offers and many colours can be chosen by whoever has a name';
  const OUTAGE = 'We are down for maintenance and will be back soon.';

  /** A world in which one page may show where the pages of the host lead; `find` visits a page to which one redirects. */
  function targets(particulars: Partial<UrlState> = {}) {
    const crawl = redirectingHost();
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
    const judgeAgain = () => judgeRedirect(crawl, target.url, clock.now());
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
    expect(await judgeRedirect(crawl, target.url, clock.now())).toMatchObject({ waits: true });
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
