import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Extraction, SyncExtractor } from '../../engine/ports/content-extractor.js';
import { createPageReader } from './page-reader.js';

const pages = createPageReader();

function read(body: string, mediaType = 'application/xml'): Extraction {
  const context = { url: 'http://a/', contentType: mediaType, maxLinks: 100, maxTextLength: 1_000_000 };
  const extractor = pages.findExtractor(mediaType) as SyncExtractor;
  return extractor.extract(Buffer.from(body), mediaType, context) as Extraction;
}

const hrefs = ({ links }: Extraction): string[] => links.map(({ href }) => href);

it('the entities that a document type declares are no text', () => {
  const xml = '<!DOCTYPE book [<!ENTITY a "b">\n<!ENTITY c SYSTEM "d"> ]>\n<book>Text ]> of it</book>';
  expect(read(xml).text).toBe('Text ]> of it');
});

describe('a feed', () => {
  it('of RSS has the title, language, author and dates of its channel, the text of its items and their links', () => {
    const feed = read(
      `<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:dc="d" xmlns:atom="a"><channel>
        <atom:link href="http://a/feed" rel="self"/><title>Birds of the lake</title><link>http://a/</link>
        <description>All about &lt;b&gt;her&lt;/b&gt;ons</description><language>en-GB</language>
        <managingEditor>Ada Wing</managingEditor><lastBuildDate>Wed, 31 Jan 2024 13:00:00 +0100</lastBuildDate>
        <item><title>An otter</title><link>http://a/otter</link><guid isPermaLink="false"></guid>
          <dc:creator>Bo Reed</dc:creator><pubDate>Thu, 1 Feb 2024 00:00:00 GMT</pubDate>
          <content:encoded><![CDATA[<p>It swims.</p><p>Look <a href="/photos?a=1&amp;b=2">here</a>.</p><script>no()</script>]]></content:encoded></item>
        <item><description>No &amp;amp; markup</description><guid>http://a/second</guid><enclosure url="/minutes.pdf"/></item>
      </channel></rss>`,
      'application/rss+xml',
    );
    expect(feed).toMatchObject({ title: 'Birds of the lake', language: 'en-GB' });
    expect(feed.metas).toEqual([{ name: 'author', value: 'Ada Wing' }]);
    expect(feed.fields).toEqual([{ name: 'date_modified', value: '2024-01-31T12:00:00Z' }]);
    expect(feed.text).toContain('Birds of the lake All about herons en-GB Ada Wing');
    expect(feed.text).toContain('An otter Bo Reed');
    expect(feed.text).toContain('It swims. Look here. No & markup');
    expect(feed.text).not.toMatch(/no\(\)|http/);
    expect(hrefs(feed)).toEqual(['http://a/', 'http://a/otter', '/photos?a=1&b=2', 'http://a/second', '/minutes.pdf']);
  });

  it.each([
    ['Wed, 31 Jan 2024 13:00:00 CET', '2024-01-31T12:00:00Z'],
    ['2024', '2024-01-01T00:00:00Z'],
    ['Version 3', undefined],
    ['30 Feb 2024', undefined],
  ])('dated %s is of %s', (written, value) => {
    const { fields } = read(
      `<rss><channel><pubDate>${written}</pubDate><item/></channel></rss>`,
      'application/rss+xml',
    );
    expect(fields?.map((field) => field.value)).toEqual(value === undefined ? [] : [value]);
  });

  it('of Atom has the title, language, author and dates of the feed', () => {
    const feed = read(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Vögel</title><updated>2024-01-31T12:00:00Z</updated>
       <author><name>Ada Wing</name></author><link href="/" rel="alternate"/><link href="/feed" rel="self"/>
       <entry><title>Reiher</title><author><name>Bo</name></author><link href="/reiher"/>
       <content type="xhtml"><div>Er <b>ste</b>ht, <a href="/see">am See</a></div></content></entry></feed>`,
      'application/atom+xml',
    );
    expect(feed).toMatchObject({ title: 'Vögel', language: 'de' });
    expect(feed.metas).toEqual([{ name: 'author', value: 'Ada Wing' }]);
    expect(feed.fields).toEqual([{ name: 'date_modified', value: '2024-01-31T12:00:00Z' }]);
    expect(feed.text).toContain('Er steht, am See');
    expect(hrefs(feed)).toEqual(['/', '/reiher', '/see']);
  });
});

it.each([
  ['content type="xhtml"', '<div>A <code>List&lt;T&gt;</code> if a&lt;b and c&gt;d</div>', 'A List<T> if a<b and c>d'],
  ['content type="text"', 'write &lt;br&gt; here', 'write <br> here'],
  ['content type="html"', 'a &lt;b&gt;bold&lt;/b&gt; &amp;lt;i&amp;gt;', 'a bold <i>'],
  ['description', 'A <b>Map&lt;K&gt;</b> is full', 'A Map<K> is full'],
  ['description', 'true if a&lt;b, says the manual', 'true if a<b, says the manual'],
])('text in <%s> that is no markup is kept: %s', (start, content, text) => {
  expect(read(`<doc><${start}>${content}</${start.split(' ')[0]}></doc>`).text).toBe(text);
});

describe('an XML document', () => {
  it('may state the base of its links in any element', () => {
    const topic =
      '<p xml:base="http://b/x/"><xref href="1"/><span xml:base="y/"><xref href="2"/></span><xref href="3"/></p>';
    const links = hrefs(read(`<topic base="no">${topic}<xref href="4"/></topic>`));
    expect(links).toEqual(['http://b/x/1', 'http://b/x/y/2', 'http://b/x/3', '4']);
  });

  it('of DocBook has its title, author, date, the links of both versions, and words that markup does not cut', () => {
    const book = read(
      `<!DOCTYPE book PUBLIC "x" "y"><book xmlns:xlink="l"><info><title>Heron <emphasis>manual</emphasis></title>
       <author><personname><firstname>Ada</firstname> <surname>Wing</surname></personname></author><pubdate>2024-01-31</pubdate></info>
       <chapter><title>First</title><author>Bo</author><para>It wa<emphasis>de</emphasis>s; see <link xlink:href="two.xml">the next</link>,
       <ulink url="http://a/old">old</ulink> and <xref linkend="x"/>.</para></chapter></book>`,
    );
    expect(book).toMatchObject({ title: 'Heron manual', metas: [{ name: 'author', value: 'Ada Wing' }] });
    expect(book.fields).toEqual([{ name: 'date_created', value: '2024-01-31T00:00:00Z' }]);
    expect(book.text).toContain('First Bo It wades; see the next, old and .');
    expect(hrefs(book)).toEqual(['two.xml', 'http://a/old']);
  });

  it('of an unknown vocabulary has its text in reading order, without styles and scripts', () => {
    const own = read(
      '<birds><bird n="1"><name>Heron</name><seen>3</seen></bird><style>b{}</style><a href="#x">n</a></birds>',
    );
    expect(own).toMatchObject({ text: 'Heron 3 n', title: '', links: [], metas: [] });
  });

  it('is limited in links, and reports how many more there are', () => {
    const links = Array.from({ length: 150 }, (_, i) => `<link href="/${i}"/>`).join('');
    const read150 = read(`<feed>${links}</feed>`);
    expect([read150.links.length, read150.cutLinks?.count]).toEqual([100, 50]);
  });

  it('that is broken or deeply nested is still read, in linear time', () => {
    expect(read('<a><title>x').title).toBe('x');
    const deep = '<description>'.repeat(200_000);
    expect(read(`${deep}end`).text).toBe('end');
    const pieces = fc.constantFrom(
      '<item>',
      '</item>',
      '<title>',
      '</title>',
      '<description>',
      '&lt;p&gt;',
      '<link>http://a/',
      '</link>',
      'word',
      '<a href="/x"',
      '>',
      '</description>',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const body = parts.join('');
        expect(read(body).text.length).toBeLessThanOrEqual(body.length);
      }),
    );
  });
});
