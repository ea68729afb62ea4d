import { expect, it } from 'vitest';
import { crawlerDefinition, rootDefinition } from '../../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { state } from '../../../../test/support/url-states.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { after, before, milliseconds, seconds } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import { compileContexts } from '../../page/crawl-context.js';
import type { PageLinks } from '../../ports/frontier-store.js';
import type { PageResult } from '../../ports/page-task.js';
import { Rediscovery } from './rediscovery.js';

const HOME = 'http://a.example/';
const [KEPT, REMOVED, FOREIGN] = ['http://a.example/kept', 'http://a.example/removed', 'http://b.example/x'];
const METAS = [{ name: 'area', value: 'news' }] as unknown as UrlState['inheritedMetas'];

/** A visited page that links to removed URLs, and what is remembered of its links. */
function crawlWith(removed: string[], awaitingLinks = false) {
  const clock = new ManualClock();
  const policySince = before(clock.now(), seconds(60));
  const page = state({ id: 1, url: HOME, lastVisitAt: before(clock.now(), seconds(30)), root: HOME });
  const keys = BigInt64Array.from([KEPT, REMOVED, FOREIGN].map(computeUrlKey));
  const world = {
    removed,
    links: { at: page.lastVisitAt!, stamp: 's', validators: '"1"\nthen', keys } as PageLinks | undefined,
    counts: 0,
  };
  const rediscovery = new Rediscovery(
    'docs',
    {
      clock,
      store: {
        count: async ({ status }) => {
          world.counts++;
          return status === 'removed' ? world.removed.length : 1_000;
        },
        getLinks: async () => world.links,
        findRemoved: async (_crawler, asked) =>
          world.removed
            .filter((url) => asked.includes(computeUrlKey(url)))
            .map((url) => state({ url, status: 'removed', inheritedMetas: url === REMOVED ? METAS : [] })),
      },
    },
    () => awaitingLinks,
  );
  const roots = [rootDefinition(HOME, { site: true })];
  const definition = crawlerDefinition({ name: 'docs', roots });
  const fetchers = [{ name: definition.fetcher }];
  const context = compileContexts({ crawlers: [definition], fetchers, sinks: [] } as never).get('docs')!;
  const task = { etag: '"1"', lastModified: 'then', stamp: 's', rereadLinks: false, now: clock.now() };
  const needsAll = (more: Partial<typeof task> = {}, of = page) =>
    rediscovery.needsAllLinks(of, { ...task, ...more }, policySince);
  return { rediscovery, world, clock, page, policySince, context, needsAll, keys };
}

const resultOf = (outcome: object, links: object[] = []) => ({ outcome, links }) as unknown as PageResult;
const UNCHANGED = resultOf({ kind: 'unchanged' });
const documentOf = (stamp: string, links: object[] = []) =>
  resultOf({ kind: 'document', facts: { stamp, etag: '"2"' } }, links);

it.each([
  ['nothing was removed', [], false, false],
  ['a URL was removed', [REMOVED], false, true],
  ['a document has given way to a temporary redirect', [], true, true],
])('if %s, a page whose links are not remembered is read in full: %#', async (_, removed, awaitingLinks, isNeeded) => {
  const { world, needsAll, page } = crawlWith(removed, awaitingLinks);
  world.links = undefined;
  expect(await needsAll()).toBe(isNeeded);
  expect(await needsAll({}, { ...page, lastVisitAt: undefined }), 'a page reports its links at its first visit').toBe(
    false,
  );
});

it.each<[string, Partial<PageLinks>, object, boolean]>([
  ['are those of the version that is known', {}, {}, false],
  ['are of another document', { stamp: 't' }, {}, true],
  ['are of a response with another validator', { validators: '"0"\nthen' }, {}, true],
  [
    'are of a response with another validator, but no condition is sent',
    { validators: '' },
    { etag: undefined, lastModified: undefined },
    false,
  ],
  ['have only their date to compare', { validators: '\nthen' }, { etag: undefined }, false],
  ['belong to a page without a document', { stamp: 't' }, { stamp: undefined }, false],
  ['were read before the policy changed', {}, { rereadLinks: true }, true],
])('a page is read in full only if the remembered links do not do: they %s', async (_, links, task, isNeeded) => {
  const { world, needsAll } = crawlWith([REMOVED]);
  world.links = { ...world.links!, ...links };
  expect(await needsAll(task)).toBe(isNeeded);
});

it('links that were read when the policy came into force may have been judged by the one before', async () => {
  const { world, needsAll, policySince } = crawlWith([REMOVED]);
  world.links = { ...world.links!, at: policySince };
  expect(await needsAll()).toBe(true);
  world.links = { ...world.links!, at: after(policySince, milliseconds(1)) };
  expect(await needsAll()).toBe(false);
});

it('the store is asked for removed URLs every ten seconds; a removal on this node is known at once', async () => {
  const { rediscovery, world, clock, needsAll } = crawlWith([]);
  world.links = undefined;
  expect(await needsAll()).toBe(false);
  world.removed = [REMOVED]; // by another node
  clock.advance(milliseconds(9_999));
  expect([await needsAll(), world.counts]).toEqual([false, 1]);
  clock.advance(milliseconds(1));
  expect([await needsAll(), world.counts]).toEqual([true, 2]);
  world.removed = [];
  clock.advance(seconds(10));
  expect([await needsAll(), world.counts]).toEqual([false, 3]);
  clock.advance(seconds(5));
  rediscovery.noteRemoval();
  clock.advance(milliseconds(9_999));
  expect([await needsAll(), world.counts]).toEqual([true, 3]);
  clock.advance(milliseconds(1));
  expect([await needsAll(), world.counts]).toEqual([false, 4]);
});

it('the removed URLs to which an unchanged page links are found again, with their metas, if the policy accepts them', async () => {
  const { rediscovery, page, context, needsAll } = crawlWith([REMOVED, FOREIGN]);
  await needsAll();
  for (const result of [UNCHANGED, documentOf('s')])
    expect(await rediscovery.findLinked(page, result, context)).toMatchObject([
      { url: REMOVED, discoveredVia: 'link', inheritedMetas: METAS },
    ]);
  for (const result of [documentOf('t'), resultOf({ kind: 'error', code: 'http-5xx' })])
    expect(await rediscovery.findLinked(page, result, context)).toEqual([]);
});

it('nothing is found again if the page does not link to it, or its links are not remembered', async () => {
  const { rediscovery, world, page, context, needsAll } = crawlWith(['http://a.example/other']);
  await needsAll();
  expect(await rediscovery.findLinked(page, UNCHANGED, context)).toEqual([]);
  world.removed = [REMOVED];
  world.links = undefined;
  await needsAll();
  expect(await rediscovery.findLinked(page, UNCHANGED, context)).toEqual([]);
});

it('the links of a page are those that are remembered while it is unchanged, and otherwise those that it reports', async () => {
  const { rediscovery, page, keys, needsAll } = crawlWith([REMOVED]);
  await needsAll();
  expect(rediscovery.getLinkKeys(page, UNCHANGED)).toEqual([...keys]);
  expect(rediscovery.getLinkKeys(page, documentOf('s'))).toEqual([...keys]);
  expect(rediscovery.getLinkKeys(page, documentOf('t', [{ key: 5n }]))).toEqual([5n]);
  expect(rediscovery.getLinkKeys(page, resultOf({ kind: 'redirect' }, [{ key: 5n }]))).toEqual([]);
  expect(rediscovery.getLinkKeys(state({ url: KEPT }), UNCHANGED), 'a page that is not visited').toEqual([]);
});

it('a page that has reported all its links has them remembered, without those of sitemaps, as of the time of its request', async () => {
  const { rediscovery, world, clock, page, needsAll } = crawlWith([REMOVED]);
  const links = [
    { key: 5n, discoveredVia: 'link' },
    { key: 6n, discoveredVia: 'sitemap' },
  ];
  await needsAll();
  expect(rediscovery.selectLinksToRemember(page, documentOf('s', links)), 'they are remembered').toBeUndefined();
  world.links = undefined;
  const requestedAt = clock.now();
  await needsAll();
  clock.advance(seconds(1));
  expect(rediscovery.selectLinksToRemember(page, UNCHANGED)).toBeUndefined();
  expect(rediscovery.selectLinksToRemember(page, documentOf('s', links))).toEqual({
    ...{ at: requestedAt, stamp: 's', validators: '"2"\n', keys: BigInt64Array.from([5n]) },
  });
  world.removed = [];
  clock.advance(seconds(10));
  await needsAll();
  expect(rediscovery.selectLinksToRemember(page, documentOf('s', links)), 'nothing is removed').toBeUndefined();
});
