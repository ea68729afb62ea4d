import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningIndex, startIndex } from '../../demo-index/server.js';
import { lockDataDirectory } from '../../src/adapters/storage/shared/data-directory.js';
import { FakeSite } from '../support/fake-site.js';
import { ServerProcess } from '../support/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const PAGES = Array.from({ length: 300 }, (_, i) => `/p${i}`);

describe('a server that stops or must not start', () => {
  let site: FakeSite;
  let index: RunningIndex;
  let folder: string;
  const servers: ServerProcess[] = [];
  const launch = (): ServerProcess => {
    const server = new ServerProcess({ config: join(folder, 'CrawlConfig.xml'), data: join(folder, 'data') });
    servers.push(server);
    return server;
  };
  const indexed = async (): Promise<number> => {
    const query = 'enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS';
    return (await (await fetch(`${index.url}/papi/4/connectors/test/${query}`)).text()).split('\n').length - 1;
  };
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  beforeEach(async () => {
    folder = temporaryDirectory();
    site = await FakeSite.start();
    index = await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });
    site.page('/', PAGES);
    for (const path of PAGES) site.page(path);
    writeFileSync(
      join(folder, 'CrawlConfig.xml'),
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="2" throttleTimeMS="5" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false">
    <Root url="${site.url('/')}"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${index.url}" connector="test"/>
</CrawlConfig>`,
    );
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.end();
    await index.close();
    await site.close();
  });

  it('delivers the documents it has when it is stopped, and fetches nothing twice afterwards', async () => {
    const server = await launch().ready();
    await until(() => site.requests.length > 60);
    expect(await server.end('SIGTERM')).toBe(0);
    const asked = site.requests.length;
    const pages = site.fetched.length;
    expect(pages).toBeLessThan(PAGES.length);
    expect(await indexed()).toBe(pages);

    await launch().ready();
    await until(async () => (await indexed()) === PAGES.length + 1);
    const counts = new Map<string, number>();
    for (const { path } of site.requests) counts.set(path, (counts.get(path) ?? 0) + 1);
    expect(PAGES.filter((path) => counts.get(path) !== 1)).toEqual([]);
    expect(site.requests.length).toBeGreaterThan(asked);
  });

  it('refuses a data directory that another server uses, and names it', async () => {
    const release = lockDataDirectory(join(folder, 'data'));
    const second = launch();
    expect(await second.ended()).toBe(1);
    expect(second.output).toMatch(
      /data directory .* is in use by another server \(process \d+\)\. Stop that server, or give/,
    );
    release();
  });

  it('does not touch a damaged database, and reports what is wrong and what to do', async () => {
    mkdirSync(join(folder, 'data'));
    const file = join(folder, 'data', 'crawlway.sqlite');
    const damaged = Buffer.alloc(8_192, 'this is not a database ');
    writeFileSync(file, damaged);
    const server = launch();
    expect(await server.ended()).toBe(1);
    expect(server.output).toMatch(
      /The database .*crawlway\.sqlite is damaged: .*Move it away together with .*crawlway\.sqlite-wal and .*-shm.*put a backup in its place/,
    );
    expect(server.output).not.toContain('    at ');
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });
});
