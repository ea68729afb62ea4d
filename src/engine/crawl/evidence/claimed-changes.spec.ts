import { expect, it, onTestFinished } from 'vitest';
import { discovered, newUrl, visit } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import type { StateChanges, UrlState } from '../../../domain/crawl/url-state.js';
import { after, days, type Instant, milliseconds, minutes } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { DiscoveredLink } from '../../ports/page-task.js';
import { ClaimedChanges } from './claimed-changes.js';

const PAGES = Array.from({ length: 30 }, (_, i) => newUrl(`http://a.example/page-${i}`));

/** A site whose pages were visited yesterday, and a sitemap according to which all of them have changed since. */
async function claimingSite() {
  const clock = new ManualClock();
  const store = await openStoreInThisThread();
  onTestFinished(() => store.close());
  const [sitemap, ...pages] = await discovered(store, newUrl('http://a.example/sitemap.xml'), ...PAGES);
  const lastVisitAt = clock.now();
  const changes = { status: 'indexed', dueAt: after(lastVisitAt, days(7)), lastVisitAt } as const;
  await store.settle(pages.map(({ id }) => ({ id, changes, visit: visit(lastVisitAt) })));
  clock.advance(days(1));
  const lastModified = new Date(clock.now()).toISOString();
  const links = pages.map(
    ({ url, hostKey }): DiscoveredLink => ({
      url,
      hostKey,
      key: computeUrlKey(url),
      source: 3,
      discoveredVia: 'sitemap',
      lastModified,
    }),
  );
  return { services: { store, clock }, clock, sitemap: sitemap!, links };
}

it('ten unproven claims are tried at a time, also when visits end while others are still being brought forward', async () => {
  const { services, clock, sitemap, links } = await claimingSite();
  const brought: { readonly url: UrlState; readonly dueAt: Instant }[] = [];
  const claims: ClaimedChanges = new ClaimedChanges('docs', services, async (url, dueAt) => {
    brought.push({ url, dueAt });
    // The first two visits end before the third is brought forward.
    if (brought.length === 2) await Promise.all(brought.map((trial) => claims.recordVisit(trial.url, false)));
    return true;
  });
  await claims.bringForwardDatedPages(sitemap, links);

  expect(brought.slice(0, 10).map(({ dueAt }) => dueAt)).toEqual(Array(10).fill(clock.now()));
  // The two that ended made room for two more, which are less urgent.
  expect(brought).toHaveLength(12);
  expect(brought.slice(10).every(({ dueAt }) => dueAt > clock.now())).toBe(true);
});

it('of a sitemap whose claims proved false, one claim in eight readings is tried', async () => {
  const { services, sitemap, links } = await claimingSite();
  const brought: UrlState[] = [];
  const claims = new ClaimedChanges('docs', services, async (url) => brought.push(url) > 0);
  expect(await claims.bringForwardDatedPages(sitemap, links)).toBe(true);
  for (const trial of brought) await claims.recordVisit(trial, false);

  const tried: number[] = [];
  for (let reading = 2; reading <= 17; reading++) {
    const before = brought.length;
    expect(await claims.bringForwardDatedPages(sitemap, links)).toBe(false);
    tried.push(brought.length - before);
  }
  expect(tried).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
});

it('of a site whose claims prove false, visits brought forward go back to their planned times, unless another time was set since', async () => {
  const { services, clock, sitemap, links } = await claimingSite();
  const { store } = services;
  const brought: UrlState[] = [];
  const claims = new ClaimedChanges('docs', services, async (url, dueAt) => {
    brought.push(url);
    await store.settle([{ id: url.id, changes: { dueAt } }]);
    return true;
  });
  await claims.bringForwardDatedPages(sitemap, links);
  const planned = brought[0]!.dueAt;
  const [refreshed] = brought;
  const soon = after(clock.now(), minutes(1));
  await store.settle([{ id: refreshed!.id, changes: { dueAt: soon } }]);
  let visited = 1;
  for (; claims.isOnTrial(brought[visited]!); visited++) await claims.recordVisit(brought[visited]!, false);

  const outstanding = brought.slice(visited).map(({ id }) => id);
  expect(outstanding).not.toEqual([]);
  expect(new Set((await store.get(outstanding)).map(({ dueAt }) => dueAt))).toEqual(new Set([planned]));
  expect((await store.get([refreshed!.id]))[0]!.dueAt).toBe(soon);
  expect(brought.filter((trial) => claims.isOnTrial(trial))).toEqual([]);
});

it('pages that are due anyway, are in error or were never visited are not brought forward', async () => {
  const { services, clock, sitemap, links } = await claimingSite();
  const { store } = services;
  const [due, failing, ...others] = links.map(({ url }) => url);
  const change = async (url: string | undefined, changes: StateChanges): Promise<void> => {
    const state = await store.find('docs', url!);
    await store.settle([{ id: state!.id, changes }]);
  };
  await change(due, { dueAt: clock.now() });
  await change(failing, { temporaryErrors: 1 });
  const other = newUrl('http://a.example/new', { dueAt: after(clock.now(), days(1)) });
  await discovered(store, other);
  const brought: string[] = [];
  const claims: ClaimedChanges = new ClaimedChanges('docs', services, async ({ url }) => brought.push(url) > 0);
  const named = { ...links[0]!, url: other.url, key: other.key };
  await claims.bringForwardDatedPages(sitemap, [links[0]!, links[1]!, named, ...links.slice(-3)]);
  expect(brought.sort()).toEqual(others.slice(-3).sort());
});

it('what a sitemap said more than two days before it was last read is not tried again', async () => {
  const { services, clock, sitemap, links } = await claimingSite();
  const claims = new ClaimedChanges('docs', services, async () => true);
  const read = (lastVisitAt: Instant) => claims.bringForwardDatedPages({ ...sitemap, lastVisitAt }, links);
  expect(await read(after(clock.now(), milliseconds(days(2) + 1)))).toBe(false);
  expect(await read(after(clock.now(), days(2)))).toBe(true);
});
