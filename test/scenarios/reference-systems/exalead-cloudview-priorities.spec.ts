/** The text "Advanced Configuration" of CloudView, sentence by sentence: how priorities work, refresh, error handling. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_WEIGHTS, SOURCES } from '../../../src/domain/frontier/sources.js';
import { days, hours, minutes, seconds } from '../../../src/domain/time/units.js';
import { computeUrlKey } from '../../../src/domain/url/url-key.js';
import { Frontier } from '../../../src/engine/crawl/frontier/frontier.js';
import { Hosts } from '../../../src/engine/crawl/hosts/hosts.js';
import type { NewUrl } from '../../../src/engine/ports/frontier-store.js';
import { NO_OTHERS, SOLE_OWNER } from '../../../src/engine/support/single-node.js';
import { countingCalls, PendingCalls } from '../../support/counting-calls.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { ManualClock } from '../../support/manual-clock.js';
import { crawl, start, startSite } from '../../support/scenario.js';
import { scenarioStore } from '../../support/scenario-database.js';

/** Source of each URL that waits for its first visit: seen by stopping the crawler before it gets there. */
async function sourceOf(world: CrawlWorld, url: string): Promise<number | undefined> {
  return (await world.state(url))?.source;
}

describe('the six URL sources', () => {
  it('user has only submitted roots with priority 0 or none; a priority moves a root down', async () => {
    const site = await startSite();
    const world = await crawl({ crawler: '' });
    await world.engine.setRunState('test', 'paused');
    const source = async (priority?: number): Promise<number | undefined> => {
      const url = site.url(`/p${priority}`);
      await world.engine.roots.submit('test', [priority === undefined ? { url } : { url, priority }]);
      return sourceOf(world, url);
    };
    expect(await source()).toBe(0);
    expect([await source(-2), await source(-1), await source(0), await source(1), await source(2)]).toEqual([
      0, 0, 0, 1, 2,
    ]);
  });

  it('redir has targets of redirections, index what is indexed only, index_follow both, follow what is followed only, refresh documents', async () => {
    const site = await startSite();
    const other = '127.0.0.9:9'; // nothing listens there, so its URLs stay in their source
    const links = ['index', 'both', 'follow'].map((name) => `http://${other}/${name}`);
    site
      .page('/', [...links, '/moved'])
      .set('/moved', { status: 301, headers: { location: `http://${other}/target` } });
    const rules = `<Rules><Rule><ar:Path val="/index"/><NoFollow/></Rule><Rule><ar:Path val="/follow"/><NoIndex/></Rule></Rules>`;
    const world = await start({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules}` });
    await world.pass(seconds(2));
    const names = ['index', 'both', 'follow', 'target'];
    const found = await Promise.all(names.map((name) => sourceOf(world, `http://${other}/${name}`)));
    expect(found).toEqual([2, 3, 4, 1]);
    expect(await sourceOf(world, site.url('/'))).toBe(5);
  });

  it.each([
    [-2, 1],
    [-1, 2],
    [0, 3],
    [1, 4],
    [2, 4],
  ])('a crawl rule with priority shift %i moves a URL of index_follow to source %i', async (shift, expected) => {
    const site = await startSite();
    site.page('/', ['http://127.0.0.9:9/x']);
    const rules = `<Rules><Rule><ar:Path val="/x"/><Priority shift="${shift}"/></Rule></Rules>`;
    const world = await start({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules}` });
    await world.pass(seconds(2));
    expect(await sourceOf(world, 'http://127.0.0.9:9/x')).toBe(expected);
  });

  it('the scheduler picks URLs in each source according to their weight: of 13,111 picks each source has its weight', async () => {
    const { frontier, reading } = await filledFrontier();
    const counts = SOURCES.map(() => 0);
    for (let i = 0; i < 13_111; i++) {
      let picked = frontier.takeNext();
      while (!picked) {
        await new Promise((resolve) => setImmediate(resolve)); // a window is being read from the store
        picked = frontier.takeNext();
      }
      counts[picked.source]!++;
      frontier.offerAgain(picked.host);
      // A full buffer in every source is part of the promise: reads end before the next pick.
      if (i % 64 === 0)
        do await new Promise((resolve) => setImmediate(resolve));
        while (reading() > 0);
    }
    expect(counts).toEqual(SOURCES.map((name) => DEFAULT_WEIGHTS[name]));
    frontier.close();
  });

  it('the weights are configuration', async () => {
    const scheduler = '<CrawlSchedulerConfig><cw:UrlSource name="refresh" weight="50"/></CrawlSchedulerConfig>';
    const world = await crawl({ crawler: scheduler });
    const view = await world.engine.getCrawler('test');
    expect(view.sources.map((source) => source.weight)).toEqual([10_000, 2_000, 1_000, 100, 10, 50]);
  });
});

/** One host, with more due URLs in each source than will be picked. */
async function filledFrontier(): Promise<{ frontier: Frontier; reading: () => number }> {
  const pending = new PendingCalls();
  const store = countingCalls(await scenarioStore(), pending);
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const urls = SOURCES.flatMap((name, source) =>
    Array.from({ length: DEFAULT_WEIGHTS[name] + 600 }, (_, i): NewUrl => {
      const url = `http://host/${name}/${i}`;
      const rest = { status: 'waiting', reason: 'discovered', hops: 1, redirects: 0, discoveredVia: 'link' } as const;
      return {
        crawler: 'test',
        url,
        key: computeUrlKey(url),
        hostKey: 'host',
        source: source as 0,
        dueAt: clock.now(),
        ...rest,
      };
    }),
  );
  await store.discover(urls);
  const hosts = new Hosts(store, clock);
  const strangers = { haveNamed: () => false, areNaming: () => false as const };
  const settings = {
    weights: SOURCES.map((name) => DEFAULT_WEIGHTS[name]),
    concurrencyPerHost: 1,
    maximumAge: days(7),
  };
  const frontier = new Frontier(
    'test',
    { store, hosts, clock, strangers, partitions: SOLE_OWNER, nodes: NO_OTHERS },
    settings,
  );
  await frontier.sweep(clock.now());
  do await new Promise((resolve) => setImmediate(resolve));
  while (pending.count > 0);
  return { frontier, reading: () => pending.count };
}

describe('smart refresh disabled', () => {
  it('sources are refreshed at specific times, and URLs are sent to fifo:index', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const scheduler = '<CrawlSchedulerConfig><cw:Refresh cron="0 3 * * *" timeZone="UTC"/></CrawlSchedulerConfig>';
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>${scheduler}`,
      attributes: 'smartRefresh="false"',
    });
    for (const path of ['/', '/a'])
      expect(await world.state(site.url(path))).toMatchObject({ source: 2, dueAt: Date.UTC(2026, 0, 1, 3) });
    site.forgetRequests();
    await world.pass(hours(2.9));
    expect(site.fetched).toEqual([]);
    await world.pass(minutes(10));
    expect(site.fetched).toEqual(['/', '/a']);
    await world.pass(days(1));
    expect(site.requests.filter((request) => request.path === '/a')).toHaveLength(2);
  });

  it('without a schedule nothing is refreshed by itself; a person can force it', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>`,
      attributes: 'smartRefresh="false"',
    });
    site.forgetRequests();
    await world.pass(days(30));
    expect(site.fetched).toEqual([]);
    await world.engine.maintenance.refresh('test', { like: '%/a' });
    await world.untilIdle();
    expect(site.fetched).toEqual(['/a']);
  });
});

describe('error handling', () => {
  it('documents in error are refreshed like other documents, at the times of the schedule too', async () => {
    const site = await startSite();
    site.page('/', ['/a']).set('/a', { status: 500 });
    const scheduler = '<CrawlSchedulerConfig><cw:Refresh cron="0 3 * * *"/></CrawlSchedulerConfig>';
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>${scheduler}`,
      attributes: 'smartRefresh="false"',
    });
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'error', dueAt: Date.UTC(2026, 0, 1, 3) });
    site.page('/a');
    await world.pass(hours(4));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });

  it('the error status is remembered for each URL: an address in error is not asked again for each link to it', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/b', '/gone']).page('/a', ['/gone']).page('/b', ['/gone']);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    expect(site.requests.filter((request) => request.path === '/gone')).toHaveLength(1);
    expect(await world.state(site.url('/gone'))).toMatchObject({ status: 'error', reason: 'http-404' });
  });
});
