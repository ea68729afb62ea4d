/**
 * Many hosts at once: how much of what politeness allows does the crawl use? Each host may be asked again when the throttle time
 * has passed since the end of its answer. The share is of hosts / throttle, as if answers took no time; beside it stands the
 * share of what is possible with answers that take as long as they did.
 *
 *   node dist/bench/hosts.js [--hosts 64] [--throttle 100] [--seconds 30]
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrawlRun, configuration, option, sleep } from './crawl-run.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_091;
const TARGET = 0.95;

const hosts = Number(option('hosts', '64'));
const throttle = Number(option('throttle', '100'));
const seconds = Number(option('seconds', '30'));

const roots = Array.from(
  { length: hosts },
  (_, i) => `<Root url="http://127.0.1.${i + 1}:${SITE_PORT}/" site="false"/>`,
).join('');
const config = configuration(
  `nthreads="${Math.max(32, hosts)}" throttleTimeMS="${throttle}" defaultAccept="true"`,
  roots,
);

const siteFile = join(fileURLToPath(new URL('..', import.meta.url)), 'bench/synthetic-site.js');
const siteArgs = ['--port', String(SITE_PORT), '--pages', '1000000', '--hosts', String(hosts)];
const site = await startProgram(siteFile, siteArgs, /^synthetic/);
const run = await CrawlRun.start(config);
try {
  // Until all hosts have given robots.txt and enough links.
  await sleep(5_000 + 10 * throttle);
  const [first, cpu, started] = [await run.fetches(), run.usage()?.cpu ?? Number.NaN, performance.now()];
  await sleep(seconds * 1000);
  const last = await run.fetches();
  const pages = last.count - first.count;
  const answer = (last.seconds - first.seconds) / pages;
  const took = (performance.now() - started) / 1000;
  const used = (run.usage()?.cpu ?? Number.NaN) - cpu;
  const allowed = hosts / (throttle / 1000);
  const possible = hosts / (throttle / 1000 + answer);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  console.log(`${hosts} hosts, throttle ${throttle} ms, ${took.toFixed(0)} s\n`);
  console.log(
    '| allowed pages/s | fetched pages/s | share | target | answers, ms | share with answers | CPU s per 1,000 |',
  );
  console.log('|---|---|---|---|---|---|---|');
  console.log(
    `| ${allowed.toFixed(0)} | ${(pages / took).toFixed(0)} | ${percent(pages / took / allowed)} | ${percent(TARGET)} | ${(answer * 1000).toFixed(1)} | ${percent(pages / took / possible)} | ${((used / pages) * 1000).toFixed(2)} |`,
  );
} finally {
  await run.stop();
  await stop(site);
}
