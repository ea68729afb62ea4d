/**
 * `node dist/bench/hostile.js --minutes 240 [--pace 12] [--throttle 1000]`: the real server, as a process, crawls traps and
 * bombs on several hosts beside a healthy one. A line a minute tells its memory and what was served; the end, how memory went
 * by half hours, how long the healthy host was left waiting at most, and what became of the pages.
 *
 * Minutes are those of the server: with `--pace 12` four hours of them pass in twenty minutes. `--throttle`: its milliseconds
 * between two requests to one host; 0 asks as fast as the machine can.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FakeSite } from '../test/support/fake-site.js';
import { HOSTILE_PAGES, startHostileSite } from '../test/support/hostile-site.js';
import { bar, clockFace, stretches } from './curve.js';
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
/** Each bomb under so many addresses, so that bombs are a good part of what there is. */
const COPIES = 10;
/** Seconds of the server's time that a healthy host may be left waiting. */
const PATIENCE_S = 60;
const FULL_BAR_MB = 1024;
/** Real milliseconds: the sites themselves are in no hurry. */
const TIMEOUT_MS = 5_000;

interface Minute {
  readonly minute: number;
  readonly value: number;
}

/** How long the healthy host had to wait at most, and when that was; on the server's time. */
class Patience {
  longestS = 0;
  longestEndedAt = 0;
  served = 0;
  private readonly startedAt = performance.now();
  private last = this.startedAt;

  constructor(private readonly site: FakeSite) {}

  /** Requests since the last look. */
  look(): number {
    const times = this.site.requests.map((request) => request.at);
    this.site.forgetRequests();
    for (const at of times) {
      this.waited(at);
      this.last = at;
    }
    this.waited(performance.now());
    this.served += times.length;
    return times.length;
  }

  private waited(until: number): void {
    const seconds = ((until - this.last) / 1000) * pace;
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

async function startBombs(number: number): Promise<FakeSite> {
  const site = await startHostileSite(`127.0.0.${number + 1}`);
  const copies = Object.keys(HOSTILE_PAGES).flatMap((path) =>
    Array.from({ length: COPIES }, (_, i) => (path.includes('?') ? path : `${path}?${i}`)),
  );
  return site.page('/', [...copies, '/id/1']);
}

const sites = await Promise.all(Array.from({ length: HOSTS }, (_, i) => startBombs(i)));
const healthy = await startHealthySite();
const maxUrls = throttle === 0 ? 3000 : 600;
const { server, end } = await startCrawl({
  roots: [...sites, healthy].map((site) => site.url('/')),
  site: false,
  throttleMs: throttle,
  pace,
  crawler: 'smartRefreshMinAgeS="5" smartRefreshMaxAgeS="10"',
  elements: `<cw:Traps maxQueryVariants="500" maxUrlsPerHost="${maxUrls}" maxRepeatedSegments="3"/>
    <cw:ErrorPolicy maxTemporaryErrors="1000" retryDelayS="5" maxRetryDelayS="10"/>`,
  fetcher: `totalTimeoutMS="${TIMEOUT_MS * pace}" maxSizeBytes="10000000"`,
});

const started = performance.now();
const elapsedMinutes = (): number => ((performance.now() - started) / 60_000) * pace;
const memory: Minute[] = [];
const patience = new Patience(healthy);
let hostile = 0;
let servedMinutes = 0;
for (let minute = 1; minute <= minutes && !server.hasEnded; minute++) {
  while (elapsedMinutes() < minute && !server.hasEnded) await sleep(Math.min(1_000, 10_000 / pace));
  if (server.hasEnded) break;
  const { rssMb, diskMb, cpu } = server.footprint();
  memory.push({ minute: minute - 1, value: rssMb });
  const served = patience.look();
  if (served > 0) servedMinutes++;
  const asked = sites.reduce((sum, site) => sum + site.requests.length, 0);
  hostile += asked;
  for (const site of sites) site.forgetRequests();
  const core = Math.round((cpu / ((performance.now() - started) / 1000)) * 100);
  console.log(
    `${clockFace(minute).padStart(5)} ${String(rssMb).padStart(5)} MB ${bar(rssMb, FULL_BAR_MB).padEnd(40)} ` +
      `hostile ${asked}, healthy ${served}, disk ${diskMb.toFixed(1)} MB, ${core} % of a core`,
  );
}

const alive = !server.hasEnded;
console.log(`\n${minutes} minutes at ${pace} times the pace of time, ${throttle} ms between requests to a host`);
console.log('RSS in MB by half hours:');
console.table(stretches(memory, 30));
if (alive) console.table(Object.fromEntries(await server.outcomes()));
console.log(`${hostile} hostile requests, ${patience.served} healthy ones`);
console.log(
  `the healthy host was served in ${servedMinutes} of ${memory.length} minutes; ` +
    `its longest wait was ${patience.longestS.toFixed(1)} s and ended at ${clockFace(patience.longestEndedAt)}`,
);
console.log(alive ? 'the server is well' : `the server ended: ${server.output}`);
await end();
for (const site of [...sites, healthy]) await site.close();
process.exitCode = alive && patience.longestS <= PATIENCE_S ? 0 : 1;
