import type { Producer, SASLCustomAuthenticator, SASLOptions } from '@platformatic/kafka';
import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import { type KafkaAddress, parseKafkaUrl } from '../../domain/push/kafka-url.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { resolveAndCheckHost, toTlsOptions } from './endpoint.js';
import { KafkaGuard } from './kafka-guard.js';
import { toOrderRecord } from './order-record.js';
import { acknowledgeAll, type RequestAnswer, sendWithSplitting } from './splitting.js';

type Kafka = typeof import('@platformatic/kafka');
type OrderProducer = Producer<string, string, string, string>;

/** Waits for every in-sync replica, which makes a record durable according to the settings of its topic. */
const ALL_REPLICAS = -1;
const CONNECT_TIMEOUT_MS = 10_000;
/** More than any cluster has: a lookup is made for each. */
const MAX_BROKERS = 1_000;
/** Of SCRAM: the broker says how often the password is hashed, which nothing can interrupt. Kafka itself accepts 16,384. */
const MAX_ITERATIONS = 100_000;
/** Kafka errors that are caused by the records, not by the cluster. */
const REFUSALS = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'];

/**
 * Sends orders to a Kafka topic. A record's key is the URI, so that all orders for one document are in one partition,
 * in order, and a compacted topic keeps the last one. The value of an `add` is the order as JSON; a `delete` is a
 * tombstone. The producer is idempotent. A failed batch is sent again as a whole; consumers can recognize repeated
 * orders by the order number in the header `order`.
 */
export class KafkaSink implements Sink {
  readonly name: string;
  private readonly address: KafkaAddress;
  private producer: OrderProducer | undefined;
  private guard: KafkaGuard;
  /** Resolves when the producer is connected and its brokers are allowed. */
  private readyPromise: Promise<void> | undefined;
  /** The last delivery. Batches are sent one after another, because the producer numbers its records. */
  private lastDelivery: Promise<unknown> = Promise.resolve();

  /** @throws TypeError for a URL without valid brokers */
  constructor(private readonly definition: SinkDefinitionOf<'kafka'>) {
    this.name = definition.name;
    const address = parseKafkaUrl(definition.url);
    if (typeof address === 'string') throw new TypeError(`sink ${definition.name}: expected ${address}`);
    this.address = address;
    this.guard = new KafkaGuard(definition.allowedAddresses);
  }

  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const delivery = this.lastDelivery.then(() => sendWithSplitting(batch, (orders) => this.send(orders, signal)));
    this.lastDelivery = delivery.catch(() => undefined);
    return delivery;
  }

  async probe(signal: AbortSignal): Promise<void> {
    await this.runWithTimeout(signal, async (producer) => {
      await producer.metadata({ topics: [this.topic], forceUpdate: true, autocreateTopics: false });
    });
  }

  async identify(signal: AbortSignal): Promise<readonly string[]> {
    let id: string | undefined;
    await this.runWithTimeout(signal, async (producer) => {
      const metadata = await producer.metadata({ topics: [this.topic], forceUpdate: true, autocreateTopics: false });
      id = metadata.topics.get(this.topic)?.id;
    });
    return id === undefined ? [] : [id];
  }

  /** Closes all connections; everything in flight fails. */
  async close(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    this.readyPromise = undefined;
    this.guard = new KafkaGuard(this.definition.allowedAddresses);
    void producer?.close(true).catch(() => undefined);
  }

  private get topic(): string {
    return this.definition.options.topic;
  }

  private async send(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    if (signal.aborted) throw this.toUnavailable(new Error('the delivery was stopped'));
    const messages = orders.map((order) => ({ topic: this.topic, ...toRecord(order) }));
    let refusal: string | undefined;
    await this.runWithTimeout(signal, async (producer) => {
      try {
        await producer.send({ messages, acks: ALL_REPLICAS, autocreateTopics: false });
      } catch (error) {
        refusal = findRefusal(error);
        if (refusal === undefined) throw error;
      }
    });
    return refusal === undefined ? acknowledgeAll(orders) : { refused: refusal };
  }

  /**
   * Limits the time, because the client might wait forever. After a failure, a new producer is created, because it is
   * unknown which records the old one delivered.
   */
  private async runWithTimeout(signal: AbortSignal, work: (producer: OrderProducer) => Promise<void>): Promise<void> {
    const { timeout } = this.definition;
    const { endSignal: guardSignal } = this.guard;
    const stopSignal = AbortSignal.any([signal, guardSignal, AbortSignal.timeout(timeout)]);
    const abortPromise = new Promise<never>((_, reject) => {
      const onAbort = (): void => {
        const reason = signal.aborted
          ? 'the delivery was stopped'
          : `no response within ${timeout} ms; does the topic exist?`;
        reject(guardSignal.aborted ? guardSignal.reason : new Error(reason));
      };
      if (stopSignal.aborted) onAbort();
      else stopSignal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      await Promise.race([this.withProducer(work), abortPromise]);
    } catch (error) {
      await this.close();
      throw this.toUnavailable(error);
    }
  }

  private async withProducer(work: (producer: OrderProducer) => Promise<void>): Promise<void> {
    this.readyPromise ??= this.connectProducer();
    await this.readyPromise;
    if (!this.producer) throw new Error('the sink was closed');
    await work(this.producer);
  }

  private async connectProducer(): Promise<void> {
    const { allowedAddresses, timeout, tls } = this.definition;
    await Promise.all(this.address.brokers.map(({ host }) => resolveAndCheckHost(host, allowedAddresses)));
    const kafka = await import('@platformatic/kafka');
    const producer: OrderProducer = new kafka.Producer({
      clientId: 'crawlway',
      context: this.guard,
      bootstrapBrokers: [...this.address.brokers],
      serializers: kafka.stringSerializers,
      idempotent: true,
      retries: 0, // the sink's queue retries and reports the reason
      connectTimeout: Math.min(timeout, CONNECT_TIMEOUT_MS),
      requestTimeout: timeout,
      ...(this.address.tls ? { tls: toTlsOptions(tls) } : {}),
      ...this.getSaslOptions(kafka),
    });
    producer.on('error', () => undefined); // the failing request reports it
    this.producer = producer;
    // Brokers name further brokers, which must be allowed, too.
    const { brokers } = await producer.metadata({ topics: [this.topic], autocreateTopics: false });
    if (brokers.size > MAX_BROKERS) throw new Error(`the cluster claims to have ${brokers.size} brokers`);
    const hosts = new Set([...brokers.values()].map(({ host }) => host));
    await Promise.all([...hosts].map((host) => resolveAndCheckHost(host, allowedAddresses)));
  }

  private getSaslOptions(kafka: Kafka): { sasl?: SASLOptions } {
    const { login, password, mechanism = 'PLAIN' } = this.definition.options;
    if (!login) return {};
    const credentials = { username: login, password: password?.reveal() ?? '' };
    const authenticate = createAuthenticator(kafka, this.guard);
    return { sasl: { mechanism: mechanism as SASLOptions['mechanism'], ...credentials, authenticate } };
  }

  private toUnavailable(error: unknown): SinkUnavailable {
    if (error instanceof SinkUnavailable) return error;
    const brokerList = this.address.brokers.map(({ host, port }) => `${host}:${port}`).join(',');
    return new SinkUnavailable(`sink ${this.name} at ${brokerList}, topic ${this.topic}: ${findDeepestMessage(error)}`);
  }
}

/** A record without a value is a tombstone. */
export const toRecord = (order: PushOrder) => ({
  key: order.uri,
  value: order.kind === 'add' ? JSON.stringify(toOrderRecord(order)) : undefined,
  headers: { order: String(order.id), crawler: order.crawler, reason: order.reason },
});

/**
 * The library's own, but for the number of iterations of SCRAM, and a login that fails: the library would try it again
 * each second, and say nothing.
 */
const createAuthenticator =
  ({ saslPlain, saslScramSha }: Kafka, guard: KafkaGuard): SASLCustomAuthenticator =>
  (mechanism, connection, send, user = '', password = '', _token, callback) => {
    const finish: typeof callback = (error, response) => {
      if (error) guard.end(new Error(`the broker does not accept the login: ${findDeepestMessage(error)}`));
      callback(error, response);
    };
    if (mechanism === 'PLAIN') return saslPlain.authenticate(send, connection, user, password, finish);
    const hash: typeof saslScramSha.hi = async (algorithm, secret, salt, iterations) => {
      if (iterations <= MAX_ITERATIONS) return saslScramSha.hi(algorithm, secret, salt, iterations);
      throw new Error(`it demands ${iterations} iterations of SCRAM, and at most ${MAX_ITERATIONS} are made`);
    };
    const algorithm = mechanism.slice('SCRAM-'.length) as Parameters<typeof saslScramSha.authenticate>[2];
    const crypto = { ...saslScramSha.defaultCrypto, hi: hash };
    saslScramSha.authenticate(send, connection, algorithm, user, password, crypto, finish);
  };

const listDirectCauses = (error: unknown): unknown[] => {
  const { cause, errors = [] } = (error ?? {}) as { cause?: unknown; errors?: readonly unknown[] };
  return [...(cause === undefined ? [] : [cause]), ...errors];
};

function* walkCauses(error: unknown, depth = 0): Generator<{ readonly message?: string; readonly apiId?: string }> {
  if (typeof error !== 'object' || error === null || depth > 5) return;
  yield error as { message?: string };
  for (const cause of listDirectCauses(error)) yield* walkCauses(cause, depth + 1);
}

function findRefusal(error: unknown): string | undefined {
  for (const { apiId, message } of walkCauses(error))
    if (apiId !== undefined && REFUSALS.includes(apiId)) return `${apiId}: ${message ?? ''}`.slice(0, 1_000);
  return undefined;
}

/** Returns the message of the underlying error instead of one that only says that there were several. */
function findDeepestMessage(error: unknown): string {
  const messages = [...walkCauses(error)].map(({ message }) => message).filter(Boolean);
  return (messages.at(-1) ?? String(error)).slice(0, 1_000);
}
