/**
 * Measures orders per second to a running engine: through Crawlway's queue and sink, and with a bare loop over the
 * engine's client, both with the same documents, batch size and number of concurrent requests. The two take turns, so
 * that a busy machine slows them alike.
 *
 *   node dist/bench/orders.js --opensearch http://127.0.0.1:9200 [--elasticsearch http://127.0.0.1:9200] [--solr http://127.0.0.1:8983/solr/CORE] [--kafka kafka://127.0.0.1:9092]
 *     [--postgresql postgres://…] [--orders 20000] [--rounds 5] [--batch 1000] [--requests 2]
 */
import { createSink } from '../src/adapters/push/create-sink.js';
import { SystemClock } from '../src/adapters/system/system-clock.js';
import { SinkQueue } from '../src/engine/delivery/sink-queue.js';
import { addOrder } from '../test/support/push-orders.js';
import { type AddOrder, ENGINES, type MeasuredEngine } from './order-loops.js';

const getOption = (name: string): string | undefined => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? undefined : process.argv[index + 1];
};

const ORDER_COUNT = Number(getOption('orders') ?? 20_000);
const ROUNDS = Number(getOption('rounds') ?? 5);
const BATCH_SIZE = Number(getOption('batch') ?? 1_000);
const CONCURRENT_REQUESTS = Number(getOption('requests') ?? 2);
/** Text of a page of ordinary length. */
const TEXT = 'Herons wait in the reeds of the estuary until the tide has gone. '.repeat(60);
const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };

const createOrders = (round: number): AddOrder[] =>
  Array.from(
    { length: ORDER_COUNT },
    (_, i) =>
      addOrder(`http://site.example/${round}/${i}`, {
        text: `${i} ${TEXT}`,
        master: { bytes: new Uint8Array(0), mimeType: 'text/html', fileName: 'page.html' },
      }) as AddOrder,
  );

type SendOrders = (orders: readonly AddOrder[]) => Promise<void>;

/** Resolves when the engine has acknowledged each order. */
const createQueueSender =
  ({ definition }: MeasuredEngine): SendOrders =>
  async (orders) => {
    const queue = new SinkQueue(definition, createSink(definition), new SystemClock(), SILENT_LOG, () => {});
    await new Promise<void>((resolve, reject) => {
      let openCount = orders.length;
      for (const order of orders)
        queue.add(order, (outcome) => {
          if (outcome.state === 'refused') reject(new Error(outcome.message));
          else if (--openCount === 0) resolve();
        });
      queue.flush();
    });
    await queue.close();
  };

const createLoopSender =
  ({ send, concurrentBatches = CONCURRENT_REQUESTS }: MeasuredEngine): SendOrders =>
  async (orders) => {
    let nextIndex = 0;
    const runLoop = async (): Promise<void> => {
      while (nextIndex < orders.length) {
        const batch = orders.slice(nextIndex, nextIndex + BATCH_SIZE);
        nextIndex += BATCH_SIZE;
        await send(batch);
      }
    };
    await Promise.all(Array.from({ length: concurrentBatches }, runLoop));
  };

async function measureRate(sendOrders: SendOrders, round: number): Promise<number> {
  const orders = createOrders(round);
  const startedAt = performance.now();
  await sendOrders(orders);
  return (ORDER_COUNT / (performance.now() - startedAt)) * 1_000;
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;

/**
 * The first round is a warm-up; it begins with the queue, which creates the index. Each round writes different
 * documents, and the two ways alternate in going first.
 */
async function measure(engine: MeasuredEngine): Promise<string> {
  const [sendThroughQueue, sendInLoop] = [createQueueSender(engine), createLoopSender(engine)];
  const rates: { queue: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const queueFirst = round % 2 === 0;
    const first = await measureRate(queueFirst ? sendThroughQueue : sendInLoop, 2 * round);
    const second = await measureRate(queueFirst ? sendInLoop : sendThroughQueue, 2 * round + 1);
    if (round > 0) rates.push(queueFirst ? { queue: first, bare: second } : { queue: second, bare: first });
  }
  const computeMedian = (getRate: (rate: { queue: number; bare: number }) => number): number =>
    Math.round(median(rates.map(getRate)));
  return (
    `${engine.nameAndVersion}: ${computeMedian(({ queue }) => queue)} orders/s through queue and sink, ${computeMedian(({ bare }) => bare)}/s with a loop over ${engine.client}, ` +
    `${computeMedian(({ queue, bare }) => (queue / bare) * 100)} %`
  );
}

const engines = Object.keys(ENGINES).flatMap((name) => {
  const url = getOption(name);
  return url === undefined ? [] : [{ url, open: ENGINES[name]! }];
});
if (engines.length === 0) {
  console.error(
    `specify the URL of at least one engine: ${Object.keys(ENGINES)
      .map((name) => `--${name} URL`)
      .join(' or ')}`,
  );
  process.exit(2);
}
console.log(
  `${ORDER_COUNT} documents of ${TEXT.length} characters, ${BATCH_SIZE} per request, ${CONCURRENT_REQUESTS} concurrent requests, medians of ${ROUNDS} rounds`,
);
for (const { url, open } of engines) {
  const engine = await open(url, {
    batchDocuments: BATCH_SIZE,
    batchBytes: 64_000_000,
    concurrency: CONCURRENT_REQUESTS,
  });
  console.log(await measure(engine));
  await engine.close();
}
