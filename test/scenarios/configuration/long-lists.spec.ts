/**
 * A list of 100,000 server records is dealt with in steps, so that the server answers in between. Here, 10,000 records are
 * enough to count the steps of each part of that work.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfigurationInSteps } from '../../../src/adapters/config-xml/read.js';
import { packDefinition, unpackDefinition } from '../../../src/adapters/threads/secrets-across.js';
import type { ServerDefinition } from '../../../src/domain/crawl/definition.js';
import { lintInSteps } from '../../../src/domain/policy/linter.js';
import { createMatchedView } from '../../../src/domain/policy/matched-view.js';
import { createResolvedView } from '../../../src/domain/policy/resolved.js';
import type { Steps } from '../../../src/domain/steps.js';
import { toCrawlUrl } from '../../../src/domain/url/crawl-url.js';
import { openConfigurationFile } from '../../../src/server/engine.module.js';

const RECORDS = 10_001;
const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="a" defaultAccept="true"><cw:Servers file="indexer.conf"/></Crawler>
  <cw:Sink name="s" type="json" url="http://127.0.0.1:9/"/>
</CrawlConfig>`;
const CONF = Array.from({ length: RECORDS }, (_, i) => `Server http://h${(i * 7_919) % RECORDS}.example/a\n`).join('');
const folder = mkdtempSync(join(tmpdir(), 'crawlway-long-lists-'));
writeFileSync(join(folder, 'indexer.conf'), `AuthBasic user:password\n${CONF}`);
writeFileSync(join(folder, 'CrawlConfig.xml'), XML);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run<T>(steps: Steps<T>): { readonly pauses: number; readonly result: T } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { pauses, result: step.value };
  }
}

const readFile = (name: string): string => {
  if (name !== 'indexer.conf') throw Object.assign(new Error(), { code: 'ENOENT' });
  return `AuthBasic user:password\n${CONF}`;
};
const read = () => run(readConfigurationInSteps(XML, { file: 'CrawlConfig.xml', env: {}, readFile }));
const definition = read().result.definition as ServerDefinition;

test('every part of reading, linting and passing on a long list pauses', () => {
  // Lines, commands, roots, compiled records, three parts of the prefix table, secrets.
  expect(read().pauses).toBeGreaterThanOrEqual(8 * 10);
  // Roots twice, prefixes, four checks of records.
  expect(run(lintInSteps(definition)).pauses).toBeGreaterThanOrEqual(7 * 10);
  expect(run(packDefinition(definition)).pauses).toBeGreaterThanOrEqual(2 * 10);
});

test('so does reading and linting the same records, roots and rules as elements, where parsing pauses, too', () => {
  const list = (element: (url: string) => string): string =>
    Array.from({ length: RECORDS }, (_, i) => element(`http://h${i}.example/a/`)).join('\n');
  const servers = `<cw:Servers>${list((url) => `<cw:Server url="${url}"/>`)}</cw:Servers>`;
  const roots = list((url) => `<Root url="${url}" site="false"/>`);
  const rules = `<Rules>${list((url) => `<Rule><Atom field="url" kind="prefix" litteral="true" value="${url}"/><Accept/></Rule>`)}</Rules>`;
  const readElements = (xml: string) =>
    run(
      readConfigurationInSteps(XML.replace('<cw:Servers file="indexer.conf"/>', xml), {
        file: 'CrawlConfig.xml',
        env: {},
        readFile,
      }),
    );
  // Of the document: hiding, checking and building pieces, secrets, interpretation; of what it says: as above.
  for (const [xml, parts, lintedParts] of [
    [servers, 5 + 6, 7],
    [roots, 5 + 1, 2],
    [rules, 3 * 5 + 5, 8],
  ] as const) {
    const { pauses, result } = readElements(xml);
    expect(pauses).toBeGreaterThanOrEqual(parts * 10);
    expect(run(lintInSteps(result.definition!)).pauses).toBeGreaterThanOrEqual(lintedParts * 10);
  }
});

test('the server does other things while it loads the file', async () => {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  await openConfigurationFile(join(folder, 'CrawlConfig.xml')).load();
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(160);
});

test('page threads receive the same definition, secrets included', () => {
  const received = unpackDefinition(run(packDefinition(definition)).result);
  expect(received).toEqual(definition);
  const reveal = ({ crawlers }: ServerDefinition) =>
    crawlers[0]?.servers?.records[0]?.parameters.authentication?.reveal();
  expect(reveal(received)).toBe('user:password');
});

test('thousands of warnings of one kind are one line more than a hundred', () => {
  const problems = run(lintInSteps(definition)).result.filter(({ code }) => code === 'open-prefix');
  expect(problems.length).toBeLessThanOrEqual(100);
});

test('the resolved view lists ten thousand records, and counts the others', () => {
  const [crawler] = definition.crawlers;
  const records = createResolvedView(crawler!).filter(({ layer }) => layer === 'server-records');
  expect(records).toHaveLength(10_001);
  expect(records.at(-1)?.text).toContain('1 more server records');
  const candidate = {
    url: toCrawlUrl('http://h1.example/a'),
    discoveredVia: 'root',
    root: undefined,
    hops: 0,
  } as const;
  const matched = createMatchedView(crawler!, undefined, candidate).filter((entry) => entry.matched);
  expect(matched.map(({ text }) => text)).toEqual(['server record http://h1.example/a']);
});
