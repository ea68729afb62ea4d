import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { FakeSite } from '../support/fake-site.js';
import { ServerProcess } from '../support/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

it('a plug-in from `crawlway new plugin` is loaded, used in the crawl, and shown with its results and failures', async () => {
  const folder = temporaryDirectory();
  const config = join(folder, 'CrawlConfig.xml');
  const output = execFileSync(
    process.execPath,
    ['--no-warnings', ...crawlwayCommand(), 'new', 'plugin', 'words', '--config', config],
    { encoding: 'utf8' },
  );
  const [element] = /<cw:Plugin .*\/>/.exec(output) ?? [];
  expect(element).toBe('<cw:Plugin file="plugins/words.mjs"/>');
  const bad =
    'export default { apiVersion: 1, onDocument({ url }) { if (url.endsWith("/b")) throw new Error("no B"); } };';
  mkdirSync(join(folder, 'plugins'), { recursive: true });
  writeFileSync(join(folder, 'plugins/bad.mjs'), bad);
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  site.page('/', ['/a', '/b']).page('/a', [], 'one two three').page('/b');
  writeFileSync(
    config,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
    <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true"><Root url="${site.url('/')}"/></Crawler>
    <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
    ${element}<cw:Plugin file="plugins/bad.mjs"/><cw:Sink name="main" type="file" url="orders.jsonl" batchAgeMS="50"/></CrawlConfig>`,
  );
  const server = new ServerProcess({ config, data: folder, env: { CRAWLWAY_FILE_SINKS: folder } });
  onTestFinished(async () => void (await server.end()));
  await server.ready();
  const get = async (path: string): Promise<Response> => fetch(`${server.url}${path}`);
  const ofB = async () =>
    (await (await get(`/api/v1/crawlers/test/url?url=${encodeURIComponent(site.url('/b'))}`)).json()) as never;
  await expect.poll(ofB).toMatchObject({
    visits: [{ outcome: 'plugin-failed', detail: expect.stringMatching(/bad onDocument: Error: no B\n.*bad\.mjs:1/) }],
  });
  const pushed = (): string[] => {
    try {
      return readFileSync(join(folder, 'orders.jsonl'), 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  };
  await expect.poll(() => pushed().length).toBe(2);
  expect(pushed().find((line) => line.includes(`"uri":"${site.url('/a')}"`))).toMatch(/"name":"words","value":"\d+"/);
  const { items } = (await (await get('/api/v1/plugins')).json()) as { items: readonly unknown[] };
  expect(items).toMatchObject([
    { name: 'words', state: 'ready', version: '1', hooks: ['onUrl', 'onDocument'], restarts: 0 },
    {
      name: 'bad',
      state: 'ready',
      calls: [{ hook: 'onDocument', answered: 2, failed: 1 }],
      lastError: { message: expect.stringContaining('no B') },
    },
  ]);
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toContain('crawlway_plugin_up{plugin="bad"} 1');
  expect(metrics).toContain('crawlway_plugin_calls_total{plugin="bad",hook="onDocument",result="failed"} 1');
  const missing = readFileSync(config, 'utf8').replace('plugins/bad.mjs', 'plugins/gone.mjs');
  const checked = await fetch(`${server.url}/api/v1/config/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body: missing,
  });
  expect(await checked.text()).toContain('plugins/gone.mjs does not exist in the folder for plug-ins');
  expect(await server.end('SIGTERM')).toBe(0);
});
