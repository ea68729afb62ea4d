import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/domain/secret.js';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const configuration = (password: string): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test"><cw:PushTo sink="main"/></Crawler>
  <cw:Sink name="main" type="json" url="https://127.0.0.1:1/" login="u" ${password}/>
</CrawlConfig>`;
const KEY = 'k'.repeat(32);

async function start(database: string, key?: string, folder = temporaryDirectory()): Promise<RunningServer> {
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(config, configuration(''));
  const flags = { config, data: join(folder, 'data'), port: '0' };
  const env = { CRAWLWAY_DATABASE_URL: database, ...(key === undefined ? {} : { CRAWLWAY_ENCRYPTION_KEY: key }) };
  const server = await serve(readServerOptions(flags, env), { log: SILENT, withSample: false });
  onTestFinished(() => server.close());
  return server;
}

const setPassword = ({ url }: RunningServer, value: string): Promise<Response> =>
  fetch(`${url}/api/v1/secrets/sink-password`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });

const hasPassword = ({ engine }: RunningServer, value: string): boolean =>
  (engine.definition.sinks[0]!.options as { password?: Secret }).password?.equals(new Secret(value)) ?? false;

it('a secret that one node stores is known to the others, and a new value is in force on all of them', async () => {
  const database = await postgresDatabase();
  const folder = temporaryDirectory();
  const [one, other] = [await start(database, KEY, folder), await start(database, KEY)];
  expect((await setPassword(one, 'first')).status).toBe(200);
  const etag = (await fetch(`${other.url}/api/v1/config`)).headers.get('etag')!;
  const { status } = await fetch(`${other.url}/api/v1/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/xml', 'if-match': etag },
    body: configuration(`password="\${secret:sink-password}"`),
  });
  expect(status).toBe(200);
  await expect.poll(() => [hasPassword(one, 'first'), hasPassword(other, 'first')]).toEqual([true, true]);
  await expect.poll(() => readFileSync(join(folder, 'CrawlConfig.xml'), 'utf8')).toContain('${secret:sink-');
  expect((await setPassword(one, 'second')).status).toBe(200);
  await expect.poll(() => [hasPassword(one, 'second'), hasPassword(other, 'second')]).toEqual([true, true]);

  const late = await start(database, KEY);
  expect(hasPassword(late, 'second')).toBe(true);
  await expect(start(database, 'x'.repeat(32))).rejects.toThrow(/encrypted with a different key/);
  await expect(start(database)).rejects.toThrow(/there is no key: set CRAWLWAY_ENCRYPTION_KEY/);
});

it('without a key no secret is stored, and the answer says what to set', async () => {
  const server = await start(await postgresDatabase());
  const refused = await setPassword(server, 'first');
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('set CRAWLWAY_ENCRYPTION_KEY to the same value on all servers'),
  ]);
});
