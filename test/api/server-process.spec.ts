import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it, vi } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { configuration, serving, smallSite } from '../processes/small-crawl.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { crawlway, Program } from './program.js';

// Several processes start in each test: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

describe('the server as a process', () => {
  it('starts, loads a changed file on SIGHUP, serves the command line, and exits with 0 on SIGTERM', async () => {
    const { folder, site, config, server, url } = await serving();
    const indexed = async (): Promise<number> =>
      ((await (await fetch(`${url}/api/v1/crawlers/test`)).json()) as { indexed: number }).indexed;
    await expect.poll(indexed).toBe(3);

    const many = Array.from({ length: 2_500 }, (_, i) => site.url(`/many/${i}`)).join('\n');
    const refreshed = await crawlway('refresh', site.url('/b.html'), '--server', url).ended;
    expect([refreshed.code, refreshed.stdout]).toEqual([0, '1 URL is due now\n']);
    const [status, explained, submitted, cleared] = await Promise.all([
      crawlway('status', '--once', '--server', url).ended,
      crawlway('explain', site.url('/'), '--server', url).ended,
      crawlway('submit', '-f', '-', '--server', url).input(`${many}\n${site.url('/b.html')}\nftp://x.example/\n`).ended,
      crawlway('clear', `${site.origin}/a%`, '--yes', '--server', url).ended,
    ]);
    expect(status.stdout).toMatch(/CRAWLER\s+STATE\s+INDEXED/);
    expect(status.stdout).toMatch(/test\s+(?:idle|running)\s+\d/);
    expect(explained.stdout).toMatch(/^ {2}In the index\. Its next visit is at/m);
    expect(explained.stdout).toMatch(/visits\n.*200 {2}document\n {2}orders\n.*add acknowledged/);
    expect(explained.code).toBe(0);
    expect([submitted.code, submitted.stdout]).toEqual([1, '2500 new, 1 known, 1 rejected\n']);
    expect([cleared.code, cleared.stdout]).toEqual([0, '1 URL was deleted\n']);

    writeFileSync(config, configuration(site, '<Rules><Rule><Ext value=".pdf"/><NoIndex/></Rule></Rules>'));
    server.signal('SIGHUP');
    await server.said(/a new configuration is in force/);
    server.signal('SIGTERM');
    const end = await server.ended;
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(existsSync(join(folder, 'data', 'server.pid'))).toBe(false);
  });

  it('behaves the same bundled as from its sources: checks, descriptions and pages', async () => {
    const { url } = await serving();

    const description = await (await fetch(`${url}/docs/openapi.yaml`)).text();
    expect(load(description)).toEqual(load(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')));
    const wrong = await fetch(`${url}/api/v1/crawlers/test/roots`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: '' }),
    });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { errors: [{ pointer: '/url' }] }]);
    const filtered = await fetch(`${url}/api/v1/crawlers/test/urls?limit=5&indexed=true&like=*`);
    expect([filtered.status, await filtered.text()]).toMatchObject([200, expect.stringContaining('items')]);
    for (const path of ['/', '/docs/', '/docs/swagger-ui-bundle.js', '/metrics'])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  });

  it("loads Node's own fetch in no thread, which would take 25 ms of each", async () => {
    const tell = `process.on('exit', () => process._rawDebug(process.moduleLoadList.filter((name) => /undici/.test(name))))`;
    const { server } = await serving({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` });
    server.signal('SIGTERM');
    expect(new Set((await server.ended).stderr.split('\n'))).toEqual(new Set(['[]', '']));
  });

  it('reports in one line why it cannot start', async () => {
    const folder = temporaryDirectory();
    const site = await smallSite();
    const good = join(folder, 'good.xml');
    const bad = join(folder, 'bad.xml');
    writeFileSync(good, configuration(site));
    writeFileSync(bad, configuration(site).replace('<Root url', '<Root uri'));
    const serve = (config: string, ...more: string[]) =>
      crawlway('serve', '--config', config, '--data', join(folder, 'data'), '--port', '0', ...more).ended;
    const [open, wrong] = await Promise.all([serve(good, '--host', '0.0.0.0'), serve(bad)]);
    expect([open.code, open.stderr.split('\n').length]).toEqual([1, 2]);
    expect(open.stderr).toContain('refusing to listen on 0.0.0.0 without API keys');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/bad\.xml:4:\d+ /);
    expect(wrong.stderr).not.toContain('    at ');
  });

  it('creates the first configuration at its default place only, not where a name was mistyped', async () => {
    const folder = temporaryDirectory();
    const [typo, first] = ['typo', 'first'].map((name) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    }) as [string, string];
    const flags = ['--data', 'data', '--port', '0', '--no-sample'];
    const { code, stdout, stderr } = await new Program(['serve', '--config', 'conf/Crawl.xml', ...flags], { cwd: typo })
      .ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^crawlway: there is no configuration conf\/Crawl\.xml: .*crawlway init\n$/);
    expect(readdirSync(typo)).toEqual([]);
    await new Program(['serve', ...flags], { cwd: first }).said(/Crawlway is ready/);
    expect(existsSync(join(first, 'config', 'CrawlConfig.xml'))).toBe(true);
  });
});
