import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { exportStore, importStore } from '../../src/cli/store.js';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('a crawl that is moved to another database continues without a repeated request', () => {
  let folder: string;
  let site: FakeSite;
  let config: string;
  let file: string;

  beforeEach(async () => {
    folder = temporaryDirectory();
    file = join(folder, 'export.jsonl');
    site = await FakeSite.start();
    onTestFinished(() => site.close());
    site.page('/', ['/a', '/b', '/gone']).page('/a').page('/b');
    config = join(folder, 'CrawlConfig.xml');
    writeFileSync(
      config,
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.url('/')}" site="false"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="orders.jsonl"/>
</CrawlConfig>`,
    );
  });

  const start = (data: string, database?: string): Promise<RunningServer> =>
    serve(readServerOptions({ config, data, port: '0' }, { CRAWLWAY_DATABASE_URL: database }), {
      log: SILENT,
      withSample: false,
    });

  const untilIdle = (server: RunningServer) =>
    expect
      .poll(async () => {
        const { idle, pendingOrders, counts } = await server.engine.getCrawler('test');
        return idle && pendingOrders === 0 && counts.indexed === 3;
      })
      .toBe(true);

  async function crawled(data: string, database?: string): Promise<void> {
    const server = await start(data, database);
    await untilIdle(server);
    await server.close();
  }

  /** Started on what was imported, it does nothing by itself; what is asked of it, it does. */
  async function goesOn(data: string, database?: string): Promise<void> {
    site.forgetRequests();
    const server = await start(data, database);
    await untilIdle(server);
    await server.engine.maintenance.refresh('test', { url: site.url('/b') });
    await expect.poll(() => site.fetched).toEqual(['/b']);
    await untilIdle(server);
    const orders = await server.engine.orders.list({}, undefined, 10);
    expect(orders.map(({ uri }) => uri).sort()).toEqual(['/', '/a', '/b'].map((path) => site.url(path)));
    await server.close();
  }

  it('from SQLite to PostgreSQL, though the export is interrupted', async () => {
    await crawled(folder);
    await exportStore(file, { data: folder });
    const whole = readFileSync(file, 'utf8');
    // Interrupted in the middle of a line, and gone on with.
    writeFileSync(file, whole.slice(0, whole.length / 2));
    await exportStore(file, { data: folder });
    expect(readFileSync(file, 'utf8').split('\n').sort()).toEqual(whole.split('\n').sort());
    const database = await postgresDatabase();
    await importStore(file, { database });
    await goesOn(folder, database);
  });

  it('from PostgreSQL to SQLite, though the import is interrupted', async () => {
    const database = await postgresDatabase();
    await crawled(folder, database);
    await exportStore(file, { database });
    const lines = readFileSync(file, 'utf8').split('\n');
    const half = join(folder, 'half.jsonl');
    const data = temporaryDirectory();
    for (const share of [0.3, 0.7]) {
      writeFileSync(half, `${lines.slice(0, lines.length * share).join('\n')}\n`);
      await expect(importStore(half, { data })).rejects.toThrow(/summary|ends|end/);
    }
    await importStore(file, { data });
    await goesOn(data);
  });
});
