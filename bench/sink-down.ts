/**
 * `node dist/bench/sink-down.js [--pages 20000] [--pace 20] [--outage 60] [--port 18091]`: the real server, as a
 * process, crawls a synthetic site as fast as it can. When a fifth of it has been delivered, the receiver accepts
 * requests but does not respond for an hour, and then works again. Each minute, a line with memory, disk and waiting
 * orders is printed; at the end, how long the server took to catch up, and whether the index equals the site.
 *
 * Minutes are those of the server's clock: with `--pace 20`, an hour passes in three real minutes. Times of work, such
 * as catching up, are in real seconds.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeLimit, type LimitDto } from '../client/index.js';
import { FlakyReceiver } from '../test/support/flaky-receiver.js';
import { formatBar, formatMinutes } from './curve.js';
import { MeasuredServer } from './measured-server.js';
import { startProgram, stop } from './processes.js';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    pace: { type: 'string', default: '20' },
    outage: { type: 'string', default: '60' },
    port: { type: 'string', default: '18091' },
  },
});
const pages = Number(values.pages);
const pace = Number(values.pace);
const outageMinutes = Number(values.outage);
const [sitePort, indexPort] = [Number(values.port), Number(values.port) + 1];

const FULL_BAR_MB = 1024;
const DIST = fileURLToPath(new URL('..', import.meta.url));
const POLL_MS = 250;
/** If catching up takes longer than this, in real time, the benchmark has failed. */
const MAX_WAIT_MS = 600_000;

interface Progress {
  readonly indexed: number;
  readonly pendingOrders: number;
  readonly pendingBytes: number;
  readonly idle: boolean;
  readonly limitedBy: LimitDto;
}

const createConfiguration = (site: string, receiver: string): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="32" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false"
           nearDuplicateDetector="false">
    <Root url="${site}"/><cw:Traps maxUrlsPerHost="100000000"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${receiver}" connector="test"/>
</CrawlConfig>`;

const folder = mkdtempSync(join(tmpdir(), 'crawlway-sink-down-'));
const siteFlags = ['--port', String(sitePort), '--pages', values.pages];
const site = await startProgram(join(DIST, 'bench/synthetic-site.js'), siteFlags, /http/);
const origin = `http://127.0.0.1:${sitePort}`;
const indexFlags = ['--data', join(folder, 'index'), '--port', String(indexPort)];
const index = await startProgram(join(DIST, 'demo-index/main.js'), indexFlags, /index: http/);
const indexUrl = `http://127.0.0.1:${indexPort}`;
const receiver = await FlakyReceiver.start(indexUrl);
const server = await MeasuredServer.start(folder, createConfiguration(`${origin}/`, receiver.url), pace);

async function readProgress(): Promise<Progress> {
  const crawler = await server.get<Omit<Progress, 'pendingBytes'>>('/api/v1/crawlers/test');
  const { items } = await server.get<{ items: Pick<Progress, 'pendingBytes'>[] }>('/api/v1/sinks');
  return { ...crawler, pendingBytes: items[0]!.pendingBytes };
}

const runStartedAt = performance.now();
let peak = { rssMb: 0, diskMb: 0 };

/** Waits until the condition holds, prints a line, and returns how many real seconds that took. */
async function waitUntil(condition: string, isMet: (progress: Progress) => boolean): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const progress = await readProgress();
    if (isMet(progress)) {
      printProgress(condition, progress);
      return (performance.now() - startedAt) / 1000;
    }
    if (performance.now() - startedAt > MAX_WAIT_MS)
      throw new Error(`${condition}: not reached within ${MAX_WAIT_MS / 1000} s: ${JSON.stringify(progress)}`);
    await sleep(POLL_MS);
  }
}

function printProgress(label: string, { indexed, pendingOrders, pendingBytes, limitedBy }: Progress): void {
  const { rssMb, diskMb, cpu } = server.measureFootprint();
  peak = { rssMb: Math.max(peak.rssMb, rssMb), diskMb: Math.max(peak.diskMb, diskMb) };
  const seconds = ((performance.now() - runStartedAt) / 1000).toFixed(0);
  const waiting = `${pendingOrders} orders waiting (${(pendingBytes / 1_000_000).toFixed(1)} MB)`;
  console.log(
    `${label.padEnd(16)} ${seconds.padStart(5)} s ${String(rssMb).padStart(5)} MB ${formatBar(rssMb, FULL_BAR_MB).padEnd(24)} ` +
      `disk ${diskMb.toFixed(1).padStart(5)} MB, ${indexed} indexed, ${waiting}, CPU ${cpu.toFixed(0)} s; ${describeLimit(limitedBy)}`,
  );
}

async function simulateOutage(): Promise<void> {
  receiver.fate = () => 'say nothing';
  const startedAt = performance.now();
  for (let minute = 1; minute <= outageMinutes; minute++) {
    while (((performance.now() - startedAt) / 60_000) * pace < minute) await sleep(POLL_MS);
    printProgress(`down for ${formatMinutes(minute)}`, await readProgress());
  }
  receiver.fate = () => 'pass';
}

async function findDifferences(): Promise<string[]> {
  const query = 'enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS';
  const text = await (await fetch(`${indexUrl}/papi/4/connectors/test/${query}`)).text();
  const lines = text.split('\n').filter((line) => line !== '');
  const indexedUrls = new Set(lines.map((line) => decodeURIComponent(line.split(' ')[0]!.replaceAll('+', ' '))));
  const siteUrls = new Set(Array.from({ length: pages }, (_, n) => (n === 0 ? `${origin}/` : `${origin}/p/${n}.html`)));
  const missingUrls = [...siteUrls].filter((url) => !indexedUrls.has(url));
  const extraUrls = [...indexedUrls].filter((url) => !siteUrls.has(url));
  return [
    ...missingUrls.map((url) => `${url} is on the site but not in the index`),
    ...extraUrls.map((url) => `${url} is in the index but not on the site`),
  ];
}

async function runScenario(): Promise<string[]> {
  const secondsBeforeOutage = await waitUntil('a fifth is indexed', ({ indexed }) => indexed >= pages / 5);
  const indexedAtOutage = (await readProgress()).indexed;
  await simulateOutage();
  const progressAfterOutage = await readProgress();
  const drainSeconds = await waitUntil(
    'orders delivered',
    ({ indexed }) => indexed >= progressAfterOutage.indexed + progressAfterOutage.pendingOrders,
  );
  const indexedAfterDrain = (await readProgress()).indexed;
  const remainingSeconds = await waitUntil('all delivered', ({ idle, pendingOrders }) => idle && pendingOrders === 0);
  console.table({
    'documents per second before the outage': Math.round(indexedAtOutage / secondsBeforeOutage),
    'orders that waited': progressAfterOutage.pendingOrders,
    'seconds until they were delivered': Number(drainSeconds.toFixed(1)),
    'documents per second afterwards': Math.round((pages - indexedAfterDrain) / remainingSeconds),
    'peak MB resident': peak.rssMb,
    'peak MB on disk': Number(peak.diskMb.toFixed(1)),
  });
  return findDifferences();
}

try {
  const differences = await runScenario();
  const summary = `${differences.length} differences: ${differences.slice(0, 10).join('; ')}`;
  console.log(differences.length === 0 ? 'the index equals the site' : summary);
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  await stop(site);
  await stop(index);
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
