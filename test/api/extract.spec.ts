import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { itUnless } from '../support/left-out.js';
import { FACTS, pdf } from '../support/sample-documents.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

it('crawlway extract prints what the Content of a configuration extracts from a file', () => {
  const folder = temporaryDirectory();
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const page = file('page.html', '<title>T</title><h1>One</h1><p class=p>Price 3,50</p><footer>Imprint</footer>');
  const config = file(
    'CrawlConfig.xml',
    `<CrawlConfig xmlns:cw="urn:crawlway:config:1"><Crawler name="a"><cw:Content><cw:Exclude select="footer"/>
      <cw:Field name="price" select=".p" match="[0-9,]+" type="number"/></cw:Content></Crawler></CrawlConfig>`,
  );
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [...crawlwayCommand(), 'extract', ...args], { encoding: 'utf8' });
  const { metas, text, cut } = JSON.parse(run(page, '--json', '--config', config));
  expect([text, cut]).toEqual(['One\nPrice 3,50', ['Imprint']]);
  expect(metas).toContainEqual({ name: 'price', value: '3.5', type: 'number' });
  expect(run(page, '--markdown')).toBe('# One\n\nPrice 3,50\n\nImprint\n');
});

it('crawlway extract prints nothing that controls a terminal', () => {
  const page = join(temporaryDirectory(), 'page.html');
  writeFileSync(
    page,
    '<meta charset=utf-8><title>\x7f</title><p>a\x1b]0;owned\x07\x1b[31m<p>b\u009b31mc</p><pre>d\te</pre>',
  );
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [...crawlwayCommand(), 'extract', page, ...args], { encoding: 'utf8' });
  expect(run()).toBe('a?]0;owned??[31m\nb?31mc\nd e\n');
  for (const option of ['--markdown', '--json']) expect(run(option)).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(JSON.parse(run('--json')).text).toContain('\x1b]0;owned\x07');
});

itUnless(process.env['CRAWLWAY_TEST_PROGRAM'] ? undefined : 'npm run build', 'crawlway extract reads documents', () => {
  const file = join(temporaryDirectory(), 'a.pdf');
  writeFileSync(file, pdf(FACTS));
  const text = execFileSync(process.execPath, [...crawlwayCommand(), 'extract', file], { encoding: 'utf8' });
  expect(text).toContain(FACTS.text);
});

it('crawlway extract applies the conditions for the given URL', () => {
  const folder = temporaryDirectory();
  const page = join(folder, 'page.html');
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(page, '<h1>One</h1><a href="two.html">Two</a><a href="/three">Three</a>');
  writeFileSync(
    config,
    `<CrawlConfig xmlns:cw="urn:crawlway:config:1"><Crawler name="a">
      <cw:Content name="manual"><cw:Field name="version" url="path" match="^/docs/([0-9.]+)/"/></cw:Content>
      <cw:Conditions default-allow="allow"><cw:apply-for test="wildcard" field="path" value="/docs/*">
        <cw:option name="content" value="manual"/></cw:apply-for></cw:Conditions>
    </Crawler></CrawlConfig>`,
  );
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [...crawlwayCommand(), 'extract', ...args], { encoding: 'utf8' });
  const url = 'https://nowhere.invalid/docs/2.1/one.html';
  const { metas, links } = JSON.parse(run(page, '--url', url, '--config', config, '--json').stdout);
  expect(metas).toContainEqual({ name: 'version', value: '2.1' });
  expect(links).toEqual(['https://nowhere.invalid/docs/2.1/two.html', 'https://nowhere.invalid/three']);
  expect(run(page, '--url', url, '--markdown').stdout).toContain('[Two](https://nowhere.invalid/docs/2.1/two.html)');
  for (const [args, message] of [
    [[url, '--url', url], 'use it only with a file'],
    [[page, '--url', 'docs/2.1'], 'not an http or https URL'],
  ] as const) {
    const { status, stderr } = run(...args);
    expect([status, stderr.includes(message)]).toEqual([1, true]);
  }
});

it('crawlway extract says so when most of a page is not taken for its main content', () => {
  const folder = temporaryDirectory();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(
    config,
    '<CrawlConfig xmlns:cw="urn:crawlway:config:1"><Crawler name="a"><cw:Content main="true"/></Crawler></CrawlConfig>',
  );
  const sentence = 'Anvils are heavy, so they are sent by ship, which takes three weeks, and never by mail.';
  const run = (comments: number): string => {
    const page = join(folder, `${comments}.html`);
    writeFileSync(
      page,
      `<article>${`<p>${sentence}</p>`.repeat(6)}</article><div id="comments">${`<p>${sentence}</p>`.repeat(comments)}</div>`,
    );
    return spawnSync(process.execPath, [...crawlwayCommand(), 'extract', page, '--config', config], {
      encoding: 'utf8',
    }).stderr;
  };
  expect(run(18)).toContain('the main content has 25 % of the text outside links');
  expect(run(1)).not.toContain('main content');
});
