/** Good statuses with wrong contents, and failures, of whole sites. */
import { gzipSync } from 'node:zlib';
import type { FakeAnswer, FakePage } from './fake-site.js';
import { createPage, type GuardedSite, HTML, write } from './guarded-sites.js';

export const MAINTENANCE = createPage(
  'Wartung',
  'We are working on our site and will be back for you as soon as we can.',
);
const LOGIN = createPage('Sign in', `Please sign in with the name and password of your account. ${write('login')}`);
const UNAVAILABLE = 'This service is temporarily unavailable. Please try again later.';
export const NOINDEX = '<meta name="robots" content="noindex">';
const FEED = `<rss version="2.0"><channel><title>News</title><link>http://a.example/</link><description>All news</description>
  <item><title>One</title><description>${write('news', 20)}</description></item></channel></rss>`;
const NOT_FOUND = { status: 404 };

export type Fault = (guarded: GuardedSite) => void;

/** @param nonsense what the host sends for other URLs */
const setAll =
  (fault: FakePage, nonsense: FakePage = fault): Fault =>
  ({ site, paths }) => {
    for (const path of paths) site.set(path, fault);
    site.otherwise(nonsense);
  };

export const changeAll =
  (change: (path: string, page: FakeAnswer, guarded: GuardedSite) => FakePage): Fault =>
  (guarded) => {
    for (const [path, page] of guarded.pages) guarded.site.set(path, change(path, page, guarded));
  };

const addToHead = (page: FakeAnswer, head: string): FakeAnswer => ({
  ...page,
  body: String(page.body).replace('</head>', `${head}</head>`),
});

const omitNumbers = ({ body }: FakeAnswer): string => String(body).replace(/\d+/g, '');

const redirectAll =
  (target: FakePage, getLocation: (path: string) => string): Fault =>
  (guarded) => {
    changeAll((path) => ({ status: 302, headers: { location: getLocation(path) } }))(guarded);
    guarded.site.set('/out', target);
  };

/** The connection ends in the middle of the body. */
const cut =
  (body: string, headers: Record<string, string>): FakePage =>
  (_, response) => {
    response.writeHead(200, { ...HTML, ...headers });
    response.write(body.slice(0, body.length >> 1));
    setImmediate(() => response.destroy());
    return undefined;
  };

const challenge = (status: number, headers: Record<string, string>, body = ''): Fault =>
  setAll({ status, headers: { ...HTML, ...headers }, body });

let incidents = 0;
/** A word of ten letters that no other answer has. */
const word = (): string =>
  [...String(Math.imul(++incidents, 0x9e3779b1) >>> 0).padStart(10, '0')]
    .map((digit) => 'bdfgklmnpr'[Number(digit)])
    .join('');
const INTERSTITIAL = '<title>Just a moment...</title><script>window._cf_chl_opt = {cvId: "3"};</script>';

/** Faults that are seen in the pages, so that what the pages would change is held. */
export const HELD: Record<string, Fault> = {
  'a maintenance page': setAll(MAINTENANCE),
  'a maintenance page on a host that knows which pages exist': setAll(MAINTENANCE, NOT_FOUND),
  'a maintenance page that names the time and the page': setAll(({ url }) =>
    createPage('Maintenance', `It is ${Date.now()}, and ${url} is being worked on. ${write('maintenance')}`),
  ),
  'a maintenance page with a number of its own each time': setAll(
    () => createPage('Wartung', `Vorübergehend nicht erreichbar. Nummer x${++incidents}y`),
    NOT_FOUND,
  ),
  'an error whose answers differ in some words': setAll(
    () =>
      createPage('Sorry', `Nobody could answer in time. Tell our people ${word()} or ${word()} if you call them soon.`),
    NOT_FOUND,
  ),
  'an error of which most words differ': setAll(
    () => createPage('Sorry', `${write('sorry')} ${Array.from({ length: 30 }, () => `ask for ${word()}`).join(' ')}`),
    NOT_FOUND,
  ),
  'pages that show the texts of others': changeAll((path, page, { pages, paths }) => {
    const other = pages.get(paths[(paths.indexOf(path) + 1) % paths.length]!)!;
    // In a catalogue whose pages differ in numbers alone, as in their prices, other numbers are believed.
    return omitNumbers(other) === omitNumbers(page) ? page : other;
  }),
  'a maintenance page that keeps the titles': changeAll((path) => createPage(`Page ${path}`, UNAVAILABLE)),
  'a short text of a proxy': setAll(
    { headers: { 'content-type': 'text/plain' }, body: 'no healthy upstream' },
    NOT_FOUND,
  ),
  'an error in JSON': setAll({ headers: { 'content-type': 'application/json' }, body: '{"error":500}' }, NOT_FOUND),
  'an error below the navigation of the site': changeAll((path, _, { frame }) => frame(`Page ${path}`, UNAVAILABLE)),
  'nothing below the navigation of the site': changeAll((path, _, { frame }) => frame(`Page ${path}`, '')),
  'the page of a web server without a site': setAll(
    createPage('Welcome to nginx!', `If you see this page, the web server is installed. ${write('nginx', 20)}`),
    NOT_FOUND,
  ),
  'a domain for sale': setAll(createPage('Domain', `${write('insurance loans cars', 30)}`)),
  'a login form': setAll(LOGIN),
  'a limit of requests': setAll(
    createPage('Too many requests', 'You have sent too many requests in a given amount of time.'),
    NOT_FOUND,
  ),
  'the feed of the site instead of every page': setAll(
    { headers: { 'content-type': 'application/rss+xml' }, body: FEED },
    NOT_FOUND,
  ),
  'a listing of files instead of every page': setAll(
    createPage('Index of /', '<h1>Index of /</h1><a href="?C=N;O=D">Name</a> <a href="a.zip">a.zip</a>'),
    NOT_FOUND,
  ),
  'bytes that nobody can read': setAll({ headers: HTML, body: gzipSync(write('garbage')) }, NOT_FOUND),
  'an empty answer': setAll({ headers: HTML, body: '' }),
  'an empty answer with 204': setAll({ status: 204 }, NOT_FOUND),
  'an application that needs scripts': setAll(
    createPage('App', '<div id="root"></div><script src="/app.js"></script>'),
  ),
  'the home page instead of every page': (guarded) => setAll(guarded.pages.get('/')!)(guarded),
  'a maintenance page on half of the site': ({ site, paths }) => {
    for (const [i, path] of paths.entries()) if (i % 2 === 1) site.set(path, MAINTENANCE);
  },
  'noindex in the template': changeAll((_, page) => addToHead(page, NOINDEX)),
  'noindex on a maintenance page': setAll(addToHead(MAINTENANCE, NOINDEX), NOT_FOUND),
  'X-Robots-Tag on every answer': changeAll((_, page) => ({
    ...page,
    headers: { ...HTML, 'x-robots-tag': 'noindex' },
  })),
  'a date in the past until which pages are available': changeAll((_, page) =>
    addToHead(page, '<meta name="robots" content="unavailable_after: 2001-01-01">'),
  ),
  'a canonical URL that names the home page': changeAll((_, page) =>
    addToHead(page, '<link rel="canonical" href="/">'),
  ),
};

/** Faults that make visits fail, or make no difference. */
const FAILURES: Record<string, Fault> = {
  'the home page of another site': (guarded) => {
    setAll(NOT_FOUND)(guarded);
    guarded.site.set('/', createPage('Another company', write('another company')));
  },
  'a challenge with 403': challenge(403, { 'cf-mitigated': 'challenge' }),
  'a challenge with 405': challenge(405, { 'x-amzn-waf-action': 'captcha' }),
  'a challenge with 202': challenge(202, { 'x-amzn-waf-action': 'challenge' }),
  'a challenge with 200': challenge(200, {}, INTERSTITIAL),
  'bodies that end before their length': changeAll((_, { body }) =>
    cut(String(body), { 'content-length': String(String(body).length) }),
  ),
  'bodies that end before their last chunk': changeAll((_, { body }) => cut(String(body), {})),
  'plain bodies that are called gzip': changeAll((_, page) => ({
    ...page,
    headers: { ...HTML, 'content-encoding': 'gzip' },
  })),
  'gzip that ends early': changeAll((_, { body }) => ({
    headers: { ...HTML, 'content-encoding': 'gzip' },
    body: gzipSync(String(body)).subarray(0, 90),
  })),
  'a part of each page with 206': changeAll((_, { body }) => ({
    status: 206,
    headers: { ...HTML, 'content-range': `bytes 0-59/${String(body).length}` },
    body: String(body).slice(0, 60),
  })),
  'redirects to an error 500': redirectAll({ status: 500 }, (path) => `/out?from=${path}`),
  'redirects to an error 503': redirectAll({ status: 503, headers: { 'retry-after': '600' } }, () => '/out'),
  'redirects to a maintenance page': redirectAll(MAINTENANCE, (path) => `/out?from=${path}`),
  'redirects to pages that forbid their indexing': ({ site, paths, frame }) => {
    for (const path of paths) {
      site.set(path, { status: 302, headers: { location: `/out${path}` } });
      site.set(`/out${path}`, frame('Closed', UNAVAILABLE, NOINDEX));
    }
  },
  'a cookie that every page requires': ({ site, pages }) => {
    for (const [path, page] of pages)
      site.set(path, ({ headers }) =>
        headers.cookie?.includes('ok=1') ? page : { status: 302, headers: { location: `/gate?next=${path}` } },
      );
    site.set('/gate', ({ url }) => ({
      status: 302,
      headers: { 'set-cookie': 'ok=1; path=/', location: new URL(url!, site.origin).searchParams.get('next')! },
    }));
  },
};

export const FAULTS: Record<string, Fault> = { ...HELD, ...FAILURES };
