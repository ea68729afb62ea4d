import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const configuration = (threads: number): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="${threads}"/>
</CrawlConfig>`;

async function start(database: string, threads: number): Promise<RunningServer> {
  const folder = temporaryDirectory();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(config, configuration(threads));
  const options = readServerOptions({ config, data: folder, port: '0' }, { CRAWLWAY_DATABASE_URL: database });
  const server = await serve(options, { log: SILENT, withSample: false });
  onTestFinished(() => server.close());
  return server;
}

const inForce = ({ engine }: RunningServer): number => engine.definition.crawlers[0]!.concurrency;

it('of two changes of one version that are made on two nodes at the same time, one is refused', async () => {
  const database = await postgresDatabase();
  // They also start at the same time, with different files: one of these is in force.
  const nodes = await Promise.all([start(database, 5), start(database, 6)]);
  const first = inForce(nodes[0]!);
  expect([5, 6]).toContain(first);
  expect(inForce(nodes[1]!)).toBe(first);
  for (let round = 1; round <= 3; round++) {
    const etags = () =>
      Promise.all(nodes.map(async ({ url }) => (await fetch(`${url}/api/v1/config`)).headers.get('etag')!));
    await expect.poll(async () => new Set(await etags()).size).toBe(1);
    const [etag] = (await etags()) as [string];
    const put = async ({ url }: RunningServer, threads: number) => {
      const response = await fetch(`${url}/api/v1/config`, {
        method: 'PUT',
        headers: { 'content-type': 'application/xml', 'if-match': etag },
        body: configuration(threads),
      });
      return { threads, status: response.status };
    };
    const wanted = [round * 10 + 1, round * 10 + 2];
    const answers = await Promise.all(nodes.map((node, i) => put(node, wanted[i]!)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200)!;
    for (const node of nodes) await expect.poll(() => inForce(node)).toBe(winner.threads);
  }
}, 60_000);
