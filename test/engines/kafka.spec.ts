import { Admin, Consumer, stringDeserializers } from '@platformatic/kafka';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createSink } from '../../src/adapters/push/create-sink.js';
import type { OrderRecord } from '../../src/adapters/push/order-record.js';
import type { OrderAnswer, PushOrder } from '../../src/domain/push/order.js';
import { seconds } from '../../src/domain/time/units.js';
import { SinkUnavailable } from '../../src/engine/ports/sink.js';
import { findFreePort } from '../support/free-port.js';
import { describeUnless } from '../support/left-out.js';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../support/push-orders.js';
import { expectOneRefused } from '../support/unsendable-orders.js';
import { type EngineProcess, engineIsMissing, startEngine } from './support/engine-process.js';

const missing = engineIsMissing();
const START_MS = 900_000;
const PARTITIONS = 3;

const states = (answers: readonly OrderAnswer[]) => answers.map(({ state }) => state);
const numbered = (count: number, first = 0): PushOrder[] =>
  Array.from({ length: count }, (_, i) => addOrder(`http://site.test/${first + i}`, { stamp: `s${first + i}` }));

describeUnless(missing, 'Kafka', () => {
  let engine: EngineProcess;
  let topic: string;
  let tests = 0;

  beforeAll(async () => {
    const controller = await findFreePort();
    engine = await startEngine({ engine: 'kafka', main: 'KafkaEngine' }, (port, folder) => [
      String(port),
      String(controller),
      folder,
      'message.max.bytes=200000',
    ]);
  }, START_MS);
  afterAll(() => engine?.close());

  const brokers = () => [`127.0.0.1:${engine.port}`];
  beforeEach(async () => {
    topic = `pages-${++tests}`;
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: brokers() });
    await admin.createTopics({ topics: [topic], partitions: PARTITIONS, replicas: 1 });
    await admin.close();
  });
  const opened = (name = topic) => {
    const url = `kafka://${brokers()[0]}`;
    const sink = createSink(sinkDefinition({ type: 'kafka', url, options: { topic: name }, timeout: seconds(10) }));
    onTestFinished(() => sink.close());
    return sink;
  };

  /** Every record of the topic, by partition in its order. */
  async function records(isAll: (keys: readonly string[]) => boolean) {
    const consumer = new Consumer({
      groupId: `reader-${topic}-${++tests}`,
      clientId: 'test',
      bootstrapBrokers: brokers(),
      deserializers: stringDeserializers,
    });
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest' });
    const found: { partition: number; key: string; value: OrderRecord | undefined; order: string | undefined }[] = [];
    for await (const { partition, key, value, headers } of stream) {
      const record = value ? (JSON.parse(value) as OrderRecord) : undefined;
      found.push({ partition, key: key ?? '', value: record, order: headers.get('order') });
      if (isAll(found.map((one) => one.key))) break;
    }
    await consumer.close(true);
    return found;
  }

  it('receives documents as JSON keyed by URI, and deletions as tombstones, in order per URI within one partition', async () => {
    const orders = [
      addOrder('http://site.test/a', { stamp: 'old' }),
      deleteOrder('http://site.test/a'),
      addOrder('http://site.test/a', { stamp: 'new' }),
      addOrder('http://site.test/b', { text: 'Réeds' }),
    ];
    expect(new Set(states(await opened().deliver(orders, stillWanted())))).toEqual(new Set(['acknowledged']));
    const all = await records((keys) => keys.length === 4);
    const ofA = all.filter(({ key }) => key === 'http://site.test/a');
    expect(ofA.map(({ value }) => value?.document?.stamp)).toEqual(['old', undefined, 'new']);
    expect(new Set(ofA.map(({ partition }) => partition)).size).toBe(1);
    expect(ofA.map(({ order }) => order)).toEqual(orders.slice(0, 3).map(({ id }) => String(id)));
    expect(all.find(({ key }) => key === 'http://site.test/b')?.value?.document?.text).toBe('Réeds');
  });

  it('receives all of random orders but for one that cannot be encoded', async () => {
    await expectOneRefused(opened());
  });

  it('refuses the one document that is too large for the topic, and accepts the others', async () => {
    const orders = [
      ...numbered(2),
      addOrder('http://site.test/large', { text: 'reeds '.repeat(60_000) }),
      ...numbered(1, 2),
    ];
    const answers = await opened().deliver(orders, stillWanted());
    expect(states(answers)).toEqual(['acknowledged', 'acknowledged', 'refused', 'acknowledged']);
    expect(answers[2]).toMatchObject({ message: expect.stringContaining('MESSAGE_TOO_LARGE') });
  });

  it('keeps orders for later while the topic does not exist', async () => {
    const sink = opened('nowhere');
    const delivery = sink.deliver(numbered(1), stillWanted());
    await expect(delivery).rejects.toThrow(SinkUnavailable);
    await expect(delivery).rejects.toThrow(/topic nowhere: .*topic/);
  });

  it('is not contacted at an address that is not allowed', async () => {
    const sink = createSink(sinkDefinition({ type: 'kafka', url: 'kafka://10.1.2.3:9092', options: { topic: 'x' } }));
    await expect(sink.deliver(numbered(1), stillWanted())).rejects.toThrow(/neither loopback nor public/);
  });

  it(
    'loses nothing of what it acknowledged when it is restarted in the middle of a batch',
    async () => {
      const sink = opened();
      const acknowledged = new Set<string>();
      const deliver = async (orders: readonly PushOrder[]) => {
        const answers = await sink.deliver(orders, stillWanted());
        orders.forEach(({ uri }, i) => {
          if (answers[i]?.state === 'acknowledged') acknowledged.add(uri);
        });
      };
      await deliver(numbered(200));
      const failure = deliver(numbered(200, 200)).catch((error: unknown) => error);
      const restarted = engine.restart();
      expect([undefined, SinkUnavailable]).toContain(((await failure) as Error | undefined)?.constructor);
      await restarted;
      await deliver(numbered(400));
      // A batch that failed may have arrived in part, and came again.
      const found = await records((keys) => keys.length >= 600 && [...acknowledged].every((key) => keys.includes(key)));
      expect(new Set(found.map(({ key }) => key))).toEqual(acknowledged);
    },
    START_MS,
  );
});
