import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { storeExport, storeImport } from '../../src/cli/store.js';
import { serverOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it('a crawl moves from SQLite to PostgreSQL and goes on without one repeated fetch', async () => {
  const folder = temporaryDirectory();
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  site.page('/', ['/a', '/b', '/gone']).page('/a').page('/b');
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(
    config,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.url('/')}"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="${join(folder, 'orders.jsonl')}"/>
</CrawlConfig>`,
  );
  const start = (database?: string): Promise<RunningServer> => {
    const options = serverOptions({ config, data: folder, port: '0' }, { CRAWLWAY_DATABASE_URL: database });
    return serve(options, { log: SILENT, withSample: false });
  };
  const idle = async (server: RunningServer): Promise<boolean> => {
    const view = await server.engine.crawler('test');
    return view.idle && view.pendingOrders === 0 && view.counts.indexed === 3;
  };

  const before = await start();
  await expect.poll(() => idle(before), { timeout: 20_000 }).toBe(true);
  await before.close();

  const file = join(folder, 'export.jsonl');
  await storeExport(file, { data: folder });
  const whole = readFileSync(file, 'utf8');
  // Interrupted in the middle of a line, and gone on with.
  writeFileSync(file, whole.slice(0, whole.length / 2));
  await storeExport(file, { data: folder });
  expect(readFileSync(file, 'utf8').split('\n').sort()).toEqual(whole.split('\n').sort());
  const database = await postgresDatabase();
  await storeImport(file, { database });

  site.forgetRequests();
  const after = await start(database);
  onTestFinished(() => after.close());
  await expect.poll(() => idle(after), { timeout: 20_000 }).toBe(true);
  await after.engine.refresh('test', { url: site.url('/b') });
  await expect.poll(() => site.fetched, { timeout: 20_000 }).toEqual(['/b']);
  expect((await after.engine.orders({}, undefined, 10)).map(({ uri }) => uri).sort()).toEqual(
    ['/', '/a', '/b'].map((path) => site.url(path)),
  );
});
