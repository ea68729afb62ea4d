/**
 * Orders a second to a search engine: through the queue and the sink of Crawlway, and by a bare loop of the engine's official client,
 * both with the same documents, batch size and requests at once. The two take turns, so that a busy machine slows them alike.
 *
 *   node dist/bench/orders.js --opensearch http://127.0.0.1:9200 [--orders 20000] [--rounds 5] [--batch 1000] [--requests 2]
 */
import { createHash } from 'node:crypto';
import { Client } from '@opensearch-project/opensearch';
import { ElasticsearchSink } from '../src/adapters/push/elasticsearch.js';
import { dialectOf, documentSource } from '../src/adapters/push/elasticsearch-schema.js';
import { SystemClock } from '../src/adapters/system/system-clock.js';
import type { PushOrder } from '../src/domain/push/order.js';
import { SinkQueue } from '../src/engine/delivery/sink-queue.js';
import { addOrder, sinkDefinition } from '../test/support/push-orders.js';

const option = (name: string, otherwise: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return (at < 0 ? undefined : process.argv[at + 1]) ?? otherwise;
};

const URL_ = option('opensearch', 'http://127.0.0.1:9200');
type AddOrder = Extract<PushOrder, { kind: 'add' }>;

const ORDERS = Number(option('orders', '20000'));
const ROUNDS = Number(option('rounds', '5'));
const BATCH = Number(option('batch', '1000'));
const REQUESTS = Number(option('requests', '2'));
/** A page of ordinary length. */
const TEXT = 'Herons wait in the reeds of the estuary until the tide has gone. '.repeat(60);
const INDEX = 'crawlway-bench';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const client = new Client({ node: URL_ });

const ordersOf = (round: number): AddOrder[] =>
  Array.from(
    { length: ORDERS },
    (_, i) =>
      addOrder(`http://site.example/${round}/${i}`, {
        text: `${i} ${TEXT}`,
        master: { bytes: new Uint8Array(0), mimeType: 'text/html', fileName: 'page.html' },
      }) as AddOrder,
  );

/** Until each order is acknowledged by the engine. */
async function throughQueue(orders: readonly AddOrder[]): Promise<void> {
  const definition = sinkDefinition({
    type: 'opensearch',
    url: URL_,
    options: { index: INDEX },
    batchDocuments: BATCH,
    batchBytes: 64_000_000,
    concurrency: REQUESTS,
  });
  const queue = new SinkQueue(definition, new ElasticsearchSink(definition), new SystemClock(), silent, () => {});
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
}

async function bareLoop(orders: readonly AddOrder[]): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < orders.length) {
      const batch = orders.slice(next, next + BATCH);
      next += BATCH;
      const body = batch.flatMap(({ uri, crawler, document }) => [
        { index: { _index: INDEX, _id: createHash('sha256').update(uri).digest('hex') } },
        documentSource(crawler, document),
      ]);
      const { body: answer } = await client.bulk({ body });
      if (answer.errors) throw new Error('the engine refuses a document');
    }
  };
  await Promise.all(Array.from({ length: REQUESTS }, loop));
}

async function rate(way: (orders: readonly AddOrder[]) => Promise<void>, round: number): Promise<number> {
  const orders = ordersOf(round);
  const began = performance.now();
  await way(orders);
  return (ORDERS / (performance.now() - began)) * 1_000;
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;

const { body: about } = await client.info();
await client.indices.delete({ index: INDEX, ignore_unavailable: true });
const ratios: number[] = [];
const rates: { queue: number[]; bare: number[] } = { queue: [], bare: [] };
// One round to warm up. Each round writes documents of its own, and the first one of a turn changes.
for (let round = 0; round <= ROUNDS; round++) {
  const first = round % 2 === 0 ? throughQueue : bareLoop;
  const second = first === throughQueue ? bareLoop : throughQueue;
  const one = await rate(first, 2 * round);
  const other = await rate(second, 2 * round + 1);
  const [queue, bare] = first === throughQueue ? [one, other] : [other, one];
  if (round === 0) continue;
  rates.queue.push(queue);
  rates.bare.push(bare);
  ratios.push(queue / bare);
}
await client.indices.delete({ index: INDEX });
await client.close();
console.log(
  `${dialectOf('opensearch').product} ${about.version.number}, ${ORDERS} documents of ${TEXT.length} characters, ${BATCH} a request, ${REQUESTS} requests at once, medians of ${ROUNDS}: ` +
    `${Math.round(median(rates.queue))} orders/s through queue and sink, ${Math.round(median(rates.bare))}/s by the official client, ${Math.round(median(ratios) * 100)} %`,
);
