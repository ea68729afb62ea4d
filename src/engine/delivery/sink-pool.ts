import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { isSameDefinition } from '../../domain/secret.js';
import { after, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { Ports } from '../ports/ports.js';
import { DEFAULT_CONNECTOR, type Sink, SinkUnsuitable, WrappedSink } from '../ports/sink.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import { withTimeLimit } from '../support/within.js';
import type { Delivery } from './delivery.js';
import { SinkQueue, type SuccessorQueue } from './sink-queue.js';
import { NO_LONGER_WANTED } from './waiting-orders.js';

interface SinkServices extends Pick<Ports, 'clock' | 'log'> {
  readonly events: CrawlEvents;
  readonly delivery: Delivery;
  readonly createSink: (definition: SinkDefinition) => Sink;
  /** Says whether a crawler of this server knows the URL. */
  readonly isKnown: (uri: string) => Promise<boolean>;
  /** Called when a sink has answered: there may be room again. */
  readonly onAnswered: () => void;
  /** Called with the ids of refused orders that deserve another attempt. */
  readonly retryOrders: (ids: readonly number[]) => void;
}

/** The queues of the configured sinks, across configuration changes. */
export class SinkPool {
  /** The connector of sinks that name none. */
  connector = DEFAULT_CONNECTOR;
  private queues = new Map<string, SinkQueue>();
  /** Queues out of service, which may still have requests in flight. */
  private retiredQueues: SinkQueue[] = [];

  constructor(private readonly services: SinkServices) {}

  get(name: string): SinkQueue | undefined {
    return this.queues.get(name);
  }

  configure(definition: ServerDefinition): void {
    const nextQueues = new Map<string, SinkQueue>();
    for (const sink of definition.sinks.map((sinkDefinition) => this.addConnector(sinkDefinition))) {
      const current = this.queues.get(sink.name);
      nextQueues.set(
        sink.name,
        current && isSameSink(current.definition, sink) ? current : this.replace(sink, current),
      );
    }
    for (const [name, queue] of this.queues) {
      if (nextQueues.get(name) === queue) continue;
      if (!nextQueues.has(name)) queue.retire(NO_SUCCESSOR);
      this.retiredQueues.push(queue);
    }
    this.retiredQueues = this.retiredQueues.filter((queue) => !queue.closed);
    this.queues = nextQueues;
    this.services.delivery.setSinks(nextQueues);
  }

  async close(): Promise<void> {
    await Promise.all([...this.queues.values(), ...this.retiredQueues].map((queue) => queue.close()));
  }

  /** Opens a queue with new settings for the same destination; it takes over what the old queue has not delivered. */
  private replace(definition: SinkDefinition, current: SinkQueue | undefined): SinkQueue {
    const queue = this.openQueue(definition);
    if (current) queue.replace(current);
    return queue;
  }

  private addConnector(definition: SinkDefinition): SinkDefinition {
    if (definition.type !== 'papi' || definition.options.connector) return definition;
    return { ...definition, options: { ...definition.options, connector: this.connector } };
  }

  private openQueue(definition: SinkDefinition): SinkQueue {
    const { clock, log, events, onAnswered, retryOrders } = this.services;
    const sink = new InspectedSink(this.services.createSink(definition), this.services);
    const onChange: ConstructorParameters<typeof SinkQueue>[4] = (change) => {
      if (change) events.emit({ type: 'sink', sink: definition.name, ...change });
      onAnswered();
    };
    return new SinkQueue(definition, sink, clock, log, onChange, retryOrders);
  }
}

/** What a sink that is no longer configured has not delivered is dropped. */
const NO_SUCCESSOR: SuccessorQueue = {
  adopt(orders) {
    for (const { onAnswer, attempts } of orders) onAnswer(NO_LONGER_WANTED, attempts);
  },
};

/** A sink whose place in the file changes is still the same sink. */
const isSameSink = (a: SinkDefinition, b: SinkDefinition): boolean => isSameDefinition(a, b, 'place');

const MAX_ENTRIES = 1_000;
const MAX_INSPECTION_TIME = seconds(10);
/**
 * Delay before another attempt to list a sink, so that a receiver that only accepts orders is not queried before each
 * batch.
 */
const PAUSE_AFTER_FAILURE = minutes(1);

interface InspectionServices extends Pick<Ports, 'clock' | 'log'> {
  /** Says whether a crawler of this server knows the URL. */
  readonly isKnown: (uri: string) => Promise<boolean>;
}

/**
 * Checks the documents of a sink that can list them before the first order goes out: documents that no crawler here
 * knows belong to another server that pushes under the same name, and each of the two would replace and delete the
 * other's documents. Orders are sent anyway. If a sink cannot be listed now, the next attempt is made a minute later or
 * after that.
 */
export class InspectedSink extends WrappedSink {
  override readonly checkSchema: Sink['checkSchema'];
  private isSchemaChecked = false;
  private foreignNote: string | undefined;
  private schemaNote: string | undefined;
  private inspection: Promise<void> | undefined;
  private inspectAgainAt: Instant | undefined;

  constructor(
    sink: Sink,
    private readonly services: InspectionServices,
  ) {
    super(sink);
    this.checkSchema = sink.checkSchema && (async (signal) => (this.schemaNote = await sink.checkSchema!(signal)));
  }

  /** A human-readable description of what was found. */
  get warning(): string | undefined {
    const notes = [this.foreignNote, this.schemaNote].filter((note) => note !== undefined);
    return notes.length === 0 ? undefined : notes.join('. ');
  }

  override async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    if (!this.isSchemaChecked) await this.checkSchemaOnce(signal);
    if (this.sink.listEntries) {
      if (this.inspectAgainAt !== undefined && this.services.clock.now() >= this.inspectAgainAt)
        this.inspection = undefined;
      this.inspection ??= this.inspect();
      await this.inspection;
    }
    return this.sink.deliver(batch, signal);
  }

  /** @throws SinkUnsuitable, so that orders wait instead of being refused one by one */
  private async checkSchemaOnce(signal: AbortSignal): Promise<void> {
    try {
      this.schemaNote = await this.sink.checkSchema?.(signal);
    } catch (error) {
      if (error instanceof SinkUnsuitable) throw error;
      return; // delivery reports what is wrong with the sink
    }
    this.isSchemaChecked = true;
  }

  private async inspect(): Promise<void> {
    this.inspectAgainAt = undefined;
    try {
      await withTimeLimit(this.services.clock, MAX_INSPECTION_TIME, (signal) => this.examineEntries(signal));
    } catch {
      // Delivery reports what is wrong with the sink.
      this.inspectAgainAt = after(this.services.clock.now(), PAUSE_AFTER_FAILURE);
    }
  }

  private async examineEntries(signal: AbortSignal): Promise<void> {
    let examinedCount = 0;
    let foreignCount = 0;
    let example: string | undefined;
    for await (const { uri } of this.sink.listEntries!(signal)) {
      if (signal.aborted || examinedCount++ === MAX_ENTRIES) break;
      if (await this.services.isKnown(uri)) continue;
      foreignCount++;
      example ??= uri;
    }
    this.foreignNote =
      foreignCount === 0
        ? undefined
        : `It holds documents that belong to no crawler on this server (${foreignCount} of the ${Math.min(examinedCount, MAX_ENTRIES)} examined, such as ${example}). If another server pushes there, give this sink its own connector or index; if this one takes its place, adopt them (crawlway sinks adopt); if they are left over, delete them (crawlway sinks reconcile, with --repair)`;
    if (this.foreignNote)
      this.services.log.warn("a sink holds documents that are not this server's", {
        sink: this.name,
        message: this.foreignNote,
      });
  }
}
