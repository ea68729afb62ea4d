import { describe, expect, it } from 'vitest';
import {
  appendChild,
  copyElement,
  findElementAt,
  findPrefix,
  getAttributeValue,
  parseXml,
  removeElement,
  setAttribute,
  setText,
  type XmlElement,
} from '../../../console/src/screens/configuration/xml-tree.js';

const XML = `<?xml version="1.0"?>
<!-- <Crawler name="no"/> -->
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name='a &amp; b'
           nthreads="4">
    <Root url="https://one.example/?a=1&#38;b=2"/> <!-- first > last -->
    <cw:MimeTypes><![CDATA[<Root/>]]> text/html</cw:MimeTypes>
  </Crawler>
  <cw:Sink name="main"/>
</CrawlConfig>
`;

const rootOf = (xml: string): XmlElement => parseXml(xml)!;
const crawlerOf = (xml: string): XmlElement => rootOf(xml).children[0]!;

describe('the elements of a configuration', () => {
  it('are found with their attributes and positions, without comments and other markup', () => {
    const root = rootOf(XML);
    expect(root.children.map(({ name, prefix }) => prefix + name)).toEqual(['Crawler', 'cw:Sink']);
    const crawler = crawlerOf(XML);
    expect(getAttributeValue(crawler, 'name')).toBe('a & b');
    expect(crawler.children.map(({ name }) => name)).toEqual(['Root', 'MimeTypes']);
    expect(getAttributeValue(crawler.children[0]!, 'url')).toBe('https://one.example/?a=1&b=2');
    expect(crawler.children[1]!.text).toBe('<Root/> text/html');
    expect(XML.slice(root.start, root.end)).toBe(XML.slice(XML.indexOf('<CrawlConfig'), XML.length - 1));
    expect(findElementAt(root, XML, 6, 10)?.name).toBe('Root');
  });

  it('change in a single value', () => {
    const set = setAttribute(XML, crawlerOf(XML), 'nthreads', '<8>"');
    expect(set).toBe(XML.replace('nthreads="4"', 'nthreads="&lt;8>&quot;"'));
    expect(setAttribute(set, crawlerOf(set), 'nthreads', undefined)).toBe(XML.replace(/\s+nthreads="4"/, ''));
    const added = setAttribute(XML, rootOf(XML).children[1]!, 'type', 'file');
    expect(added).toBe(XML.replace('name="main"', 'name="main" type="file"'));
    const bare = setAttribute('<A/>', rootOf('<A/>'), 'b', '');
    expect(bare).toBe('<A b=""/>');
  });

  it('are added, removed and copied without changes to the lines around them', () => {
    const added = appendChild(XML, crawlerOf(XML), '<Root url="x"/>');
    expect(added).toBe(XML.replace('\n  </Crawler>', '\n    <Root url="x"/>\n  </Crawler>'));
    expect(removeElement(added, crawlerOf(added).children[2]!)).toBe(XML);
    const inEmpty = appendChild(XML, rootOf(XML).children[1]!, '<cw:Map/>');
    expect(inEmpty).toBe(XML.replace('<cw:Sink name="main"/>', '<cw:Sink name="main">\n    <cw:Map/>\n  </cw:Sink>'));
    const copy = copyElement(XML, crawlerOf(XML), 'second');
    const names = rootOf(copy).children.map((one) => getAttributeValue(one, 'name'));
    expect(names).toEqual(['a & b', 'second', 'main']);
    expect(removeElement(copy, rootOf(copy).children[1]!)).toBe(XML);
  });

  it('get their text', () => {
    const types = crawlerOf(XML).children[1]!;
    const changed = setText(XML, types, 'text/html & more');
    expect(crawlerOf(changed).children[1]!.text).toBe('text/html & more');
    expect(setText('<A/>', rootOf('<A/>'), 'b')).toBe('<A>b</A>');
  });

  it('are written under the prefix that the file declares', () => {
    expect(findPrefix(rootOf(XML), 'urn:crawlway:config:1', 'cw')).toEqual({ prefix: 'cw:', declaration: '' });
    expect(findPrefix(rootOf(XML), 'exa:com.exalead.mercury.mami.crawl.v21', '')).toEqual({
      prefix: '',
      declaration: '',
    });
    expect(findPrefix(rootOf(XML), 'exa:com.exalead.actionrules.v21', 'ar')).toEqual({
      prefix: 'ar:',
      declaration: ' xmlns:ar="exa:com.exalead.actionrules.v21"',
    });
  });

  it.each(['', 'text', '<', '<a', '<a b', '<a b="', '<a><b>', '</a>', '<!--', '<a></b></a></a>'])(
    'are read from malformed text without an endless loop: %s',
    (xml) => {
      expect(() => parseXml(xml)).not.toThrow();
    },
  );
});
