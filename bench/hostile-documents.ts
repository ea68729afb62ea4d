/**
 * `node dist/bench/hostile-documents.js [--rounds 5] [--changes 12]`: the real server, as a process, crawls 300 hostile
 * documents and a healthy host in several rounds. Each round prints a line with the server's memory and the requests
 * that were served; at the end, the documents without text are printed by reason.
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
const POLL_MS = 250;

const documents = hostileDocuments(Number(values.changes));
/** Created only once, so that only the server's memory can grow. */
const bodies = new Map(documents.map(({ name, make }) => [name, make()]));
const hostileSite = await FakeSite.start('127.0.0.2');
const healthySite = await FakeSite.start('127.0.0.3');

/** Publishes the documents and pages of a round under URLs of their own; returns the two roots. */
function publish(round: number): string[] {
  const folder = `/round-${round}`;
  for (const { name, mediaType } of documents) {
    // The server does not read a document again that could not be read, so its bytes differ in each round.
    const body = Buffer.concat([bodies.get(name)!, Buffer.from(`\n${round}`)]);
    hostileSite.set(`${folder}/${name}`, { headers: { 'content-type': mediaType }, body });
  }
  hostileSite.page(
    `${folder}/`,
    documents.map(({ name }) => `${folder}/${name}`),
  );
  const pages = Array.from({ length: HEALTHY_PAGES }, (_, i) => `${folder}/p${i}`);
  for (const path of pages) healthySite.page(path);
  healthySite.page(`${folder}/`, pages);
  return [hostileSite.url(`${folder}/`), healthySite.url(`${folder}/`)];
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
  fetcherAttributes: 'maxSizeBytes="20000000"',
});
console.log(`${documents.length} hostile documents and ${HEALTHY_PAGES} healthy pages in each round\n`);
console.log(
  '| round | seconds | hostile documents | healthy pages, and seconds until the last one | peak RSS of the server, MB |',
);
console.log('|---|---|---|---|---|');
for (let round = 0; round < rounds && !server.hasEnded; round++) {
  const startedAt = performance.now();
  const formatSeconds = (at: number): string => ((at - startedAt) / 1000).toFixed(0);
  healthySite.forgetRequests();
  hostileSite.forgetRequests();
  if (round > 0) for (const url of publish(round)) await server.post('/api/v1/crawlers/test/roots', { url });
  let peakMb = 0;
  for (let state: State | undefined; !server.hasEnded && !isDone(state, round); ) {
    await sleep(POLL_MS);
    peakMb = Math.max(peakMb, server.measureFootprint().rssMb);
    state = await server.get<State>('/api/v1/crawlers/test');
  }
  const lastRequestAt = healthySite.requests.at(-1)?.at ?? startedAt;
  console.log(
    `| ${round + 1} | ${formatSeconds(performance.now())} | ${hostileSite.requests.length - 1} | ${healthySite.requests.length - 1}, ${formatSeconds(lastRequestAt)} | ${peakMb} |`,
  );
}

function isDone(state: State | undefined, round: number): boolean {
  const documentsOfRound = documents.length + HEALTHY_PAGES + 2;
  return state?.idle === true && state.pendingOrders === 0 && state.indexed >= (round + 1) * documentsOfRound;
}

if (!server.hasEnded) {
  console.log('\ndocuments without text, by reason:');
  console.table(Object.fromEntries(await server.countWithoutText()));
}
console.log(server.hasEnded ? `the server has ended: ${server.output}` : 'the server is still running');
process.exitCode = server.hasEnded ? 1 : 0;
await end();
await hostileSite.close();
await healthySite.close();
