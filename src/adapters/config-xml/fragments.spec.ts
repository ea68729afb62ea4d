import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../domain/policy/crawl-policy.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import { deleteRule, insertRule, listRules, replaceRule } from './edit/rules.js';
import { readConfiguration } from './read.js';

/** Initials of accept, index and follow; `-` means rejected. */
type Fate = '-' | 'a' | 'ai' | 'af' | 'aif';

interface Fragment {
  readonly title: string;
  readonly xml: string;
  readonly fates: Readonly<Record<string, Fate>>;
}

const SEED_EXAMPLE = `<Rules group="example" key="auto">
<Rule>
<ar:Atom litteral="true" value="http://www.example.com/"
norm="none" kind="prefix" field="url"/>
<Index/>
<Follow/>
<Accept/>
</Rule>
</Rules>`;

/** The product's files begin with any of these start tags. */
const v21 = (rules: string, attributes = '') =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21"><Crawler name="c" ${attributes}>${rules}</Crawler></CrawlConfig>`;
const v20 = (rules: string) =>
  `<?xml version="1.0"?>\r\n<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v20" xmlns:x="exa:com.exalead.actionrules.v20">\r\n<Crawler name="c">${rules}</Crawler>\r\n</CrawlConfig>`;
const bare = (rules: string, attributes = '') =>
  `<CrawlConfig><Crawler name='c' ${attributes}>${rules}</Crawler></CrawlConfig>`;

const FRAGMENTS: readonly Fragment[] = [
  {
    title: "the seed's example of index and follow",
    xml: v21(SEED_EXAMPLE),
    fates: { 'http://www.example.com/a': 'aif', 'http://wwwXexample.com/': '-', 'https://www.example.com/': '-' },
  },
  {
    title: "the seed's example cut out of its file, with a prefix that nobody declares",
    xml: bare(SEED_EXAMPLE),
    fates: { 'http://www.example.com/a': 'aif', 'http://example.com/': '-' },
  },
  {
    title: 'Domain takes the host and what is below it',
    xml: v21('<Rules><Rule><ar:Domain val="foo.com" /><Index/><NoFollow/><Accept/></Rule></Rules>'),
    fates: {
      'http://foo.com/': 'ai',
      'http://bar.foo.com/': 'ai',
      'http://barfoo.com/': '-',
      'http://foo.com.evil/': '-',
    },
  },
  {
    title: 'Domain with an escaped dot, and as a regular expression',
    xml: v20(
      '<Rules><Rule><x:Domain val="foo\\.com"/><Accept/></Rule><Rule><x:Domain val="ba[rz]\\.(com|org)"/><Accept/></Rule></Rules>',
    ),
    fates: {
      'http://a.foo.com/': 'aif',
      'http://fooxcom/': '-',
      'http://www.baz.org/': 'aif',
      'http://xbar.com/': '-',
    },
  },
  {
    title: 'match elements in the inherited default namespace, follow but do not index',
    xml: v21(
      '<Rules group="g"><Rule><Or><Path val="/cgi-bin" /><Ext val="\\.cgi"/></Or><NoIndex/><Follow/><Accept/></Rule></Rules>',
    ),
    fates: { 'http://h/cgi-bin/x': 'af', 'http://h/a/b.cgi': 'af', 'http://h/a/cgi-bin': '-' },
  },
  {
    title: 'a later Ignore takes away what an earlier rule accepted',
    xml: v20(
      '<Rules><Rule><x:Host val="www\\.wikipedia\\.org" /><Index/><Follow/><Accept/></Rule></Rules>\r\n<Rules><Rule><x:Ext val="\\.gif" /><NoIndex/><NoFollow/><Ignore/></Rule></Rules>',
    ),
    fates: {
      'http://www.wikipedia.org/a': 'aif',
      'http://www.wikipedia.org/a.gif': '-',
      'http://en.wikipedia.org/': '-',
    },
  },
  {
    title: 'shortcuts Url, Scheme, Query, InQuery',
    xml: bare(`<Rules>
      <Rule><Url value="http://en.wikipedia.org/wiki"/><Accept/></Rule>
      <Rule><And><Scheme val="https"/><Query val="q=foo" /></And><Index/><NoFollow/><Accept/></Rule>
      <Rule><And><Scheme val="http"/><InQuery val="q=foo" /></And><NoIndex/><Accept/></Rule></Rules>`),
    fates: {
      'http://en.wikipedia.org/wiki': 'aif',
      'http://en.wikipedia.org/wiki/': '-',
      'https://h/?q=foo': 'ai',
      'https://h/?q=food': '-',
      'http://h/?a=b&q=food': 'af',
    },
  },
  {
    title: 'lengths, as the shortcut and as an Atom',
    xml: v21(`<Rules>
      <Rule><ar:Length field="path" val="[30:]" /><NoIndex/><Accept/></Rule>
      <Rule><ar:Atom field="path" kind="length" value="[11:12]"/><Index/><Accept/></Rule>
      <Rule><ar:Length field="host" val="[:1]"/><NoFollow/></Rule></Rules>`),
    fates: {
      'http://host/123456789012345678901234567890': 'af',
      'http://host/1234567890': 'aif',
      'http://h/12345678901': 'ai',
      'http://host/123456789012': '-',
    },
  },
  {
    title: 'inverted escapes: plain characters, and operators after a backslash',
    xml: v21(`<Rules><Rule><ar:Atom field="url" kind="exact" norm="none" litteral="true" value="http://h/a.b?c=\\.\\*"/><Accept/></Rule>
      <Rule><ar:Atom field="path" kind="inside" norm="lower" literal="true" value="(x)"/><Accept/></Rule></Rules>`),
    fates: { 'http://h/a.b?c=anything': 'aif', 'http://h/aXb?c=1': '-', 'http://h/a(X)': 'aif', 'http://h/x': '-' },
  },
  {
    title: 'Not, several match elements as an And, defaults of the crawler, and elements that Crawlway does not know',
    xml: v21(
      `<Documents kept="yes"/><Rules><!-- all but pictures -->
      <Rule><ar:Domain val="foo.com"/><ar:Not><ar:Path val="/img/"/></ar:Not><Index/></Rule>
      <Rule><ar:Path val="/img/"/><Ignore/></Rule></Rules>`,
      'defaultAccept="true" defaultIndex="false" defaultFollow="false" futureOption="7"',
    ),
    fates: { 'http://foo.com/a': 'ai', 'http://foo.com/img/a': '-', 'http://bar.com/': 'a' },
  },
];

const read = (xml: string) => readConfiguration(xml, { file: 'f', env: {}, readFile: () => '' });

const definitionOf = (xml: string) => {
  const { definition, problems } = read(xml);
  if (!definition) throw new Error(JSON.stringify(problems));
  return definition;
};

function fateOf(xml: string, url: string): string {
  const [crawler] = definitionOf(xml).crawlers;
  if (!crawler) throw new Error('no crawler');
  const { accepted, effects } = compilePolicy(crawler, undefined).judge({
    url: toCrawlUrl(url),
    discoveredVia: 'link',
    hops: 1,
  });
  return accepted ? `a${effects.index ? 'i' : ''}${effects.follow ? 'f' : ''}` : '-';
}

const rulesOf = (xml: string) =>
  definitionOf(xml).crawlers[0]?.rules.map(({ match, actions }) =>
    JSON.parse(JSON.stringify({ match, actions }), (key, value) => (key === 'place' ? undefined : value)),
  );

describe('fragments of the product', () => {
  it.each(FRAGMENTS)('$title', ({ xml, fates }) => {
    for (const [url, fate] of Object.entries(fates)) expect(`${url} ${fateOf(xml, url)}`).toBe(`${url} ${fate}`);
  });

  it.each(FRAGMENTS)('come back byte for byte after a change and its reversal: $title', ({ xml }) => {
    const rules = listRules(xml, 'c');
    for (const { index, xml: text } of rules) expect(replaceRule(xml, 'c', index, { xml: text })).toBe(xml);
    const changed = insertRule(xml, 'c', { xml: '<Rule><Path val="/new"/><Index/></Rule>' }, rules.length);
    expect(changed).not.toBe(xml);
    expect(deleteRule(changed, 'c', rules.length)).toBe(xml);
  });

  it.each(FRAGMENTS)('mean the same after conversion to JSON and back: $title', ({ xml }) => {
    for (const { index, match, actions } of listRules(xml, 'c')) {
      expect(rulesOf(replaceRule(xml, 'c', index, { match, actions }))).toEqual(rulesOf(xml));
    }
  });

  it('warns about unknown parts with their place, and goes on', () => {
    const { problems } = read(FRAGMENTS[9]?.xml ?? '');
    expect(problems.map(({ code, severity, message }) => `${severity} ${code} ${message.split(' ')[1]}`)).toEqual([
      'warning no-sink Crawler',
      'warning ignored-attribute futureOption',
      'warning ignored-element Documents',
    ]);
  });
});
