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
import { discovered, newUrl } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { createTextSample } from '../../../domain/content/text-sample.js';
import { computeTextSketch } from '../../../domain/content/text-sketch.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { StateChanges } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import { before, days, minutes } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';

describe('what is believed without asking anybody', () => {
  it.each<[string, Says, Partial<CrawlerDefinition>?, StateChanges?]>([
    ['what is indexed', same],
    ['a text that is nearly the indexed one', says(`${write(1)} today`)],
    ['an error', fails('http-5xx')],
    ['a page that is left out for its text, not by a directive', leftOut('near-duplicate')],
    ['a canonical URL that is not known', says(write(1), { canonical: 'http://a.example/unknown' })],
    ['a rule of the configuration', excluded('rule-ignored' as Reason)],
    ['a directive of the configuration', excluded('noindex', true)],
    ['a new text if the indexed one is too short to be compared', says(WALL), {}, { textSketch: null }],
    ['a new text of a page without a document', says(WALL), {}, { stamp: null }],
    ['a new text if the guard is off', says(WALL), { changeGuard: { on: false } }],
    ['a type that the configuration no longer accepts', excluded('mime-type-excluded'), { mimeTypes: ['text/html'] }],
  ])('%s', async (_, answer, settings = {}, changes = {}) => {
    const { site, world, change, getState, visit } = await siteOf(4, settings);
    await change(1, changes);
    site.set(1, answer);
    const outcome = answer(await getState(1));
    const result = await visit(1);
    expect(result).toMatchObject({ outcome, links: ['link'] });
    expect(result.believed).toBeUndefined();
    expect(world).toMatchObject({ requested: [], wanted: false });
  });
});

describe('a change that is not believed before the host is asked', () => {
  const OTHERS = Array.from({ length: 15 }, (_, i) => i + 2);
  it.each<[string, Says, number, string?]>([
    ['a text that has nothing in common with the indexed one', says(WALL), 12],
    ['no text', says(''), 12],
    ['a part of the text', says(write(1).split(' ').slice(0, 52).join(' ')), 2],
    ['a directive', leftOut('noindex'), 12],
    ['a text instead of a document whose type is no longer accepted', says(WALL), 12, 'application/pdf'],
    ['a page that is not a document', excluded('machine-readable'), 12],
    ['a type that was accepted', excluded('mime-type-excluded'), 12],
    ['another page as its canonical URL', says(write(1), { canonical: urlOf(3) }), 12],
  ])(
    '%s: others are asked, and if they are well, it is believed once the page says it again',
    async (_, answer, asked, contentType = 'text/html') => {
      const { site, world, change, visit, visitRequested } = await siteOf(16, { mimeTypes: ['application/pdf'] });
      await change(1, { contentType });
      site.set(1, answer);
      const first = await visit(1);
      expect(first).toMatchObject({ outcome: { kind: 'error', retryAfter: minutes(15) }, links: [] });
      expect(errorOf(first)).toMatchObject({ held: undefined });
      expect(world).toMatchObject({ requested: [expect.any(Number), expect.any(Number)], wanted: true });
      const visited = await visitRequested();
      expect(visited.pop()).toBe(1);
      expect(new Set(visited).size).toBe(asked);
      expect(visited).toHaveLength(asked);
      expect(OTHERS).toEqual(expect.arrayContaining(visited));
      expect(errorOf(await visit(1))).toBe('believed');
    },
  );

  it.each<[string, Says, Reason, string]>([
    ['one text', says(WALL), 'one-page-everywhere', 'add'],
    ['one text with a directive', says(WALL, { index: false, reason: 'noindex' }), 'one-page-everywhere', 'delete'],
    ['nothing', says(''), 'emptied', 'add'],
    ['a directive', leftOut('noindex'), 'directive-wave', 'delete'],
    ['a listing', excluded('directory-listing'), 'directive-wave', 'delete'],
    ['one canonical URL', (state) => says(write(state.id), { canonical: urlOf(5) })(state), 'directive-wave', 'delete'],
  ])('%s on all pages is held from the first page on', async (_, answer, cause, kind) => {
    const { site, visitAll, findHeld, visit } = await siteOf(5);
    for (const page of [1, 2, 3, 4]) site.set(page, answer);
    expect(await visitAll(1, 2, 3, 4)).toEqual([cause, cause, cause, cause]);
    for (const page of [1, 2, 3, 4]) expect(await findHeld(page)).toMatchObject([{ reason: cause, kind }]);
    expect(await visit(1)).toMatchObject({ outcome: { code: cause }, links: [] });
  });
});

describe('whom it asks', () => {
  const minutesAgo = (number: number) => before(new ManualClock().now(), minutes(number));

  it('pages that are held first, and none that is in flight, was given up or is named as the canonical URL', async () => {
    const { site, world, change, visit } = await siteOf(8);
    await change(2, { status: 'removed' });
    await change(3, { status: 'elsewhere' });
    await change(7, { pendingDeletion: 'emptied' });
    await change(8, { pendingDeletion: 'http-5xx' });
    world.inFlight.add(6);
    site.set(1, says(write(1), { canonical: urlOf(4) }));
    await visit(1);
    expect(world.requested).toEqual([7, 5]);
  });

  it('the page that is named as the canonical URL, if it is the only other one', async () => {
    const { site, world, change, visit } = await siteOf(2);
    await change(1, { textSketch: null });
    site.set(1, says(write(1), { canonical: urlOf(2) }));
    await visit(1);
    expect(world.requested).toEqual([2]);
  });

  it('pages from all over the site', async () => {
    const { site, world, visit } = await siteOf(41);
    site.set(1, says(WALL));
    await visit(1);
    expect(world.requested).toEqual([2, 22]);
  });

  it('not the pages of other hosts or crawlers, and not those without a document', async () => {
    const { store, site, world, change, visit } = await siteOf(3);
    const [other, foreign] = [newUrl('http://b.example/1'), newUrl(urlOf(3), { crawler: 'other' })];
    for (const { id } of await discovered(store, other, foreign)) await store.settle([{ id, changes: { stamp: 's' } }]);
    await change(2, { stamp: null });
    site.set(1, says(WALL));
    await visit(1);
    expect(world.requested).toEqual([3]);
  });

  it('a page whose change is first seen while others are asked waits for their answers', async () => {
    const { site, world, visit, visitRequested } = await siteOf(5);
    for (const page of [1, 2, 3, 4, 5]) site.set(page, says(WALL));
    await visit(1);
    const asked = [...world.requested];
    const [late] = [2, 3, 4, 5].filter((page) => !asked.includes(page));
    expect(errorOf(await visit(late!))).toMatchObject({ held: undefined });
    expect(world.requested).toEqual(asked);
    expect(await visitRequested()).toEqual([...asked, 1, late, asked[0]]);
  });

  it('pages that have not been asked yet, and once', async () => {
    const { site, visit, visitRequested, world } = await siteOf(16);
    site.set(1, leftOut('noindex'));
    await visit(1);
    const asked = await visitRequested();
    const [next, ...unasked] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].filter(
      (page) => !asked.includes(page),
    );
    site.set(next!, says(WALL));
    await visit(next!);
    expect(world.requested).toEqual(unasked);
    expect(await visitRequested()).not.toContain(1);
  });

  it('each page of a small site once', async () => {
    const { site, visit, visitRequested } = await siteOf(4);
    site.set(1, says(WALL));
    await visit(1);
    expect((await visitRequested()).sort()).toEqual([1, 2, 3, 4]);
  });

  it('sixteen at most, each once, if all others fail; and none of them again about the next change', async () => {
    const { site, visit, visitRequested, clock } = await siteOf(28);
    for (let page = 2; page <= 28; page++) site.set(page, fails('http-5xx'));
    site.set(1, says(WALL));
    await visit(1);
    const visited = await visitRequested();
    expect(visited.pop()).toBe(1);
    expect([visited.length, new Set(visited).size]).toEqual([16, 16]);
    clock.advance(minutes(5));
    site.set(28, says(WALL));
    await visit(28);
    const visitedLater = await visitRequested();
    expect(visitedLater).toContain(28);
    expect(visitedLater.filter((page) => visited.includes(page))).toEqual([]);
  });

  it.each<[string, StateChanges, boolean]>([
    ['has failed just now', {}, false],
    ['has failed an hour ago', { lastVisitAt: minutesAgo(60.1) }, true],
    ['is due again', { dueAt: minutesAgo(0) }, true],
    ['is held', { reason: 'emptied' }, true],
  ])('a page that %s is asked, or counts as failing without a visit: %j, %s', async (_, changes, isAsked) => {
    const { site, change, visit, visitRequested, getState } = await siteOf(2);
    const failed = {
      status: 'error',
      reason: 'http-5xx',
      lastVisitAt: minutesAgo(59),
      dueAt: minutesAgo(-60),
    } as const;
    await change(2, { ...failed, ...changes });
    site.set(1, says(write(50)));
    await visit(1);
    expect((await visitRequested()).includes(2)).toBe(isAsked);
    expect((await getState(1)).pendingDeletion).toBe(isAsked ? undefined : 'one-page-everywhere');
  });

  it.each<[Reason, string]>([
    ['http-5xx', 'one-page-everywhere'],
    ['http-404', 'well'],
  ])(
    'sixteen in all, of which those that have just failed are not visited (%s: after a day it is %s)',
    async (reason, end) => {
      const { site, change, visit, visitRequested, getState, clock } = await siteOf(30);
      for (let page = 2; page < 30; page++)
        await change(page, { status: 'error', reason, lastVisitAt: clock.now(), dueAt: minutesAgo(-3_000) });
      site.set(1, says(write(50)));
      await visit(1);
      expect(await visitRequested()).toEqual([1]);
      clock.advance(days(1));
      for (let page = 2; page < 30; page++) await change(page, { lastVisitAt: clock.now() });
      await visit(1);
      await visitRequested();
      expect((await getState(1)).pendingDeletion ?? 'well').toBe(end);
    },
  );

  it('a page that has not been asked and fails says nothing', async () => {
    const { site, visit, visitRequested, world } = await siteOf(3);
    world.inFlight.add(3);
    site.set(1, says(WALL)).set(3, fails('http-5xx'));
    await visit(1);
    expect(world.requested).toEqual([2]);
    await visit(3);
    await visitRequested();
    expect(errorOf(await visit(1))).toBe('believed');
  });

  it('in the place of a page that has failed, another one', async () => {
    const { site, world, visit } = await siteOf(12);
    site.set(1, leftOut('noindex'));
    await visit(1);
    const [first, second] = world.requested.splice(0) as [number, number];
    site.set(second, fails('http-5xx'));
    await visit(first);
    await visit(second);
    expect(world.requested).toHaveLength(1);
    expect([1, first, second]).not.toContain(world.requested[0]);
  });

  it.each<[string, Says, string]>([
    ['fail: the host is ill', fails('http-5xx'), 'one-page-everywhere'],
    ['are gone: it is believed after a day', fails('http-404'), 'well'],
  ])('if all others %s', async (_, answer, end) => {
    const { site, visitAll, clock } = await siteOf(2);
    site.set(1, says(WALL)).set(2, answer);
    expect(await visitAll(1)).toEqual(['one-page-everywhere']);
    clock.advance(minutes(24 * 60 - 1));
    expect(await visitAll(1)).toEqual(['one-page-everywhere']);
    clock.advance(minutes(1));
    expect(await visitAll(1)).toEqual([end]);
  });
});

describe('what the host says of a URL that cannot exist', () => {
  const sampleOf = (text: string) =>
    createTextSample({ title: '', text }, toCrawlUrl('http://a.example/x'), computeTextSketch(text), undefined)!;

  it('a page that says the same while others are well is an error page, and its links are dropped', async () => {
    const { site, world, visit, visitRequested } = await siteOf(12);
    world.nonsense = sampleOf(WALL);
    site.set(1, says(WALL));
    await visit(1);
    await visitRequested();
    expect(await visit(1)).toMatchObject({ outcome: { kind: 'error', code: 'soft-error' }, links: [] });
  });

  it('a text that has much in common with the indexed one is suspicious if the host says it to nonsense', async () => {
    const { site, world, change, visit, visitRequested } = await siteOf(12);
    site.set(1, says(RELATED)).set(2, says(WALL));
    await visit(2);
    await visitRequested();
    expect(errorOf(await visit(1))).toBe('believed');
    await change(1, { textSketch: computeTextSketch(write(1)) });
    world.nonsense = sampleOf(RELATED);
    expect(errorOf(await visit(1))).not.toBe('believed');
  });

  it('the only page of a site waits for it: believed if the host refuses nonsense', async () => {
    const { site, visit, world } = await siteOf(1);
    site.set(1, says(write(50)));
    expect(errorOf(await visit(1))).toMatchObject({ held: undefined });
    expect(world.requested).toEqual([1]);
    expect(errorOf(await visit(1))).toBe('believed');
  });

  it('the only page of a site is held if the host does not answer it', async () => {
    const { site, visit, world, visitAll } = await siteOf(1);
    world.nonsense = undefined;
    site.set(1, says(write(50)));
    await visit(1);
    expect(await visitAll(1)).toEqual(['one-page-everywhere']);
  });
});

it('a host is asked again after ten minutes, and after 20 changes that were believed', async () => {
  const { site, visitAll, world, clock } = await siteOf(60);
  const rewrite = (page: number) => {
    site.set(page, says(write(page + 100)));
    return visitAll(page);
  };
  await rewrite(1);
  clock.advance(minutes(9.9));
  await rewrite(2);
  expect(world.inquiries).toBe(1);
  clock.advance(minutes(0.1));
  for (let page = 3; page <= 22; page++) await rewrite(page);
  expect(world.inquiries).toBe(2);
  await rewrite(23);
  expect(world.inquiries).toBe(3);
});

it('a page whose own visit is in flight when the others have answered is visited again after it, and once', async () => {
  const { guard, site, getState, visit, visitRequested, world } = await siteOf(3);
  site.set(1, says(WALL));
  await visit(1);
  world.inFlight.add(1);
  await visitRequested();
  world.inFlight.delete(1);
  await guard.noteSettled(await getState(1));
  await guard.noteSettled(await getState(1));
  expect(world.requested.splice(0)).toEqual([1]);
});

it('it is not, if it was removed in its visit, or its host was taken over from another node', async () => {
  for (const end of ['removed', 'taken over']) {
    const { guard, store, site, getState, visit, visitRequested, world } = await siteOf(3);
    site.set(1, says(WALL));
    await visit(1);
    world.inFlight.add(1);
    await visitRequested();
    world.inFlight.delete(1);
    const page = await getState(1);
    if (end === 'removed') await store.settle([{ id: page.id, remove: true }]);
    else guard.reset();
    await guard.noteSettled(page);
    expect(world.requested, end).toEqual([]);
  }
});

it('a change that is seen for the first time is believed at the next visit, also if nobody is left to be asked', async () => {
  const { site, change, visit, world } = await siteOf(2);
  site.set(1, says(write(50))).set(2, leftOut('noindex'));
  await visit(2);
  await change(2, { stamp: null });
  world.requested.length = 0;
  expect(errorOf(await visit(1))).toMatchObject({ held: undefined });
  expect(world.requested).toContain(1);
  expect(errorOf(await visit(1))).toBe('believed');
});

it('the only page of a site is believed once it says the same twice in a row, or after a day', async () => {
  const { site, visit, clock } = await siteOf(1);
  const say = async (text: string, more = {}) => {
    site.set(1, says(text, more));
    const outcome = errorOf(await visit(1));
    return typeof outcome === 'string' ? outcome : outcome.held === undefined ? 'asked again' : 'held';
  };
  const [first, second, third] = [write(50), write(51), write(52)] as const;
  expect([await say(first), await say(first)]).toEqual(['asked again', 'believed']);
  expect([await say(second), await say(second)]).toEqual(['asked again', 'believed']);
  expect([await say(first), await say(first, { index: false, reason: 'noindex' })]).toEqual(['asked again', 'held']);
  expect([await say(third), await say(first), await say(third)]).toEqual(['held', 'held', 'held']);
  clock.advance(days(1));
  expect([await say(third), await say(third)]).toEqual(['asked again', 'believed']);
});

it('the page that is held first looks for recovery, also if it is the last one of those that were asked', async () => {
  const { site, world, visit } = await siteOf(12);
  site.set(1, says(WALL)).set(2, says(WALL));
  await visit(1);
  const [first, last] = world.requested.splice(0) as [number, number];
  await visit(first);
  site.set(last, says(WALL));
  expect(errorOf(await visit(last))).toMatchObject({ retryAfter: minutes(1), held: { kind: 'add' } });
});

it('a site that is rewritten is believed, unless its pages show each the text that another one had', async () => {
  const rewrite = async (textOf: (page: number) => string) => {
    const { site, visitAll } = await siteOf(12);
    for (let page = 1; page <= 12; page++) site.set(page, says(textOf(page)));
    return visitAll(1);
  };
  expect(await rewrite((page) => write(page + 100))).toEqual(['well']);
  expect(await rewrite((page) => write((page % 12) + 1))).toEqual(['one-page-everywhere']);
});
