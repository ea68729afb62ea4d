/**
 * Measures how much of what politeness allows a crawl of many hosts uses. The next request to a host may be sent when
 * the throttle time has passed since the end of its last response. The first share is that of hosts / throttle, as if
 * responses took no time; the second one is that of what is possible with the measured response time.
 *
 *   node dist/bench/hosts.js [--hosts 64] [--throttle 100] [--seconds 30]
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrawlRun, createConfiguration, getOption, sleep } from './crawl-run.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_091;
const TARGET = 0.95;

const hosts = Number(getOption('hosts', '64'));
const throttle = Number(getOption('throttle', '100'));
const seconds = Number(getOption('seconds', '30'));

const roots = Array.from(
  { length: hosts },
  (_, i) => `<Root url="http://127.0.1.${i + 1}:${SITE_PORT}/" site="false"/>`,
).join('');
const config = createConfiguration(
  `nthreads="${Math.max(32, hosts)}" throttleTimeMS="${throttle}" defaultAccept="true"`,
  roots,
);

const siteFile = join(fileURLToPath(new URL('..', import.meta.url)), 'bench/synthetic-site.js');
const siteArgs = ['--port', String(SITE_PORT), '--pages', '1000000', '--hosts', String(hosts)];
const site = await startProgram(siteFile, siteArgs, /^synthetic/);
const run = await CrawlRun.start(config);
try {
  // Until robots.txt and enough links of all hosts are known.
  await sleep(5_000 + 10 * throttle);
  const [fetchesBefore, cpuBefore, startedAt] = [
    await run.countFetches(),
    run.getUsage()?.cpu ?? Number.NaN,
    performance.now(),
  ];
  await sleep(seconds * 1000);
  const fetchesAfter = await run.countFetches();
  const pages = fetchesAfter.count - fetchesBefore.count;
  const responseSeconds = (fetchesAfter.seconds - fetchesBefore.seconds) / pages;
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (run.getUsage()?.cpu ?? Number.NaN) - cpuBefore;
  const allowedRate = hosts / (throttle / 1000);
  const possibleRate = hosts / (throttle / 1000 + responseSeconds);
  const formatPercent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  console.log(`${hosts} hosts, throttle ${throttle} ms, ${elapsedSeconds.toFixed(0)} s\n`);
  console.log(
    '| allowed pages/s | fetched pages/s | share | target | response time, ms | share given the response time | CPU s per 1,000 |',
  );
  console.log('|---|---|---|---|---|---|---|');
  console.log(
    `| ${allowedRate.toFixed(0)} | ${(pages / elapsedSeconds).toFixed(0)} | ${formatPercent(pages / elapsedSeconds / allowedRate)} | ${formatPercent(TARGET)} | ${(responseSeconds * 1000).toFixed(1)} | ${formatPercent(pages / elapsedSeconds / possibleRate)} | ${((cpuSeconds / pages) * 1000).toFixed(2)} |`,
  );
} finally {
  await run.stop();
  await stop(site);
}
