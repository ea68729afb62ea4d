import { describe, expect, it } from 'vitest';
import { joinPart, toPartPosition } from '../../../console/src/screens/configuration/part.js';
import {
  createFirstRulePart,
  createPart,
  findOwnPrefix,
  findPart,
  readPartAttribute,
} from '../../../console/src/screens/configuration/part-text.js';
import { readConfiguration } from '../../../src/adapters/config-xml/read.js';

const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <!-- <cw:GlobalCrawlSpace rules="commented.rules"/> -->
  <Crawler name="other"><cw:Servers file="a.conf"/></Crawler>
  <Crawler name="docs">
    <Root url="http://a.example/?a>b"/>
    <cw:Servers followOutside="yes">
      <cw:Server url="http://a.example/"/>
    </cw:Servers>
  </Crawler>
  <Crawler name="short"/>
</CrawlConfig>
`;
const read = (xml: string) =>
  readConfiguration(xml, {
    file: 'c.xml',
    readFile: (name) => (name.endsWith('.conf') ? 'Server http://a.example/' : 'allow domain *'),
    env: {},
  }).definition!;

describe('the text of a single element of the configuration', () => {
  it('is extracted and inserted without a change', () => {
    const part = findPart(XML, 'Servers', 'docs')!;
    expect(part.text).toMatch(/^ {4}<cw:Servers followOutside="yes">[\s\S]*<\/cw:Servers>$/);
    expect(joinPart(part, part.text)).toBe(XML);
    expect(readPartAttribute(part, 'followOutside')).toBe('yes');
  });

  it('belongs to its crawler, and is not found in a comment', () => {
    expect(readPartAttribute(findPart(XML, 'Servers', 'other')!, 'file')).toBe('a.conf');
    expect(findPart(XML, 'Servers', 'short')).toBeUndefined();
    expect(findPart(XML, 'Conditions', 'other')).toBeUndefined();
    expect(findPart(XML, 'GlobalCrawlSpace')).toBeUndefined();
  });

  it.each(['docs', 'other', 'short'])('can be new, and is then read: %s', (crawler) => {
    const { prefix, declaration } = findOwnPrefix(XML);
    const part = createPart(XML, `    <${prefix}:CrawlSpace${declaration} rules="x.rules"/>`, crawler);
    const definition = read(joinPart(part, part.text));
    const withSpace = definition.crawlers.filter(({ crawlSpace }) => crawlSpace).map(({ name }) => name);
    expect(withSpace).toEqual([crawler]);
  });

  it('can be new outside of crawlers, and declares its namespace if needed', () => {
    const bare = '<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21"><Crawler name="a"/></CrawlConfig>';
    const { prefix, declaration } = findOwnPrefix(bare);
    const part = createPart(bare, `  <${prefix}:GlobalCrawlSpace${declaration} rules="x.rules"/>`);
    expect(read(joinPart(part, part.text)).globalCrawlSpace?.file).toBe('x.rules');
  });

  it.each(['docs', 'other', 'short'])('can be the first rule of a crawler: %s', (crawler) => {
    const part = createFirstRulePart(XML, crawler);
    const { crawlers } = read(joinPart(part, '<Rule><Path value="/a"/><Index/></Rule>'));
    expect(crawlers.filter(({ rules }) => rules.length > 0).map(({ name }) => name)).toEqual([crawler]);
  });

  it('has positions relative to itself', () => {
    const part = findPart(XML, 'Servers', 'docs')!;
    const line = XML.split('\n').findIndex((text) => text.includes('<cw:Server url')) + 1;
    expect(toPartPosition(part, part.text, { line, column: 7 })).toEqual({ line: 2, column: 7 });
    expect(toPartPosition(part, part.text, { line: 1, column: 1 })).toBeUndefined();
    expect(toPartPosition(part, part.text, { line: line + 5, column: 1 })).toBeUndefined();
    const inline = findPart(XML, 'Servers', 'other')!;
    expect(toPartPosition(inline, inline.text, { line: 3, column: 25 })).toEqual({ line: 1, column: 1 });
  });
});
