import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const CONFIGURATION = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test"><cw:CrawlSpace rules="crawl.rules"/></Crawler>
</CrawlConfig>`;
const OLD = 'allow domain old.example\n';
const NEW = 'allow domain new.example\n';

it('rule files are distributed to all nodes with the configuration, and replace older ones there', async () => {
  const folder = temporaryDirectory();
  const database = await postgresDatabase();
  const rulesOf = (node: string): string => readFileSync(join(folder, node, 'crawl.rules'), 'utf8');
  const start = async (node: string): Promise<RunningServer> => {
    mkdirSync(join(folder, node), { recursive: true });
    const config = join(folder, node, 'CrawlConfig.xml');
    writeFileSync(config, CONFIGURATION);
    writeFileSync(join(folder, node, 'crawl.rules'), OLD);
    const flags = { config, data: join(folder, node), port: '0' };
    const server = await serve(readServerOptions(flags, { CRAWLWAY_DATABASE_URL: database }), {
      log: SILENT,
      withSample: false,
    });
    onTestFinished(() => server.close());
    return server;
  };
  const inForce = ({ engine }: RunningServer) => engine.definition.crawlers[0]!.crawlSpace?.rules[0]?.target;

  const [one, other] = [await start('one'), await start('other')];
  const etag = (await fetch(`${one.url}/api/v1/config`)).headers.get('etag')!;
  const { status } = await fetch(`${one.url}/api/v1/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'if-match': etag },
    body: JSON.stringify({ files: { 'crawl.rules': NEW } }),
  });
  expect(status).toBe(200);
  await expect.poll(() => inForce(other)).toBe('new.example');
  await expect.poll(() => rulesOf('other')).toBe(NEW);

  const late = await start('late');
  expect(inForce(late)).toBe('new.example');
  expect(inForce(one)).toBe('new.example');
});
