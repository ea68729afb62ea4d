/** Every class of fault on sites of three sizes, for an hour. */
import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { authority, type Identity } from '../../support/certificates.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { type FakePage, html } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const ATTRIBUTES = 'nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="7200"';
const SOFT_ERRORS = '<cw:SoftErrors><cw:SoftError field="title" pattern="Out of order"/></cw:SoftErrors>';
const HTML = { 'content-type': 'text/html; charset=utf-8' };

const FAULTS: Record<string, FakePage> = {
  'a server error': { status: 500 },
  'a refusal of every page': { status: 403 },
  'a broken answer': ({ socket }) => void socket.end('this is not HTTP\r\n\r\n'),
  'a 404 as of a server that has none of the pages': { status: 404 },
  'a reset connection': ({ socket }) => void socket.resetAndDestroy(),
  'a login wall': ({ url }) =>
    url?.startsWith('/login')
      ? { headers: HTML, body: html('Login', []) }
      : { status: 302, headers: { location: `/login?next=${url}` } },
  'a soft error': { headers: HTML, body: html('Out of order', []) },
  'a permanent redirect to an address that is gone': ({ url }) => ({
    status: 301,
    headers: { location: `/gone${url}` },
  }),
  'a temporary redirect to an address that is gone': ({ url }) => ({
    status: 302,
    headers: { location: `/gone${url}` },
  }),
};
const PERMANENT = ['a server error', 'a refusal of every page', 'a broken answer', 'a soft error'];
/** In each, the last site exceeds the guard's limit of deletions, which is 50 by default. */
const SMALL = { sizes: [3, 8, 13], limit: 'maxDeletions="10"' };
const DEFAULT = { sizes: [3, 20, 60], limit: '' };
const LARGE = { sizes: [121], limit: '' };

const nameOf = (i: number): string => `site${i}.example`;

interface Options {
  readonly of?: typeof SMALL;
  readonly guard?: string;
  readonly identity?: Identity;
  readonly more?: string;
}

async function threeSites({ of = SMALL, guard = '', identity, more }: Options = {}) {
  const { sizes, limit } = of;
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const sites = await Promise.all(sizes.map((_, i) => startSite(`127.0.0.${i + 2}`, nameOf(i), identity)));
  const names: Record<string, string> = {};
  const areReachable = (): void =>
    sizes.forEach((_, i) => {
      names[nameOf(i)] = `127.0.0.${i + 2}`;
    });
  areReachable();
  const pathsOf = (i: number) => Array.from({ length: sizes[i]! - 1 }, (_, n) => `/p${n}`);
  const isWell = (): void =>
    sites.forEach((site, i) => {
      site.page('/', pathsOf(i)).remove('/login');
      for (const path of pathsOf(i)) site.page(path);
    });
  isWell();
  const roots = sites.map((site) => `<Root url="${site.url('/')}"/>`).join('');
  const crawler = `${roots}${SOFT_ERRORS}<cw:DeletionGuard ${limit} ${guard}/>`;
  const world = await crawl({ attributes: ATTRIBUTES, crawler, names, more });
  expect(await world.indexed()).toHaveLength(count);
  const anHour = async (fault: FakePage): Promise<void> => {
    sites.forEach((site, i) => {
      for (const path of ['/', '/login', ...pathsOf(i)]) site.set(path, fault);
    });
    await anHourOfVisits(world);
  };
  return { sites, world, crawler, names, count, pathsOf, isWell, areReachable, anHour };
}

async function anHourOfVisits(world: CrawlWorld): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(30));
  }
}

const deletions = (world: CrawlWorld) =>
  world.engine.orders.list({ kind: 'delete', state: 'acknowledged' }, undefined, 1_000);

async function expectAllCurrent({ world, count }: { world: CrawlWorld; count: number }): Promise<void> {
  await world.pass(hours(3));
  expect(await deletions(world)).toEqual([]);
  expect(await world.indexed()).toHaveLength(count);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(count);
  expect(await world.engine.orders.listHeldDeletions()).toEqual([]);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
}

it.each([
  ...Object.keys(FAULTS).map((fault) => [fault, '', SMALL] as const),
  ['a server error', ' with the default limit', DEFAULT] as const,
  ...Object.keys(FAULTS)
    .filter((fault) => fault.includes('gone'))
    .map((fault) => [fault, ' of 121', LARGE] as const),
])('%s on every page%s deletes nothing, and everything is current afterwards', async (fault, _, of) => {
  const { world, count, isWell, anHour } = await threeSites({ of });
  await anHour(FAULTS[fault]!);
  expect(await world.indexed()).toHaveLength(count);
  const { heldDeletions } = await world.engine.getMetrics();
  if (PERMANENT.includes(fault)) expect(heldDeletions).toBeGreaterThan(0);
  const { idle, limitedBy } = await world.engine.getCrawler('test');
  if (idle && heldDeletions > 0)
    expect(limitedBy).toMatchObject({ kind: 'nothing-due', withheldDeletions: heldDeletions });
  isWell();
  await expectAllCurrent({ world, count });
});

it.each(['a server error', 'a refusal of every page', 'a reset connection'])(
  '%s on half of a site deletes nothing for a day, and everything is current afterwards',
  async (fault) => {
    const { sites, world, count, pathsOf, isWell } = await threeSites({ of: { sizes: [5, 8, 13], limit: '' } });
    const halfOf = (i: number) => pathsOf(i).filter((_, n) => n % 2 === 0);
    const failHalf = () => {
      for (const [i, site] of sites.entries()) for (const path of halfOf(i)) site.set(path, FAULTS[fault]!);
    };
    failHalf();
    for (let hour = 0; hour < 6; hour++) await anHourOfVisits(world);
    expect(await world.indexed()).toHaveLength(count);
    isWell();
    await expectAllCurrent({ world, count });
    failHalf();
    await world.pass(hours(48));
    expect((await world.indexed()).length, 'after two days').toBeLessThan(count - sites.length);
  },
);

it('refused connections delete nothing, and everything is current afterwards', async () => {
  const { sites, world, count } = await threeSites();
  for (const site of sites) await site.goDown();
  await anHourOfVisits(world);
  for (const site of sites) await site.comeBack();
  await expectAllCurrent({ world, count });
});

/** What the URLs of the three sites are in error of. */
const errors = async (world: CrawlWorld): Promise<string[]> => {
  const failing = await world.store.list({ crawler: 'test', status: 'error' }, 0, 1_000);
  return [...new Set(failing.map(({ reason }) => reason ?? ''))];
};

it.each([
  ['names that are gone', undefined, 'dns-not-found'],
  ['name servers that do not answer', '', 'dns-no-answer'],
])('%s delete nothing, and all is current afterwards', async (_, address, code) => {
  const { sites, world, count, names, areReachable } = await threeSites();
  // No address is remembered, and no connection open.
  await world.pass(minutes(2));
  for (const name of Object.keys(names)) {
    if (address === undefined) delete names[name];
    else names[name] = address;
  }
  for (const site of sites) site.hangUp();
  await anHourOfVisits(world);
  expect(await errors(world)).toEqual([code]);
  expect(await world.indexed()).toHaveLength(count);
  areReachable();
  await expectAllCurrent({ world, count });
});

it('expired certificates delete nothing, and everything is current afterwards', async () => {
  const { cert, issue } = authority('Test authority');
  const names = SMALL.sizes.map((_, i) => nameOf(i));
  const identity = issue(names);
  const more = `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:CertificateAuthority>${cert}</cw:CertificateAuthority></cw:Fetcher>`;
  const { sites, world, count } = await threeSites({ identity, more });
  const expired = issue(names, { from: -30, to: -1 });
  for (const site of sites) site.presents(expired);
  await anHourOfVisits(world);
  expect(await errors(world)).toEqual(['tls-expired']);
  expect(await world.indexed()).toHaveLength(count);
  for (const site of sites) site.presents(identity);
  await expectAllCurrent({ world, count });
});

it('servers that accept requests and never respond delete nothing, and everything is current afterwards', async () => {
  const { world, count, crawler, anHour, isWell } = await threeSites();
  const fetcher = (timeout: string): string =>
    `<cw:Fetcher name="default"${timeout}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>`;
  // Only while nothing answers: a busy machine is not to be taken for a silent site.
  await world.reconfigure({ attributes: ATTRIBUTES, crawler, more: fetcher(' headerTimeoutMS="20"') });
  await anHour(() => undefined);
  expect(await errors(world)).toEqual(['read-timeout']);
  expect(await world.indexed()).toHaveLength(count);
  isWell();
  await world.reconfigure({ attributes: ATTRIBUTES, crawler, more: fetcher('') });
  await expectAllCurrent({ world, count });
});

// For 5xx, which slow the host down, see sign-of-life.spec.ts.
it.each(['a refusal of every page', 'a broken answer'])('with signOfLife="false" %s deletes at once', async (fault) => {
  const { world, anHour } = await threeSites({ guard: 'signOfLife="false"' });
  await anHour(FAULTS[fault]!);
  expect(await world.indexed()).toEqual([]);
});

it('a host that returns 500 at random loses no page permanently', async () => {
  const { sites, world, count, pathsOf, isWell } = await threeSites();
  let request = 0;
  const sometimes =
    (body: string): FakePage =>
    () =>
      request++ % 3 === 0 ? { headers: HTML, body } : { status: 500 };
  sites.forEach((site, i) => {
    const paths = pathsOf(i);
    for (const path of ['/', ...paths])
      site.set(path, sometimes(html(path, path === '/' ? paths : [], `Text of ${path}.`)));
  });
  for (let i = 0; i < 3; i++) await anHourOfVisits(world);
  expect((await deletions(world)).length).toBeGreaterThan(0);
  isWell();
  await world.pass(hours(6));
  expect(await world.indexed()).toHaveLength(count);
});

it('a page that fails is not asked again and again, and given up, because others vanish one after the other', async () => {
  const { sites, world, pathsOf } = await threeSites({ of: LARGE });
  const [site] = sites as [(typeof sites)[number]];
  // Looks ask pages that are evenly spread among the first hundred.
  const failing = pathsOf(0)[32]!;
  await world.pass(minutes(5));
  site.set(failing, FAULTS['a reset connection']!);
  await world.engine.maintenance.refresh('test', { url: site.url(failing) });
  await world.pass(minutes(10));
  site.forgetRequests();
  for (const path of pathsOf(0).slice(-6)) {
    site.remove(path);
    await world.engine.maintenance.refresh('test', { url: site.url(path) });
    await world.pass(minutes(11));
  }
  expect(await world.indexed()).toContain(site.url(failing));
  expect(site.requests.filter(({ path }) => path === failing).length).toBeLessThan(4);
});
