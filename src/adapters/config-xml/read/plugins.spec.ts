import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { readConfiguration } from '../read.js';

function read(content: string, plugins?: string) {
  const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
<Crawler name="shop"><Root url="https://shop.example/"/></Crawler>
${content}</CrawlConfig>`;
  return readConfiguration(xml, {
    file: 'f',
    env: { CRAWLWAY_SECRET_TOKEN: 'sesame' },
    readFile: () => '',
    ...(plugins === undefined ? {} : { plugins }),
  });
}

const SINK = '<cw:Sink name="main" type="json" url="https://sink.example/"/>';
const errors = (content: string, plugins?: string): string[] =>
  read(content, plugins)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`);

it('a plug-in has the name of its file, limits, and settings, whose references are secrets', () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'plugins'));
  writeFileSync(join(folder, 'plugins/price.mjs'), '');
  const { definition } = read(
    `<cw:Plugin file="plugins/price.mjs" crawlers="shop"><cw:Setting name="a" value="b"/>
     <cw:Setting name="token" value="\${CRAWLWAY_SECRET_TOKEN}"/></cw:Plugin>${SINK}`,
    folder,
  );
  expect(definition?.plugins).toMatchObject([
    {
      name: 'price',
      file: join(folder, 'plugins/price.mjs'),
      crawlers: ['shop'],
      timeLimit: 5000,
      memoryLimit: 256 * 1024 * 1024,
      onFailure: 'fail',
    },
  ]);
  const [{ settings }] = definition!.plugins as unknown as [{ settings: { name: string; value: unknown }[] }];
  expect(settings[0]).toEqual({ name: 'a', value: 'b' });
  expect(JSON.stringify(settings[1])).not.toContain('sesame');
});

it('only a module below the plug-in folder can be named', () => {
  const folder = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  writeFileSync(join(elsewhere, 'evil.mjs'), '');
  writeFileSync(join(folder, 'orders.jsonl'), '');
  symlinkSync(join(elsewhere, 'evil.mjs'), join(folder, 'link.mjs'));
  const fault = (file: string): string[] => errors(`<cw:Plugin file="${file}"/>${SINK}`, folder);
  expect(fault('orders.jsonl')[0]).toContain('specify a file that ends in .mjs, .js, .mts, .ts');
  expect(fault('../x.mjs')[0]).toContain(`specify a file in or below ${folder}, the folder for plug-ins`);
  expect(fault(join(elsewhere, 'evil.mjs'))[0]).toContain('specify a file in or below');
  expect(fault('link.mjs')[0]).toContain('leads out of the folder for plug-ins');
  expect(fault('missing.mjs')[0]).toContain('missing.mjs does not exist');
});

it('names are unique, and references must exist', () => {
  expect(errors(`<cw:Plugin file="a/p.mjs"/><cw:Plugin file="b/p.mjs"/>${SINK}`)).toEqual([
    'duplicate-name there is more than one Plugin p: give each its own name',
  ]);
  expect(errors(`<cw:Plugin file="p.mjs" crawlers="shops"/>${SINK}`)).toEqual([
    'unknown-reference there is no Crawler named shops: did you mean shop?',
  ]);
  expect(errors('<cw:Plugin file="price.mjs"/><cw:Sink name="main" type="plugin" url="plugin:prize"/>')).toEqual([
    'unknown-reference there is no Plugin named prize: did you mean price?',
  ]);
  expect(errors('<cw:Sink name="main" type="plugin" url="price"/>')[0]).toContain('`plugin:` and the name of a Plugin');
});
