import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import { HOSTILE_PAGES, startGiganticRobots, startHostileSite } from '../../support/hostile-site.js';

const FETCHER =
  '<cw:Fetcher name="default" headerTimeoutMS="1000" bodyTimeoutMS="1000" totalTimeoutMS="4000" maxSizeBytes="5000000"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';
const TRAPS = '<cw:Traps maxQueryVariants="40" maxUrlsPerHost="250" maxRepeatedSegments="3" maxPathDepth="12"/>';
const PAGES = Array.from({ length: 30 }, (_, i) => `/p${i}`);

describe('hostile sites', () => {
  let hostile: FakeSite;
  let healthy: FakeSite;
  let world: CrawlWorld;

  const listRefusals = async (): Promise<string[]> =>
    (await world.engine.urls.listRefusedLinks('test')).map(({ reason }) => reason);

  beforeEach(async () => {
    healthy = await FakeSite.start();
    healthy.page('/', PAGES);
    for (const path of PAGES) healthy.page(path);
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await hostile.close();
    await healthy.close();
  });

  it('every trap is settled with a reason, and a healthy host is crawled meanwhile', async () => {
    hostile = await startHostileSite();
    hostile.page('/', [...Object.keys(HOSTILE_PAGES), '/id/1']);
    world = await CrawlWorld.start({
      attributes: 'crawlSitemaps="true" nearDuplicateDetector="false" nthreads="16"',
      crawler: `<Root url="${hostile.url('/')}" site="false"/><Root url="${healthy.url('/')}" site="false"/>${TRAPS}<cw:ErrorPolicy retryDelayS="150" maxRetryDelayS="7200"/>`,
      more: FETCHER,
    });
    await world.untilIdle(minutes(0.5)).catch(() => undefined); // hosts that time out rest for longer than that
    // On a busy machine a page may run into the limits of time before it shows what it is, and is visited again. Until all have
    // shown it, others may have been removed for it.
    const expected = Object.entries(HOSTILE_PAGES).map(([path, { reason }]) => [path, reason]);
    const shown = new Set<string>();
    const unexpected = async (): Promise<string[]> => {
      const found = await Promise.all(
        expected.map(async ([path, reason]) => {
          const state = await world.state(hostile.url(path!));
          if (state?.reason === reason) shown.add(path!);
          return shown.has(path!) ? [] : [`${path} ${state?.reason}`];
        }),
      );
      const isHostFull = (await listRefusals()).includes('trap-host-size');
      const served = (await world.indexed()).filter((url) => url.startsWith(healthy.origin));
      const missing = PAGES.length + 1 - served.length;
      return [
        ...found.flat(),
        ...(isHostFull ? [] : ['no link was refused because the host is full']),
        ...(missing === 0 ? [] : [`${missing} healthy pages are missing`]),
      ];
    };
    for (let turn = 0; turn < 120 && (await unexpected()).length > 0; turn++) await world.pass(minutes(8));
    expect(await unexpected()).toEqual([]);

    const stored = await world.engine.urls.count({ crawler: 'test', hostKey: new URL(hostile.origin).host });
    expect(stored).toBeLessThan(250 + 64);
  });

  // On its own, because a host that is full refuses every link for that.
  it('endless links are refused with the pattern that they share', async () => {
    hostile = await startHostileSite();
    hostile.page('/', ['/many-links', '/down/']);
    world = await CrawlWorld.start({
      attributes: 'nearDuplicateDetector="false"',
      crawler: `<Root url="${hostile.url('/')}" site="false"/>${TRAPS}<cw:ErrorPolicy retryDelayS="150" maxRetryDelayS="7200"/>`,
      more: FETCHER,
    });
    const traps = ['trap-query-variants', 'trap-repeated-segments'];
    const findMissing = async (): Promise<string[]> => {
      const reasons = await listRefusals();
      return traps.filter((reason) => !reasons.includes(reason));
    };
    await world.untilIdle(minutes(0.5)).catch(() => undefined);
    for (let turn = 0; turn < 40 && (await findMissing()).length > 0; turn++) await world.pass(minutes(8));
    expect(await findMissing()).toEqual([]);
  });

  // On its own, because a host that is full takes no further URLs, not even the target of a redirect.
  it('redirects that return to their start are a loop', async () => {
    hostile = await startHostileSite();
    hostile.page('/', ['/loop1']);
    world = await CrawlWorld.start({
      crawler: `<Root url="${hostile.url('/')}" site="false"/><cw:ErrorPolicy retryDelayS="150" maxRetryDelayS="7200"/>`,
      more: FETCHER,
    });
    const reasonOfLast = async (): Promise<unknown> => (await world.state(hostile.url('/loop3')))?.reason;
    await world.untilIdle(minutes(0.5)).catch(() => undefined);
    for (let turn = 0; turn < 40 && (await reasonOfLast()) === undefined; turn++) await world.pass(minutes(8));
    expect(await reasonOfLast()).toBe('redirect-loop');
  });

  it.each([16_000, 20_000, 2_000_000])(
    'a base of %d characters before 10,000 links costs no more than others',
    async (length) => {
      hostile = await FakeSite.start();
      const links = Array.from({ length: 10_000 }, (_, i) => `<a href=${i}>`).join('');
      const body = `<base href="/${'a'.repeat(length)}/"><title>Bomb</title>${links}`;
      hostile
        .page('/', ['/bomb', '/p'])
        .page('/p')
        .set('/bomb', { headers: { 'content-type': 'text/html' }, body });
      hostile.elsewhere((path) => (/^\/\d+$/.test(path) ? { status: 404 } : undefined));
      world = await CrawlWorld.start({
        crawler: `<Root url="${hostile.url('/')}" site="false"/><cw:Traps maxUrlsPerHost="10"/>`,
      });
      await world.untilIdle();
      const indexed = ['/', '/bomb', '/p'].map((path) => hostile.url(path));
      expect((await world.indexed()).filter((url) => url.startsWith(hostile.origin))).toEqual(indexed);
      for (const { samples } of await world.engine.urls.listRefusedLinks('test'))
        for (const { url } of samples) expect(url.length).toBeLessThan(2_100);
    },
  );

  it('the beginning of a robots.txt of a gigabyte is read and obeyed', async () => {
    const gigantic = await startGiganticRobots(1024 ** 3);
    hostile = gigantic.site;
    world = await CrawlWorld.start({ crawler: `<Root url="${hostile.url('/')}" site="false"/>`, more: FETCHER });
    await world.untilIdle();
    expect((await world.indexed()).filter((url) => url.startsWith(hostile.origin))).toEqual([
      hostile.url('/'),
      hostile.url('/public'),
    ]);
    expect(gigantic.sent()).toBeLessThan(64 * 1024 * 1024);
  });
});
