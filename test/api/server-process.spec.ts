import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { FakeSite } from '../support/fake-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { crawlway, Program } from './program.js';

// Several processes start in each test: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

const configuration = (site: FakeSite, more = ''): string => `<CrawlConfig
  xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.origin}/" site="true"/>${more}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="orders.jsonl"/>
</CrawlConfig>`;

async function smallSite(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  return site.page('/', ['/a.html', '/b.html', '/missing.html']).page('/a.html').page('/b.html');
}

async function serving() {
  const folder = temporaryDirectory();
  const site = await smallSite();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(config, configuration(site));
  const server = new Program(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0']);
  const url = (await server.said(/ready.*?(http:\/\/127\.0\.0\.1:\d+)/))[1]!;
  return { folder, site, config, server, url };
}

describe('the server as a process', () => {
  it('starts, loads a changed file on SIGHUP, serves the command line, and exits with 0 on SIGTERM', async () => {
    const { folder, site, config, server, url } = await serving();
    const indexed = async (): Promise<number> =>
      ((await (await fetch(`${url}/api/v1/crawlers/test`)).json()) as { indexed: number }).indexed;
    await expect.poll(indexed, { timeout: 60_000 }).toBe(3);

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

describe('the command line without a server', () => {
  it('crawls a site to its end and writes orders as JSON lines', async () => {
    const site = await smallSite();
    const file = join(temporaryDirectory(), 'orders.jsonl');
    const [toFile, toOutput] = await Promise.all([
      crawlway('crawl', site.url('/'), '--out', file).ended,
      crawlway('crawl', site.url('/'), site.url(`/missing.html?home=$${'{HOME}'}`)).ended,
    ]);
    const paths = (text: string): string[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => new URL(JSON.parse(line).uri).pathname)
        .sort();
    expect([toFile.code, toFile.stdout]).toEqual([0, '']);
    expect(paths(readFileSync(file, 'utf8'))).toEqual(['/', '/a.html', '/b.html']);
    expect(toFile.stderr).toMatch(/3 documents, 0 waiting, 1 error,/);
    expect(paths(toOutput.stdout)).toEqual(['/', '/a.html', '/b.html']);
    expect([toOutput.code, toOutput.stderr]).toEqual([
      2,
      expect.stringContaining('/missing.html?home=$%7BHOME} (http-404)'),
    ]);
    // What looks like a variable of the environment is sent as it was written.
    const asked = site.requests.map(({ path }) => path).filter((path) => path.includes('home='));
    expect(asked).toEqual(['/missing.html?home=$%7BHOME}']);
  });

  it('reports which documents have no content without their scripts', async () => {
    const site = await FakeSite.start();
    onTestFinished(() => site.close());
    const shell = '<title>Shop</title><div id="root"></div><script src="/app.js"></script>';
    site.page('/', ['/shop', '/cart']);
    for (const path of ['/shop', '/cart']) site.set(path, { headers: { 'content-type': 'text/html' }, body: shell });
    const out = join(temporaryDirectory(), 'orders.jsonl');
    const { code, stdout, stderr } = await crawlway('crawl', site.url('/'), '--out', out, '--json').ended;
    expect(stderr).toMatch(
      /^2 documents have no content without their scripts, such as http.*\n {2}Next step: .*--render auto/m,
    );
    expect(JSON.parse(stdout).needRendering).toEqual({ documents: 2, sample: expect.stringMatching(/shop|cart/) });
    expect(code).toBe(0);
  });

  it('counts what was left out and says why', async () => {
    const site = await FakeSite.start();
    onTestFinished(() => site.close());
    const links = ['/index.html', '/a', '/b', '/gone'];
    const home = { headers: { 'content-type': 'text/html' }, body: '<title>Home</title><p>Welcome home.' };
    site.set('/', { ...home, body: `${home.body}${links.map((path) => `<a href="${path}"></a>`).join('')}` });
    site.set('/index.html', home);
    const canonical = { headers: home.headers, body: '<title>A</title><link rel="canonical" href="/"><p>A page.' };
    site.set('/a', canonical).set('/b', canonical);
    site.set('/gone', { status: 302, headers: { location: '/404?from=/gone' } });
    site.set('/404?from=/gone', { headers: home.headers, body: '<title>Not found</title><p>Sorry.' });
    const out = join(temporaryDirectory(), 'orders.jsonl');
    const { code, stdout, stderr } = await crawlway('crawl', site.url('/'), '--out', out, '--json').ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^left out: 1 page \(exact-duplicate\), such as http.*\/index\.html\n {2}The text and title/m,
    );
    expect(stderr).toMatch(/^left out: 2 pages \(canonical-elsewhere\).*\n.*\n {2}Next step: Fix rel=canonical/m);
    expect(stderr).toMatch(/^left out: 1 link \(not-linked\), such as http.*\/404\?from=\/gone\n/m);
    expect(JSON.parse(stdout).leftOut).toMatchObject([
      { reason: 'exact-duplicate', count: 1 },
      { reason: 'canonical-elsewhere', count: 2 },
      { reason: 'not-linked', count: 1 },
    ]);
  });

  it('prints the results of a crawl and of a moved store as JSON', async () => {
    const site = await smallSite();
    const file = join(temporaryDirectory(), 'orders.jsonl');
    const { code, stdout } = await crawlway('crawl', site.url('/'), '--out', file, '--json').ended;
    const summary = JSON.parse(stdout);
    expect([code, summary.exitCode, summary.ending]).toEqual([0, 0, 'complete']);
    expect(summary.crawlers).toMatchObject([{ indexed: 3, byStatus: { error: 1 } }]);
  });

  it('reads no more pages than --max-pages, and counts what it has written', async () => {
    const site = await smallSite();
    const paths = Array.from({ length: 40 }, (_, i) => `/${i}.html`);
    site.page('/', paths);
    for (const path of paths) site.page(path, [], `Page ${path}`);
    const { code, stdout, stderr } = await crawlway('crawl', site.url('/'), '--max-pages', '25').ended;
    const asked = site.requests.map(({ path }) => path).filter((path) => path !== '/robots.txt');
    expect([code, asked.length]).toEqual([3, 25]);
    const written = stdout.split('\n').filter(Boolean).length;
    expect(stderr.trim().split('\n').at(-1)).toMatch(new RegExp(`^25 pages, ${written} documents`));
  });

  it('reports why a crawl found no document, and exits with 4', async () => {
    const site = await FakeSite.start();
    onTestFinished(() => site.close());
    const robots = '<meta name="robots" content="noindex, nofollow">';
    site
      .set('/', { headers: { 'content-type': 'text/html' }, body: `${robots}<a href="/a.html">a</a>` })
      .page('/a.html');
    const { code, stdout, stderr } = await crawlway('crawl', site.url('/')).ended;
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(
      /^no document was indexed:\n {2}http:.*\n {4}Not in the index: The page says noindex.*\n {4}Next step: Remove noindex/m,
    );
  });

  it('exits silently when its output is closed', async () => {
    const folder = temporaryDirectory();
    const file = join(folder, 'CrawlConfig.xml');
    writeFileSync(file, configuration(await smallSite(), folder));
    const explaining = crawlway('explain', 'http://127.0.0.1/', '--config', file);
    explaining.stopReading();
    expect(await explaining.ended).toEqual({ code: 3, stdout: '', stderr: '' });
  });

  it('prints problems of a configuration as FILE:LINE:COLUMN code message', async () => {
    const folder = temporaryDirectory();
    const site = await smallSite();
    const file = join(folder, 'CrawlConfig.xml');
    writeFileSync(file, configuration(site).replace('aggressive="true"', 'agressive="true" nthreads="none"'));
    const { code, stdout } = await crawlway('check', file).ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^${file}:3:\\d+ [a-z-]+ .*agressive.*aggressive`, 'm'));
    expect(stdout).toMatch(new RegExp(`^${file}:3:\\d+ [a-z-]+ .*nthreads`, 'm'));
    writeFileSync(file, configuration(site).replace('aggressive=', 'a\u009b\u202e2J='));
    const strange = await crawlway('check', file).ended;
    // What is written there could otherwise repaint the terminal of whoever checks it.
    expect(`${strange.stdout}${strange.stderr}`).not.toMatch(/[\u009b\u202e]/);
    expect((await crawlway('check', 'CrawlConfig.xml.example').ended).code).toBe(0);
  });

  it('explains a URL from the configuration alone', async () => {
    const args = ['--config', 'CrawlConfig.xml.example'];
    const [inside, outside, none] = await Promise.all([
      crawlway('explain', 'http://127.0.0.1:8741/visit/', ...args).ended,
      crawlway('explain', 'https://elsewhere.example/', '--from', 'http://127.0.0.1:8741/', ...args).ended,
      crawlway('status', '--once', '--server', 'http://127.0.0.1:9').ended,
    ]);
    expect(inside.stdout).toMatch(/^ {2}The configuration accepts it\. No server was consulted/m);
    expect(outside.stdout).toMatch(/^ {2}Not crawled: the link on .* is refused: .*\(site-mode, /m);
    expect([inside.code, outside.code]).toEqual([0, 3]);
    expect(outside.stdout).toMatch(/^ {2}Next step: \S/m);
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('no server is responding at http://127.0.0.1:9'),
    ]);
  });

  it('submits a list that arrives slowly on standard input', async () => {
    const { site, url } = await serving();
    const list = `${'# as long as what writes it\n'.repeat(1_000_000)}${site.url('/late.html')}\n`;
    const submitted = await crawlway('submit', '-f', '-', '--server', url).input(list).ended;
    expect([submitted.code, submitted.stdout, submitted.stderr]).toEqual([0, '1 new, 0 known, 0 rejected\n', '']);
  });

  it('reports a mistake of its user in one sentence and exits with 1', async () => {
    const folder = temporaryDirectory();
    const other = createServer((_, response) => response.end('<p>welcome'));
    const strange = createServer((_, response) => response.end('{"items": "none"}'));
    for (const server of [other, strange]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
    }
    const url = (server: typeof other) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const noServer = 'the server at .* is not a Crawlway server';
    const mistakes: [RegExp, ...string[]][] = [
      [/the configuration \. cannot be read: it is a folder/, 'check', '.'],
      [/the configuration \. cannot be read: it is a folder/, 'serve', '--config', '.', '--port', '0'],
      [/there is no configuration nope\.xml: /, 'explain', 'http://a.example/', '--config', 'nope.xml'],
      [/\/nope\/x cannot be written: no such file/, 'crawl', 'http://127.0.0.1:9/', '--out', '/nope/x'],
      [/the URL list nope cannot be read: no such file/, 'submit', '-f', 'nope'],
      [new RegExp(noServer), 'status', '--once', '--server', url(other)],
      [new RegExp(noServer), 'status', '--once', '--server', url(strange)],
    ];
    const ends = await Promise.all(
      mistakes.map(([, ...args]) =>
        new Program(args, { cwd: folder }).ended.then(({ code, stderr }) => [code, stderr]),
      ),
    );
    for (const [i, [sentence, ...args]] of mistakes.entries()) {
      expect(ends[i], args.join(' ')).toEqual([1, expect.stringMatching(/^crawlway: [^\n]+\n$/)]);
      expect(ends[i]![1]).toMatch(sentence);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('moving a store on the command line', () => {
  it('refuses to back up a database that is missing or in use by a server', async () => {
    const { folder } = await serving();
    const file = join(folder, 'backup.jsonl');
    const none = join(folder, 'none');
    const [missing, inUse] = await Promise.all([
      crawlway('store', 'export', file, '--data', none).ended,
      crawlway('store', 'export', file, '--data', join(folder, 'data')).ended,
    ]);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `crawlway: there is no database ${none}/crawlway.sqlite: specify its location with --data or --database\n`,
    ]);
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringMatching(/^crawlway: .*is in use by another.*\n$/)]);
    expect([existsSync(file), existsSync(none)]).toEqual([false, false]);
  });

  it('reports in one sentence why it does not import, and does not touch a file that is not an export', async () => {
    const { folder, server } = await serving();
    const data = join(folder, 'data');
    const text = join(folder, 'notes.txt');
    const file = join(folder, 'backup.jsonl');
    writeFileSync(text, 'buy milk\nand bread');
    server.signal('SIGTERM');
    await server.ended;
    const exported = await crawlway('store', 'export', file, '--data', data, '--json').ended;
    expect([exported.code, JSON.parse(exported.stdout)]).toEqual([0, { lines: expect.any(Number), resumed: false }]);
    const sentences = async (...args: string[]) => {
      const { code, stderr } = await crawlway('store', ...args, '--data', data).ended;
      return [code, stderr];
    };
    const one = (words: string) => [1, expect.stringMatching(new RegExp(`^crawlway: [^\\n]*${words}[^\\n]*\\n$`))];
    expect(await sentences('import', text)).toEqual(one('line 1 of the export: it is not a record of a store'));
    expect(await sentences('import', `${text}.gone`)).toEqual(one('cannot be read: no such file'));
    expect(await sentences('import', file)).toEqual(one('the store is not empty'));
    expect(await sentences('export', text)).toEqual(one('is not an export that can be continued'));
    expect(readFileSync(text, 'utf8')).toBe('buy milk\nand bread');
  });

  it('neither crawls nor exports a store of an interrupted import', async () => {
    const { folder, server, config } = await serving();
    const [file, half, data] = [join(folder, 'backup.jsonl'), join(folder, 'half.jsonl'), join(folder, 'other')];
    server.signal('SIGTERM');
    await server.ended;
    await crawlway('store', 'export', file, '--data', join(folder, 'data')).ended;
    writeFileSync(half, readFileSync(file, 'utf8').split('\n').slice(0, -2).join('\n'));
    const serve = ['serve', '--config', config, '--data', data, '--port', '0'];
    expect((await crawlway('store', 'import', half, '--data', data).ended).code).toBe(1);
    for (const args of [serve, ['store', 'export', '-', '--data', data]]) {
      const { code, stdout, stderr } = await new Program(args).ended;
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^crawlway: .*repeat the import with the same file/),
      ]);
    }
    const imported = await crawlway('store', 'import', file, '--data', data, '--json').ended;
    expect([imported.code, Object.values(JSON.parse(imported.stdout)).every(Number.isInteger)]).toEqual([0, true]);
    const whole = new Program(serve);
    await whole.said(/Crawlway is ready/);
  });
});
