/**
 * `node dist/bench/hostile.js --minutes 240 [--pace 12] [--throttle 1000]`: the real server, as a process, crawls traps
 * and bombs on several hosts beside a healthy one. Each minute, a line is printed with the server's memory and the
 * requests that were served; at the end, its memory by half hours, the longest time that the healthy host had to wait,
 * and the outcomes of the visits.
 *
 * Minutes are those of the server's clock: with `--pace 12`, four hours pass in twenty real minutes. `--throttle` is
 * the server's milliseconds between two requests to one host; with 0, it sends requests as fast as the machine can.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FakeSite } from '../test/support/fake-site.js';
import { HOSTILE_PAGES, startHostileSite } from '../test/support/hostile-site.js';
import { formatBar, formatMinutes, summarizeStretches } from './curve.js';
import { startCrawl } from './hostile-crawl.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    pace: { type: 'string', default: '1' },
    throttle: { type: 'string', default: '0' },
  },
});
const minutes = Number(values.minutes);
const pace = Number(values.pace);
const throttle = Number(values.throttle);

const HOSTS = 4;
const HEALTHY_PAGES = 200;
/** Number of URLs under which each bomb is published, so that bombs make up a large part of the pages. */
const COPIES = 10;
/** Maximum time that a healthy host may have to wait, in seconds of the server's clock. */
const MAX_WAIT_S = 60;
const FULL_BAR_MB = 1024;
/** In real milliseconds, because time does not pass faster for the sites. */
const TIMEOUT_MS = 5_000;

interface MinuteSample {
  readonly minute: number;
  readonly value: number;
}

/** Measures the longest time that the healthy host had to wait, and when that was, by the server's clock. */
class WaitMeter {
  longestS = 0;
  longestEndedAt = 0;
  servedRequests = 0;
  private readonly startedAt = performance.now();
  private lastRequestAt = this.startedAt;

  constructor(private readonly site: FakeSite) {}

  /** Evaluates and counts the requests since the last call. */
  evaluateRequests(): number {
    const times = this.site.requests.map((request) => request.at);
    this.site.forgetRequests();
    for (const at of times) {
      this.recordWait(at);
      this.lastRequestAt = at;
    }
    this.recordWait(performance.now());
    this.servedRequests += times.length;
    return times.length;
  }

  private recordWait(until: number): void {
    const seconds = ((until - this.lastRequestAt) / 1000) * pace;
    if (seconds <= this.longestS) return;
    this.longestS = seconds;
    this.longestEndedAt = ((until - this.startedAt) / 60_000) * pace;
  }
}

async function startHealthySite(): Promise<FakeSite> {
  const site = await FakeSite.start('127.0.0.9');
  const paths = Array.from({ length: HEALTHY_PAGES - 1 }, (_, i) => `/p${i}`);
  site.page('/', paths);
  for (const path of paths) site.page(path);
  return site;
}

async function startBombSite(index: number): Promise<FakeSite> {
  const site = await startHostileSite(`127.0.0.${index + 1}`);
  const copies = Object.keys(HOSTILE_PAGES).flatMap((path) =>
    Array.from({ length: COPIES }, (_, i) => (path.includes('?') ? path : `${path}?${i}`)),
  );
  return site.page('/', [...copies, '/id/1']);
}

const sites = await Promise.all(Array.from({ length: HOSTS }, (_, i) => startBombSite(i)));
const healthySite = await startHealthySite();
const maxUrls = throttle === 0 ? 3000 : 600;
const { server, end } = await startCrawl({
  roots: [...sites, healthySite].map((site) => site.url('/')),
  site: false,
  throttleMs: throttle,
  pace,
  crawlerAttributes: 'smartRefreshMinAgeS="5" smartRefreshMaxAgeS="10"',
  crawlerElements: `<cw:Traps maxQueryVariants="500" maxUrlsPerHost="${maxUrls}" maxRepeatedSegments="3"/>
    <cw:ErrorPolicy maxTemporaryErrors="1000" retryDelayS="5" maxRetryDelayS="10"/>`,
  fetcherAttributes: `totalTimeoutMS="${TIMEOUT_MS * pace}" maxSizeBytes="10000000"`,
});

const startedAt = performance.now();
const getElapsedMinutes = (): number => ((performance.now() - startedAt) / 60_000) * pace;
const memory: MinuteSample[] = [];
const waitMeter = new WaitMeter(healthySite);
let hostileTotal = 0;
let servedMinutes = 0;
for (let minute = 1; minute <= minutes && !server.hasEnded; minute++) {
  while (getElapsedMinutes() < minute && !server.hasEnded) await sleep(Math.min(1_000, 10_000 / pace));
  if (server.hasEnded) break;
  const { rssMb, diskMb, cpu } = server.measureFootprint();
  memory.push({ minute: minute - 1, value: rssMb });
  const healthyRequests = waitMeter.evaluateRequests();
  if (healthyRequests > 0) servedMinutes++;
  const hostileRequests = sites.reduce((sum, site) => sum + site.requests.length, 0);
  hostileTotal += hostileRequests;
  for (const site of sites) site.forgetRequests();
  const cpuPercent = Math.round((cpu / ((performance.now() - startedAt) / 1000)) * 100);
  console.log(
    `${formatMinutes(minute).padStart(5)} ${String(rssMb).padStart(5)} MB ${formatBar(rssMb, FULL_BAR_MB).padEnd(40)} ` +
      `hostile ${hostileRequests}, healthy ${healthyRequests}, disk ${diskMb.toFixed(1)} MB, ${cpuPercent} % of a core`,
  );
}

const isAlive = !server.hasEnded;
console.log(`\n${minutes} minutes at pace ${pace}, ${throttle} ms between requests to a host`);
console.log('RSS in MB by half hours:');
console.table(summarizeStretches(memory, 30));
if (isAlive) console.table(Object.fromEntries(await server.countOutcomes()));
console.log(`${hostileTotal} hostile requests, ${waitMeter.servedRequests} healthy ones`);
console.log(
  `the healthy host was served in ${servedMinutes} of ${memory.length} minutes; ` +
    `its longest wait was ${waitMeter.longestS.toFixed(1)} s and ended at ${formatMinutes(waitMeter.longestEndedAt)}`,
);
console.log(isAlive ? 'the server is still running' : `the server has ended: ${server.output}`);
await end();
for (const site of [...sites, healthySite]) await site.close();
process.exitCode = isAlive && waitMeter.longestS <= MAX_WAIT_S ? 0 : 1;
