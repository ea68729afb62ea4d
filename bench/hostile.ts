/**
 * `node dist/bench/hostile.js --minutes 5`: the real server, as a process, crawls traps and bombs on several hosts beside a
 * healthy one, in real time; its memory is read every few seconds, and how many healthy pages were served meanwhile.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startIndex } from '../index/server.js';
import { FakeSite } from '../test/support/fake-site.js';
import { HOSTILE_PAGES, startHostileSite } from '../test/support/hostile-site.js';
import { ServerProcess } from '../test/support/server-process.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, every: { type: 'string', default: '15' } },
});
const HOSTS = 4;

const folder = mkdtempSync(join(tmpdir(), 'crawlway-hostile-'));
const sites = await Promise.all(Array.from({ length: HOSTS }, (_, i) => startHostileSite(`127.0.0.${i + 1}`)));
for (const site of sites) site.page('/', [...Object.keys(HOSTILE_PAGES), '/id/1']);
const healthy = await FakeSite.start('127.0.0.9');
const pages = Array.from({ length: 200 }, (_, i) => `/p${i}`);
healthy.page('/', pages);
for (const path of pages) healthy.page(path);

const index = await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });

const roots = [...sites, healthy].map((site) => `<Root url="${site.url('/')}"/>`).join('');
writeFileSync(
  join(folder, 'CrawlConfig.xml'),
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="32" aggressive="true" throttleTimeMS="0" defaultAccept="true" nearDuplicateDetector="false"
           smartRefreshMinAgeS="5" smartRefreshMaxAgeS="10">
    ${roots}<cw:Traps maxQueryVariants="500" maxUrlsPerHost="3000" maxRepeatedSegments="3"/>
    <cw:ErrorPolicy maxTemporaryErrors="1000" retryDelayS="5" maxRetryDelayS="10"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default" totalTimeoutMS="5000" maxSizeBytes="10000000"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${index.url}" connector="test"/>
</CrawlConfig>`,
);
const server = await new ServerProcess({ config: join(folder, 'CrawlConfig.xml'), data: join(folder, 'data') }).ready();
const started = performance.now();
const rows: Record<string, number>[] = [];
while (performance.now() - started < Number(values.minutes) * 60_000 && !server.hasEnded) {
  healthy.forgetRequests();
  for (const site of sites) site.forgetRequests();
  await sleep(Number(values.every) * 1_000);
  const row = {
    seconds: Math.round((performance.now() - started) / 1000),
    'RSS MB': residentMegabytes(server.pid),
    'hostile requests': sites.reduce((sum, site) => sum + site.requests.length, 0),
    'healthy requests': healthy.requests.length,
  };
  rows.push(row);
  console.error(JSON.stringify(row));
}
console.table(rows);
const alive = !server.hasEnded;
await server.end('SIGTERM');
for (const site of [...sites, healthy]) await site.close();
await index.close();
rmSync(folder, { recursive: true, force: true });
console.log(alive ? 'the server is well' : `the server ended: ${server.output}`);
process.exitCode = alive && rows.every((row) => row['healthy requests']! > 0) ? 0 : 1;

function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
