import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SQLITE = join(import.meta.dirname, 'first-release.sqlite.gz');
const POSTGRESQL = join(import.meta.dirname, 'first-release.postgresql.sql');
const SITE = 'http://127.0.0.1:8741';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The example configuration of that time, with a sink that is there. */
const CONFIGURATION = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="sample" throttleTimeMS="20" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400">
    <Root url="${SITE}/" site="true"/>
    <Rules group="default">
      <Rule><ar:Domain val="127.0.0.1"/><Index/><Follow/><Accept/></Rule>
      <Rule><ar:Path val="/drafts/"/><Ignore/></Rule>
    </Rules>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="PUSH"/>
</CrawlConfig>`;

/** Today's server on the configuration of that time; what the API answers at a path. */
async function started(data: string, env: Record<string, string> = {}) {
  const push = await FakeSite.start();
  onTestFinished(() => push.close());
  const config = join(data, 'CrawlConfig.xml');
  writeFileSync(config, CONFIGURATION.replace('PUSH', push.origin));
  const server = await serve(readServerOptions({ config, data, port: '0' }, env), { log: silent, withSample: false });
  onTestFinished(() => server.close());
  return async (path: string): Promise<unknown> => (await fetch(`${server.url}/api/v1/${path}`)).json();
}

const urlOf = (path: string): string => `crawlers/sample/url?url=${encodeURIComponent(SITE + path)}`;

it('a server starts on the database and the configuration of version 0.1.0, and knows what was known', async () => {
  const data = temporaryDirectory();
  writeFileSync(join(data, 'crawlway.sqlite'), gunzipSync(readFileSync(SQLITE)));
  const get = await started(data);
  expect(await get('crawlers/sample')).toMatchObject({ indexed: 30, state: 'running' });
  expect(await get(urlOf('/'))).toMatchObject({
    state: { status: 'indexed', visits: 1 },
    visits: [{ outcome: 'document', status: 200 }],
  });
  expect(await get('crawlers/sample/roots')).toMatchObject({
    items: [{ url: `${SITE}/`, state: { status: 'indexed' } }],
  });
});

it('so does one on the PostgreSQL database of version 0.1.0', async () => {
  const url = await postgresDatabase();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(readFileSync(POSTGRESQL, 'utf8'));
  await client.end();
  const get = await started(temporaryDirectory(), { CRAWLWAY_DATABASE_URL: url });
  expect(await get('crawlers/sample')).toMatchObject({
    indexed: 30,
    state: 'running',
    counts: { visited: 2, redirected: 1, error: 2, waiting: 0 },
  });
  expect(await get(urlOf('/'))).toMatchObject({
    state: { status: 'indexed', visits: 1 },
    visits: [{ outcome: 'document', status: 200 }],
  });
  expect(await get(urlOf('/gone'))).toMatchObject({
    state: { status: 'error', reason: 'http-404', root: `${SITE}/gone` },
    visits: [{ outcome: 'http-404', status: 404 }],
  });
  const { items } = (await get('crawlers/sample/roots')) as { items: { url: string }[] };
  expect(items.map((root) => root.url).sort()).toEqual([`${SITE}/`, `${SITE}/gone`]);
  expect(await get('audit')).toMatchObject({ items: [{ who: 'local', what: 'submitRoot', outcome: 'done' }] });
});
