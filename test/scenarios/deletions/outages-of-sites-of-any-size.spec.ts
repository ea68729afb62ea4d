/** Every class of fault on sites of three sizes, for an hour, with the default settings of the deletion guard. */
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
};
const PERMANENT = ['a server error', 'a refusal of every page', 'a broken answer', 'a soft error'];
/** The last one exceeds the guard's limit of 50 deletions. */
const SIZES = [3, 20, 60];
const DOCUMENTS = SIZES.reduce((sum, size) => sum + size, 0);

const nameOf = (size: number): string => `site-of-${size}.example`;

async function threeSites({ guard = '', identity, more }: { guard?: string; identity?: Identity; more?: string } = {}) {
  const sites = await Promise.all(SIZES.map((size, i) => startSite(`127.0.0.${i + 2}`, nameOf(size), identity)));
  const names: Record<string, string> = {};
  const areReachable = (): void =>
    SIZES.forEach((size, i) => {
      names[nameOf(size)] = `127.0.0.${i + 2}`;
    });
  areReachable();
  const pathsOf = (i: number) => Array.from({ length: SIZES[i]! - 1 }, (_, n) => `/p${n}`);
  const isWell = (): void =>
    sites.forEach((site, i) => {
      site.page('/', pathsOf(i)).remove('/login');
      for (const path of pathsOf(i)) site.page(path);
    });
  isWell();
  const roots = sites.map((site) => `<Root url="${site.url('/')}"/>`).join('');
  const crawler = `${roots}${SOFT_ERRORS}${guard}`;
  const world = await crawl({ attributes: ATTRIBUTES, crawler, names, more });
  expect(await world.indexed()).toHaveLength(DOCUMENTS);
  const anHour = async (fault: FakePage): Promise<void> => {
    sites.forEach((site, i) => {
      for (const path of ['/', '/login', ...pathsOf(i)]) site.set(path, fault);
    });
    await anHourOfVisits(world);
  };
  return { sites, world, crawler, names, isWell, areReachable, anHour };
}

async function anHourOfVisits(world: CrawlWorld): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(30));
  }
}

const deletions = (world: CrawlWorld) =>
  world.engine.orders.list({ kind: 'delete', state: 'acknowledged' }, undefined, 1_000);

async function expectAllCurrent(world: CrawlWorld): Promise<void> {
  await world.pass(hours(3));
  expect(await deletions(world)).toEqual([]);
  expect(await world.indexed()).toHaveLength(DOCUMENTS);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(DOCUMENTS);
  expect(await world.engine.orders.listHeldDeletions()).toEqual([]);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
}

it.each(Object.keys(FAULTS))(
  '%s on every page deletes nothing, and everything is current afterwards',
  async (fault) => {
    const { world, isWell, anHour } = await threeSites();
    await anHour(FAULTS[fault]!);
    expect(await world.indexed()).toHaveLength(DOCUMENTS);
    const { heldDeletions } = await world.engine.getMetrics();
    if (PERMANENT.includes(fault)) expect(heldDeletions).toBeGreaterThan(0);
    const { idle, limitedBy } = await world.engine.getCrawler('test');
    if (idle && heldDeletions > 0)
      expect(limitedBy).toMatchObject({ kind: 'nothing-due', withheldDeletions: heldDeletions });
    isWell();
    await expectAllCurrent(world);
  },
);

it('refused connections delete nothing, and everything is current afterwards', async () => {
  const { sites, world } = await threeSites();
  for (const site of sites) await site.goDown();
  await anHourOfVisits(world);
  for (const site of sites) await site.comeBack();
  await expectAllCurrent(world);
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
  const { sites, world, names, areReachable } = await threeSites();
  // No address is remembered, and no connection open.
  await world.pass(minutes(2));
  for (const name of SIZES.map(nameOf)) {
    if (address === undefined) delete names[name];
    else names[name] = address;
  }
  for (const site of sites) site.hangUp();
  await anHourOfVisits(world);
  expect(await errors(world)).toEqual([code]);
  expect(await world.indexed()).toHaveLength(DOCUMENTS);
  areReachable();
  await expectAllCurrent(world);
});

it('expired certificates delete nothing, and everything is current afterwards', async () => {
  const { cert, issue } = authority('Test authority');
  const names = SIZES.map(nameOf);
  const identity = issue(names);
  const more = `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:CertificateAuthority>${cert}</cw:CertificateAuthority></cw:Fetcher>`;
  const { sites, world } = await threeSites({ identity, more });
  const expired = issue(names, { from: -30, to: -1 });
  for (const site of sites) site.presents(expired);
  await anHourOfVisits(world);
  expect(await errors(world)).toEqual(['tls-expired']);
  expect(await world.indexed()).toHaveLength(DOCUMENTS);
  for (const site of sites) site.presents(identity);
  await expectAllCurrent(world);
});

it('servers that accept requests and never respond delete nothing, and everything is current afterwards', async () => {
  const { world, crawler, anHour, isWell } = await threeSites();
  const fetcher = (timeout: string): string =>
    `<cw:Fetcher name="default"${timeout}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>`;
  // Only while nothing answers: a busy machine is not to be taken for a silent site.
  await world.reconfigure({ attributes: ATTRIBUTES, crawler, more: fetcher(' headerTimeoutMS="20"') });
  await anHour(() => undefined);
  expect(await errors(world)).toEqual(['read-timeout']);
  expect(await world.indexed()).toHaveLength(DOCUMENTS);
  isWell();
  await world.reconfigure({ attributes: ATTRIBUTES, crawler, more: fetcher('') });
  await expectAllCurrent(world);
});

// For 5xx, which slow the host down, see sign-of-life.spec.ts.
it.each(['a refusal of every page', 'a broken answer'])('with signOfLife="false" %s deletes at once', async (fault) => {
  const { world, anHour } = await threeSites({ guard: '<cw:DeletionGuard signOfLife="false"/>' });
  await anHour(FAULTS[fault]!);
  expect(await world.indexed()).toEqual([]);
});

it('a host that returns 500 at random loses no page permanently', async () => {
  const { sites, world, isWell } = await threeSites();
  let request = 0;
  const sometimes =
    (body: string): FakePage =>
    () =>
      request++ % 3 === 0 ? { headers: HTML, body } : { status: 500 };
  sites.forEach((site, i) => {
    const paths = Array.from({ length: SIZES[i]! - 1 }, (_, n) => `/p${n}`);
    for (const path of ['/', ...paths])
      site.set(path, sometimes(html(path, path === '/' ? paths : [], `Text of ${path}.`)));
  });
  for (let i = 0; i < 3; i++) await anHourOfVisits(world);
  expect((await deletions(world)).length).toBeGreaterThan(0);
  isWell();
  await world.pass(hours(6));
  expect(await world.indexed()).toHaveLength(DOCUMENTS);
});
