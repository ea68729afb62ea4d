import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seconds } from '../../src/domain/time/units.js';
import { createApp } from '../../src/server/app.js';
import {
  createPartsModule,
  openAdminStore,
  openConfigurationFile,
  openEngine,
} from '../../src/server/engine.module.js';
import { readServerOptions } from '../../src/server/options.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="docs" defaultAccept="true"><cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"/><cw:Sink name="main" type="file" url="orders.jsonl"/></CrawlConfig>`;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A server that listens and whose engine has not been opened. */
async function listening(folder = temporaryDirectory()) {
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(config, XML);
  const options = readServerOptions({ config, data: folder, port: '0' }, {});
  const file = openConfigurationFile(config);
  const engine = await openEngine({ databaseUrl: options.databaseUrl, log: silent });
  const admin = await openAdminStore(options.databaseUrl);
  const app = await createApp(
    createPartsModule({ options, log: silent, file, engine, adminStore: admin, searchPage: '' }),
    silent,
    {
      api: true,
    },
  );
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= app.close();
    return closed;
  };
  onTestFinished(async () => {
    await close();
    await admin.close();
    await engine.drain(seconds(1));
  });
  await app.listen(0, '127.0.0.1');
  const get = async (path: string) => fetch((await app.getUrl()) + path);
  return { get, close, open: async () => engine.open((await file.load()).definition) };
}

it('until all crawlers are loaded the API reports that the server is starting, not that URLs are unknown', async () => {
  const { get, open } = await listening();
  for (const path of ['/api/v1/crawlers', '/api/v1/crawlers/docs', '/metrics']) {
    const answer = await get(path);
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '1']);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ status: 503, detail: expect.stringContaining('is starting') });
  }
  expect((await get('/health/live')).status).toBe(200);
  expect((await get('/health/ready')).status).toBe(503);
  await open();
  expect((await get('/health/ready')).status).toBe(200);
  expect(await (await get('/api/v1/crawlers')).json()).toMatchObject({ items: [{ name: 'docs' }] });
});

it('a server that stops before its crawlers are loaded leaves the history of rates unchanged', async () => {
  const folder = temporaryDirectory();
  const hour = { at: Date.now(), length: 60_000, pages: 7, orders: 5, errors: 0, errorsByCode: {}, indexed: 5 };
  const history = JSON.stringify({ version: 1, crawlers: { docs: [hour] } });
  writeFileSync(join(folder, 'history.json'), history);
  const { close } = await listening(folder);
  await close();
  expect(readFileSync(join(folder, 'history.json'), 'utf8')).toBe(history);
});
