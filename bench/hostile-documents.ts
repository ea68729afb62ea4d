/**
 * `node dist/bench/hostile-documents.js [--rounds 5] [--changes 12]`: the real server, as a process, crawls 300 hostile documents and a
 * healthy host again and again. A line a round tells its memory and what was served; the end, what became of the documents.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FakeSite } from '../test/support/fake-site.js';
import { hostileDocuments } from '../test/support/hostile-documents.js';
import { startCrawl } from './hostile-crawl.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, changes: { type: 'string', default: '12' } },
});
const rounds = Number(values.rounds);
const HEALTHY_PAGES = 200;
const LOOK_MS = 250;

const documents = hostileDocuments(Number(values.changes));
/** What they are made of stays the same, so that the server's memory is all that can grow. */
const bodies = new Map(documents.map(({ name, make }) => [name, make()]));
const hostile = await FakeSite.start('127.0.0.2');
const healthy = await FakeSite.start('127.0.0.3');

/** Everything of a round has addresses of its own. Returns its two roots. */
function publish(round: number): string[] {
  const folder = `/round-${round}`;
  for (const { name, mediaType } of documents) {
    // A document that could not be read is not tried again: in each round they have other bytes.
    const body = Buffer.concat([bodies.get(name)!, Buffer.from(`\n${round}`)]);
    hostile.set(`${folder}/${name}`, { headers: { 'content-type': mediaType }, body });
  }
  hostile.page(
    `${folder}/`,
    documents.map(({ name }) => `${folder}/${name}`),
  );
  const pages = Array.from({ length: HEALTHY_PAGES }, (_, i) => `${folder}/p${i}`);
  for (const path of pages) healthy.page(path);
  healthy.page(`${folder}/`, pages);
  return [hostile.url(`${folder}/`), healthy.url(`${folder}/`)];
}

interface State {
  readonly idle: boolean;
  readonly pendingOrders: number;
  readonly indexed: number;
}

const { server, end } = await startCrawl({
  roots: publish(0),
  site: false,
  throttleMs: 0,
  pace: 1,
  fetcher: 'maxSizeBytes="20000000"',
});
console.log(`${documents.length} hostile documents and ${HEALTHY_PAGES} healthy pages in each round\n`);
console.log(
  '| round | seconds | hostile documents | healthy pages, and seconds until the last of them | most RSS of the server, MB |',
);
console.log('|---|---|---|---|---|');
for (let round = 0; round < rounds && !server.hasEnded; round++) {
  const started = performance.now();
  const seconds = (at: number): string => ((at - started) / 1000).toFixed(0);
  healthy.forgetRequests();
  hostile.forgetRequests();
  if (round > 0) for (const url of publish(round)) await server.post('/api/v1/crawlers/test/roots', { url });
  let most = 0;
  for (let state: State | undefined; !server.hasEnded && !isDone(state, round); ) {
    await sleep(LOOK_MS);
    most = Math.max(most, server.footprint().rssMb);
    state = await server.get<State>('/api/v1/crawlers/test');
  }
  const last = healthy.requests.at(-1)?.at ?? started;
  console.log(
    `| ${round + 1} | ${seconds(performance.now())} | ${hostile.requests.length - 1} | ${healthy.requests.length - 1}, ${seconds(last)} | ${most} |`,
  );
}

function isDone(state: State | undefined, round: number): boolean {
  const documentsOfRound = documents.length + HEALTHY_PAGES + 2;
  return state?.idle === true && state.pendingOrders === 0 && state.indexed >= (round + 1) * documentsOfRound;
}

if (!server.hasEnded) {
  console.log('\nwithout text, by reason:');
  console.table(Object.fromEntries(await server.withoutText()));
}
console.log(server.hasEnded ? `the server ended: ${server.output}` : 'the server is well');
process.exitCode = server.hasEnded ? 1 : 0;
await end();
await hostile.close();
await healthy.close();
