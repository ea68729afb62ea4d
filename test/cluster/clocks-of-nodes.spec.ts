import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Program } from '../api/program.js';
import { findCutDelays } from '../support/cut-delays.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SITES = 6;
const PAGES = 40;
const THROTTLE_MS = 500;
/** Longer than this test may take, so that a time of another node would keep a host from being asked at all. */
const WRONG_BY_MS = 600_000;

it('nodes whose clocks differ by minutes hand hosts over with their pauses, neither cut short nor prolonged', async () => {
  const folder = temporaryDirectory();
  const sites = await Promise.all(Array.from({ length: SITES }, () => FakeSite.start()));
  for (const site of sites) {
    onTestFinished(() => site.close());
    for (let n = 0; n < PAGES; n++) site.page(`/${n}`, n + 1 < PAGES ? [`/${n + 1}`] : []);
  }
  const database = await postgresDatabase();
  const node = async (name: string, wrongBy: number): Promise<Program> => {
    const config = join(folder, `${name}.xml`);
    writeFileSync(
      config,
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="8" throttleTimeMS="${THROTTLE_MS}" defaultAccept="true" crawlSitemaps="false">
    ${sites.map((site) => `<Root url="${site.url('/0')}" site="false"/>`).join('')}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="orders.jsonl"/>
</CrawlConfig>`,
    );
    const clock = `data:text/javascript,const%20now=Date.now;Date.now=()=>now()+(${wrongBy})`;
    const program = new Program(
      ['serve', '--config', config, '--data', join(folder, name), '--port', '0', '--no-sample'],
      { env: { CRAWLWAY_DATABASE_URL: database, ...(wrongBy === 0 ? {} : { NODE_OPTIONS: `--import ${clock}` }) } },
    );
    await program.said(/ready/);
    return program;
  };
  const requests = (): number => sites.reduce((sum, site) => sum + site.requests.length, 0);
  const soon = async (count: number): Promise<void> => {
    const enough = requests() + count;
    await expect.poll(requests, { interval: 20, timeout: 15_000 }).toBeGreaterThan(enough);
  };

  const slow = await node('slow', -WRONG_BY_MS);
  await soon(SITES * 2);
  const fast = await node('fast', WRONG_BY_MS);
  await soon(SITES * 2);
  slow.signal('SIGTERM');
  await slow.ended;
  await soon(SITES * 2);
  await node('right', 0);
  await soon(SITES);
  fast.signal('SIGTERM');
  await fast.ended;
  const visited = (): number => sites.reduce((sum, { fetched }) => sum + fetched.length, 0);
  await expect.poll(visited, { interval: 50, timeout: 30_000 }).toBe(SITES * PAGES);
  for (const site of sites) {
    expect(findCutDelays(site, THROTTLE_MS)).toEqual([]);
  }
}, 120_000);
