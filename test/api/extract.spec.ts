import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { FACTS, pdf } from '../support/sample-documents.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

it('crawlway extract prints what is read of a file, by the Content of a configuration', () => {
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
  expect([text, cut]).toEqual(['One Price 3,50', ['Imprint']]);
  expect(metas).toContainEqual({ name: 'price', value: '3.5', type: 'number' });
  expect(run(page, '--markdown')).toBe('# One\n\nPrice 3,50\n\nImprint\n');
  expect(run(file('a.pdf', pdf(FACTS)))).toContain(FACTS.text);
});
