/**
 * One world of several nodes from one number: they are killed and replaced, freeze for a while, and lose the database for a
 * while; then all is well, and the index has to equal the web.
 */

import { hash } from 'node:crypto';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { CookieSessions } from '../../src/adapters/sessions/cookie-sessions.js';
import type { ServerDefinition } from '../../src/domain/crawl/definition.js';
import { after, hours, type Instant, milliseconds, minutes, seconds } from '../../src/domain/time/units.js';
import { getHostKey, toCrawlUrl } from '../../src/domain/url/crawl-url.js';
import { Engine } from '../../src/engine/engine.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Log } from '../../src/engine/ports/log.js';
import { ManualClock } from '../support/manual-clock.js';
import { openStoreInThisThread } from '../support/store-in-this-thread.js';
import { DatabaseLink } from './database-link.js';
import { Gate } from './gate.js';
import { settle } from './passing-time.js';
import { Random } from './random.js';
import { SimulatedCluster, SimulatedMember } from './simulated-cluster.js';
import { SimulatedIndex } from './simulated-sink.js';
import { SimulatedWeb } from './simulated-web.js';

const NODES = 3;
const THROTTLE_MS = 2_500;
const MAXIMUM_AGE = hours(6);
/** An engine may still complain of a lost database so long after it is back. */
const ECHO = minutes(2);
/** Two looks into the tables. */
const STOPS_WITHIN = minutes(1);

export interface ClusterReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly requests: number;
  readonly kills: number;
  readonly freezes: number;
  readonly cuts: number;
}

interface SimulatedNode {
  readonly gate: Gate;
  readonly link: DatabaseLink;
  readonly engine: Engine;
}

export async function runCluster(seed: number): Promise<ClusterReport> {
  const world = new ClusterWorld(seed);
  await world.run();
  return world.report();
}

class ClusterWorld {
  private readonly random: Random;
  private readonly clock = new ManualClock();
  private readonly web: SimulatedWeb;
  private readonly index: SimulatedIndex;
  private readonly violations: string[] = [];
  private readonly live: SimulatedNode[] = [];
  private readonly faults = { kills: 0, freezes: 0, cuts: 0 };
  private store!: FrontierStore;
  private cluster!: SimulatedCluster;

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
    this.web = new SimulatedWeb(this.random, this.random.integer(2, 6), 12);
    this.index = new SimulatedIndex(this.random);
  }

  async run(): Promise<void> {
    this.store = await openStoreInThisThread();
    this.cluster = new SimulatedCluster(this.clock, this.store);
    for (let n = 0; n < NODES; n++) await this.start();
    await this.chaos(after(this.clock.now(), hours(12)));
    await this.quiet();
    this.compare();
    for (const { gate } of this.live) gate.kill();
    await this.store.close();
  }

  report(): ClusterReport {
    const violations = [...this.violations, ...this.cluster.violations, ...this.index.violations, ...this.cutShort()];
    return { seed: this.seed, violations, requests: this.web.asked.length, ...this.faults };
  }

  private async start(): Promise<void> {
    const gate = new Gate();
    const link = new DatabaseLink(this.clock);
    const log = this.log(gate, link);
    const member = new SimulatedMember(this.cluster, gate, link, log);
    const engine = new Engine({
      store: gate.guard(link.guard(this.cluster.shared)),
      partitions: member.partitions,
      nodes: member,
      clock: gate.clock(this.clock),
      log,
      cron: () => undefined,
      loadDomains: async () => () => undefined,
      sessions: new CookieSessions(),
      createSink: () => gate.guard(this.index.sink(this.clock)),
      processor: new LocalPageProcessor({
        createEngines: () => [gate.guard(this.web.fetcher(this.clock))],
        reader: createPageReader(),
        clock: gate.clock(this.clock),
        digest: (content) => hash('sha256', content, 'hex'),
      }),
    });
    this.live.push({ gate, link, engine });
    void engine
      .open(definition(this.web))
      .catch((error: unknown) => this.violations.push(`a node did not open: ${String(error)}`));
    await settle();
  }

  private async chaos(end: Instant): Promise<void> {
    let nextFault = this.later(minutes(30));
    let nextMutation = this.later(hours(1));
    await this.until(end, async () => {
      if (this.clock.now() >= nextMutation) {
        this.web.mutate();
        nextMutation = this.later(minutes(30));
      }
      if (this.clock.now() < nextFault) return;
      nextFault = this.later(minutes(30));
      if (this.random.chance(0.3)) this.cluster.sendSenseless(getHostKey(toCrawlUrl(this.random.pick(this.web.roots))));
      await this.fault(this.random.pick(this.live));
    });
  }

  /** A node that has just begun, or is in trouble already, is left alone: it could not open, and would be started again. */
  private async fault(node: SimulatedNode): Promise<void> {
    const dice = this.random.next();
    if (dice < 0.3) {
      this.faults.kills++;
      node.gate.kill();
      this.live.splice(this.live.indexOf(node), 1);
      await this.start();
    } else if (dice < 0.6) {
      if (node.gate.isFrozen) return;
      this.faults.freezes++;
      node.gate.freeze();
      this.clock.at(this.later(minutes(10)), () => node.gate.thaw());
    } else this.cut(dice < 0.9 ? [node] : this.live);
  }

  /** Between these nodes and the database, for a moment or for longer than a lease. */
  private cut(nodes: readonly SimulatedNode[]): void {
    this.faults.cuts++;
    const cut = { hangs: this.random.chance(0.5), carriedOut: this.random.integer(0, 4) };
    const end = this.later(this.random.chance(0.5) ? seconds(60) : minutes(20));
    for (const { link } of nodes) {
      if (link.isCut) continue;
      link.cut(cut);
      this.clock.at(end, () => link.heal());
    }
  }

  /** Long enough for every page to be visited again, whatever back-off and age it had. */
  private async quiet(): Promise<void> {
    for (const { gate, link } of this.live) {
      gate.thaw();
      link.heal();
    }
    this.web.recover();
    this.index.faults = false;
    await this.until(after(this.clock.now(), milliseconds(MAXIMUM_AGE * 3)));
    const { engine } = this.live[0]!;
    for (const held of await engine.orders.listHeldDeletions()) await engine.orders.releaseHeldDeletions(held.hostKey);
    await this.until(after(this.clock.now(), milliseconds(MAXIMUM_AGE)));
    await this.command();
    await this.until(after(this.clock.now(), milliseconds(MAXIMUM_AGE * 2)));
  }

  /**
   * What a person does on one node holds on all: a stop, though commands wait for a sink that is down; and the links of unchanged pages are
   * read again, which bring back the document that was cleared.
   */
  private async command(): Promise<void> {
    const { engine } = this.live[0]!;
    const cleared = [...this.index.documents.keys()].filter((uri) => !this.web.roots.includes(uri));
    this.index.isDown = true;
    for (const uri of cleared) await engine.maintenance.clear('world', { like: uri });
    await engine.setRunState('world', 'paused');
    await this.until(after(this.clock.now(), STOPS_WITHIN));
    for (const { engine: each } of this.live)
      if ((await each.getCrawler('world')).state !== 'paused')
        this.violations.push('a node crawls on after it was paused');
    this.index.isDown = false;
    await this.until(after(this.clock.now(), minutes(5)));
    for (const uri of cleared)
      if (this.index.documents.has(uri)) this.violations.push(`${uri} was cleared and is in the index`);
    await engine.maintenance.clearErrors('world');
    await engine.setRunState('world', 'running');
  }

  private compare(): void {
    this.violations.push(...this.cluster.unexpectedCommands());
    const truth = this.web.truth();
    for (const uri of truth)
      if (!this.index.documents.has(uri)) this.violations.push(`${uri} is on the web and not in the index`);
    for (const uri of this.index.documents.keys())
      if (!this.web.serves(uri)) this.violations.push(`${uri} is in the index and not on the web`);
  }

  /** From one request to the next, whichever nodes asked. */
  private cutShort(): string[] {
    const last = new Map<string, Instant>();
    return this.web.asked.flatMap(({ host, path, from }) => {
      const gap = from - (last.get(host) ?? Number.NEGATIVE_INFINITY);
      last.set(host, from);
      return gap < THROTTLE_MS ? [`${host}${path} was asked ${gap} ms after another request`] : [];
    });
  }

  private async until(end: Instant, each: () => Promise<void> = async () => {}): Promise<void> {
    while (this.clock.now() < end) {
      this.clock.advanceTo(Math.min(this.clock.nextTimer ?? end, end) as Instant);
      await settle();
      await each();
    }
  }

  private later(most: number): Instant {
    return after(this.clock.now(), milliseconds(this.random.integer(100, most)));
  }

  private log(gate: Gate, link: DatabaseLink): Log {
    const error = (message: string, particulars?: Readonly<Record<string, unknown>>): void => {
      if (message.startsWith('a command was set aside')) return; // the table says which
      if (!gate.isDead && !link.isTroubled(ECHO)) this.violations.push(`${message} ${JSON.stringify(particulars)}`);
    };
    return { debug: () => undefined, info: () => undefined, warn: () => undefined, error };
  }
}

function definition(web: SimulatedWeb): ServerDefinition {
  const roots = web.roots.map((url) => `<Root url="${url}" site="false"/>`).join('');
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
