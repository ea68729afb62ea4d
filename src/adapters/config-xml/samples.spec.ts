import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import { describe, expect, it } from 'vitest';
import { holding } from '../../../test/support/holding.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import { lint } from '../../domain/policy/linter.js';
import { readConfiguration } from './read.js';

const FOLDER = 'config/samples';
const SAMPLES = readdirSync(FOLDER).filter((name) => name.endsWith('.xml'));

const ENV = {
  CRAWLWAY_SECRET_PAPI_LOGIN: 'a',
  CRAWLWAY_SECRET_PAPI_PASSWORD: 'b',
  CRAWLWAY_SECRET_PRIVATE_LOGIN: 'c:d',
  CRAWLWAY_SECRET_PARTNER_LOGIN: 'e:f',
  CRAWLWAY_SECRET_MANUALS_PASSWORD: 'g',
  CRAWLWAY_SECRET_ELASTIC_API_KEY: 'h',
  CRAWLWAY_SECRET_AUDIT_SECRET: 'i',
};

const read = (name: string) =>
  readConfiguration(readFileSync(join(FOLDER, name), 'utf8'), {
    file: name,
    env: ENV,
    readFile: (file) => readFileSync(join(FOLDER, file), 'utf8'),
  });

const crawlersOf = (name: string): ServerDefinition['crawlers'] => read(name).definition?.crawlers ?? [];

xmlRegisterFsInputProviders();

describe('the samples', () => {
  it.each(SAMPLES)('%s is read without a problem and is valid by the XML Schema', (name) => {
    const { definition, problems } = read(name);
    expect([...problems, ...lint(definition!)]).toEqual([]);
    const schema = XmlDocument.fromBuffer(readFileSync('config/CrawlConfig.xsd'), { url: 'config/CrawlConfig.xsd' });
    const validator = XsdValidator.fromDoc(schema);
    const document = XmlDocument.fromString(readFileSync(join(FOLDER, name), 'utf8'));
    expect(() => validator.validate(document)).not.toThrow();
  });

  it.each(SAMPLES)('%s lacks nothing but the values of its secrets where none is set', (name) => {
    const { problems } = readConfiguration(readFileSync(join(FOLDER, name), 'utf8'), {
      file: name,
      env: {},
      readFile: (file) => readFileSync(join(FOLDER, file), 'utf8'),
    });
    expect(problems.filter(({ code }) => code !== 'unset-variable')).toEqual([]);
  });

  it('cloudview.xml: rules in file order over all groups, with their actions', () => {
    const [crawler] = crawlersOf('cloudview.xml');
    expect(crawler?.rules.map(({ number, group, actions }) => ({ number, group, ...actions }))).toEqual([
      { number: 1, group: 'articles', index: true, follow: true, accept: true, metas: [] },
      { number: 2, group: 'articles', index: false, follow: true, accept: true, priorityShift: 2, metas: [] },
      { number: 3, group: 'articles', index: false, follow: false, accept: false, metas: [] },
      {
        number: 4,
        group: 'site',
        source: 'example',
        metas: [{ name: 'area', value: 'example site', scope: 'document' }],
      },
      { number: 5, group: 'site', index: false, follow: false, accept: false, metas: [] },
    ]);
    expect(crawler?.refresh).toMatchObject({ smart: false, cron: '0 3 * * *', timeZone: 'Europe/Paris' });
    expect(crawler?.roots[0]?.metas.map(({ name }) => name)).toEqual(['team', 'kind']);
  });

  it("fdse.xml: that engine's defaults", () => {
    expect(crawlersOf('fdse.xml')[0]?.linkRules).toMatchObject({
      maxUrlLength: 128,
      followQueryStrings: false,
      followOffsite: false,
    });
  });

  it('mnogosearch.xml: records of the file and of the element, values held for those that follow', () => {
    const day = 86_400_000;
    const records = crawlersOf('mnogosearch.xml')[0]?.servers?.records ?? [];
    expect(records.map(({ url, parameters }) => [url, parameters.period])).toEqual([
      ['http://archive.example.com/', 30 * day],
      ['http://archive.example.com/today/', 3_600_000],
      ['http://www.example.com/', 600_000_000],
      ['http://www.example.com/news/', 2.5 * day],
      ['http://web.example.com/', 7 * day],
      ['http://private.example.com/', 7 * day],
    ]);
    expect(records.map(({ parameters }) => parameters.tag)).toEqual([
      'archive',
      'archive',
      undefined,
      'news',
      undefined,
      undefined,
    ]);
    expect(records[5]?.parameters).toMatchObject({
      maxHops: 20,
      authentication: holding('c:d'),
      readTimeout: 60_000,
    });
  });

  it('omnifind.xml: two spaces and the global one', () => {
    const { definition } = read('omnifind.xml');
    expect(definition?.globalCrawlSpace?.rules).toHaveLength(1);
    expect(definition?.crawlers.map((crawler) => crawler.crawlSpace?.rules.length)).toEqual([3, 4]);
    expect(definition?.crawlers[1]).toMatchObject({
      errors: { maxTemporaryErrors: 3, retryDelay: 120_000, classes: { 'http-5xx': 'temporary' } },
      deletionGuard: { on: true, maxDeletions: 20, maxShare: 0.05, window: 3_600_000 },
    });
  });

  it('velocity.xml: the tree of conditions, with options in the units of the definition', () => {
    const conditions = crawlersOf('velocity.xml')[0]?.conditions;
    expect(conditions).toMatchObject({ defaultAllow: 'disallow-log', options: { maxHops: 12, throttle: 1000 } });
    expect(conditions?.rules.map(({ kind }) => kind)).toEqual(['apply-for', 'apply-for', 'must-have']);
    expect(conditions?.rules[0]?.children[0]).toMatchObject({
      test: { type: 'wildcard-set', field: 'path', value: '*.mp4\n*.mkv' },
      options: { totalTimeout: 600_000, maxSize: 1024 ** 3 },
    });
    expect(conditions?.rules[1]?.options).toMatchObject({
      credentials: holding('e:f'),
      headers: { 'X-Crawl': 'manuals' },
    });
  });

  it('elasticsearch.xml: two sinks', () => {
    const { definition } = read('elasticsearch.xml');
    expect(definition?.crawlers[0]?.pushTo).toEqual(['search', 'audit']);
    expect(definition?.sinks).toMatchObject([
      { type: 'elasticsearch', options: { index: 'web', apiKey: holding('h') } },
      { type: 'json', options: { secret: holding('i') }, batchAge: 5000, allowedAddresses: ['10.20.0.0/16'] },
    ]);
  });
});
