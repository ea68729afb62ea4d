/**
 * One world from one number with a second sink, which is slow or down for hours while the first one follows, and the other way
 * round, while sites fail, orders are refused and the process dies. Then all is well, and both sinks have to hold what the web
 * holds, and what the store believes.
 */
import { after, type Duration, hours, type Instant, minutes, seconds } from '../../src/domain/time/units.js';
import { SimulatedIndex } from './simulated-sink.js';
import { World, type WorldReport } from './world.js';

export async function runSinksWorld(seed: number): Promise<SinksReport> {
  const world = new SinksWorld(seed);
  await world.run();
  return world.sinksReport();
}

export interface SinksReport extends WorldReport {
  /** Orders that were put off. */
  readonly putOff: number;
}

/** An order waits so long for a sink that is behind: the patience, and the request that has taken it. */
const LONGEST_WAIT = minutes(7);

class SinksWorld extends World {
  private readonly second: SimulatedIndex;
  private readonly mostDown: Duration;
  private nextMood = 0 as Instant;
  private nextLook = 0 as Instant;
  private putOff = 0;

  constructor(seed: number) {
    super(seed);
    const givesBack = seed % 2 === 0;
    this.mostDown = this.random.pick([minutes(10), hours(2), hours(30)]);
    this.index = new SimulatedIndex(this.random, '', givesBack);
    this.second = new SimulatedIndex(this.random, 'second');
    // Every third world has a first sink without a fault: nothing may ever wait for the other one.
    this.index.faults = seed % 3 !== 0;
    const first = givesBack ? 'type="file" url="first.jsonl"' : 'type="json" url="http://127.0.0.1:1/"';
    const batch = this.random.pick([1, 10, 100]);
    this.more = {
      attributes: '',
      elements: '<cw:PushTo sink="second"/>',
      sinks: `<cw:Sink name="main" ${first}/><cw:Sink name="second" type="json" url="http://127.0.0.1:2/" batchDocuments="${batch}"/>`,
    };
  }

  sinksReport(): SinksReport {
    const report = this.report();
    return { ...report, violations: [...report.violations, ...this.second.violations], putOff: this.putOff };
  }

  protected override indexOf(sink: string): SimulatedIndex {
    return sink === 'second' ? this.second : this.index;
  }

  protected override wasTaken(url: string, stamp: string): boolean {
    return this.index.hasTaken(url, stamp) || this.second.hasTaken(url, stamp);
  }

  protected override befall(): void {
    const now = this.clock.now();
    if (now >= this.nextLook) {
      if (!this.index.faults) void this.checkWaiting();
      this.nextLook = after(now, minutes(5));
    }
    if (now < this.nextMood) return;
    this.nextMood = this.laterBy(this.mostDown);
    this.second.isDown = this.random.chance(0.4);
    this.second.slowness = this.random.chance(0.4) ? this.random.integer(seconds(10), minutes(5)) : 0;
    if (this.index.faults) this.index.isDown = this.random.chance(0.1);
  }

  private async checkWaiting(): Promise<void> {
    const { engine } = this;
    const since = after(this.clock.now(), -LONGEST_WAIT as Duration);
    for (const { uri, id, decidedAt } of await engine.orders.list({ state: 'pending' }, undefined, 1_000))
      if (decidedAt < since) this.violations.push(`order ${id} for ${uri} waits since ${decidedAt}`);
  }

  protected override async quiet(): Promise<void> {
    for (const { answer } of await this.store.listOrders({ state: 'acknowledged' }, undefined, 100_000))
      if (answer?.startsWith('put off')) this.putOff++;
    this.index.isDown = this.second.isDown = this.second.faults = false;
    this.second.slowness = 0;
    await super.quiet();
    for (const { sink, documents } of await this.store.countOwed())
      this.violations.push(`${sink} is owed ${documents} documents in the end`);
  }

  protected override async compare(): Promise<void> {
    super.compare();
    for (const [uri, stamp] of this.index.documents)
      if (this.second.documents.get(uri) !== stamp) this.violations.push(`${uri} is not the same in the second sink`);
    for (const uri of this.second.documents.keys())
      if (!this.index.documents.has(uri)) this.violations.push(`${uri} is in the second sink alone`);
    for (const { url, stamp } of await this.store.list({ crawler: 'world', indexed: true }, 0, 10_000))
      if (this.second.documents.get(url) !== stamp)
        this.violations.push(`${url} in the second sink is not what the store believes`);
  }
}
