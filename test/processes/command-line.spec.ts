import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { crawlway, Program } from '../api/program.js';
import { FakeSite } from '../support/fake-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { configuration, serving, smallSite } from './small-crawl.js';

// Several processes start in each test: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

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

  it.skipIf(!existsSync('/dev/full'))('says so when the disk is full', async () => {
    const site = await smallSite();
    const { code, stderr } = await crawlway('crawl', site.url('/'), '--out', '/dev/full').ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^crawlway: \/dev\/full cannot be written: no space left on device$/m),
    ]);
    expect(stderr).not.toContain('    at ');
  });

  it('sends the login in a URL, and what a configuration says about requests', async () => {
    const site = await smallSite();
    const url = site.url('/').replace('://', '://bob:a%40b@');
    const config = join(temporaryDirectory(), 'CrawlConfig.xml');
    const option = '<cw:Conditions><cw:option name="fetcher" value="other"/></cw:Conditions>';
    const fetcher = '<cw:Fetcher name="other" userAgent="other/1"><cw:Header name="X-A" value="b"/></cw:Fetcher>';
    writeFileSync(config, configuration(site, option).replace('<cw:Fetcher', `${fetcher}$&`));
    const [crawl, extract] = [
      await crawlway('crawl', url).ended,
      await crawlway('extract', url, '--config', config).ended,
    ];
    expect([crawl.code, extract.code, crawl.stdout.includes('bob')]).toEqual([0, 0, false]);
    const asked = site.requests.filter(({ path }) => path === '/').map(({ headers }) => headers);
    const login = { authorization: `Basic ${Buffer.from('bob:a@b').toString('base64')}` };
    expect(asked).toMatchObject([login, { ...login, 'user-agent': 'other/1', 'x-a': 'b' }]);
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

  it('reports why a crawl found no document, and exits with 4; takes a URL without its scheme', async () => {
    const site = await FakeSite.start();
    onTestFinished(() => site.close());
    const robots = '<meta name="robots" content="noindex, nofollow">';
    site
      .set('/', { headers: { 'content-type': 'text/html' }, body: `${robots}<a href="/a.html">a</a>` })
      .page('/a.html');
    const { code, stdout, stderr } = await crawlway('crawl', new URL(site.url('/')).host).ended;
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(
      /^no document was indexed:\n {2}http:.*\n {4}Not in the index: The page says noindex.*\n {4}Next step: Remove noindex/m,
    );
  });

  it('ends when nothing is left but a site whose robots.txt cannot be read, and says so', async () => {
    const site = await smallSite();
    const unwell = await FakeSite.start('127.0.0.2');
    onTestFinished(() => unwell.close());
    unwell.page('/').set('/robots.txt', { status: 503 });
    const out = join(temporaryDirectory(), 'orders.jsonl');
    const { code, stderr } = await crawlway('crawl', site.url('/'), unwell.url('/'), '--out', out).ended;
    expect([code, readFileSync(out, 'utf8').trim().split('\n')]).toEqual([2, expect.objectContaining({ length: 3 })]);
    expect(stderr).toMatch(
      /could not be crawled: http.*\(robots-unreachable\)\n.*its robots.txt .*\(last response: 503\)/,
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

  it('checks several configurations and rule files at once: the samples have no errors and no warnings', async () => {
    const samples = readdirSync('config/samples').map((name) => `config/samples/${name}`);
    const { code, stdout, stderr } = await crawlway('check', ...samples).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    for (const sample of samples) expect(stderr).toContain(`${sample}: 0 errors, 0 warnings`);

    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'crawl.rules'), 'allow domain *.example.com\nforbit domain *\n');
    writeFileSync(join(folder, 'old.conf'), 'Server http://a.example/\nPerid 3d\n');
    const wrong = await crawlway('check', join(folder, 'crawl.rules'), join(folder, 'old.conf')).ended;
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/crawl\.rules:2:1 .*forbid/);
    expect(wrong.stdout).toMatch(/old\.conf:2:1 .*did you mean Period\?/);
    expect((await crawlway('check', join(folder, 'missing.rules')).ended).stderr).toMatch(
      /missing\.rules cannot be read/,
    );
  });

  it('explains a URL from the configuration alone', async () => {
    const args = ['--config', 'CrawlConfig.xml.example'];
    const [inside, outside, none] = await Promise.all([
      crawlway('explain', '127.0.0.1:8741/visit/', ...args).ended,
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

  it('help knows subcommands, and says if there is no such command', async () => {
    const ends = await Promise.all([
      crawlway('help', 'store', 'import').ended,
      crawlway('help', 'stroe').ended,
      crawlway('help', 'store', 'foo').ended,
    ]);
    expect(ends.map(({ code }) => code)).toEqual([0, 1, 1]);
    expect(ends[0]!.stdout).toMatch(/^Usage: crawlway store import /);
    expect(ends[1]!.stderr).toMatch(/^error: unknown command 'stroe'\n/);
    expect(ends[2]!.stderr).toMatch(/^error: unknown command 'foo'\n/);
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
      [/unknown format cobol; use one of /, 'import', 'cobol', 'nope.xml'],
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
