import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { MemberSite } from '../support/member-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const PAGES = ['/', '/one', '/two'];

async function startCluster(...roles: readonly string[]) {
  const site = await MemberSite.start({ kind: 'csrf', pages: PAGES });
  const database = await postgresDatabase();
  const folder = temporaryDirectory();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(
    config,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" crawlSitemaps="false"><Root url="${site.url('/')}"/><cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>
    <cw:Login name="members" type="form" url="${site.url('/')}" page="${site.url('/login')}" insecure="true" user="robot"
              password="\${CRAWLWAY_SECRET_PASS}" lockedText="locked"/>
  </cw:Fetcher>
  <cw:Sink name="main" type="file" url="${join(folder, 'orders.jsonl')}"/>
</CrawlConfig>`,
  );
  const env = {
    CRAWLWAY_DATABASE_URL: database,
    CRAWLWAY_FILE_SINKS: folder,
    CRAWLWAY_SECRET_PASS: site.password,
    CRAWLWAY_ENCRYPTION_KEY: 'k'.repeat(32),
  };
  process.env['CRAWLWAY_SECRET_PASS'] = site.password;
  const servers: RunningServer[] = [];
  for (const [i, nodeRoles] of roles.entries()) {
    const options = readServerOptions(
      { config, data: join(folder, `${i}`), port: '0' },
      { ...env, CRAWLWAY_ROLES: nodeRoles },
    );
    const server = await serve(options, { log: SILENT, withSample: false });
    onTestFinished(() => server.close());
    servers.push(server);
  }
  return { site, servers };
}

async function call({ url }: RunningServer, path: string, body?: unknown) {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return JSON.parse(await (await fetch(`${url}/api/v1/${path}`, init)).text());
}
const viewLogin = async (server: RunningServer) => (await call(server, 'logins')).items[0];
const findStatus = async (server: RunningServer, url: string) =>
  (await call(server, `crawlers/test/urls?like=${encodeURIComponent(url)}`)).items[0]?.status;

it('a login that is tested on an API node is used again by the node that crawls its host', async () => {
  const { site, servers } = await startCluster('crawl', 'api');
  const api = servers[1]!;
  await expect.poll(async () => (await call(api, 'crawlers/test')).indexed).toBe(PAGES.length);
  await expect.poll(() => viewLogin(api)).toMatchObject({ state: 'logged-in', logins: 1 });
  site.locked = true;
  site.endSessions();
  await call(api, 'crawlers/test/refresh', { url: site.url('/one') });
  await expect.poll(() => viewLogin(api)).toMatchObject({ state: 'stopped', failure: 'locked' });
  // Only what is stored as failed is visited again when the login works.
  await expect.poll(() => findStatus(api, site.url('/one'))).toBe('error');
  site.locked = false;
  expect(await call(api, 'logins/members/test', {})).toMatchObject({ state: 'logged-in', logins: 2 });
  await expect.poll(() => viewLogin(api)).toMatchObject({ state: 'logged-in', logins: 2 });
  await expect.poll(() => findStatus(api, site.url('/one'))).toBe('indexed');
});

it('a login that is stopped is not tried again by the node that takes over its host', async () => {
  const { site, servers } = await startCluster('api', 'crawl', 'crawl');
  const [api, ...crawling] = servers as [RunningServer, RunningServer, RunningServer];
  await expect.poll(async () => (await call(api, 'crawlers/test')).indexed).toBe(PAGES.length);
  site.locked = true;
  site.endSessions();
  await call(api, 'crawlers/test/refresh', { url: site.url('/one') });
  await expect.poll(() => findStatus(api, site.url('/one'))).toBe('error');
  const { length } = site.tried;
  const stopped = await Promise.all(crawling.map(async ({ engine }) => engine.logins.list()));
  await crawling[stopped.findIndex(([login]) => login?.state === 'stopped')]!.close();
  await call(api, 'crawlers/test/refresh', { url: site.url('/two') });
  await expect.poll(() => findStatus(api, site.url('/two')), { timeout: 30_000 }).toBe('error');
  expect(site.tried).toHaveLength(length);
  await expect.poll(() => viewLogin(api)).toMatchObject({ state: 'stopped' });
});
