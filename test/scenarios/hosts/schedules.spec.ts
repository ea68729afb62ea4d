import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadRegistrableDomains } from '../../../src/adapters/system/registrable-domain.js';
import { hours, type Instant, instant, minutes, seconds } from '../../../src/domain/time/units.js';
import { CrawlWorld, type WorldOptions } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import { ManualClock } from '../../support/manual-clock.js';

const HTML = { 'content-type': 'text/html' };
const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));
const NAMES = { 'a.shop.example': '127.0.0.1', 'b.shop.example': '127.0.0.1', 'c.other.example': '127.0.0.1' };
const NIGHT = '<cw:Window from="22:00" to="06:00"/>';

describe('hosts with a schedule', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let asked: { readonly host: string; readonly path: string; readonly at: Instant }[];

  const start = async (crawler: string, attributes = '', more: Partial<WorldOptions> = {}): Promise<void> => {
    asked = [];
    const clock = new ManualClock(NOON);
    site = await FakeSite.start('127.0.0.1', 'a.shop.example');
    const note = (path: string, links: readonly string[], size = 0) =>
      site.set(path, ({ headers: { host = '' } }) => {
        asked.push({ host: host.split(':')[0]!, path, at: clock.now() });
        const body = `<title>${path}</title>${links.map((to) => `<a href="${to}">x</a>`).join('')}<p>${'x'.repeat(size)}`;
        return { headers: HTML, body };
      });
    note('/', ['/1', '/2', '/3']);
    for (const path of ['/1', '/2', '/3']) note(path, [], 20_000);
    const text = crawler.replaceAll('ROOT', `http://a.shop.example:${site.port}/`).replaceAll('PORT', `${site.port}`);
    world = await CrawlWorld.start({ attributes, crawler: text, index: 'none', clock, names: NAMES, ...more });
  };
  const gaps = (): number[] => asked.slice(1).map(({ at }, n) => (at - asked[n]!.at) / 1000);
  const view = async () => (await world.engine.listCrawlers())[0]!;
  const headline = async (path: string): Promise<string> =>
    (await world.engine.explanations.explain('test', `http://a.shop.example:${site.port}${path}`)).headline.text;

  // Loading the list takes real time, in which a world on a busy machine would seem to be at rest.
  beforeAll(async () => {
    await loadRegistrableDomains();
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('are crawled only in the windows of their schedule, which explain reports', async () => {
    await start(`<cw:Schedule timeZone="Europe/Berlin">${NIGHT}</cw:Schedule><Root url="ROOT"/>`);
    await world.pass(hours(7));
    expect(asked).toEqual([]);
    expect(site.requests).toEqual([]);
    expect(await headline('/')).toContain('is not crawled before 2026-06-01T20:00:00Z because of its schedule');
    expect((await view()).limitedBy).toEqual({ kind: 'schedule', until: Date.parse('2026-06-01T20:00:00Z') });
    await world.pass(hours(2));
    expect(asked.map(({ path }) => path).sort()).toEqual(['/', '/1', '/2', '/3']);
    expect(Math.min(...asked.map(({ at }) => at))).toBeGreaterThanOrEqual(NOON + hours(8));
  });

  it('are crawled further in the next window when one is too short', async () => {
    const short = '<cw:Schedule><cw:Window from="22:00" to="22:01"/></cw:Schedule>';
    await start(`${short}<Root url="ROOT"/>`, 'aggressive="false" throttleTimeMS="40000" ignoreRobotsTxt="true"');
    await world.pass(hours(35));
    const times = asked.map(({ at }) => new Date(at).toISOString().slice(0, 19));
    expect(times).toEqual(['2026-06-01T22:00:00', '2026-06-01T22:00:40', '2026-06-02T22:00:00', '2026-06-02T22:00:40']);
  });

  it('are not requested outside of their windows even on request, until the schedule changes', async () => {
    const closed = `<cw:Schedule hosts="shop.example">${NIGHT}</cw:Schedule><Root url="ROOT"/>`;
    await start(closed);
    await world.engine.maintenance.refresh('test', { url: `http://a.shop.example:${site.port}/` });
    await world.pass(hours(1));
    expect(asked).toEqual([]);
    await world.reconfigure({ crawler: `<Root url="http://a.shop.example:${site.port}/"/>` });
    await world.untilIdle();
    expect(asked).toHaveLength(4);
  });

  it('are crawled more slowly in a window with a longer delay', async () => {
    const slow =
      '<cw:Schedule outside="crawl"><cw:Window from="12:00" to="12:01" throttleTimeMS="20000"/></cw:Schedule>';
    await start(`${slow}<Root url="ROOT"/>`, 'aggressive="false" throttleTimeMS="1000"');
    await world.untilIdle();
    // robots.txt took the first pause; the last one begins when the window has ended.
    expect(gaps()).toEqual([20, 20, 1]);
  });

  it('send no more bytes than their schedule allows', async () => {
    await start('<cw:Schedule maxBytesPerS="1000"/><Root url="ROOT"/>', 'nthreads="1"');
    await world.untilIdle();
    expect(asked).toHaveLength(4);
    const [, ...between] = gaps();
    for (const gap of between) expect(gap).toBeGreaterThan(19);
  });

  it.each([
    ['host', []],
    ['address', [10, 10]],
    ['domain', [10]],
  ])('are asked in one pause by %s', async (politenessBy, wanted) => {
    const roots = Object.keys(NAMES).map((name) => `<Root url="http://${name}:PORT/1"/>`);
    await start(
      roots.join(''),
      `politenessBy="${politenessBy}" aggressive="false" throttleTimeMS="10000" ignoreRobotsTxt="true"`,
    );
    await world.untilIdle();
    expect(asked.map(({ host }) => host).sort()).toEqual(Object.keys(NAMES));
    const moments = [...new Set(asked.map(({ at }) => at))];
    expect(moments.slice(1).map((at, n) => (at - moments[n]!) / 1000)).toEqual(wanted);
  });

  it('that an operator has paused do not delay others with the same IP address', async () => {
    const roots = ['a.shop.example', 'b.shop.example'].map((name) => `<Root url="http://${name}:PORT/1"/>`);
    const attributes = 'politenessBy="address" aggressive="false" throttleTimeMS="10000" ignoreRobotsTxt="true"';
    await start(`<cw:Schedule><cw:Window from="13:00" to="14:00"/></cw:Schedule>${roots.join('')}`, attributes);
    await world.pass(minutes(1));
    await world.engine.hosts.setPaused(`a.shop.example:${site.port}`, true);
    await world.pass(hours(1));
    expect(asked.map(({ host }) => host)).toEqual(['b.shop.example']);
    await world.engine.hosts.setPaused(`a.shop.example:${site.port}`, false);
    await world.pass(seconds(30));
    expect(asked.map(({ host }) => host)).toEqual(['b.shop.example', 'a.shop.example']);
  });
});
