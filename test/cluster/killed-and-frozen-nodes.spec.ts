import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Program } from '../api/program.js';
import { findCutDelays } from '../support/cut-delays.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { runningIndex } from '../support/push-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SITES = 6;
const PAGES = 25;
const THROTTLE_MS = 250;
/** Longer than a lease, so that the frozen node finds everything gone when it comes back. */
const FROZEN_MS = 14_000;

/** Every page links to the next ones of its site and to its like on the next site. */
async function web(): Promise<FakeSite[]> {
  const sites = await Promise.all(Array.from({ length: SITES }, () => FakeSite.start()));
  for (const [i, site] of sites.entries()) {
    onTestFinished(() => site.close());
    const next = sites[(i + 1) % SITES]!;
    for (let n = 1; n < PAGES; n++) site.page(`/${n}`, [...pages(n + 1, n + 4), next.url(`/${n}`)]);
  }
  return sites;
}

const pages = (from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, Math.min(to, PAGES - 1) - from + 1) }, (_, i) => `/${from + i}`);

function configuration(site: FakeSite, indexUrl: string): string {
  return `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="20" throttleTimeMS="${THROTTLE_MS}" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.url('/1')}" site="false"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${indexUrl}" connector="docs"/>
</CrawlConfig>`;
}

async function node(number: number, config: string, env: Record<string, string>): Promise<Program> {
  const data = join(temporaryDirectory(), `node-${number}`);
  const flags = ['--config', config, '--data', data, '--port', '0', '--no-sample'];
  const program = new Program(['serve', ...flags], { env });
  await program.said(/ready/);
  return program;
}

const indexed = async (index: { url: string }): Promise<string[]> => {
  const answer = await fetch(
    `${index.url}/papi/4/connectors/docs/enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS`,
  );
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => decodeURIComponent(line.split(' ')[0]!.replaceAll('+', ' '))).sort();
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('when one of three nodes is killed and one freezes for a while, no crawl delay is cut short, and the index equals the sites', async () => {
  const [sites, index, database] = await Promise.all([web(), runningIndex(), postgresDatabase()]);
  const config = join(temporaryDirectory(), 'CrawlConfig.xml');
  writeFileSync(config, configuration(sites[0]!, index.url));
  const env = { CRAWLWAY_DATABASE_URL: database };
  const nodes = await Promise.all([1, 2, 3].map((number) => node(number, config, env)));
  const requests = (): number => sites.reduce((sum, site) => sum + site.requests.length, 0);
  await expect.poll(requests, { interval: 50 }).toBeGreaterThan(SITES * 4);

  const failedAt = performance.now();
  nodes[0]!.signal('SIGKILL');
  nodes[1]!.signal('SIGSTOP');
  await pause(FROZEN_MS);
  nodes[1]!.signal('SIGCONT');

  const truth = sites.flatMap((site) => pages(1, PAGES).map((path) => site.url(path))).sort();
  await expect.poll(() => indexed(index), { interval: 200 }).toEqual(truth);
  for (const site of sites) {
    expect(findCutDelays(site, THROTTLE_MS)).toEqual([]);
    const next = site.requests.find(({ at }) => at > failedAt + THROTTLE_MS);
    if (next) expect(next.at - failedAt).toBeLessThan(20_000);
  }
}, 120_000);
