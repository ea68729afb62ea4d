/**
 * Orders a second to an engine that runs: through the queue and the sink of Crawlway, and by a bare loop of the engine's client, both with
 * the same documents, batch size and requests at once. The two take turns, so that a busy machine slows them alike.
 *
 *   node dist/bench/orders.js --opensearch http://127.0.0.1:9200 [--elasticsearch http://127.0.0.1:9200] [--solr http://127.0.0.1:8983/solr/CORE] [--kafka kafka://127.0.0.1:9092]
 *     [--postgresql postgres://…] [--orders 20000] [--rounds 5] [--batch 1000] [--requests 2]
 */
import { createSink } from '../src/adapters/push/create-sink.js';
import { SystemClock } from '../src/adapters/system/system-clock.js';
import { SinkQueue } from '../src/engine/delivery/sink-queue.js';
import { addOrder } from '../test/support/push-orders.js';
import { type AddOrder, ENGINES, type MeasuredEngine } from './order-loops.js';

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

const ORDERS = Number(option('orders') ?? 20_000);
const ROUNDS = Number(option('rounds') ?? 5);
const BATCH = Number(option('batch') ?? 1_000);
const REQUESTS = Number(option('requests') ?? 2);
/** A page of ordinary length. */
const TEXT = 'Herons wait in the reeds of the estuary until the tide has gone. '.repeat(60);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const ordersOf = (round: number): AddOrder[] =>
  Array.from(
    { length: ORDERS },
    (_, i) =>
      addOrder(`http://site.example/${round}/${i}`, {
        text: `${i} ${TEXT}`,
        master: { bytes: new Uint8Array(0), mimeType: 'text/html', fileName: 'page.html' },
      }) as AddOrder,
  );

type Way = (orders: readonly AddOrder[]) => Promise<void>;

/** Until each order is acknowledged by the engine. */
const throughQueue =
  ({ definition }: MeasuredEngine): Way =>
  async (orders) => {
    const queue = new SinkQueue(definition, createSink(definition), new SystemClock(), silent, () => {});
    await new Promise<void>((resolve, reject) => {
      let open = orders.length;
      for (const order of orders)
        queue.add(order, (answer) => {
          if (answer.state === 'refused') reject(new Error(answer.message));
          else if (--open === 0) resolve();
        });
      queue.flush();
    });
    await queue.close();
  };

const bareLoop =
  ({ send, atOnce = REQUESTS }: MeasuredEngine): Way =>
  async (orders) => {
    let next = 0;
    const loop = async (): Promise<void> => {
      while (next < orders.length) {
        const batch = orders.slice(next, next + BATCH);
        next += BATCH;
        await send(batch);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  };

async function rate(way: Way, round: number): Promise<number> {
  const orders = ordersOf(round);
  const began = performance.now();
  await way(orders);
  return (ORDERS / (performance.now() - began)) * 1_000;
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;

/** One round to warm up, by the queue first: it makes the index. Each round writes documents of its own, and the first one of a turn changes. */
async function measure(engine: MeasuredEngine): Promise<string> {
  const [queue, bare] = [throughQueue(engine), bareLoop(engine)];
  const rates: { queue: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const queueFirst = round % 2 === 0;
    const first = await rate(queueFirst ? queue : bare, 2 * round);
    const second = await rate(queueFirst ? bare : queue, 2 * round + 1);
    if (round > 0) rates.push(queueFirst ? { queue: first, bare: second } : { queue: second, bare: first });
  }
  const of = (number: (rate: { queue: number; bare: number }) => number): number =>
    Math.round(median(rates.map(number)));
  return (
    `${engine.about}: ${of(({ queue }) => queue)} orders/s through queue and sink, ${of(({ bare }) => bare)}/s by a loop of ${engine.client}, ` +
    `${of(({ queue, bare }) => (queue / bare) * 100)} %`
  );
}

const wanted = Object.keys(ENGINES).flatMap((name) => {
  const url = option(name);
  return url === undefined ? [] : [{ url, open: ENGINES[name]! }];
});
if (wanted.length === 0) {
  console.error(
    `say where an engine runs: ${Object.keys(ENGINES)
      .map((name) => `--${name} URL`)
      .join(' or ')}`,
  );
  process.exit(2);
}
console.log(
  `${ORDERS} documents of ${TEXT.length} characters, ${BATCH} a request, ${REQUESTS} requests at once, medians of ${ROUNDS} rounds`,
);
for (const { url, open } of wanted) {
  const engine = await open(url, { batchDocuments: BATCH, batchBytes: 64_000_000, concurrency: REQUESTS });
  console.log(await measure(engine));
  await engine.close();
}
