import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCrawlUrl } from '../url/crawl-url.js';
import {
  computeFingerprint,
  createImpossibleUrl,
  detectErrorPage,
  isErrorAddress,
  isErrorPage,
  looksLikeErrorPage,
  namesOutage,
  type PageFingerprint,
  removeUrl,
  showsTrace,
} from './error-pages.js';

const simhashes = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const bitLists = fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { maxLength: 20 });
const flip = (simhash: bigint, bits: readonly number[]) =>
  BigInt.asIntN(
    64,
    bits.reduce((value, bit) => value ^ (1n << BigInt(bit)), simhash),
  );
const NAVIGATION = 'Home Products News About us Careers Contact Legal notice Privacy Cookies Help Terms of use Sign in';
const probe: PageFingerprint = { simhash: 0x0123456789abcdefn, title: 'Shop', length: 1_000 };

describe('error pages found by probing', () => {
  it('are recognized although they repeat the requested URL', () => {
    expect(isErrorPage({ ...probe, simhash: flip(probe.simhash, [1, 20, 33, 40, 63]), length: 1_080 }, probe)).toBe(
      true,
    );
    expect(isErrorPage({ ...probe, length: 10_900 }, { ...probe, length: 10_000 })).toBe(true);
    expect(isErrorPage({ ...probe, title: 'Oops: /a/b', simhash: flip(probe.simhash, [5]) }, probe)).toBe(true);
  });

  it('are distinguished from pages with the same title, the same length or a slightly similar text', () => {
    const other = flip(
      probe.simhash,
      Array.from({ length: 32 }, (_, i) => 2 * i),
    );
    expect(isErrorPage({ ...probe, simhash: other }, probe)).toBe(false);
    expect(isErrorPage({ ...probe, length: 2_000 }, probe)).toBe(false);
    expect(isErrorPage({ ...probe, title: 'Product 7', simhash: flip(probe.simhash, [1, 2, 3, 4]) }, probe)).toBe(
      false,
    );
    expect(
      isErrorPage({ ...probe, title: '', simhash: flip(probe.simhash, [1, 2, 3, 4]) }, { ...probe, title: '' }),
    ).toBe(false);
  });

  it('are recognized by a title that names the error, whatever they suggest', () => {
    const suggestion = { ...probe, simhash: ~probe.simhash, length: 4_000 };
    for (const [title, expected] of [
      ['Page not found', true],
      ['Seite nicht gefunden', true],
      ['Shop', false],
    ] as const)
      expect(isErrorPage({ ...suggestion, title }, { ...probe, title }), title).toBe(expected);
    expect(isErrorPage({ ...suggestion, title: 'Not found: a novel' }, { ...probe, title: 'Not found' })).toBe(false);
  });

  it.each([
    ['{"error":"not_found","path":"#","id":"k3f9"}', '{"error":"not_found","path":"#","id":"77ab2"}', true],
    ['Cannot GET # (12:05:09)', 'Cannot GET # (12:06:31)', true],
    ['404', '500', false],
    ['Cannot GET #', 'Opening hours of #', false],
  ])('of few words are the same but for ids: %s, %s', (first, second, expected) => {
    const print = (text: string, href: string) =>
      computeFingerprint({ title: '', text: text.replace('#', href) }, toCrawlUrl(href))!;
    expect(isErrorPage(print(first, 'http://a.example/gone'), print(second, 'http://a.example/x9k.html'))).toBe(
      expected,
    );
  });

  it('of more words are the same but for times and ids, too', () => {
    const print = (time: string, id: string) => {
      const text = `Ahoy! Here be dragons, and no page. Weigh anchor and sail back to the harbour. ${NAVIGATION} ${time} ${id}`;
      return computeFingerprint({ title: '', text }, toCrawlUrl('http://a.example/x'))!;
    };
    const other = print('2031-05-06 07:08:09.123', '0b7e11aa-4c2f-9d3e-8f00-12ab34cd56ef');
    expect(isErrorPage(print('2031-01-02 03:04:05.678', '7c1d0fe9-11aa-42bb-9cc3-0d1e2f3a4b5c'), other)).toBe(true);
  });

  it('do not exist on a host that answers everything with one page', () => {
    expect(detectErrorPage(probe, { ...probe, simhash: flip(probe.simhash, [9]) })).toBeUndefined();
    expect(detectErrorPage(probe, { simhash: ~probe.simhash, title: 'Home', length: 9_000 })).toBe(probe);
  });

  it.each([
    ['the whole address', (url: string) => url],
    ['the address without its scheme', (url: string) => url.slice('https://'.length)],
    ['the path', (url: string) => url.slice('https://a.example'.length)],
    ['the path, decoded', (url: string) => decodeURIComponent(url.slice('https://a.example'.length))],
    ['the name of the file', (url: string) => url.slice(url.lastIndexOf('/') + 1)],
    ['the name in capitals, without its ending', (url: string) => /[^/]+(?=\.html)/.exec(url)![0].toUpperCase()],
  ])('match for any requested URL when they repeat %s, however short they are', (_, shown) => {
    const answer = (url: string) => {
      const text = `Sorry! We could not find ${shown(url)}. It may have moved. Look for "${shown(url)}" in our search, or tell us.`;
      return computeFingerprint({ title: `Oops: ${shown(url)}`, text: `${text} ${NAVIGATION}` }, toCrawlUrl(url));
    };
    const urls = ['https://a.example/k7x2.html', 'https://a.example/docs/old%20pages/caf%C3%A9-menu.html?day=3'];
    expect(answer(urls[0]!)).toEqual({ ...answer(urls[1]!), length: expect.any(Number) });
    expect(answer(urls[0]!)).toBeDefined();
  });

  it('share no title when the title is the URL', () => {
    const text = `${NAVIGATION} ${NAVIGATION}`;
    expect(computeFingerprint({ title: 'menu.html', text }, toCrawlUrl('https://a.example/menu.html'))?.title).toBe('');
  });

  it('keep words of the URL that are part of other words or occur in any text', () => {
    const of = (text: string, url: string) => computeFingerprint({ title: '', text }, toCrawlUrl(url));
    const text = `A page about menus and pages. ${NAVIGATION}`;
    expect(of(text, 'https://a.example/a')).toEqual(of(text, 'https://a.example/'));
    expect(of(text, 'https://a.example/page')).not.toEqual(of(text, 'https://a.example/menu'));
    expect(of(text, 'https://a.example/menu')).toEqual(of(text, 'https://a.example/'));
  });

  it('keep every slash when the URL has no path', () => {
    const page = { title: 'Men / Women', text: 'Shoes / boots / socks' };
    expect(removeUrl(page, toCrawlUrl('https://a.example/'))).toEqual(page);
  });

  it('are recognized whatever the URL contains', () => {
    const word = fc.constantFrom('(', '[', '\\', '.', '*', '/', '|', '-', '%41', 'a', 'é', '?');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (parts) => {
        const url = toCrawlUrl(`https://a.example/${parts.join('')}`);
        const text = `We could not find ${url.href}. ${NAVIGATION}`;
        expect(computeFingerprint({ title: '', text }, url)?.length).toBeLessThanOrEqual(
          text.length - url.href.length + 1,
        );
      }),
    );
  });

  it('are compared by hash alone when title and length agree', () => {
    fc.assert(
      fc.property(simhashes, bitLists, (simhash, bits) => {
        const page = { ...probe, simhash: flip(simhash, bits) };
        expect(isErrorPage(page, { ...probe, simhash })).toBe(bits.length <= 12);
        expect(isErrorPage({ ...page, title: 'Other' }, { ...probe, simhash })).toBe(bits.length <= 3);
      }),
    );
  });

  it.each([
    ['https://a.example/', 'https://a.example/k7x.html'],
    ['https://a.example/docs/page.html?x=/y/z', 'https://a.example/docs/k7x.html'],
    ['https://a.example/docs/', 'https://a.example/docs/k7x.html'],
  ])('are probed beside %s', (url, expected) => expect(createImpossibleUrl(url, 'k7x')).toBe(expected));
});

it.each([
  'Diese Seite gibt es nicht mehr.',
  "La page demandée n'a pas été trouvée.",
  'Pagina nu a fost găsită',
  'Tražena stranica nije pronađena.',
  'Страницата не е намерена',
  'Такой страницы нет; нет такой страницы',
  'Η σελίδα δεν βρέθηκε',
  'الصفحة غير موجودة',
  'הדף לא נמצא',
  'صفحه یافت نشد',
  'पृष्ठ नहीं मिला',
  'ไม่พบหน้าที่คุณต้องการ',
  'Không tìm thấy trang',
  'Halaman tidak ditemukan',
  'Puslapis nerastas',
  'Stránka sa nenašla',
  '指定されたページは存在しません。',
  '존재하지 않는 게시물입니다.',
])('%j has the words of an error page', (text) => {
  expect(looksLikeErrorPage({ title: 'Site', text })).toBe(true);
  expect(looksLikeErrorPage({ title: 'Site', text: `${text} ${'and much more '.repeat(200)}` })).toBe(false);
});

describe('words with which servers say that they cannot show a page', () => {
  it.each([
    'This service is temporarily unavailable.',
    'Down for scheduled maintenance. Back soon!',
    'Error establishing a database connection',
    'SQLSTATE[HY000] [2002] Connection refused',
    'Something went wrong. Please try again later.',
    'This domain may be for sale.',
    'Welcome to nginx!',
    'There has been a critical error on this website.',
    'Es gab einen kritischen Fehler auf deiner Website.',
    'Server Error (500)',
    'Oops, an error occurred! Code: 2031',
    'Resource Limit Is Reached',
    '502 Bad Gateway',
    'Wegen Wartungsarbeiten ist die Seite vorübergehend nicht erreichbar.',
    'Site en maintenance, merci de réessayer plus tard.',
    'Sitio en mantenimiento',
    'Technische Störung',
    'Ведутся технические работы',
    'ただいまメンテナンス中です。',
    '网站正在维护',
  ])('are found: %s', (text) => {
    expect(namesOutage({ title: '', text })).toBe(true);
    expect(namesOutage({ title: text, text: '' })).toBe(true);
    expect(namesOutage({ title: '', text: text + ' and much more'.repeat(200) })).toBe(false);
  });

  it.each([
    'We sell tea from China, and cups.',
    'The annual report describes what was achieved.',
    'This error code is described in chapter 12, and so is the server.',
    'Our team maintains the gardens of the city.',
    'Unsere Öffnungszeiten: montags bis freitags von neun bis fünf.',
  ])('are not found in other texts: %s', (text) => expect(namesOutage({ title: '', text })).toBe(false));
});

describe('places in a program at which it failed', () => {
  it.each([
    'java.lang.NullPointerException at org.example.Main.run(Main.java:12)',
    'Unhandled Exception. at Example.Main(String[] args) in C:\\app\\Main.cs:line 12',
    'Traceback File "/srv/app/views.py", line 12, in get',
    'Warning: Division by zero in /var/www/html/index.php on line 12',
    'Stack trace: #0 /var/www/html/lib/Db.php(12): connect()',
    "NoMethodError app/models/page.rb:12:in 'find'",
    'panic: goroutine 1 main.main() /src/main.go:12',
    'TypeError at Object.handle (/app/server.js:12:5)',
  ])('are found: %s', (text) => expect(showsTrace(`${text} ${'and more'.repeat(999)}`)).toBe(true));

  it.each([
    'We are open at the weekend (from ten to five).',
    'Read it in section 12.',
    'The file "a.txt" has 12 lines.',
  ])('are not found in other texts: %s', (text) => expect(showsTrace(text)).toBe(false));
});

it.each([
  ['/errors/404-not-found.html', 'Welcome', true],
  ['/seite-nicht-gefunden/', 'Welcome', true],
  ['/Pages/PageNotFoundError.aspx', 'Welcome', true],
  ['/filenotfound.htm', 'Welcome', true],
  ['/page-non-trouvee', 'Welcome', true],
  ['/fehler_404.php', 'Welcome', true],
  ['/strona-nie-znaleziona', 'Welcome', true],
  ['/lost-and-found', 'Welcome', false],
  ['/bus-404', 'Welcome', false],
  ['/404', 'Page not found', true],
  ['/404', 'The red bus', false],
  ['/404?from=/missing/page', 'Welcome', true],
  ['/404?bus=red', 'Welcome', false],
  ['/docs/errors', 'All error messages', false],
  ['/down.html', 'We will be back soon', true],
  ['/maintenance/', 'Under maintenance', true],
  ['/maintenance/', 'Lifts, doors and heating: we look after them', false],
  ['/', 'Page not found', false],
])('where a redirect to %s with the title "%s" leads is an error page: %s', (path, title, expected) => {
  expect(isErrorAddress(toCrawlUrl(`http://a.example${path}`), { title, text: `${title}.` })).toBe(expected);
});
