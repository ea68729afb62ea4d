/** What becomes of changes that the change guard holds. */
import { describe, expect, it } from 'vitest';
import {
  errorOf,
  excluded,
  fails,
  leftOut,
  RELATED,
  type Says,
  same,
  says,
  siteOf,
  urlOf,
  WALL,
  write,
} from '../../../../test/support/asked-host.js';
import { crawlerDefinition } from '../../../../test/support/crawler-definition.js';
import { computeTextSketch } from '../../../domain/content/text-sketch.js';
import { RELEASED } from '../../../domain/crawl/change-guard.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { after, type Duration, days, hours, minutes } from '../../../domain/time/units.js';

describe('a held change', () => {
  /** A host that shows one text on all pages, which are held. */
  async function wall(count = 4, settings: Partial<CrawlerDefinition> = {}) {
    const crawl = await siteOf(count, settings);
    const all = Array.from({ length: count }, (_, i) => i + 1);
    for (const page of all) crawl.site.set(page, says(WALL));
    expect(new Set(await crawl.visitAll(...all))).toEqual(new Set(['one-page-everywhere']));
    return { ...crawl, all };
  }

  it('ends when a page has a text of its own again; then all others that are held are visited at once', async () => {
    const { site, world, visit, visitRequested, change, getState, all } = await wall();
    await change(4, { pendingDeletion: 'http-5xx' });
    for (const page of all) site.set(page, same);
    const recovered = await visit(2);
    expect([errorOf(recovered), recovered.believed]).toEqual(['believed', undefined]);
    expect(world.requested).toEqual([1, 3]);
    await visitRequested();
    for (const page of [1, 2, 3]) expect((await getState(page)).pendingDeletion).toBeUndefined();
  });

  it.each(['http-5xx', 'http-404'] as const)(
    'if a page has %s instead, another one looks, each in its turn',
    async (code) => {
      const { site, world, visit, change, clock } = await wall();
      for (const [page, minute] of [
        [1, 0],
        [2, 1],
        [4, 2],
      ] as const)
        await change(page, { lastVisitAt: after(clock.now(), minutes(minute)) });
      const looks = async (page: number) => {
        site.set(page, fails(code));
        await visit(page);
        return world.requested.splice(0);
      };
      expect(await looks(3)).toEqual([1]);
      clock.advance(minutes(9));
      expect(await looks(1), 'once in ten minutes').toEqual([]);
      await change(1, { lastVisitAt: clock.now() });
      clock.advance(minutes(1));
      expect(await looks(3)).toEqual([2]);
    },
  );

  it('all that is held is visited once in ten minutes at most, and meanwhile another page looks for recovery', async () => {
    const { site, world, visit, visitRequested, clock, all } = await wall();
    const recovers = async (page: number) => {
      site.set(page, same);
      await visit(page);
      return world.requested.splice(0);
    };
    expect(await recovers(1)).toEqual([2, 3, 4]);
    clock.advance(minutes(9));
    expect(await recovers(2)).toEqual([3]);
    clock.advance(minutes(1));
    expect(await recovers(3)).toEqual([4]);
    expect(all).toHaveLength(4);
    await visitRequested();
  });

  it('one page looks for recovery, after 1, 2, 4, 8 and then each 15 minutes, and the others after a day', async () => {
    const { visit, clock, site, world } = await wall();
    /** Visits the page and those that are asked about it; returns when those that are held are visited again. */
    const check = async (page: number): Promise<readonly Duration[]> => {
      const delays: Duration[] = [];
      world.requested = [page];
      for (let next = world.requested.shift(); next !== undefined; next = world.requested.shift()) {
        const { held, retryAfter } = errorOf(await visit(next)) as { held?: unknown; retryAfter: Duration };
        if (held) delays.push(retryAfter);
      }
      return delays;
    };
    const day = days(1);
    for (const delay of [4, 8].map(minutes)) {
      expect([await check(3), await check(2)]).toEqual([[delay], [day]]);
      clock.advance(delay);
    }
    // Each is late, so another one looks.
    for (const page of [3, 2, 3]) {
      expect(await check(page)).toEqual([minutes(15), day, day]);
      clock.advance(minutes(15));
    }
    site.set(1, same);
    await visit(1);
    expect(await check(2), 'after a recovery').toEqual([minutes(1), day, day]);
  });

  it('no page waits longer than the maximum age', async () => {
    const refresh = { ...crawlerDefinition().refresh, maximumAge: hours(5) };
    const { visit } = await wall(4, { refresh });
    const delays = [errorOf(await visit(1)), errorOf(await visit(2))].map(
      (e) => (e as { retryAfter: number }).retryAfter,
    );
    expect(delays).toContain(hours(5));
  });

  it('is believed as soon as an operator has released it, and then all others are visited', async () => {
    const { visit, answer, world } = await wall();
    expect(errorOf(await visit(1))).not.toBe('believed');
    await answer(1, RELEASED);
    expect(await visit(1)).toMatchObject({ outcome: { kind: 'document' }, believed: true });
    expect(world.requested).toEqual([2, 3, 4]);
  });

  it('is believed after the time that the operator sets, and not before', async () => {
    const { visit, clock } = await wall(4, { changeGuard: { on: true, believeAfter: hours(3) } });
    clock.advance(hours(2.9));
    expect(errorOf(await visit(1))).toMatchObject({ code: 'one-page-everywhere' });
    clock.advance(hours(0.1));
    expect(await visit(1)).toMatchObject({ outcome: { kind: 'document' }, believed: true });
  });

  it('is over if the page has a text of its own when an operator has released it', async () => {
    const { site, visit, answer } = await wall();
    site.set(1, same);
    await answer(1, RELEASED);
    expect((await visit(1)).believed).toBeUndefined();
  });

  it('is held also when those that were asked about it have left the index', async () => {
    const { site, change, visitAll, clock } = await siteOf(2);
    site.set(1, leftOut('noindex')).set(2, leftOut('noindex'));
    expect(await visitAll(1, 2)).toEqual(['directive-wave', 'directive-wave']);
    await change(2, { stamp: null });
    clock.advance(hours(1));
    expect(await visitAll(1)).toEqual(['directive-wave']);
  });

  it('is never believed by itself', async () => {
    const { clock, visitAll } = await wall();
    for (let day = 0; day < 30; day++) {
      clock.advance(days(1));
      expect(await visitAll(1)).toEqual(['one-page-everywhere']);
    }
  });

  it('is held again after a restart: the host is asked again', async () => {
    const { guard, visit, world, visitAll } = await wall();
    guard.reset();
    expect(errorOf(await visit(1))).toMatchObject({ held: undefined });
    expect(world).toMatchObject({ requested: [2, 3], wanted: true });
    expect(await visitAll(1)).toEqual(['one-page-everywhere']);
  });
});

describe('a change in doubt', () => {
  it('a text that a page has shown and not kept is not believed for an hour, on whichever page', async () => {
    const { site, visit, visitAll, clock } = await siteOf(12);
    site.set(1, says(WALL));
    await visit(1);
    site.set(1, same);
    await visitAll(1);
    site.set(2, says(WALL));
    expect(await visitAll(2)).toEqual(['one-page-everywhere']);
    clock.advance(minutes(59));
    expect(await visitAll(2)).toEqual(['one-page-everywhere']);
    clock.advance(minutes(11));
    expect(await visitAll(2)).toEqual(['well']);
  });

  it('the text of another page is held for a day, whatever the others say', async () => {
    const { site, world, visitAll, clock } = await siteOf(12);
    world.textsOfOthers.add(RELATED);
    site.set(1, says(RELATED));
    expect(await visitAll(1)).toEqual(['one-page-everywhere']);
    clock.advance(minutes(24 * 60 - 1));
    expect(await visitAll(1)).toEqual(['one-page-everywhere']);
    clock.advance(minutes(1));
    expect(await visitAll(1)).toEqual(['well']);
  });

  it('a site of two pages: one names the other as its canonical URL, which is no copy of it', async () => {
    const { site, change, visitAll } = await siteOf(2);
    site.set(1, says(write(1), { canonical: urlOf(2) }));
    expect(await visitAll(1)).toEqual(['directive-wave']);
    await change(2, { textSketch: computeTextSketch(RELATED) });
    expect(await visitAll(1)).toEqual(['well']);
  });

  const NAMED: Says = (state) => says(write(state.id), { canonical: urlOf(12) })(state);
  it.each<[string, number, Says, string]>([
    ['noindex', 4, leftOut('noindex'), 'well'],
    ['noindex', 7, leftOut('noindex'), 'directive-wave'],
    ['a canonical URL', 4, NAMED, 'directive-wave'],
  ])(
    '%s of %i pages of 12 is obeyed after a day if it is noindex and no more than half have it',
    async (_, count, answer, end) => {
      const { site, visitAll, clock } = await siteOf(12);
      const closed = Array.from({ length: count }, (_, i) => i + 1);
      for (const page of closed) site.set(page, answer);
      const becomes = async (hoursLater: number): Promise<string[]> => {
        clock.advance(hours(hoursLater));
        return [...new Set(await visitAll(...closed))];
      };
      expect(await becomes(0)).toEqual(['directive-wave']);
      expect(await becomes(23)).toEqual(['directive-wave']);
      expect(await becomes(1)).toEqual([end]);
      expect(await becomes(48)).toEqual([end]);
    },
  );

  it('a page with a new text that says noindex waits for a day as well, as long as others are held', async () => {
    const { site, visitAll, clock } = await siteOf(40);
    for (const page of [1, 2, 3, 4]) site.set(page, leftOut('noindex'));
    await visitAll(1, 2, 3, 4);
    clock.advance(hours(1));
    // It asks about itself only those that are well.
    await visitAll(1);
    site.set(30, says(write(900), { index: false, reason: 'noindex' }));
    for (let times = 0; times < 3; times++) expect(await visitAll(30)).not.toContain('well');
  });

  it('a page that was held is believed once it says the same at two visits', async () => {
    const { site, visitAll, clock } = await siteOf(12);
    for (let page = 1; page <= 12; page++) site.set(page, says(WALL));
    await visitAll(1);
    for (let page = 2; page <= 12; page++) site.set(page, same);
    clock.advance(hours(2));
    let seed = 901;
    site.set(1, (state) => says(write(seed++))(state));
    for (let times = 0; times < 3; times++) {
      clock.advance(minutes(11));
      expect(await visitAll(1)).toEqual(['one-page-everywhere']);
    }
    clock.advance(minutes(11));
    site.set(1, says(write(seed)));
    expect([...(await visitAll(1)), ...(await visitAll(1))]).toContain('well');
  });
});

describe('a robots.txt that forbids what is indexed', () => {
  const forbidden = excluded('robots-disallowed');

  it.each([
    [[1], 'believed'],
    [[1, 2], 'believed'],
    [[1, 2, 3], 'directive-wave'],
  ])('if it forbids pages %j of four: %s', async (pages, verdict) => {
    const { site, change, visit, world, clock } = await siteOf(4);
    world.robots = { ...world.robots, fetchedAt: clock.now(), forbids: (page) => pages.includes(page) };
    await change(4, { pendingDeletion: 'emptied' });
    site.set(1, forbidden);
    const error = errorOf(await visit(1));
    expect(error === 'believed' ? error : error.held?.cause).toBe(verdict);
    expect(world.requested, 'not even pages that are held').toEqual([]);
    expect(world.robots.maxAge).toBe(verdict === 'believed' ? 0 : minutes(5));
  });

  it('is judged once for each time it was fetched, and held if it is not known', async () => {
    const { site, visit, world, clock } = await siteOf(4);
    site.set(1, forbidden);
    expect(errorOf(await visit(1))).toMatchObject({ held: { cause: 'directive-wave' } });
    world.robots = { ...world.robots, fetchedAt: clock.now(), forbids: () => true };
    expect(errorOf(await visit(1))).toMatchObject({ code: 'directive-wave' });
    world.robots.forbids = (page) => page === 1;
    expect(errorOf(await visit(1)), 'the same file').toMatchObject({ code: 'directive-wave' });
    clock.advance(minutes(5));
    world.robots.fetchedAt = clock.now();
    expect(errorOf(await visit(1))).toBe('believed');
  });
});

it('pages that had one text are believed to have another one, also those that are visited a day later', async () => {
  const { site, change, visitAll, clock } = await siteOf(40);
  const prints = Array.from({ length: 30 }, (_, i) => i + 11);
  const stamp = `c1-${'7'.repeat(32)}${'f'.repeat(32)}`;
  for (const page of prints) {
    await change(page, { stamp, textSketch: computeTextSketch(write(500)) });
    site.set(page, says(write(501)));
  }
  expect(new Set(await visitAll(...prints.slice(0, 5)))).toEqual(new Set(['well']));
  clock.advance(days(1));
  expect(new Set(await visitAll(...prints.slice(5)))).toEqual(new Set(['well']));
  site.set(1, says(write(501)));
  expect(await visitAll(1), 'a page that had another text').toEqual(['one-page-everywhere']);
});
