import { describe, expect, it } from 'vitest';
import {
  addCrawler,
  addSink,
  type CrawlSettings,
  type NewSink,
  type Scope,
} from '../../../console/src/screens/first-run/crawl-draft.js';
import { getSinkOptions, SINK_TYPE_NAMES, SINK_TYPES, type SinkType } from '../../../src/domain/push/sink-types.js';
import { XML_FORMAT } from '../../../src/server/engine.module.js';
import { authority } from '../../support/certificates.js';

const NOTHING = '<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v20"/>';
const OTHER = `<?xml version="1.0"?>
<c:CrawlConfig xmlns:c="exa:com.exalead.mercury.mami.crawl.v21" xmlns:more="urn:crawlway:config:1" xmlns:r="exa:com.exalead.actionrules.v21">
  <!-- </c:CrawlConfig> -->
  <more:Sink name="first" type="file" url="first.jsonl"/>
</c:CrawlConfig>`;

const CONTEXT = { file: 'CrawlConfig.xml', readFile: () => '', storedSecrets: new Map([['x', 'x']]) };

const problemsOf = (xml: string): string[] =>
  XML_FORMAT.read(xml, CONTEXT).problems.map(({ place, code, message }) => `${place.line} ${code} ${message}`);

const isText = (value: string | readonly string[]): boolean =>
  typeof value === 'string' && ['text', 'nonEmptyText', 'name'].includes(value);

const filled = (type: SinkType, more: Partial<NewSink> = {}): NewSink => ({
  type,
  url: SINK_TYPES[type].example,
  options: Object.fromEntries(
    Object.entries(getSinkOptions(type)).flatMap(([name, { value, secret }]) =>
      isText(value) ? [[name, secret ? `\${secret:x}` : 'x']] : [],
    ),
  ),
  ...more,
});

const wish = (more: Partial<CrawlSettings> = {}): CrawlSettings => ({
  name: 'example.com',
  url: new URL('https://www.example.com/'),
  scope: 'site',
  sink: 'main',
  newSink: filled('file'),
  pauseSeconds: 2.5,
  ...more,
});

describe('the configuration written by the guide has no warnings', () => {
  const places = ['https://www.example.com/', 'https://example.com:8443/docs/a.html?b=c', 'http://10.1.2.3/x/'];
  it.each((['site', 'folder', 'domain'] as Scope[]).flatMap((scope) => places.map((place) => [scope, place] as const)))(
    '%s of %s',
    (scope, place) => {
      const made = addCrawler(NOTHING, wish({ scope, url: new URL(place), allow: '10.0.0.0/8' }));
      expect(problemsOf(made)).toEqual([]);
      const { definition } = XML_FORMAT.read(made, CONTEXT);
      expect(definition?.crawlers[0]?.roots.map(({ url }) => url)).toEqual([place]);
    },
  );

  it('in a configuration with other prefixes, added twice', () => {
    const once = addCrawler(OTHER, wish({ sink: 'first', newSink: undefined }));
    const twice = addCrawler(once, wish({ name: 'second', sink: 'main' }));
    expect(problemsOf(twice)).toEqual([]);
    const { definition } = XML_FORMAT.read(twice, { file: 'CrawlConfig.xml', readFile: () => '' });
    expect(definition?.crawlers.map(({ pushTo }) => pushTo)).toEqual([['first'], ['main']]);
  });

  // A plug-in has to be in the configuration before it can be a sink.
  it.each(SINK_TYPE_NAMES.filter((type) => type !== 'plugin'))('a sink of type %s with all its fields', (type) => {
    const made = addCrawler(NOTHING, wish({ newSink: filled(type) }));
    expect(problemsOf(made)).toEqual([]);
  });

  it('a sink on a private network with its own certificate authority', () => {
    const { cert } = authority('Test Authority');
    const sink = filled('opensearch', { url: 'https://10.1.2.3:9200', authority: cert });
    const made = addCrawler(NOTHING, wish({ newSink: sink }));
    expect(problemsOf(made)).toEqual([]);
    const { definition } = XML_FORMAT.read(made, CONTEXT);
    expect(definition?.sinks[0]?.tls?.certificateAuthorities).toHaveLength(1);
    expect(made).toContain('cidr="10.0.0.0/8"');
  });
});

it('a sink is tested without the crawler', () => {
  expect(problemsOf(addSink(NOTHING, 'main', filled('solr'))).join()).not.toMatch(/main/);
});

describe('the contact', () => {
  const read = (xml: string) => XML_FORMAT.read(xml, { file: 'CrawlConfig.xml', readFile: () => '' });
  const agentOf = (xml: string) =>
    read(xml)
      .definition?.fetchers.find(({ name }) => name === 'default')
      ?.userAgent.replace('Crawlway/0.1', '')
      .trim();
  const fetchers = (...tags: string[]) => OTHER.replace('  <more:Sink', `  ${tags.join('')}\n  <more:Sink`);
  const added = (xml: string, more: Partial<CrawlSettings>) =>
    addCrawler(xml, wish({ sink: 'main', newSink: filled('file'), ...more }));
  const CONTACT = 'https://a.example/bot?a=b&c="d"';

  it.each<[string, string, string | undefined]>([
    ['there is no fetcher', NOTHING, undefined],
    ['there is one', fetchers('<more:Fetcher name="default" cookies="no">', '</more:Fetcher>'), undefined],
    ['there is an empty one', fetchers('<!-- <more:Fetcher/> --><more:Fetcher />'), '10.0.0.0/8'],
    ['it is in the place of another', fetchers("<more:Fetcher contact='b@b.example'/>"), '10.0.0.0/8'],
    ['another fetcher comes first', fetchers('<more:Fetcher name="x"/>', '<more:Fetcher name="default"/>'), undefined],
    ['there is another fetcher alone', fetchers('<more:Fetcher name="x" contact="x@x.example"/>'), '10.0.0.0/8'],
  ])('is that of the fetcher used by default when %s', (_, xml, allow) => {
    const made = added(xml, { contact: CONTACT, allow });
    expect(problemsOf(made)).toEqual([]);
    const { fetchers = [] } = read(made).definition ?? {};
    expect(agentOf(made)).toBe('(+https://a.example/bot?a=b&c="d")');
    expect(fetchers.find(({ name }) => name === 'default')?.allowedAddresses).toEqual(allow ? [allow] : []);
    expect(fetchers.find(({ name }) => name === 'x')?.allowedAddresses ?? []).toEqual([]);
  });

  it('is removed when it is emptied, and kept when it is not mentioned', () => {
    const xml = fetchers('<more:Fetcher contact="b@b.example" cookies="no"/>');
    expect(agentOf(added(xml, { contact: ' ' }))).toBe('');
    expect(agentOf(added(xml, {}))).toBe('(b@b.example)');
    expect(added(NOTHING, { contact: '' })).not.toContain('Fetcher');
  });
});
