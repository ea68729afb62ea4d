/**
 * One world from one number in which a person and the configuration never rest: two crawlers over one web, one of them with two
 * sinks, whose rules, sinks and guard change while sites fail, sinks refuse and the process dies, and a person clears,
 * refreshes, forgets errors, releases, drops, sends again, compares and pauses. Then all is well, and every sink has
 * to hold what the web and the last rules say, and what the store believes.
 */

import { hash } from 'node:crypto';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { CookieSessions } from '../../src/adapters/sessions/cookie-sessions.js';
import type { ServerDefinition } from '../../src/domain/crawl/definition.js';
import { after, type Duration, days, hours, type Instant, milliseconds, minutes } from '../../src/domain/time/units.js';
import { Engine } from '../../src/engine/engine.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Log } from '../../src/engine/ports/log.js';
import { NotFound, Unacceptable } from '../../src/engine/support/api-errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { openStoreInThisThread } from '../support/store-in-this-thread.js';
import { Fuse } from './fuse.js';
import { pass, settle } from './passing-time.js';
import { Random } from './random.js';
import { SimulatedIndex } from './simulated-sink.js';
import { SimulatedWeb } from './simulated-web.js';

const MAXIMUM_AGE = days(1);
const SINKS = ['main', 'second', 'third'];
const NAMES = ['world', 'twin'] as const;
type Name = (typeof NAMES)[number];

export interface RuledReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly crashes: number;
  readonly deeds: number;
}

export const runRuledWorld = (seed: number): Promise<RuledReport> => run(new RuledWorld(seed, false));

/** Both crawlers push to the same sinks. */
export const runSharedWorld = (seed: number): Promise<RuledReport> => run(new RuledWorld(seed, true));

async function run(world: RuledWorld): Promise<RuledReport> {
  await world.run();
  return world.report();
}

/** First digits of paths that the rules keep out, or keep out of the index alone. */
interface Rules {
  readonly ignored: readonly number[];
  readonly unindexed: readonly number[];
}

class RuledWorld {
  private readonly random: Random;
  private readonly clock = new ManualClock();
  private readonly web: SimulatedWeb;
  private readonly indexes: ReadonlyMap<string, SimulatedIndex>;
  private readonly violations: string[] = [];
  private store!: FrontierStore;
  private engine!: Engine;
  private fuse = new Fuse();
  private rules: Record<Name, Rules> = { world: { ignored: [], unindexed: [] }, twin: { ignored: [], unindexed: [] } };
  private crawlers: readonly Name[] = NAMES;
  /** Of the first crawler. */
  private pushTo: readonly string[] = ['main', 'second'];
  private guard = 'on';
  private batch = 100;
  /** Then a person compares the sinks in the end: one that was left out has what it had before. */
  private readonly changesSinks: boolean;
  /** The sinks of the second crawler. */
  private readonly twinSinks: readonly string[];
  private reconfiguring = false;
  private crashes = 0;
  private deeds = 0;

  constructor(
    private readonly seed: number,
    isShared: boolean,
  ) {
    this.random = new Random(seed);
    this.changesSinks = seed % 3 === 0 && !isShared;
    this.twinSinks = isShared ? this.pushTo : ['third'];
    this.web = new SimulatedWeb(this.random, this.random.integer(1, 3), this.random.integer(5, 20), true);
    this.indexes = new Map(SINKS.map((name) => [name, new SimulatedIndex(this.random, name)]));
  }

  async run(): Promise<void> {
    this.store = await openStoreInThisThread();
    await this.start();
    await this.chaos(after(this.clock.now(), hours(this.random.integer(24, 96))));
    await this.quiet();
    this.fuse.blow();
    await this.store.close();
  }

  report(): RuledReport {
    const { seed, crashes, deeds } = this;
    const violations = [
      ...this.violations,
      // A deletion that is released or sent again has the number that it had when it was decided.
      ...[...this.indexes.values()].flatMap((index) => index.violations.filter((text) => !text.includes('came after'))),
    ];
    return { seed, violations, crashes, deeds };
  }

  private async start(): Promise<void> {
    this.fuse = new Fuse();
    this.reconfiguring = false;
    const { fuse } = this;
    const clock = fuse.clock(this.clock);
    const store = fuse.guard(this.store);
    this.engine = new Engine({
      store: Object.assign(Object.create(store) as FrontierStore, { close: async () => undefined }),
      clock,
      log: this.log(fuse),
      cron: () => undefined,
      loadDomains: async () => () => undefined,
      sessions: new CookieSessions(),
      createSink: ({ name }) => fuse.guard(this.indexes.get(name)!.sink(clock)),
      processor: new LocalPageProcessor({
        createEngines: () => [fuse.guard(this.web.fetcher(clock))],
        reader: createPageReader(),
        clock,
        digest: (content) => hash('sha256', content, 'hex'),
      }),
    });
    void this.engine
      .open(this.definition())
      .catch((error: unknown) => this.violations.push(`the engine did not open: ${String(error)}`));
    await settle();
  }

  private definition(): ServerDefinition {
    const roots = this.web.roots.map((url) => `<Root url="${url}" site="false"/>`).join('');
    const rule = (digit: number, action: string) => `<Rule><ar:Path val="/p${digit}"/>${action}</Rule>`;
    const crawler = (name: Name): string => {
      const { ignored, unindexed } = this.rules[name];
      const rules = [...unindexed.map((d) => rule(d, '<NoIndex/>')), ...ignored.map((d) => rule(d, '<Ignore/>'))].join(
        '',
      );
      const sinks = this.sinksOf(name)
        .map((sink) => `<cw:PushTo sink="${sink}"/>`)
        .join('');
      return `<Crawler name="${name}" nthreads="8" throttleTimeMS="2500" defaultAccept="true" crawlSitemaps="false" deletionGuard="${this.guard}"
        nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="${MAXIMUM_AGE / 1000}">
        ${roots}<cw:DeletionGuard maxDeletions="1" maxShare="0.05"/><Rules>${rules}</Rules>${sinks}</Crawler>`;
    };
    const sinks = [...this.indexes.keys()].map(
      (name) => `<cw:Sink name="${name}" type="json" url="http://127.0.0.1:1/" batchDocuments="${this.batch}"/>`,
    );
    const { definition, problems } = readConfiguration(
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
        ${this.crawlers.map(crawler).join('')}<cw:Fetcher name="default"/>${sinks.join('')}</CrawlConfig>`,
      { file: 'world.xml', env: {}, readFile: () => '' },
    );
    if (!definition) throw new Error(problems.map((problem) => problem.message).join('; '));
    return definition;
  }

  private sinksOf(name: Name): readonly string[] {
    return name === 'world' ? this.pushTo : this.twinSinks;
  }

  private async chaos(end: Instant): Promise<void> {
    let nextMutation = this.laterBy(minutes(30));
    let nextDeed = this.laterBy(hours(1));
    let nextCrash = this.laterBy(hours(24));
    while (this.clock.now() < end) {
      const next = Math.min(this.clock.nextTimer ?? end, nextMutation, nextCrash, nextDeed, end) as Instant;
      this.clock.advanceTo(next);
      await settle();
      if (next >= nextMutation) {
        this.web.mutate();
        nextMutation = this.laterBy(minutes(10));
      }
      if (next >= nextDeed) {
        void this.deed();
        nextDeed = this.random.chance(0.3) ? this.laterBy(milliseconds(2_000)) : this.laterBy(minutes(30));
      }
      if (this.random.chance(0.0005)) this.clock.advance(days(this.random.integer(1, 40)));
      if (next >= nextCrash) {
        if (this.seed % 2 === 0) this.fuse.blowAfter(this.random.integer(1, 60));
        nextCrash = this.laterBy(hours(24));
      }
      if (this.fuse.isBlown) await this.restart();
    }
  }

  /** What a person does, or the one who writes the configuration; never two changes of that at once. */
  private async deed(): Promise<void> {
    const { engine, fuse, random } = this;
    const name = random.pick(this.crawlers);
    const hostKey = new URL(random.pick(this.web.roots)).host;
    const like = random.chance(0.03) ? '%' : `%/p${random.integer(1, 12)}`;
    const deeds: Record<string, () => Promise<unknown>> = {
      strike: async () => this.web.strike(),
      clear: () => engine.maintenance.clear(name, { like }),
      refresh: () =>
        engine.maintenance.refresh(
          name,
          random.chance(0.5) ? { like } : { url: `http://${hostKey}/p${random.integer(1, 12)}` },
        ),
      refreshAll: () => engine.maintenance.refresh(name, { like: '%' }),
      clearErrors: () => engine.maintenance.clearErrors(name),
      release: () => engine.orders.releaseHeldDeletions(hostKey),
      drop: () => engine.orders.dropHeldDeletions(hostKey),
      retry: () => this.retry(engine),
      retryRefused: () => engine.orders.retryRefused({}),
      decide: () => this.decide(engine),
      submit: () => engine.roots.submit(name, [{ url: `http://${hostKey}/p${random.integer(1, 12)}`, site: false }]),
      pushAgain: () => engine.backfills.pushAgain(random.pick([...this.indexes.keys()])),
      reconcile: () => engine.reconciliation.run(random.pick([...this.indexes.keys()]), random.chance(0.8)),
      pause: () => engine.hosts.setPaused(hostKey, random.chance(0.2)),
      state: () => engine.setRunState(name, random.pick(['running', 'running', 'running', 'paused'] as const)),
      configure: () => this.reconfigure(),
      stop: () => this.stop(engine, fuse),
    };
    const what = random.chance(0.3) ? 'refreshAll' : random.pick(Object.keys(deeds));
    this.deeds++;
    // The worst moment to die is in the middle of it.
    if (this.seed % 2 === 0 && random.chance(0.15)) fuse.blowAfter(random.integer(2, 30));
    try {
      await deeds[what]!();
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof Unacceptable || fuse.isBlown))
        this.violations.push(`${what} failed: ${String((error as Error).stack)}`);
    }
  }

  private async stop(engine: Engine, fuse: Fuse): Promise<void> {
    if (this.reconfiguring || this.random.chance(0.5)) return;
    await engine.drain(milliseconds(this.random.integer(0, 20_000)));
    fuse.blow();
  }

  private async retry(engine: Engine): Promise<void> {
    const state = this.random.chance(0.5) ? 'refused' : 'held';
    const orders = await engine.orders.list({ state }, undefined, 50);
    if (orders.length > 0) await engine.orders.retry(this.random.pick(orders).id);
  }

  private async decide(engine: Engine): Promise<void> {
    const documents = this.random.pick(['delete', 'keep', 'hand-over'] as const);
    await engine.formerCrawlers.decide('twin', documents === 'hand-over' ? { documents, to: 'world' } : { documents });
  }

  private async reconfigure(): Promise<void> {
    if (this.reconfiguring) return;
    this.reconfiguring = true;
    const { random, engine } = this;
    const digits = () => [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(() => random.chance(0.12));
    if (random.chance(0.7))
      this.rules = { ...this.rules, [random.pick(NAMES)]: { ignored: digits(), unindexed: digits() } };
    if (this.changesSinks && random.chance(0.15)) this.pushTo = random.pick([['main', 'second'], ['main'], ['second']]);
    if (random.chance(0.2)) this.guard = random.pick(['on', 'off']);
    if (random.chance(0.2)) this.batch = random.integer(1, 100);
    if (random.chance(0.2)) this.crawlers = random.chance(0.5) ? NAMES : ['world'];
    await engine.reconfigure(this.definition());
    this.reconfiguring = false;
  }

  private async restart(): Promise<void> {
    this.crashes++;
    this.web.hangUp(this.clock.now());
    this.clock.advance(milliseconds(this.random.integer(0, 3_000)));
    await settle();
    await this.checkBeliefs();
    await this.start();
  }

  /** All is well, and every page stays as it is. */
  private async quiet(): Promise<void> {
    this.web.recover();
    for (const index of this.indexes.values()) index.faults = false;
    this.crawlers = NAMES;
    this.pushTo = ['main', 'second'];
    this.fuse.blow();
    await this.restart();
    await pass(this.clock, minutes(1));
    for (const name of NAMES) await this.engine.setRunState(name, 'running');
    for (const root of this.web.roots) await this.engine.hosts.setPaused(new URL(root).host, false);
    await pass(this.clock, (MAXIMUM_AGE * 3) as Duration);
    for (const held of await this.engine.orders.listHeldDeletions())
      await this.engine.orders.releaseHeldDeletions(held.hostKey);
    await pass(this.clock, minutes(10));
    await this.retryDeletions();
    await pass(this.clock, minutes(10));
    if (this.changesSinks) await this.repair();
    await pass(this.clock, MAXIMUM_AGE);
    await this.compare();
  }

  private async repair(): Promise<void> {
    for (const name of this.indexes.keys()) {
      void this.engine.reconciliation
        .run(name, true)
        .catch((error: unknown) => this.violations.push(`comparing failed: ${error}`));
      await pass(this.clock, minutes(10));
    }
  }

  private async retryDeletions(): Promise<void> {
    for (const { id } of await this.engine.orders.list({ kind: 'delete', state: 'refused' }, undefined, 1_000)) {
      void this.engine.orders.retry(id).catch((error: unknown) => {
        if (!(error instanceof Unacceptable)) this.violations.push(`sending again failed: ${error}`);
      });
    }
  }

  private async compare(): Promise<void> {
    for (const sink of SINKS) await this.compareSink(sink);
    const held = await this.store.listOrders({ state: 'held' }, undefined, 10);
    for (const { uri, crawler } of held) this.violations.push(`a deletion of ${uri} by ${crawler} is held still`);
    const waiting = await this.store.list({ pendingDeletion: true }, 0, 1_000);
    for (const { url, crawler } of waiting) this.violations.push(`${url} of ${crawler} still waits for its deletion`);
    for (const sink of this.engine.listSinks())
      if (sink.pending > 0) this.violations.push(`${sink.name} has orders pending`);
  }

  /** A document is one that a crawler of the sink may push, and the one that such a crawler believes to have pushed. */
  private async compareSink(sink: string): Promise<void> {
    const { documents } = this.indexes.get(sink)!;
    const names = NAMES.filter((name) => this.sinksOf(name).includes(sink));
    const beliefs = await Promise.all(names.map((name) => this.readBeliefs(name)));
    for (const name of names)
      for (const uri of this.web.truth((url) => this.mayVisit(name, url)))
        if (this.mayIndex(name, uri) && !documents.has(uri))
          this.violations.push(`${uri} is on the web and not in ${sink}`);
    for (const [uri, stamp] of documents) {
      if (!this.web.serves(uri) || !names.some((name) => this.mayIndex(name, uri)))
        this.violations.push(`${uri} is in ${sink} and should not be`);
      if (!beliefs.some((believed) => believed.get(uri) === stamp))
        this.violations.push(`${uri} in ${sink} is not what ${names.join(' or ')} believes`);
    }
    for (const uri of beliefs.flatMap((believed) => [...believed.keys()]))
      if (!documents.has(uri)) this.violations.push(`${names.join(' or ')} believes that ${uri} is in ${sink}`);
  }

  private async readBeliefs(name: Name): Promise<ReadonlyMap<string, string | undefined>> {
    const indexed = await this.store.list({ crawler: name, indexed: true }, 0, 10_000);
    if ((await this.store.count({ crawler: name, indexed: true })) !== indexed.length)
      this.violations.push(`${name} counts other documents than it has`);
    return new Map(indexed.map(({ url, stamp }) => [url, stamp]));
  }

  private mayVisit(name: Name, url: string): boolean {
    return !startsWithDigit(url, this.rules[name].ignored);
  }

  private mayIndex(name: Name, url: string): boolean {
    return this.mayVisit(name, url) && !startsWithDigit(url, this.rules[name].unindexed);
  }

  private async checkBeliefs(): Promise<void> {
    for (const name of NAMES) {
      for (const { url, stamp } of await this.store.list({ crawler: name, indexed: true }, 0, 10_000)) {
        // What a crawler has received from another one was pushed by that one.
        if (!stamp || SINKS.some((sink) => this.indexes.get(sink)!.hasTaken(url, stamp))) continue;
        this.violations.push(`${url} counts as indexed, and an index was never given that document`);
      }
    }
  }

  private laterBy(most: Duration): Instant {
    return after(this.clock.now(), milliseconds(this.random.integer(1, most)));
  }

  private log(fuse: Fuse): Log {
    const error = (message: string, particulars?: Readonly<Record<string, unknown>>): void => {
      if (!fuse.isBlown) this.violations.push(`${message} ${JSON.stringify(particulars)}`);
    };
    return { debug: () => undefined, info: () => undefined, warn: () => undefined, error };
  }
}

const startsWithDigit = (url: string, digits: readonly number[]): boolean =>
  digits.some((digit) => new URL(url).pathname.startsWith(`/p${digit}`));
