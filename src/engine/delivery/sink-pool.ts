import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import { DEFAULT_CONNECTOR, type Sink } from '../ports/sink.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import type { Delivery } from './delivery.js';
import { InspectedSink } from './inspected-sink.js';
import { SinkQueue, type SuccessorQueue } from './sink-queue.js';
import { NO_LONGER_WANTED } from './waiting-orders.js';

interface SinkServices {
  readonly clock: Clock;
  readonly log: Log;
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
