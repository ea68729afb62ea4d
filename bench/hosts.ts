/**
 * Many hosts at once: how much of what politeness allows does the crawl use? Each host may be asked once in the throttle time,
 * counted from the end of an answer; the share is of hosts / throttle, so the time of the answers themselves counts as lost.
 *
 *   node dist/bench/hosts.js [--hosts 64] [--throttle 100] [--seconds 30]
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrawlRun, configuration, machine, option, sleep } from './crawl-run.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_091;
const TARGET = 0.95;
/** Until all hosts have given enough links and have been asked for robots.txt. */
const WARM_UP_MS = 8_000;

const hosts = Number(option('hosts', '64'));
const throttle = Number(option('throttle', '100'));
const seconds = Number(option('seconds', '30'));

const roots = Array.from({ length: hosts }, (_, i) => `<Root url="http://127.0.1.${i + 1}:${SITE_PORT}/"/>`).join('');
const config = configuration(
  `nthreads="${Math.max(32, hosts)}" throttleTimeMS="${throttle}" defaultAccept="true"`,
  roots,
);

const siteFile = join(fileURLToPath(new URL('..', import.meta.url)), 'bench/synthetic-site.js');
const siteArgs = ['--port', String(SITE_PORT), '--pages', '1000000', '--hosts', String(hosts)];
const site = await startProgram(siteFile, siteArgs, /^synthetic/);
const run = await CrawlRun.start(config);
try {
  await sleep(WARM_UP_MS);
  const visits = async () => (await run.visits()).get('document') ?? 0;
  const [first, cpu, started] = [await visits(), run.usage()?.cpu ?? Number.NaN, performance.now()];
  await sleep(seconds * 1000);
  const pages = (await visits()) - first;
  const took = (performance.now() - started) / 1000;
  const used = (run.usage()?.cpu ?? Number.NaN) - cpu;
  const allowed = hosts / (throttle / 1000);
  console.log(`${machine()}; ${hosts} hosts, throttle ${throttle} ms, ${took.toFixed(0)} s\n`);
  console.log('| allowed pages/s | fetched pages/s | share | target | CPU s per 1,000 pages | cores busy |');
  console.log('|---|---|---|---|---|---|');
  console.log(
    `| ${allowed.toFixed(0)} | ${(pages / took).toFixed(0)} | ${((100 * pages) / took / allowed).toFixed(1)} % | ${100 * TARGET} % | ${((used / pages) * 1000).toFixed(2)} | ${(used / took).toFixed(2)} |`,
  );
} finally {
  await run.stop();
  await stop(site);
}
