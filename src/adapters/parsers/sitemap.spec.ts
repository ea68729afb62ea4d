import { describe, expect, it } from 'vitest';
import { readSitemapText } from './sitemap.js';

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const read = (text: string, maxEntries = 100) => readSitemapText(text, maxEntries);

describe('a sitemap', () => {
  it('with the translations of a page before its URL keeps the URL', () => {
    const alternate = '<xhtml:link rel="alternate" hreflang="de" href="http://a/de"/>';
    const content = read(`<urlset><url>${alternate}<loc>http://a/en</loc></url></urlset>`);
    expect(content?.entries).toEqual([{ url: 'http://a/en' }]);
  });

  it('has its URLs and their times of change, trimmed and decoded', () => {
    expect(
      read(`<?xml version="1.0" encoding="UTF-8"?>
        <urlset ${NAMESPACE}>
          <url><loc> http://a/?x=1&amp;y=2
          </loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq></url>
          <url><lastmod> 2026-01-02T03:04:05Z </lastmod><loc><![CDATA[http://a/?p&q]]></loc></url>
          <url><loc>http://a/&#252;</loc></url>
          <url><priority>1</priority></url>
        </urlset>`),
    ).toEqual({
      kind: 'urlset',
      entries: [
        { url: 'http://a/?x=1&y=2', lastModified: '2026-01-02' },
        { url: 'http://a/?p&q', lastModified: '2026-01-02T03:04:05Z' },
        { url: 'http://a/ü' },
      ],
      truncated: false,
    });
  });

  it('has all URLs of an entry that contains several by mistake', () => {
    const url = '<url><loc>http://a/1</loc><lastmod>2026-01-02</lastmod><loc>http://a/2</loc></url>';
    expect(read(`<urlset>${url}</urlset>`)?.entries).toEqual([
      { url: 'http://a/1', lastModified: '2026-01-02' },
      { url: 'http://a/2', lastModified: '2026-01-02' },
    ]);
    const index = '<sitemapindex><sitemap><loc>http://a/1</loc><loc>http://a/2</loc></sitemap></sitemapindex>';
    expect(read(index)?.entries.map((entry) => entry.url)).toEqual(['http://a/1', 'http://a/2']);
  });

  it.each([
    ['<guid>http://a/1</guid>', ['http://a/1']],
    ['<guid isPermaLink="true">http://a/1</guid>', ['http://a/1']],
    ['<guid isPermaLink="false">http://a/1</guid>', []],
    ['<guid>some-id</guid>', []],
    ['<guid>http://a/1</guid><link>http://a/2</link>', ['http://a/2']],
  ])('of RSS takes %s', (fields, urls) =>
    expect(read(`<rss><channel><item>${fields}</item></channel></rss>`)?.entries.map(({ url }) => url)).toEqual(urls),
  );

  it('may have namespace prefixes and upper case', () => {
    expect(read('<sm:URLSET><sm:Url><sm:LOC>http://a/</sm:LOC></sm:Url></sm:URLSET>')?.entries).toEqual([
      { url: 'http://a/' },
    ]);
  });

  it('is not confused by the URLs of images, videos and translations', () => {
    expect(
      read(
        '<urlset><url><image:image><image:loc>http://a/i.png</image:loc></image:image><loc>http://a/</loc>' +
          '<xhtml:link rel="alternate" hreflang="de" href="http://a/de"/></url></urlset>',
      )?.entries,
    ).toEqual([{ url: 'http://a/' }]);
  });

  it('may be an index', () => {
    expect(
      read('<sitemapindex><sitemap><loc>http://a/1.xml</loc><lastmod>2026</lastmod></sitemap></sitemapindex>'),
    ).toEqual({ kind: 'index', entries: [{ url: 'http://a/1.xml', lastModified: '2026' }], truncated: false });
  });

  it('stops at the limit, which is reported', () => {
    const urls = (count: number) => `<urlset>${'<url><loc>http://a/</loc></url>'.repeat(count)}</urlset>`;
    expect(read(urls(3), 2)).toMatchObject({ entries: [{}, {}], truncated: true });
    expect(read(urls(2), 2)).toMatchObject({ entries: [{}, {}], truncated: false });
  });

  it('leaves out URLs of more than 8 KiB', () => {
    const long = `http://a/${'x'.repeat(8_192)}`;
    expect(read(`<urlset><url><loc>${long}</loc></url><url><loc>http://b/</loc></url></urlset>`)?.entries).toEqual([
      { url: 'http://b/' },
    ]);
  });
});

describe('a feed', () => {
  it('may be RSS', () => {
    expect(
      read(
        '<rss version="2.0"><channel><title>t</title><link>http://a/</link><item><title>x</title><link>http://a/1</link>' +
          '<pubDate>Mon, 06 Sep 2010 00:01:00 +0200</pubDate></item><item><link>http://a/2</link><pubDate>?</pubDate></item></channel></rss>',
      ),
    ).toEqual({
      kind: 'feed',
      entries: [{ url: 'http://a/1', lastModified: '2010-09-05T22:01:00.000Z' }, { url: 'http://a/2' }],
      truncated: false,
    });
  });

  it('may be RSS 1.0', () => {
    expect(
      read('<rdf:RDF><channel/><item><link>http://a/1</link><dc:date>2026-01-02</dc:date></item></rdf:RDF>'),
    ).toMatchObject({ kind: 'feed', entries: [{ url: 'http://a/1', lastModified: '2026-01-02' }] });
  });

  it('may be Atom', () => {
    expect(
      read(
        '<feed><link href="http://a/"/><entry><link rel="self" href="http://a/self"/><link href="http://a/1?a&amp;b" rel="alternate"/>' +
          '<content><link href="http://no/"/></content><updated>2026-01-02T00:00:00Z</updated></entry></feed>',
      ),
    ).toEqual({
      kind: 'feed',
      entries: [{ url: 'http://a/1?a&b', lastModified: '2026-01-02T00:00:00Z' }],
      truncated: false,
    });
  });

  it.each([
    ['http://a/blog/', ['http://a/blog/1', 'http://a/2', 'http://a/blog/sub/3', 'http://b/4', 'http://c/5']],
    ['/blog/feed.xml', ['/blog/1', '/2', '/blog/sub/3', 'http://b/4', 'http://c/5']],
    ['blog/', ['blog/1', '/2', 'blog/sub/3', 'http://b/4', 'http://c/5']],
  ])('may state the base %s of its URLs', (base, urls) => {
    const entries = [
      '<entry><link href="1"/></entry><entry><link href="/2"/></entry><entry xml:base="sub/"><link href="3"/></entry>',
      '<entry xml:base="http://b/x/"><link href="/4"/></entry><entry><link href="http://c/5"/></entry>',
    ].join('');
    expect(read(`<feed xml:base="${base}">${entries}</feed>`)!.entries.map(({ url }) => url)).toEqual(urls);
  });
});

it('may be the listing of a bucket, whose keys are relative URLs', () => {
  const object = (key: string) =>
    `<Contents><Key>${key}</Key><LastModified>2031-05-06T07:08:09.000Z</LastModified><Size>7</Size></Contents>`;
  const xml = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>${object('a.html')}${object('two words/n&amp;o #1.pdf')}</ListBucketResult>`;
  expect(readSitemapText(xml, 10)).toEqual({
    kind: 'feed',
    entries: ['./a.html', './two%20words/n%26o%20%231.pdf'].map((url) => ({
      url,
      lastModified: '2031-05-06T07:08:09.000Z',
    })),
    truncated: false,
  });
});

describe('a list', () => {
  it('has one URL in each line', () => {
    expect(read('http://a/\r\n\n  https://b/x \nnot a url\nftp://c/\n')).toEqual({
      kind: 'text',
      entries: [{ url: 'http://a/' }, { url: 'https://b/x' }],
      truncated: false,
    });
  });

  it('stops at the limit, which is reported', () => {
    expect(read('http://a/\nhttp://b/\nhttp://c/', 2)).toMatchObject({ entries: [{}, {}], truncated: true });
    expect(read('http://a/\nhttp://b/\n', 2)).toMatchObject({ truncated: false });
  });
});

describe('broken sitemaps', () => {
  it.each([
    ['cut in the middle', '<urlset><url><loc>http://a/</loc></url><url><loc>http://b'],
    ['with markup in an address', '<urlset><url><loc>http://a/<x>no</x></loc></url></urlset>'],
    ['cut in a tag', '<urlset><url><loc>http://a/</loc></url><url><lo'],
    ['without end tags', '<urlset><url><loc>http://a/</loc><url>'],
    ['with plain ampersands and less-than signs', '<urlset>& < &x; <url><loc>http://a/</loc></url></urlset>'],
    ['with wrong end tags', '<urlset></b></url><url></x><loc>http://a/</loc></y></url></urlset>'],
  ])('%s give what can be read', (_name, text) => {
    expect(read(text)?.entries).toEqual([{ url: 'http://a/' }]);
  });

  it('with unclosed elements in one entry still give the next one', () => {
    expect(read('<urlset><url><loc>http://a/</loc><open><url><loc>http://b/</loc></url></urlset>')?.entries).toEqual([
      { url: 'http://a/' },
      { url: 'http://b/' },
    ]);
  });

  it.each([
    ['a page', '<!DOCTYPE html><html><body><url><loc>http://a/</loc></url></html>'],
    ['other XML', '<?xml version="1.0"?><constructor><url><loc>http://a/</loc></url></constructor>'],
    ['text', 'Not found\nhttp://a/'],
    ['nothing', ''],
  ])('%s is not a sitemap', (_name, text) => expect(read(text)).toBeUndefined());

  it.each(['<a>', '</a>', '<url>', '<url><loc>', '<!--', '<', '&', '<a b="', '<![CDATA[', '<?', 'http://a/\n', '&#1'])(
    '1 MiB of %j is read to the end',
    (pattern) => {
      expect(() => read(`<urlset>${pattern.repeat((1024 * 1024) / pattern.length)}`)).not.toThrow();
    },
  );
});

describe('a sitemap after a warning of the program that made it', () => {
  const urlset = `<?xml version="1.0"?><urlset ${NAMESPACE}><url><loc>http://a/1</loc></url></urlset>`;
  const bare = `<urlset ${NAMESPACE}><url><loc>http://a/1</loc></url></urlset>`;
  it.each([
    '\n\n',
    'Warning: Undefined variable $x in /srv/map.php on line 3\n',
    '<br />\n<b>Warning</b>:  Undefined index in <b>/srv/map.php</b> on line <b>3</b><br />\n',
    "<br /><font size='1'><table class='xdebug-error xe-warning'><tr><th align='left'>a</th></tr></table></font>\n",
  ])('is read: %j', (warning) => {
    for (const sitemap of [urlset, bare]) expect(read(warning + sitemap)?.entries).toEqual([{ url: 'http://a/1' }]);
  });

  it.each([
    `<config><feed><entry><link href="http://a/1"/></entry></feed></config>`,
    `<!doctype html><title>How to write a sitemap</title><script>const s = '${bare}';</script>`,
    `<html><body><xmp>${urlset}</xmp></body></html>`,
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description/></rdf:RDF>',
  ])('is not found inside of another document: %s', (text) => expect(read(text)).toBeUndefined());
});
