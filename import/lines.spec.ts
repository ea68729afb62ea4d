/** Each part of the input that is not taken is listed with its own file and line, however often and wherever it stands. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convert } from './index.js';
import type { ImportFile } from './model.js';

const CONFIGURATIONS = join(import.meta.dirname, '../test/moving-in/configurations');

const read = (folder: string): ImportFile[] =>
  readdirSync(join(CONFIGURATIONS, folder)).map((name) => ({
    name,
    text: readFileSync(join(CONFIGURATIONS, folder, name), 'utf8').replaceAll('SITE', 'https://www.example.com'),
  }));

const file = (name: string, ...lines: string[]): ImportFile => ({ name, text: lines.join('\n') });

const xmlElement = (n: number): string => `<unheardOf${n}>${n}</unheardOf${n}>`;
const yamlSetting = (n: number): string => `unheard_of_${n}: ${n}`;

it.each(['nutch', 'stormcrawler', 'heritrix'])('%s: no file, or two with one name, are refused', (format) => {
  expect(() => convert(format, [])).toThrow('no files were found');
  const lists = [file('seeds.txt', 'http://a.test/\n'), file('seeds.txt', 'http://b.test/\n')];
  expect(() => convert(format, lists)).toThrow('two files have the name seeds.txt');
});

it('files of another product are refused, and most of them are recognized', () => {
  const folders = readdirSync(CONFIGURATIONS);
  const products = new Set(folders.map((folder) => folder.split('-')[0]!));
  const messages = folders.flatMap((folder) =>
    [...products, 'fdse', 'mnogosearch']
      // Lists of URLs and patterns tell nothing.
      .filter((format) => !folder.startsWith(format) && folder !== 'gsa')
      .map((format) => {
        try {
          convert(format, read(folder));
          return `${format} takes ${folder}`;
        } catch (error) {
          return (error as Error).message.replace(/.*use /, '');
        }
      }),
  );
  expect(messages.filter((message) => message.includes(' takes '))).toEqual([]);
  expect(messages.filter((message) => message.startsWith('crawlway import')).length).toBeGreaterThan(100);
});

/** Files of a format, before which lines of which file an unknown part may be put, and how it is written. */
const FORMATS: readonly (readonly [string, readonly ImportFile[], string, RegExp, (n: number) => string])[] = [
  ['norconex', read('norconex-2'), 'collector.xml', /^ {6}<\w/, xmlElement],
  ['norconex', read('norconex-3'), 'collector.xml', /^ {6}<\w/, xmlElement],
  ['norconex', read('norconex-4'), 'crawler.yaml', /^\w/, yamlSetting],
  [
    'norconex',
    [
      file(
        'c.xml',
        '<httpcollector id="c">',
        '<crawlers><crawler id="a"><startURLs><url>https://a.example/</url></startURLs>',
        '#parse("more.xml")',
        '</crawler></crawlers>',
        '</httpcollector>',
      ),
      file('more.xml', '<userAgent>x/1</userAgent>', '<maxDepth>3</maxDepth>', '<numThreads>1</numThreads>'),
    ],
    'more.xml',
    /^</,
    xmlElement,
  ],
  [
    'nutch',
    read('nutch'),
    'nutch-site.xml',
    /^ *<property>/,
    (n) => `<property><name>unheard.of.${n}</name><value>${n}</value></property>`,
  ],
  ['nutch', read('nutch'), 'regex-urlfilter.txt', /^[+-]/, (n) => `-(?=unheard-of-${n})x`],
  [
    'nutch',
    [
      ...read('nutch'),
      file('suffix-urlfilter.txt', '+', '.exe', '.dll'),
      file('automaton-urlfilter.txt', '+.*', '-b', '-a'),
    ],
    'regex-urlfilter.txt',
    /^[+-]/,
    (n) => `-(?=unheard-of-${n})x`,
  ],
  ['elastic', read('elastic'), 'crawler.yml', /^\w/, yamlSetting],
  [
    'elastic',
    [...read('elastic'), file('elasticsearch.yml', 'elasticsearch:', '  host: http://e.example', 'log_level: debug')],
    'elasticsearch.yml',
    /^\w/,
    yamlSetting,
  ],
  ['stormcrawler', read('stormcrawler'), 'crawler-conf.yaml', /^ {2}\w/, (n) => `  unheard.of.${n}: ${n}`],
  [
    'heritrix',
    read('heritrix'),
    'crawler-beans.cxml',
    /^ {2}<bean /,
    (n) => `<bean id="unheardOf${n}" class="org.example.UnheardOf"/>`,
  ],
  ['velocity', read('velocity'), 'collection.xml', /^ {6}<cra/, xmlElement],
  ['omnifind', read('omnifind'), 'crawl.rules', /^\w/, (n) => `unheard-of-${n} domain a.example`],
  ['scrapy', read('scrapy'), 'settings.py', /^[A-Z_]+ = [^[{(]*$/, (n) => `UNHEARD_OF_${n} = ${n}`],
  ['gsa', read('gsa'), 'do-not-crawl.txt', /^\S/, (n) => `regexp:(?=unheard-of-${n})x`],
  [
    'mnogosearch',
    [
      file('indexer.conf', 'Server https://a.example/', 'Period 7d', 'Include "more.conf"'),
      file('more.conf', 'Server https://b.example/', 'Period 8d'),
    ],
    'more.conf',
    /^\w/,
    (n) => `UnheardOf${n} yes`,
  ],
  ['docsearch', read('docsearch-1'), 'config.json', /^ {2}"/, (n) => `  "unheard_of_${n}": ${n},`],
  ['algolia', read('docsearch-2'), 'crawler.js', /^ {2}\w|^ {6}\w/, (n) => `unheardOf${n}: [${n}],`],
  [
    'manifoldcf',
    read('manifoldcf'),
    'jobs.json',
    /^ {6}\{ "_type_"|^ {10}\{ "_type_": "[seil]/,
    (n) => `{"_type_":"unheardof${n}","_value_":"${n}"},`,
  ],
  [
    'manifoldcf',
    read('manifoldcf'),
    'connections.json',
    /"_attribute_name"/,
    (n) => `{"_attribute_name":"unheardof${n}","_value_":"1"},`,
  ],
];

describe('what is not taken', () => {
  it.each(FORMATS)('of %s is listed with its line (%#)', (format, files, name, before, write) => {
    const base = files.find((one) => one.name === name)!;
    const lines = base.text.split('\n');
    const places = lines.flatMap((line, index) => (before.test(line) ? [index] : []));
    expect(places.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), fc.nat(2)), { minLength: 1, maxLength: 4 }),
        (chosen) => {
          const text: string[] = [];
          const expected: string[] = [];
          lines.forEach((line, index) => {
            for (const [place, blanks] of chosen) {
              if (place !== index) continue;
              text.push(...Array.from({ length: blanks }, () => ''), write(expected.length + 1));
              expected.push(`${name}:${text.length}`);
            }
            text.push(line);
          });
          const changed = files.map((one) => (one === base ? { name, text: text.join('\n') } : one));
          const { report } = convert(format, changed, (wanted) => changed.find((one) => one.name === wanted));
          const found = report.lines.filter(
            ({ kind, setting }) => kind === 'not taken' && /unheard.?of/i.test(setting.replace(/[^a-z]/gi, '')),
          );
          expect(found.map(({ place }) => place).toSorted()).toEqual(expected.toSorted());
        },
      ),
      { numRuns: 15 },
    );
  });
});
