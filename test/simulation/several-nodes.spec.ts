import { expect, it } from 'vitest';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { openSqliteInProcess } from '../../src/adapters/storage/sqlite-in-process.js';
import type { ServerDefinition } from '../../src/domain/crawl/definition.js';
import { after, days, hours, type Instant, milliseconds, minutes, seconds } from '../../src/domain/time/units.js';
import { Engine } from '../../src/engine/engine.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import { ManualClock } from '../support/manual-clock.js';
import { Gate } from './gate.js';
import { Random } from './random.js';
import { SimulatedCluster, SimulatedMember } from './simulated-cluster.js';
import { SimulatedIndex } from './simulated-sink.js';
import { SimulatedWeb } from './simulated-web.js';

const NODES = 3;
const THROTTLE_MS = 2_500;
const MAXIMUM_AGE = days(1);
const WORLDS = 6;

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function definition(web: SimulatedWeb): ServerDefinition {
  const roots = web.roots.map((url) => `<Root url="${url}"/>`).join('');
  const read = readConfiguration(
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
      <Crawler name="world" nthreads="8" throttleTimeMS="${THROTTLE_MS}" defaultAccept="true" crawlSitemaps="false"
               nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="${MAXIMUM_AGE / 1000}">
        ${roots}<cw:PushTo sink="main"/></Crawler>
      <cw:Fetcher name="default"/><cw:Sink name="main" type="json" url="http://127.0.0.1:1/"/></CrawlConfig>`,
    { file: 'world.xml', env: {}, readFile: () => '' },
  );
  if (!read.definition) throw new Error(read.problems.map(({ message }) => message).join('; '));
  return read.definition;
}

/** Nodes are killed and replaced, and freeze for a while; then all live, and the index has to equal the web. */
async function runCluster(seed: number): Promise<readonly string[]> {
  const random = new Random(seed);
  const clock = new ManualClock();
  const web = new SimulatedWeb(random, random.integer(2, 6), 12);
  const index = new SimulatedIndex(random);
  const store = await openSqliteInProcess(':memory:');
  const cluster = new SimulatedCluster(clock, store);
  const violations: string[] = [];
  const live: { gate: Gate; engine: Engine }[] = [];

  const start = async (): Promise<void> => {
    const gate = new Gate();
    const member = new SimulatedMember(cluster, gate);
    const say = (message: string, particulars?: unknown): void => {
      if (!gate.isDead) violations.push(`${message} ${JSON.stringify(particulars)}`);
    };
    const engine = new Engine({
      store: gate.guard(cluster.shared),
      partitions: member,
      nodes: member,
      clock: gate.clock(clock),
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: say },
      cron: () => undefined,
      createSink: () => gate.guard(index.sink(clock)),
      processor: new LocalPageProcessor({
        createFetcher: () => gate.guard(web.fetcher(clock)),
        reader: createPageReader(),
        digest: (bytes, text) => Buffer.from(bytes).toString('latin1') + text,
      }),
    });
    live.push({ gate, engine });
    void engine.open(definition(web)).catch((error: unknown) => violations.push(`did not open: ${String(error)}`));
    await settle();
  };
  const later = (most: number): Instant => after(clock.now(), milliseconds(random.integer(1, most)));
  const until = async (end: Instant, each: () => Promise<void> = async () => {}): Promise<void> => {
    while (clock.now() < end) {
      clock.advanceTo(Math.min(clock.nextTimer ?? end, end) as Instant);
      await settle();
      await each();
    }
  };

  for (let n = 0; n < NODES; n++) await start();
  let nextFault = later(minutes(30));
  let nextMutation = later(hours(1));
  await until(after(clock.now(), hours(12)), async () => {
    if (clock.now() >= nextMutation) {
      web.mutate();
      nextMutation = later(minutes(30));
    }
    if (clock.now() < nextFault) return;
    nextFault = later(minutes(30));
    const node = random.pick(live);
    if (node.gate.isFrozen) return;
    if (random.chance(0.4)) {
      node.gate.kill();
      live.splice(live.indexOf(node), 1);
      await start();
    } else {
      node.gate.freeze();
      clock.at(after(clock.now(), milliseconds(random.integer(100, seconds(60)))), () => node.gate.thaw());
    }
  });
  for (const { gate } of live) gate.thaw();
  web.becomeQuiet();
  index.faults = false;
  await until(after(clock.now(), milliseconds(MAXIMUM_AGE * 3)));
  for (const held of await live[0]!.engine.heldDeletions()) await live[0]!.engine.releaseHeld(held.hostKey);
  await until(after(clock.now(), milliseconds(MAXIMUM_AGE)));
  const truth = web.truth();
  for (const uri of truth) if (!index.documents.has(uri)) violations.push(`${uri} is on the web and not in the index`);
  for (const uri of index.documents.keys()) if (!web.serves(uri)) violations.push(`${uri} is not on the web`);
  violations.push(...index.violations, ...cutShort(web));
  for (const { gate } of live) gate.kill();
  await store.close();
  return violations;
}

/** From one request to the next, whichever nodes asked. */
function cutShort(web: SimulatedWeb): string[] {
  const last = new Map<string, Instant>();
  return web.asked.flatMap(({ host, path, from }) => {
    const gap = from - (last.get(host) ?? Number.NEGATIVE_INFINITY);
    last.set(host, from);
    return gap < THROTTLE_MS ? [`${host}${path} was asked ${gap} ms after another request`] : [];
  });
}

it.each(Array.from({ length: WORLDS }, (_, i) => i + 1))(
  'world %i of several nodes, killed and frozen',
  async (seed) => {
    expect(await runCluster(seed)).toEqual([]);
  },
);
