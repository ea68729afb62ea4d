import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Extraction, SyncExtractor } from '../../engine/ports/content-extractor.js';
import { createPageReader } from './page-reader.js';

const reader = createPageReader();
const LIMITS = { maxLinks: 100, maxTextLength: 1_000 };
const extractorOf = (mediaType: string) => reader.findExtractor(mediaType) as SyncExtractor | undefined;
const read = (body: string | Uint8Array, contentType?: string, limits = LIMITS): Extraction => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const mediaType = reader.detectMediaType(bytes, contentType, '');
  const context = { ...limits, contentType, url: 'http://test/' };
  return extractorOf(mediaType)!.extract(bytes, mediaType, context) as Extraction;
};

const extract = (): Extraction => read('', 'text/html');

describe('a page', () => {
  it('is read whole', () => {
    expect(
      read(
        '<!DOCTYPE html><html lang=de><title>Grüße</title><base href="/b/"><meta name=author content=Ann>' +
          '<meta name=robots content=noarchive><body><p>Hallo <a href="x?a&amp;b" rel=ugc>Welt</a>',
        'text/html',
      ),
    ).toEqual({
      encoding: 'utf-8',
      title: 'Grüße',
      text: 'Hallo Welt',
      language: 'de',
      base: '/b/',
      links: [{ href: 'x?a&b', kind: 'a', nofollow: true }],
      metas: [
        { name: 'author', value: 'Ann' },
        { name: 'robots', value: 'noarchive' },
      ],
      robotsMetas: [{ agent: 'robots', directives: 'noarchive' }],
      truncated: false,
    });
  });

  it.each([
    ['windows-1251', '/\xef?q=\xef\xf0&a=%20#\xef', '/п?q=%EF%F0&a=%20#п'],
    ['shift_jis', '?\x93\xfa\x96{', '?%93%FA%96{'],
    ['windows-1252', '/\xfc#?\xfc', '/ü#?ü'],
    ['utf-8', '?\xc3\xbc', '?ü'],
    ['utf-16le', '?\xfc', '?ü'],
  ])('in %s has the queries of its links encoded in it, as browsers do', (charset, written, href) => {
    const page = Buffer.from(`<a href="${written}">x</a>`, 'latin1');
    const body = charset === 'utf-16le' ? Buffer.from(page.toString('latin1'), 'utf16le') : page;
    expect(read(body, `text/html; charset=${charset}`).links).toEqual([{ href, kind: 'a', nofollow: false }]);
  });

  it('links to alternates for people, not to those for programs', () => {
    const alternate = (type: string, href: string): string => `<link rel="alternate" type="${type}" href="${href}">`;
    const page =
      alternate('application/json+oembed', '/oembed?url=1') +
      alternate('text/xml+oembed', '/oembed?format=xml') +
      alternate('application/json', '/wp-json/wp/v2/posts/1') +
      alternate('application/rss+xml', '/feed/') +
      alternate('text/html; charset=utf-8', '/de') +
      '<link rel="next alternate" type="application/json" href="/2">';
    expect(read(page, 'text/html').links.map(({ kind, href }) => `${kind} ${href}`)).toEqual([
      'alternate /feed/',
      'alternate /de',
      'next /2',
    ]);
  });

  it('full of links in a legacy encoding is read in linear time', () => {
    const query = 'a\x1b$BF|\x1b(B'.repeat(800);
    const page = Buffer.from(
      Array.from({ length: 2_000 }, (_, i) => `<a href="?${i}${query}">x</a>`).join(''),
      'latin1',
    );
    const began = process.cpuUsage();
    const { links } = read(page, 'text/html; charset=iso-2022-jp', { maxLinks: 10_000, maxTextLength: 0 });
    expect(links).toHaveLength(2_000);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000, 'milliseconds of the processor').toBeLessThan(6_000);
  });

  it('has words without marks of the direction of text, but with those that join letters', () => {
    const page =
      '<title>\u202bשלום\u202c</title>\u200fשלום\u200f (C++\u200e) \u2067a\u2060b\u2069 &rlm;می\u200cخواهم ק\u05d5\u200fل\u205fc';
    expect(read(page)).toMatchObject({ title: 'שלום', text: 'שלום (C++) ab می\u200cخواهم קוل c' });
  });

  it('has words without soft hyphens', () => {
    const page = '<title>Do&shy;nau</title>Dampf&shy;schiff\u00ADfahrt<wbr>s &#173; ge\u00ADsell';
    expect(read(page, 'text/html')).toMatchObject({ title: 'Donau', text: 'Dampfschifffahrts gesell' });
    expect(read('Dampf\u00ADschiff', 'text/plain').text).toBe('Dampfschiff');
  });

  it('is decoded with its charset', () => {
    const page = Buffer.from('<meta charset=windows-1252><title>\x80uro</title><a href="\xfc">\xe9t\xe9</a>', 'latin1');
    expect(read(page, 'text/html')).toMatchObject({
      encoding: 'windows-1252',
      title: '€uro',
      text: 'été',
      links: [{ href: 'ü' }],
    });
  });

  it('in UTF-16 is read too', () => {
    expect(read(Buffer.from('\ufeff<title>T</title><a href=1>x</a>', 'utf16le'), 'text/html')).toMatchObject({
      encoding: 'utf-16le',
      title: 'T',
      links: [{ href: '1' }],
    });
  });

  it('without a Content-Type is recognized by its bytes', () => {
    expect(read('<html><a href=1>x</a>').links).toHaveLength(1);
    expect(read('<html><a href=1>x</a>', 'application/octet-stream').links).toHaveLength(1);
  });

  it('that is XHTML by name may have empty script elements', () => {
    expect(read('<html><script/><a href="1">x</a></html>', 'application/xhtml+xml').links).toHaveLength(1);
    expect(read('<html><script/><a href="1">x</a></html>', 'text/html').links).toHaveLength(0);
  });

  it('with more text than the limit is truncated between characters, which is reported', () => {
    expect(read('<p>aé😀b', 'text/html', { ...LIMITS, maxTextLength: 3 })).toMatchObject({
      text: 'aé',
      truncated: true,
    });
    expect(read('<p>aé😀b', 'text/html', { ...LIMITS, maxTextLength: 5 })).toMatchObject({
      text: 'aé😀b',
      truncated: false,
    });
    expect(read('<p>\u20ac\u20ac', 'text/html', { ...LIMITS, maxTextLength: 1 })).toMatchObject({
      text: '€',
      truncated: true,
    });
  });

  it('whose text is not wanted still has its language', () => {
    const words =
      'Die Würde des Menschen ist unantastbar, und sie zu achten ist die Pflicht von allen, die sie haben. ';
    const menu = 'menu item · '.repeat(2_000);
    for (const maxTextLength of [0, 100_000]) {
      const page = read(`<p>${menu}${words.repeat(30)}${menu}`, 'text/html', { ...LIMITS, maxTextLength });
      expect({ language: page.language, text: page.text !== '' }).toEqual({ language: 'de', text: maxTextLength > 0 });
    }
  });

  it('with more links than the limit reports it', () => {
    expect(read('<a href=1><a href=2>', 'text/html', { ...LIMITS, maxLinks: 1 })).toMatchObject({
      links: [{ href: '1' }],
      cutLinks: { count: 1 },
    });
  });

  it('keeps nothing of the page before', () => {
    read(`<p>${'long '.repeat(100_000)}`, 'text/html');
    expect(read('<p>short', 'text/html').text).toBe('short');
  });

  it('may be a part of a larger buffer', () => {
    const whole = Buffer.from('<a href=0><a href=1>x</a><a href=2>');
    expect(read(new Uint8Array(whole.buffer, whole.byteOffset + 10, 15), 'text/html').links).toEqual([
      { href: '1', kind: 'a', nofollow: false },
    ]);
  });

  it('never makes the reader fail, whatever its bytes and its type', () => {
    const types = fc.constantFrom(
      undefined,
      'text/html',
      'text/html; charset=x',
      'text/xml',
      'text/plain',
      'a/b+xml',
      'application/pdf',
      ';',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            '<a href=',
            '<title>',
            '&#x',
            '"',
            '>',
            '\xff',
            '\x00',
            '<svg>',
            '</svg>',
            '<!--',
            '<?xml ',
            'é',
          ),
        )
        .map((parts) => Buffer.from(parts.join(''), 'latin1')),
    );
    fc.assert(
      fc.property(bytes, types, (body, contentType) => {
        const mediaType = reader.detectMediaType(body, contentType, '/a.html');
        const content = extractorOf(mediaType) && read(body, contentType);
        expect(content?.text).toBe(content?.text.trim());
        reader.readSitemap(body, contentType, 10);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('other content', () => {
  const GERMAN = 'Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung.';

  it('that is plain text is text, without markup or links', () => {
    expect(read(` <b>${GERMAN}\n\n&amp; <a href=1> `, 'text/plain; charset=utf-8')).toEqual({
      encoding: 'utf-8',
      title: '',
      text: `<b>${GERMAN}\n&amp; <a href=1>`,
      language: 'de',
      links: [],
      metas: [],
      robotsMetas: [],
      truncated: false,
    });
    expect(read('a: 1', 'application/yaml').text).toBe('a: 1');
  });

  it('that is XML is the text of its elements', () => {
    expect(
      read(
        '<?xml version="1.0"?><!-- no --><doc a="no"><title>One</title><script>two</script>th<b>ree</b> &lt;<![CDATA[<4>]]>&#252;</doc>',
        'text/xml',
      ).text,
    ).toBe('One three <<4>ü');
    expect(read('<svg><text>drawn</text></svg>', 'image/svg+xml').text).toBe('drawn');
  });

  it.each([
    ['%PDF-1.4 text', 'application/pdf'],
    ['PK\x03\x04', 'application/zip'],
    ['{\\rtf1 text}', 'text/rtf'],
    ['\x00\x01', undefined],
  ])('%j (%s) is read by no extractor', (body, contentType) => {
    expect(extractorOf(reader.detectMediaType(Buffer.from(body), contentType, ''))).toBeUndefined();
  });

  it('is read by the first extractor that takes its media type', () => {
    const pdf = { kind: 'sync', name: 'pdf', mediaTypes: ['application/pdf', /^image\//], extract } as const;
    const markup = { kind: 'sync', name: 'markup', mediaTypes: ['text/html'], extract } as const;
    const own = createPageReader([pdf, markup]);
    const names = ['application/pdf', 'image/png', 'text/html', 'application/xhtml+xml', 'audio/ogg'].map(
      (type) => own.findExtractor(type)?.name,
    );
    expect(names).toEqual(['pdf', 'pdf', 'markup', 'html', undefined]);
  });
});

describe('a sitemap', () => {
  const urls = (count: number) => `<urlset>${'<url><loc>http://a/</loc></url>'.repeat(count)}</urlset>`;
  const sitemap = (body: Uint8Array, contentType?: string) => reader.readSitemap(body, contentType, 10);

  it('may be compressed', () => {
    expect(sitemap(gzipSync(urls(2)), 'application/gzip')).toEqual({
      kind: 'urlset',
      entries: [{ url: 'http://a/' }, { url: 'http://a/' }],
      truncated: false,
    });
  });

  it('that is compressed and truncated gives what it has', () => {
    const packed = gzipSync(
      `<urlset>${Array.from({ length: 9 }, (_, i) => `<url><loc>http://a/${i * 7919}</loc></url>`).join('')}`,
      { level: 0 },
    );
    expect(sitemap(packed.subarray(0, 120))?.entries[0]).toEqual({ url: 'http://a/0' });
  });

  it('that expands to more than 50 MiB is read up to the limit, which is reported', () => {
    const bomb = gzipSync(
      Buffer.concat([Buffer.from(urls(1).replace('</urlset>', '')), Buffer.alloc(60 * 1024 * 1024, ' ')]),
      { level: 1 },
    );
    expect(sitemap(bomb)).toEqual({ kind: 'urlset', entries: [{ url: 'http://a/' }], truncated: true });
  });

  it('is decoded as its XML declaration says', () => {
    const body = Buffer.from(
      '<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>http://a/\xfc</loc></url></urlset>',
      'latin1',
    );
    expect(sitemap(body)?.entries).toEqual([{ url: 'http://a/ü' }]);
  });

  it.each([
    ['broken gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])],
    ['a page', Buffer.from('<html>')],
    ['nothing', Buffer.alloc(0)],
  ])('is not %s', (_name, body) => expect(sitemap(body)).toBeUndefined());
});
