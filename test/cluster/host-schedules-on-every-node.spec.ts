import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgresNodes } from '../../src/adapters/storage/cluster/postgres-nodes.js';
import { openPostgresStore } from '../../src/adapters/storage/postgres/postgres-store.js';
import { Secret } from '../../src/domain/secret.js';
import { type Duration, hours, type Instant, instant, seconds } from '../../src/domain/time/units.js';
import type { Partitions } from '../../src/engine/ports/partitions.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { ManualClock } from '../support/manual-clock.js';
import { postgresDatabase } from '../support/postgres.js';
import { countedOnce } from '../support/scenario-database.js';

const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));
/** So many that each of two nodes owns some of them, whatever the port of the site is. */
const HOSTS = Array.from({ length: 16 }, (_, n) => `h${n}.shop.example`);
const NAMES = Object.fromEntries(HOSTS.map((host) => [host, '127.0.0.1']));
const PATHS = ['/', '/1', '/2'];
/** Fetches take real time while the clock of the test runs ahead: with the default limits, a busy machine would look like a dead host. */
const PATIENT = 'connectTimeoutMS="3600000" headerTimeoutMS="3600000" bodyTimeoutMS="3600000" totalTimeoutMS="3600000"';
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Node {
  readonly name: string;
  readonly world: CrawlWorld;
  readonly partitions: Partitions;
}

let site: FakeSite;
let clock: ManualClock;
let database: string;
let nodes: Node[];
let asked: { readonly node: string; readonly url: string; readonly at: Instant }[];

const urls = (): string[] => HOSTS.flatMap((host) => PATHS.map((path) => `${host}:${site.port}${path}`)).sort();
const owned = ({ partitions }: Node): number => HOSTS.filter((host) => partitions.owns(`${host}:${site.port}`)).length;

async function join(name: string): Promise<Node> {
  const url = new Secret(database);
  const store = countedOnce(await openPostgresStore(url));
  const cluster = openPostgresNodes(url, { crawls: true, log: SILENT });
  const roots = HOSTS.map((host) => `<Root url="http://${host}:${site.port}/"/>`).join('');
  const night = '<cw:Window from="22:00" to="06:00"/>';
  const world = await CrawlWorld.start({
    attributes: 'ignoreRobotsTxt="true" smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800"',
    crawler: `<cw:Schedule hosts="shop.example" timeZone="UTC">${night}</cw:Schedule>${roots}`,
    more: `<cw:Fetcher name="default" userAgent="${name}" ${PATIENT}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>`,
    index: 'none',
    names: NAMES,
    store,
    cluster,
    clock,
  });
  const node = { name, world, partitions: cluster.partitions };
  nodes.push(node);
  return node;
}

const begin = (hour: number, minute = 0): void =>
  clock.advanceTo(instant(new Date(clock.now()).setUTCHours(hour, minute, 0, 0)));

/** Every node does what it can do at that time of the day. */
async function at(hour: number, minute = 0): Promise<void> {
  begin(hour, minute);
  for (const { world } of nodes) await world.pass(0 as Duration);
}

/**
 * A little time passes while messages go from node to node, which no clock of a test moves; but not while a sink is at work, whose
 * timeouts go by that clock.
 */
const everythingIsAsked = (): Promise<void> =>
  expect
    .poll(async () => {
      const areCalm = (): boolean => nodes.every(({ world }) => world.isCalm());
      // On a busy machine such moments are short.
      for (let turns = 0; turns < 2_000 && !areCalm(); turns++) await new Promise((resolve) => setImmediate(resolve));
      if (areCalm()) clock.advance(seconds(3));
      return [...new Set(asked.map(({ url }) => url))].sort();
    })
    .toEqual(urls());

const isNight = (at: Instant): boolean => new Date(at).getUTCHours() >= 22 || new Date(at).getUTCHours() < 6;

beforeEach(async () => {
  [nodes, asked, clock] = [[], [], new ManualClock(NOON)];
  database = await postgresDatabase();
  site = await FakeSite.start('127.0.0.1', HOSTS[0]);
  for (const path of PATHS)
    site.set(path, ({ headers }) => {
      asked.push({ node: headers['user-agent'] ?? '', url: `${headers.host}${path}`, at: clock.now() });
      const body = `<title>${path}</title>${PATHS.map((to) => `<a href="${to}">x</a>`).join('')}`;
      return { headers: { 'content-type': 'text/html' }, body };
    });
});
afterEach(async () => {
  for (const { world } of nodes) {
    expect(world.errors).toEqual([]);
    await world.close();
  }
  await site.close();
});

it('hosts are requested only in their windows, by whichever node owns them and by the next owner', async () => {
  const first = await join('first');
  const second = await join('second');
  const shares = (): unknown[] => [owned(first) > 0, owned(second) > 0, owned(first) + owned(second)];
  await expect.poll(shares).toEqual([true, true, HOSTS.length]);

  await at(21, 30);
  expect(asked).toEqual([]);
  begin(22);
  await everythingIsAsked();
  expect(new Set(asked.map(({ node }) => node))).toEqual(new Set(['first', 'second']));
  expect(asked.filter((one) => !isNight(one.at))).toEqual([]);

  // A visit that is in flight would count as the refresh that follows, which would then not be made.
  for (const { world } of nodes)
    await expect.poll(async () => (await world.engine.getMetrics()).visitsInFlight).toBe(0);
  // By day a person asks for all pages, and the first node ends: its hosts move, with what waits for the night.
  clock.advance(hours(12));
  asked = [];
  await second.world.engine.maintenance.refresh('test', { like: '%' });
  await at(12);
  nodes = [second];
  await first.world.close();
  await expect.poll(() => owned(second)).toBe(HOSTS.length);
  await at(21, 30);
  expect(asked).toEqual([]);
  begin(22);
  await everythingIsAsked();
  expect(new Set(asked.map(({ node }) => node))).toEqual(new Set(['second']));
  expect(asked.filter((one) => !isNight(one.at))).toEqual([]);
}, 360_000);
