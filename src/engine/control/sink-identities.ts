import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { after, minutes, seconds } from '../../domain/time/units.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { type FrontierStore, StoreUnavailable } from '../ports/frontier-store.js';
import type { Partitions } from '../ports/partitions.js';
import type { Ports } from '../ports/ports.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import { TIMED_OUT, withTimeLimit } from '../support/within.js';
import { type Backfills, digestDestination } from './backfills.js';
import { renewNote } from './sink-switch.js';

const CHECK_INTERVAL = minutes(1);
/** Until every sink has been seen with something in it, or has failed: what is deleted before that is not missed. */
const FIRST_CHECK_INTERVAL = seconds(5);
const MAX_CHECK_TIME = seconds(30);
/** A sink is short of documents if it holds less than this share of what it should, and lacks more than MAX_MISSING. */
const MIN_SHARE = 0.9;
const MAX_MISSING = 20;
const isShort = (found: number, expected: number): boolean =>
  found < expected * MIN_SHARE && expected - found > MAX_MISSING;

interface IdentityServices extends Pick<Ports, 'clock' | 'log'> {
  readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting' | 'list' | 'count'>;
  readonly crawlers: Pick<Crawlers, 'list'>;
  readonly events: CrawlEvents;
  readonly partitions: Pick<Partitions, 'isLeader'>;
  readonly backfills: Pick<Backfills, 'refill' | 'list'>;
  readonly getDefinition: () => ServerDefinition;
  readonly findSink: (name: string) => Sink | undefined;
}

interface KnownIdentity {
  /** Digest of the destination to which the ids belong. */
  readonly destination: string;
  readonly ids: readonly string[];
}

/** The destination of a sink in which documents were found. */
const getFilledSetting = (sink: string): string => `sink-filled/${sink}`;
/** The destination of a sink, and how many documents were found in it when nothing was missing. */
const getCountSetting = (sink: string): string => `sink-count/${sink}`;

/**
 * Notices that what a sink writes to was deleted, replaced under the same name or emptied, or lost many documents: an
 * index that somebody deletes is created again by the next order, answers every request, and holds almost nothing.
 * Everything is sent to it again.
 */
export class SinkIdentities {
  private cancelTimer: (() => void) | undefined;
  private isStopped = false;
  /** Sinks that held nothing at the last check. Only the second time counts: searches find documents late. */
  private readonly emptySinks = new Set<string>();
  private readonly shortSinks = new Set<string>();
  /** Sinks whose index, table or topic exists, or that hold a document. */
  private readonly seenSinks = new Set<string>();

  constructor(private readonly services: IdentityServices) {}

  /** Checks all sinks now, and every minute from then on. To be called again when the configuration has changed. */
  start(): void {
    this.seenSinks.clear();
    this.checkRepeatedly();
  }

  private checkRepeatedly(): void {
    const { clock, getDefinition, findSink } = this.services;
    this.cancelTimer?.();
    const names = getDefinition()
      .sinks.map(({ name }) => name)
      .filter((name) => findSink(name)?.identify || findSink(name)?.isEmpty);
    if (this.isStopped || names.length === 0) return;
    void this.checkAll();
    const interval = names.every((name) => this.seenSinks.has(name)) ? CHECK_INTERVAL : FIRST_CHECK_INTERVAL;
    this.cancelTimer = clock.at(after(clock.now(), interval), () => this.checkRepeatedly());
  }

  stop(): void {
    this.isStopped = true;
    this.cancelTimer?.();
  }

  private async checkAll(): Promise<void> {
    if (!this.services.partitions.isLeader) return;
    await Promise.all(
      this.services.getDefinition().sinks.map(async (definition) => {
        try {
          if (!(await this.check(definition))) await this.checkContents(definition);
        } catch (error) {
          this.seenSinks.add(definition.name);
          // A sink that is down is reported when orders are sent to it.
          if (error instanceof SinkUnavailable || error instanceof StoreUnavailable || this.isStopped) return;
          this.services.log.warn('could not check what a sink writes to', {
            sink: definition.name,
            error: String(error),
          });
        }
      }),
    );
  }

  /** Returns whether what the sink writes to has changed. */
  private async check(definition: SinkDefinition): Promise<boolean> {
    const { store, clock, findSink } = this.services;
    const sink = findSink(definition.name);
    if (!sink?.identify) return false;
    const ids = await withTimeLimit(clock, MAX_CHECK_TIME, (signal) => sink.identify!(signal));
    if (ids === undefined || ids === TIMED_OUT || this.isStopped || findSink(definition.name) !== sink) return false;
    if (ids.length > 0) this.seenSinks.add(definition.name);
    const setting = `sink-identity/${definition.name}`;
    const text = await store.getSetting(setting);
    const known = text === undefined ? undefined : (JSON.parse(text) as KnownIdentity);
    const current: KnownIdentity = { destination: digestDestination(definition), ids: [...ids].sort() };
    if (JSON.stringify(current) === text) return false;
    const missingIds =
      known?.destination === current.destination ? known.ids.filter((id) => !current.ids.includes(id)) : [];
    // The sink is filled again even if the process ends before the new ids are remembered.
    const became = ids.length === 0 ? 'is gone' : `was replaced by ${ids.join(', ')}`;
    if (missingIds.length > 0)
      await this.refill(definition.name, `what the sink writes to (${missingIds.join(', ')}) ${became}`);
    await store.putSetting(setting, JSON.stringify(current));
    await renewNote(sink);
    return true;
  }

  /** Ids do not change when documents are deleted, a table is truncated, or an empty core takes the place of another. */
  private async checkContents(definition: SinkDefinition): Promise<void> {
    const { store, clock, findSink } = this.services;
    const { name } = definition;
    const sink = findSink(name);
    if (!sink?.isEmpty) return;
    const isEmpty = await withTimeLimit(clock, MAX_CHECK_TIME, (signal) => sink.isEmpty!(signal));
    if (isEmpty === TIMED_OUT || this.isStopped || findSink(name) !== sink) return;
    const destination = digestDestination(definition);
    const wasFilled = (await store.getSetting(getFilledSetting(name))) === destination;
    if (!isEmpty) {
      this.emptySinks.delete(name);
      this.seenSinks.add(name);
      if (!wasFilled) await store.putSetting(getFilledSetting(name), destination);
      await this.checkCount(sink, destination);
    } else if (wasFilled && (await this.hasIndexed(name))) {
      if (this.emptySinks.has(name)) await this.refill(name, 'the sink holds no document any more');
      else this.emptySinks.add(name);
    }
  }

  /**
   * Compares with the last count, and with the ledger only if that has dropped: counting there is expensive, and pages
   * that this sink refused, or that two crawlers share, are missing without having been lost.
   */
  private async checkCount(sink: Sink, destination: string): Promise<void> {
    const { store, clock, findSink, backfills } = this.services;
    const { name } = sink;
    if (!sink.countDocuments) return;
    const found = await withTimeLimit(clock, MAX_CHECK_TIME, (signal) => sink.countDocuments!(signal));
    if (found === TIMED_OUT || this.isStopped || findSink(name) !== sink) return;
    const text = await store.getSetting(getCountSetting(name));
    const known = text === undefined ? undefined : (JSON.parse(text) as { destination: string; count: number });
    const previous = known?.destination === destination ? known.count : 0;
    const expected = isShort(found, previous) ? await this.countIndexed(name) : 0;
    const isFilling = (await backfills.list()).some((one) => one.sink === name && one.state === 'running');
    if (expected === undefined || isFilling) return;
    if (isShort(found, expected)) {
      if (this.shortSinks.has(name))
        await this.refill(name, `the sink holds ${found} documents instead of ${expected}`);
      else this.shortSinks.add(name);
      return;
    }
    this.shortSinks.delete(name);
    if (found > previous || isShort(found, previous))
      await store.putSetting(getCountSetting(name), JSON.stringify({ destination, count: found }));
  }

  /** Returns undefined while deletions are on their way. */
  private async countIndexed(sink: string): Promise<number | undefined> {
    let count = 0;
    for (const { name, context } of this.services.crawlers.list()) {
      if (!context.definition.pushTo.includes(sink)) continue;
      if ((await this.services.store.list({ crawler: name, pendingDeletion: true }, 0, 1)).length > 0) return undefined;
      count += await this.services.store.count({ crawler: name, indexed: true });
    }
    return count;
  }

  private async hasIndexed(sink: string): Promise<boolean> {
    for (const { name, context } of this.services.crawlers.list()) {
      if (!context.definition.pushTo.includes(sink)) continue;
      if ((await this.services.store.list({ crawler: name, indexed: true }, 0, 1)).length > 0) return true;
    }
    return false;
  }

  private async refill(sink: string, finding: string): Promise<void> {
    const { log, events, backfills, store } = this.services;
    this.emptySinks.delete(sink);
    this.shortSinks.delete(sink);
    const message = `${finding}, so everything that is indexed is sent to it again, as by crawlway push --again ${sink}`;
    log.error('a sink no longer holds what was sent to it', { sink, message });
    events.emit({ type: 'sink', sink, state: 'replaced', message });
    await backfills.refill(sink);
    await store.putSetting(getFilledSetting(sink), undefined);
    await store.putSetting(getCountSetting(sink), undefined);
  }
}
