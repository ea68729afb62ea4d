/**
 * `node dist/bench/sink-down.js [--pages 20000] [--pace 20] [--outage 60] [--port 18091]`: the real server, as a process, crawls a synthetic
 * site as fast as it can; when a fifth of it is delivered, the receiver takes calls and never answers for an hour, then is
 * back. A line a minute tells memory, disk and what waits; the end, how long it took to catch up, and whether the index equals
 * the site.
 *
 * Minutes are those of the server: with `--pace 20` an hour of them passes in three minutes. Seconds of work, as those
 * of the catching up, are real ones.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FlakyReceiver } from '../test/support/flaky-receiver.js';
import { bar, clockFace } from './curve.js';
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
/** A catching up that takes longer than this, in real time, has failed. */
const PATIENCE_MS = 600_000;

interface Progress {
  readonly indexed: number;
  readonly pendingOrders: number;
  readonly pendingBytes: number;
  readonly idle: boolean;
  readonly limitedBy: string;
}

const configuration = (site: string, receiver: string): string =>
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
const server = await MeasuredServer.start(folder, configuration(`${origin}/`, receiver.url), pace);

async function progress(): Promise<Progress> {
  const crawler = await server.get<Omit<Progress, 'pendingBytes'>>('/api/v1/crawlers/test');
  const { items } = await server.get<{ items: Pick<Progress, 'pendingBytes'>[] }>('/api/v1/sinks');
  return { ...crawler, pendingBytes: items[0]!.pendingBytes };
}

const started = performance.now();
let most = { rssMb: 0, diskMb: 0 };

/** Real seconds until it holds; a line in the table when it does. */
async function until(what: string, holds: (now: Progress) => boolean): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const now = await progress();
    if (holds(now)) {
      tell(what, now);
      return (performance.now() - startedAt) / 1000;
    }
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`${what}: not in time: ${JSON.stringify(now)}`);
    await sleep(POLL_MS);
  }
}

function tell(when: string, { indexed, pendingOrders, pendingBytes, limitedBy }: Progress): void {
  const { rssMb, diskMb, cpu } = server.footprint();
  most = { rssMb: Math.max(most.rssMb, rssMb), diskMb: Math.max(most.diskMb, diskMb) };
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const waiting = `${pendingOrders} orders wait (${(pendingBytes / 1_000_000).toFixed(1)} MB)`;
  console.log(
    `${when.padEnd(16)} ${seconds.padStart(5)} s ${String(rssMb).padStart(5)} MB ${bar(rssMb, FULL_BAR_MB).padEnd(24)} ` +
      `disk ${diskMb.toFixed(1).padStart(5)} MB, ${indexed} indexed, ${waiting}, CPU ${cpu.toFixed(0)} s; ${limitedBy}`,
  );
}

async function outage(): Promise<void> {
  receiver.fate = () => 'say nothing';
  const startedAt = performance.now();
  for (let minute = 1; minute <= outageMinutes; minute++) {
    while (((performance.now() - startedAt) / 60_000) * pace < minute) await sleep(POLL_MS);
    tell(`down for ${clockFace(minute)}`, await progress());
  }
  receiver.fate = () => 'pass';
}

async function differences(): Promise<string[]> {
  const query = 'enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS';
  const text = await (await fetch(`${indexUrl}/papi/4/connectors/test/${query}`)).text();
  const lines = text.split('\n').filter((line) => line !== '');
  const indexed = new Set(lines.map((line) => decodeURIComponent(line.split(' ')[0]!.replaceAll('+', ' '))));
  const onSite = new Set(Array.from({ length: pages }, (_, n) => (n === 0 ? `${origin}/` : `${origin}/p/${n}.html`)));
  const missing = [...onSite].filter((url) => !indexed.has(url));
  const extra = [...indexed].filter((url) => !onSite.has(url));
  return [
    ...missing.map((url) => `${url} is on the site and not in the index`),
    ...extra.map((url) => `${url} is in the index and not on the site`),
  ];
}

async function story(): Promise<string[]> {
  const before = await until('a fifth', ({ indexed }) => indexed >= pages / 5);
  const atOutage = (await progress()).indexed;
  await outage();
  const waiting = await progress();
  const drained = await until('orders delivered', ({ indexed }) => indexed >= waiting.indexed + waiting.pendingOrders);
  const atDrained = (await progress()).indexed;
  const rest = await until('all delivered', ({ idle, pendingOrders }) => idle && pendingOrders === 0);
  console.table({
    'documents a second before the outage': Math.round(atOutage / before),
    'orders that waited': waiting.pendingOrders,
    'seconds until they were delivered': Number(drained.toFixed(1)),
    'documents a second afterwards': Math.round((pages - atDrained) / rest),
    'most MB resident': most.rssMb,
    'most MB on disk': Number(most.diskMb.toFixed(1)),
  });
  return differences();
}

try {
  const wrong = await story();
  const word = `${wrong.length} differences: ${wrong.slice(0, 10).join('; ')}`;
  console.log(wrong.length === 0 ? 'the index equals the site' : word);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  await stop(site);
  await stop(index);
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
