import { expect, it } from 'vitest';
import { findReferences, renameElement } from '../../../console/src/screens/configuration/renaming.js';
import { parseXml, type XmlElement } from '../../../console/src/screens/configuration/xml-tree.js';

const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <cw:Sink name="main" type="file" url="a.jsonl"/>
  <Crawler name="main">
    <cw:Content name="forum"/>
    <cw:FetchWith fetcher="main"/>
    <cw:Conditions>
      <cw:apply-for><cw:option name="fetcher" value="main"/><cw:option name="content" value="forum"/></cw:apply-for>
    </cw:Conditions>
    <cw:PushTo sink="main"/><cw:PushTo sink="other"/>
  </Crawler>
  <Crawler name="second">
    <cw:Content name="forum"/>
    <cw:Conditions><cw:option name="content" value="forum"/></cw:Conditions>
    <cw:PushTo sink='main'/>
  </Crawler>
  <cw:Sink name="other" type="file" url="b.jsonl"/>
  <cw:Fetcher name="main"/>
</CrawlConfig>
`;

function found(test: (one: XmlElement) => boolean, root = parseXml(XML)!): XmlElement {
  const all = [root, ...root.children, ...root.children.flatMap(({ children }) => children)];
  return all.find(test)!;
}

const renamed = (name: string, number = 0): string => {
  const root = parseXml(XML)!;
  const all = [...root.children, ...root.children.flatMap(({ children }) => children)];
  return renameElement(XML, root, all.filter((one) => one.name === name)[number]!, 'new');
};

it('renaming a sink updates its crawlers, and nothing else of the same name', () => {
  const expected = XML.replace('cw:Sink name="main"', 'cw:Sink name="new"')
    .replace('sink="main"', 'sink="new"')
    .replace("sink='main'", 'sink="new"');
  expect(renamed('Sink')).toBe(expected);
});

it('renaming a fetcher updates its crawlers and the options of conditions', () => {
  const expected = XML.replace('cw:Fetcher name="main"', 'cw:Fetcher name="new"')
    .replace('fetcher="main"', 'fetcher="new"')
    .replace('name="fetcher" value="main"', 'name="fetcher" value="new"');
  expect(renamed('Fetcher')).toBe(expected);
});

it('renaming a content updates the options of its own crawler', () => {
  const place = XML.indexOf('<Crawler name="second"');
  const second = XML.slice(place).replaceAll('forum', 'new');
  expect(renamed('Content', 1)).toBe(XML.slice(0, place) + second);
});

it('renaming a crawler updates nothing else', () => {
  const root = parseXml(XML)!;
  expect(
    findReferences(
      root,
      found(({ name }) => name === 'Crawler', root),
    ),
  ).toEqual([]);
});
