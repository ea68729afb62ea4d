/**
 * One world from one number: a web, an index, a store and a clock that the real engine works in. First everything goes
 * wrong that can, then the world becomes quiet, and the index has to equal the web exactly.
 */

import { hash } from 'node:crypto';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { CookieSessions } from '../../src/adapters/sessions/cookie-sessions.js';
import type { ServerDefinition } from '../../src/domain/crawl/definition.js';
import { UNKNOWN_STAMP } from '../../src/domain/crawl/url-state.js';
import { ERROR_CODES } from '../../src/domain/fetch/error-codes.js';
import { REASONS } from '../../src/domain/policy/reasons.js';
import {
  after,
  between,
  type Duration,
  days,
  hours,
  type Instant,
  milliseconds,
  minutes,
  NEVER,
} from '../../src/domain/time/units.js';
import { Engine } from '../../src/engine/engine.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Log } from '../../src/engine/ports/log.js';
import { ManualClock } from '../support/manual-clock.js';
import { openStoreInThisThread } from '../support/store-in-this-thread.js';
import { Fuse } from './fuse.js';
import { RETRY_AFTER_S } from './moods.js';
import { pass, settle } from './passing-time.js';
import { Random } from './random.js';
import { SimulatedIndex } from './simulated-sink.js';
import { SimulatedWeb } from './simulated-web.js';
import { Witness } from './witness.js';

export interface WorldReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly pages: number;
  readonly requests: number;
  readonly crashes: number;
  readonly orders: number;
}

const THROTTLE_MS = 2_500;
const MAXIMUM_AGE = days(1);
/** Orders that may be decided and unanswered at once: the limit of the delivery and what was in flight when it was reached. */
const MOST_PENDING = 500 + 64;

/** How long a world is well before `checkRecovery`. */
export const RECOVERY = hours(3);

/** Of a page within an hour, once all is well. */
const MOST_VISITS = 30;

/** Pages whose visit is requested twice once all is well. */
const MOST_REQUESTS = 10;

export async function runWorld(seed: number): Promise<WorldReport> {
  const world = new World(seed);
  await world.run();
  return world.report();
}

export class World {
  protected readonly random: Random;
  protected readonly clock = new ManualClock();
  protected readonly web: SimulatedWeb;
  protected index: SimulatedIndex;
  protected readonly violations: string[] = [];
  protected store!: FrontierStore;
  protected engine!: Engine;
  private fuse = new Fuse();
  protected readonly witness = new Witness(this.violations);
  private crashes = 0;
  private orders = 0;
  private wellSince: Instant = NEVER;

  /** Further settings of the crawler. */
  protected more = { attributes: '', elements: '', sinks: '' };

  constructor(
    protected readonly seed: number,
    web = (random: Random) => new SimulatedWeb(random, random.integer(1, 5), random.integer(3, 20)),
  ) {
    this.random = new Random(seed);
    this.web = web(this.random);
    this.index = new SimulatedIndex(this.random);
  }

  async run(): Promise<void> {
    this.store = await openStoreInThisThread();
    await this.start();
    await this.chaos(after(this.clock.now(), hours(this.random.integer(12, 96))));
    await this.quiet();
    await this.compare();
    this.checkPoliteness();
    this.checkPatience();
    await this.checkLedger();
    this.fuse.blow();
    await this.store.close();
  }

  report(): WorldReport {
    const { seed, crashes, orders } = this;
    const violations = [...this.violations, ...this.index.violations];
    return { seed, violations, crashes, orders, pages: this.web.truth().size, requests: this.web.asked.length };
  }

  private async start(): Promise<void> {
    this.fuse = new Fuse();
    const { fuse } = this;
    const clock = fuse.clock(this.clock);
    const store = fuse.guard(this.store);
    this.engine = new Engine({
      store: Object.assign(Object.create(store) as FrontierStore, { close: async () => undefined }),
      clock,
      log: this.log(),
      cron: () => undefined,
      loadDomains: async () => () => undefined,
      sessions: new CookieSessions(),
      createSink: ({ name }) => fuse.guard(this.indexOf(name).sink(clock, () => fuse.isBlown)),
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
    this.engine.events.subscribe((event) => {
      if (!fuse.isBlown) this.witness.see(event);
    });
    await settle();
  }

  protected indexOf(_sink: string): SimulatedIndex {
    return this.index;
  }

  protected definition(): ServerDefinition {
    const roots = this.web.roots.map((url) => `<Root url="${url}" site="false"/>`).join('');
    const { definition, problems } = readConfiguration(
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
        <Crawler name="world" nthreads="8" throttleTimeMS="${THROTTLE_MS}" defaultAccept="true" crawlSitemaps="false"
                 nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="${MAXIMUM_AGE / 1000}" ${this.more.attributes}>
          ${roots}${this.more.elements}<cw:PushTo sink="main"/></Crawler>
        <cw:Fetcher name="default"/>${this.more.sinks === '' ? '<cw:Sink name="main" type="json" url="http://127.0.0.1:1/"/>' : this.more.sinks}</CrawlConfig>`,
      { file: 'world.xml', env: {}, readFile: () => '' },
    );
    if (!definition) throw new Error(problems.map((problem) => problem.message).join('; '));
    return definition;
  }

  private async chaos(end: Instant): Promise<void> {
    let nextMutation = this.laterBy(hours(1));
    let nextCrash = this.laterBy(hours(24));
    while (this.clock.now() < end) {
      const next = Math.min(this.clock.nextTimer ?? end, nextMutation, nextCrash, end) as Instant;
      this.clock.advanceTo(next);
      await settle();
      this.checkBounds();
      if (next >= nextMutation) {
        this.web.mutate();
        nextMutation = this.laterBy(minutes(30));
      }
      this.befall();
      if (next >= nextCrash) {
        this.fuse.blowAfter(this.random.integer(1, 40));
        nextCrash = this.laterBy(hours(24));
      }
      if (this.fuse.isBlown) await this.restart();
    }
  }

  /** What else happens, at each step. */
  protected befall(): void {}

  private async restart(): Promise<void> {
    this.crashes++;
    this.web.hangUp(this.clock.now());
    this.witness.crashed(this.clock.now());
    this.clock.advance(milliseconds(this.random.integer(0, 3_000)));
    await settle();
    await this.checkBeliefs();
    await this.start();
  }

  /** Long enough for every page to be visited again, whatever back-off and age it had. */
  protected async quiet(): Promise<void> {
    this.web.recover();
    this.index.faults = false;
    // The last crash: from here on the process lives.
    this.fuse.blow();
    await this.restart();
    await pass(this.clock, RECOVERY);
    this.wellSince = this.clock.now();
    await this.checkRecovery();
    await pass(this.clock, (MAXIMUM_AGE * 3) as Duration);
    await this.release();
    await pass(this.clock, MAXIMUM_AGE);
    await this.requestVisits();
  }

  /** All has been well for a while. */
  protected checkRecovery(): void | Promise<void> {}

  /** Whoever requests a visit gets one that begins afterwards, whether or not another one is in flight. */
  private async requestVisits(): Promise<void> {
    const { random, clock } = this;
    const urls = [...this.index.documents.keys()].filter((uri) => this.web.serves(uri) && !uri.includes('#'));
    const requestedAt = new Map<string, Instant>();
    for (let i = 0; i < MOST_REQUESTS && urls.length > 0; i++) {
      const url = random.pick(urls);
      // The second time, the visit is in flight, or its order is.
      for (const longest of [30, 4 * THROTTLE_MS]) {
        requestedAt.set(url, clock.now());
        await this.engine.maintenance.refresh('world', random.chance(0.5) ? { url } : { like: url });
        await settle();
        await pass(clock, milliseconds(random.integer(1, longest)));
      }
    }
    await pass(clock, minutes(30));
    for (const [url, at] of requestedAt)
      if (!this.web.asked.some(({ host, path, from }) => `http://${host}${path}` === url && from >= at))
        this.violations.push(`${url} was not asked for after its visit was requested`);
  }

  protected async release(): Promise<void> {
    for (const held of await this.engine.orders.listHeldDeletions())
      await this.engine.orders.releaseHeldDeletions(held.hostKey);
  }

  /** A page that nothing links to any more and that still answers stays in the index: its own visits keep it true. */
  protected compare(): void | Promise<void> {
    const truth = this.web.truth();
    for (const uri of truth)
      if (!this.index.documents.has(uri)) this.violations.push(`${uri} is on the web and not in the index`);
    for (const uri of this.index.documents.keys())
      if (!this.web.serves(uri)) this.violations.push(`${uri} is in the index and not on the web`);
  }

  /**
   * No request may begin before the throttle has passed since the last one to the same host ended, nor before the time
   * that the host has asked for; over crashes too.
   */
  private checkPoliteness(): void {
    const freeFrom = new Map<string, Instant>();
    for (const { host, path, from, to, wantsRest } of this.web.asked) {
      const free = freeFrom.get(host);
      if (free !== undefined && from < free)
        this.violations.push(`${host}${path} was asked ${free - from} ms too early`);
      if (to === undefined) continue;
      // What a dying process heard last it could not remember: then only the throttle holds.
      const rests = wantsRest && !this.witness.mayHaveForgotten(to) && !this.mayBeAskedEarly();
      freeFrom.set(host, after(to, milliseconds(rests ? RETRY_AFTER_S * 1_000 : THROTTLE_MS)));
    }
  }

  /** When all is well, no page is visited again and again. */
  private checkPatience(): void {
    const counts = new Map<string, number>();
    for (const { host, path, from } of this.web.asked) {
      if (from < this.wellSince) continue;
      const url = `http://${host}${path} in hour ${Math.floor(between(this.wellSince, from) / hours(1))}`;
      counts.set(url, (counts.get(url) ?? 0) + 1);
    }
    for (const [url, count] of counts)
      if (count > MOST_VISITS) this.violations.push(`${url} was asked for ${count} times`);
  }

  /** Before the time that the host has asked for has passed. */
  protected mayBeAskedEarly(): boolean {
    return false;
  }

  private async checkLedger(): Promise<void> {
    let before: number | undefined;
    for (;;) {
      const page = await this.store.listOrders({}, before, 1_000);
      this.orders += page.length;
      for (const entry of page) {
        if (!(entry.reason in REASONS) && !(entry.reason in ERROR_CODES))
          this.violations.push(`order ${entry.id} has the unknown reason ${entry.reason}`);
      }
      before = page.at(-1)?.id;
      if (page.length < 1_000) return;
    }
  }

  /** Nothing is settled before its order is acknowledged: what the store takes to be in the index has been there. */
  private async checkBeliefs(): Promise<void> {
    for (const { url, stamp } of await this.store.list({ crawler: 'world', indexed: true }, 0, 10_000)) {
      if (stamp === undefined || stamp === UNKNOWN_STAMP || this.wasTaken(url, stamp)) continue;
      this.violations.push(`${url} counts as indexed, and the index was never given that document`);
    }
  }

  protected wasTaken(url: string, stamp: string): boolean {
    return this.index.hasTaken(url, stamp);
  }

  private checkBounds(): void {
    const pending = this.engine.listSinks().reduce((sum, sink) => sum + sink.pending, 0);
    if (pending > MOST_PENDING) this.violations.push(`${pending} orders are pending at once`);
  }

  protected laterBy(most: Duration): Instant {
    return after(this.clock.now(), milliseconds(this.random.integer(1, most)));
  }

  private log(): Log {
    const error = (message: string, particulars?: Readonly<Record<string, unknown>>): void => {
      if (!this.fuse.isBlown) this.violations.push(`${message} ${JSON.stringify(particulars)}`);
    };
    return { debug: () => undefined, info: () => undefined, warn: () => undefined, error };
  }
}
