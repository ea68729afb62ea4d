import { describe, expect, it } from 'vitest';
import { crawlerDefinition, rootDefinition } from '../../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { state } from '../../../../test/support/url-states.js';
import { computeTextSketch } from '../../../domain/content/text-sketch.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { hours, instant, minutes } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { compileContexts } from '../../page/crawl-context.js';
import type { PageResult } from '../../ports/page-task.js';
import { getDecisionSetting, getMovedSetting, getUndecidedSetting, MoveRules, SiteMoves } from './site-moves.js';

const HOME = 'http://www.a.example/';
const [SUBDOMAIN, ELSEWHERE, OTHERS] = ['http://new.a.example/', 'http://b.example/', 'http://shop.example/'];
const UNDECIDED = getUndecidedSetting('docs', HOME);
const MOVED = getMovedSetting('docs', HOME);

/** The site of one root, the addresses of hosts, and what operators have decided; another crawler has `shop.example`. */
function crawlOfSite(settings: Partial<CrawlerDefinition> = {}) {
  const clock = new ManualClock();
  const crawler = (name: string, url: string) =>
    crawlerDefinition({ ...settings, name, roots: [rootDefinition(url, { site: true })] });
  const crawlers = [crawler('docs', HOME), crawler('shop', OTHERS)];
  const contexts = compileContexts({ crawlers, fetchers: [{ name: crawlers[0]!.fetcher }], sinks: [] } as never);
  const context = contexts.get('docs')!;
  const stored = new Map<string, string>();
  const addresses = new Map<string, string>();
  const pages: UrlState[] = [];
  const seen = {
    looked: [] as string[],
    forgotten: [] as string[],
    events: [] as object[],
    waiting: [] as [string, string][],
    judged: [] as string[],
    visited: [] as string[],
    added: 0,
    notified: 0,
    domains: 0,
    log: [] as string[],
  };
  const store = {
    getSetting: async (key: string) => stored.get(key),
    putSetting: async (key: string, value: string | undefined) => {
      if (value === undefined) stored.delete(key);
      else stored.set(key, value);
    },
    find: async (_crawler: string, url: string) => pages.find((page) => page.url === url),
    list: async ({ status }: { status: string }, lastId: number) =>
      pages.filter((page) => page.id > lastId && page.status === status),
  };
  const processor = {
    resolve: async (host: string) => {
      seen.looked.push(host);
      return addresses.get(host);
    },
    addRoot: () => void seen.added++,
    forget: (_crawler: string, urls: string[]) => void seen.forgotten.push(...urls),
  };
  const loadDomains = async () => {
    seen.domains++;
    return (host: string) => host.split('.').slice(-2).join('.');
  };
  const moveRules = new MoveRules({ store, processor, loadDomains } as never);
  const write = (text: string) => void seen.log.push(text);
  const services = {
    ...{ store, processor, clock, moveRules, log: { info: write, warn: write } },
    nodes: { notifyControlChanged: async () => void seen.notified++ },
    events: { emit: (event: object) => void seen.events.push(event) },
  };
  const current = { context, policySince: instant(0) };
  const redirects = {
    waitForVisit: async (url: UrlState, source: string) => void seen.waiting.push([url.url, source]),
  };
  const moves = new SiteMoves(services as never, {
    ...{ current, redirects },
    decisions: { decide: async ({ url }: UrlState) => seen.judged.push(url) > 0 },
    scheduleVisit: async ({ url }: UrlState) => seen.visited.push(url) > 0,
  });
  const review = async (page: Partial<UrlState>, outcome: object, startedAt = clock.now()) => {
    const redirect = { kind: 'redirect', permanent: true, movesSite: false, ...outcome };
    const result = { crawler: 'docs', outcome: redirect, links: [{ url: ELSEWHERE }], refused: ['x'] };
    const known = state({ url: HOME, root: HOME, stamp: 's', ...page });
    return moves.review(known, result as unknown as PageResult, startedAt);
  };
  const decide = (origin: string, follow: boolean) =>
    stored.set(getDecisionSetting('docs', HOME), JSON.stringify({ origin, follow }));
  const root = () => context.roots.get(HOME)!;
  const ago = (time: number) => instant(clock.now() - time);
  return {
    ...{ ago, clock, context, current, stored, addresses, pages, seen, moves, moveRules, review, decide, root },
  };
}

const AS_IS = { links: [{ url: ELSEWHERE }], refused: ['x'] };
const DROPPED = { links: [], refused: [] };
const undecided = (target: string, reason: string) => ({
  outcome: {
    kind: 'error',
    code: 'move-undecided',
    detail: `it redirects to ${target} (${reason})`,
    retryAfter: hours(6),
  },
  ...DROPPED,
});

describe('whether the crawl follows a home page', () => {
  it.each<[string, CrawlerDefinition['followMoves'], string | undefined]>([
    [SUBDOMAIN, 'domain', undefined],
    [ELSEWHERE, 'domain', 'move-to-another-domain'],
    [ELSEWHERE, 'any', undefined],
    [SUBDOMAIN, 'never', 'moves-not-followed'],
    [OTHERS, 'any', 'move-to-another-crawler'],
  ])('to %s with followMoves %s: %s', async (target, followMoves, reason) => {
    const { review } = crawlOfSite({ followMoves });
    const result = await review({}, { target, movesSite: true });
    expect(result).toMatchObject(reason === undefined ? AS_IS : undecided(target, reason));
  });

  it('not to a private address from a public one', async () => {
    const { review, addresses, seen, moveRules, context, root } = crawlOfSite({ followMoves: 'any' });
    addresses.set('www.a.example', '8.8.8.8').set('b.example', '10.0.0.1');
    const target = { target: ELSEWHERE, movesSite: true };
    expect(await review({}, target)).toMatchObject(undecided(ELSEWHERE, 'move-to-private-address'));
    expect(seen.looked).toEqual(['www.a.example', 'b.example']);
    const findWithoutLookUp = moveRules.findObjection(context, root(), toCrawlUrl(ELSEWHERE), false);
    expect([await findWithoutLookUp, seen.looked.length]).toEqual([undefined, 2]);
    expect(seen.domains, 'the list of domains is loaded once').toBe(1);
  });

  it('as an operator has decided for that site, and for no other', async () => {
    const { review, decide } = crawlOfSite();
    const target = { target: `${ELSEWHERE}start`, movesSite: true };
    decide('http://b.example', true);
    expect(await review({}, target)).toMatchObject({ outcome: { kind: 'redirect' }, ...AS_IS });
    decide('http://b.example', false);
    expect(await review({}, target)).toMatchObject({
      ...{ outcome: { kind: 'redirect', refused: 'outside-site', movesSite: false }, ...DROPPED },
    });
    decide('http://c.example', true);
    expect(await review({}, target)).toMatchObject(undecided(target.target, 'move-to-another-domain'));
  });

  it('nobody decides about the site of a root that was removed', async () => {
    const { review, context, root, seen } = crawlOfSite();
    context.roots.set(HOME, { ...root(), removed: true });
    expect(await review({}, { target: ELSEWHERE, movesSite: true })).toMatchObject(AS_IS);
    expect(seen.events).toEqual([]);
  });

  it('a move that is not followed is told once, and again if its target or reason changes', async () => {
    const { review, seen, stored, clock } = crawlOfSite();
    const since = clock.now();
    const told = async (target: string) => {
      await review({}, { target, movesSite: true });
      return seen.events.splice(0);
    };
    const event = { type: 'move', crawler: 'docs', root: HOME, reason: 'move-to-another-domain' };
    expect(await told(ELSEWHERE)).toEqual([{ ...event, target: ELSEWHERE }]);
    expect(seen.forgotten).toEqual([ELSEWHERE]);
    clock.advance(hours(6));
    expect(await told(ELSEWHERE)).toEqual([]);
    expect(await told('http://c.example/')).toEqual([{ ...event, target: 'http://c.example/' }]);
    expect(JSON.parse(stored.get(UNDECIDED)!)).toEqual({ target: 'http://c.example/', reason: event.reason, since });
    stored.set(UNDECIDED, stored.get(UNDECIDED)!.replace(event.reason, 'moves-not-followed'));
    expect(await told('http://c.example/')).toHaveLength(1);
  });
});

describe('a page of the site that redirects to another site', () => {
  const target = { target: `${ELSEWHERE}x`, refused: 'outside-site' };
  const page = { url: `${HOME}x` };

  it('waits for a visit to the home page, which says whether the site has moved', async () => {
    const { review, pages, seen, clock, ago } = crawlOfSite();
    pages.push(state({ url: HOME, lastVisitAt: ago(1) }));
    expect(await review(page, target)).toMatchObject({ outcome: { kind: 'redirect', waits: true }, ...DROPPED });
    expect(seen.waiting).toEqual([[HOME, page.url]]);
    pages[0] = state({ url: HOME, lastVisitAt: clock.now() });
    expect(await review(page, target)).toMatchObject(AS_IS);
    pages[0] = state({ url: HOME });
    expect(await review(page, target), 'it was never visited').toMatchObject({ outcome: { waits: true } });
  });

  it('has waited if the home page was visited since its own last visit, of the last ten minutes', async () => {
    const { review, pages, ago } = crawlOfSite();
    const waited = async (age: number, status: UrlState['status'] = 'redirected') => {
      const lastVisitAt = ago(age);
      pages[0] = state({ url: HOME, lastVisitAt });
      const { outcome } = await review({ ...page, status, lastVisitAt }, target);
      return !('waits' in outcome);
    };
    expect(await waited(minutes(10))).toBe(true);
    expect(await waited(minutes(10) + 1)).toBe(false);
    expect(await waited(minutes(10), 'indexed')).toBe(false);
    pages[0] = state({ url: HOME, lastVisitAt: ago(minutes(3)) });
    const lastVisitAt = ago(minutes(2));
    expect(await review({ ...page, status: 'redirected', lastVisitAt }, target)).toMatchObject({
      outcome: { waits: true },
    });
  });

  it('says nothing new if the move of its site to that one is undecided', async () => {
    const { review, stored, pages } = crawlOfSite();
    pages.push(state({ url: HOME }));
    const move = { reason: 'moves-not-followed', since: 0 };
    stored.set(UNDECIDED, JSON.stringify({ ...move, target: `${ELSEWHERE}start` }));
    expect(await review(page, target)).toMatchObject(undecided(target.target, 'moves-not-followed'));
    stored.set(UNDECIDED, JSON.stringify({ ...move, target: 'http://c.example/' }));
    expect(await review(page, target)).toMatchObject({ outcome: { waits: true } });
  });

  it.each<[string, Partial<UrlState>, object]>([
    ['has no document', { ...page, stamp: undefined }, target],
    ['leads to the host of its root', page, { ...target, target: `${HOME}x` }],
    ['leads to a site that is crawled', page, { ...target, refused: undefined }],
    ['is refused for another reason', page, { ...target, refused: 'not-accepted' }],
    ['waits already', page, { ...target, waits: true }],
    ['is the home page', {}, target],
    ['has a root that the configuration no longer has', { ...page, root: 'http://gone.example/' }, target],
    ['has no root', { ...page, root: undefined }, target],
    ['does not redirect', page, { ...target, kind: 'unchanged' }],
  ])('is no matter of its home page if it %s', async (_, known, outcome) => {
    const { review, pages, seen } = crawlOfSite();
    pages.push(state({ url: HOME }));
    expect(await review(known, outcome)).toMatchObject({ outcome, ...AS_IS });
    expect(seen.waiting).toEqual([]);
  });

  it('is no matter of a home page that is not known', async () => {
    const { review } = crawlOfSite();
    expect(await review(page, target)).toMatchObject(AS_IS);
  });
});

describe('what is recorded', () => {
  const OTHER = state({ url: `${HOME}a`, root: HOME, hostKey: 'www.a.example' });
  const MOVED_NOTE = 'the home page of a site redirects to another site, which is crawled from now on';

  async function movedSite() {
    const site = crawlOfSite();
    await site.moves.recordMove(HOME, toCrawlUrl(SUBDOMAIN));
    return { ...site, isBack: () => site.root().formerPrefixes === undefined };
  }

  it('a site that has moved; what was excluded before is judged again, once', async () => {
    const { moves, stored, root, seen, current, pages } = crawlOfSite();
    stored.set(UNDECIDED, '{}');
    pages.push(state({ url: `${SUBDOMAIN}a`, id: 7, status: 'excluded', reason: 'outside-site' }));
    await moves.recordMove(HOME, toCrawlUrl(SUBDOMAIN));
    expect(stored).toEqual(new Map([[MOVED, SUBDOMAIN]]));
    expect(root().sitePrefixes.some((prefix) => prefix.includes('new.a.example'))).toBe(true);
    expect([seen.added, seen.notified, current.policySince]).toEqual([1, 1, 0]);
    expect(seen.log).toEqual([MOVED_NOTE]);
    await moves.recordMove(HOME, toCrawlUrl(SUBDOMAIN));
    expect(seen.judged).toEqual([`${SUBDOMAIN}a`]);
  });

  it('a home page that has its own content again: both sites are crawled until another page is back, and a day is over', async () => {
    const { moves, stored, root, seen, current, clock, isBack, pages } = await movedSite();
    pages.push(state({ url: HOME }));
    stored.set(UNDECIDED, '{}');
    clock.advance(hours(1));
    await moves.noteHomePage({ url: HOME, textSketch: undefined });
    // Links of its pages may have been refused meanwhile.
    expect(stored).toEqual(new Map([...[[MOVED, SUBDOMAIN] as const], ['policy-since/docs', String(clock.now())]]));
    expect([root().sitePrefixes, current.policySince]).toEqual([
      expect.arrayContaining(['http://new.a.example/', HOME]),
      clock.now(),
    ]);
    expect([seen.added, seen.notified, seen.log.at(-1)]).toEqual([2, 2, expect.stringContaining('crawled, too')]);
    clock.advance(hours(24));
    await moves.noteHomePage({ url: HOME, textSketch: undefined });
    expect([isBack(), seen.added]).toEqual([false, 2]);
    await moves.noteDocument(OTHER, undefined);
    expect(seen.visited).toEqual([HOME]);
    await moves.noteHomePage({ url: HOME, textSketch: undefined });
    expect([isBack(), stored.has(MOVED), seen.added]).toEqual([true, false, 3]);
    expect(seen.log.at(-1)).toBe('the home page of a site has its own content again');
  });

  it('the day begins again if the home page redirects meanwhile', async () => {
    const { moves, seen, clock, isBack } = await movedSite();
    const look = async () => {
      await moves.noteHomePage({ url: HOME, textSketch: undefined });
      await moves.noteDocument(OTHER, undefined);
    };
    await look();
    clock.advance(hours(23));
    await look();
    expect([isBack(), seen.visited], 'a day is not over').toEqual([false, []]);
    await moves.recordMove(HOME, toCrawlUrl(SUBDOMAIN));
    clock.advance(hours(2));
    await look();
    expect(isBack()).toBe(false);
  });

  const SKETCH = computeTextSketch('This is the page that the new server has for everybody, whatever they ask for.');
  it.each<[string, Partial<UrlState>, bigint?]>([
    ['the home page itself', { url: HOME }],
    ['a page of another root', { root: OTHERS }],
    ['a page of the site to which it has moved', { url: `${SUBDOMAIN}a` }],
    ['a page of another host', { hostKey: 'b.example' }],
    ['a page with the text of the home page', {}, SKETCH],
  ])('%s is no sign that the site is back', async (_, page, sketch) => {
    const { moves, clock, isBack } = await movedSite();
    await moves.noteHomePage({ url: HOME, textSketch: SKETCH });
    clock.advance(hours(24));
    await moves.noteDocument(state({ ...OTHER, ...page }), sketch);
    await moves.noteHomePage({ url: HOME, textSketch: SKETCH });
    expect(isBack()).toBe(false);
  });

  it('nothing but the end of an undecided move, if the site has not moved', async () => {
    const { moves, stored, seen, current } = crawlOfSite();
    stored.set(UNDECIDED, '{}');
    await moves.noteHomePage({ url: HOME, textSketch: undefined });
    await moves.noteDocument(OTHER, undefined);
    expect([stored.size, seen.added, seen.notified, current.policySince]).toEqual([0, 0, 0, 0]);
  });

  it('nothing of a root that the configuration no longer has', async () => {
    const { moves, stored, seen } = crawlOfSite();
    await moves.recordMove('http://gone.example/', toCrawlUrl(ELSEWHERE));
    expect([stored.size, seen.added, seen.notified]).toEqual([0, 0, 0]);
  });
});
