/** What servers of all kinds answer, other than pages, is read in time in proportion to its length. */
import { expect, it } from 'vitest';
import { readSitemapText } from '../../src/adapters/parsers/sitemap.js';
import { CookieSession } from '../../src/adapters/sessions/cookie-sessions.js';
import { parseChallenges, parseParameters } from '../../src/adapters/sessions/logins/challenges.js';
import {
  collectValues,
  describeForms,
  findForm,
  getPageText,
  listSigns,
  PageTooComplex,
  parsePage,
} from '../../src/adapters/sessions/logins/html-form.js';
import { compileAcl, compileAclInSteps, parseAclFile } from '../../src/domain/content/acl.js';
import { compileAclRules } from '../../src/domain/content/acl-rules.js';
import { looksLikeLogoutUrl } from '../../src/domain/fetch/logout-urls.js';
import { parseRobots } from '../../src/domain/robots/robots-txt.js';
import { parseIndexNow } from '../../src/domain/signals/indexnow.js';
import { runAtOnce } from '../../src/domain/steps.js';
import { findSuperlinear } from './cpu-growth.js';

const repeat = (text: string) => (size: number) => text.repeat(size / text.length);
/** Both of `begin` and of what closes it. */
const nested =
  (open: string, close = '') =>
  (size: number) =>
    open.repeat(size / (open.length + close.length)) + close.repeat(size / (open.length + close.length));

type Texts = Readonly<Record<string, (size: number) => string>>;

const SIZE = 50_000;

async function expectLinear(texts: Texts, read: (text: string) => unknown): Promise<void> {
  expect(await findSuperlinear(texts, (text) => void read(text), SIZE)).toEqual([]);
}

it('headers and metas with principals', async () => {
  const texts: Texts = {
    names: repeat('staff, '),
    'one name': repeat('a'),
    blanks: repeat(' '),
    'distinguished names': repeat('CN=a,DC=b;'),
    'one distinguished name': repeat('CN=a,'),
    'what looks like one': (size) => `CN=${','.repeat(size)}`,
    quotes: repeat('"'),
    'quoted names': repeat('"a,b",'),
    'escaped separators': repeat('\\,'),
    'names in UTF-8': repeat('\u00c3\u00a4,'),
    'letters that are composed': repeat('a\u0301\u0323'),
  };
  const read = compileAcl({ default: [], rules: [], allowHeader: 'x', denyHeader: 'x' });
  await expectLinear(texts, (x) => read({ href: 'http://a.example/', headers: { x }, metas: [] }));
});

it('URLs that are compared with rules', async () => {
  const texts: Texts = {
    folders: repeat('/a'),
    slashes: repeat('/'),
    'dot segments': repeat('/../a'),
    'encoded dot segments': repeat('/a%2f%2e%2e'),
    'percent signs': repeat('%'),
    'encoded percent signs': repeat('%25'),
    'encoded often': (size) => `%${'25'.repeat(size / 2)}41`,
    'invalid UTF-8': repeat('%ff'),
    'parameters of the path': repeat(';a'),
    'parameters of the query': (size) => `?${'a=b&'.repeat(size / 4)}`,
    'dots at the end': (size) => `/hr${'.'.repeat(size)}/`,
    'blanks in the middle': (size) => `/hr${'%20'.repeat(size / 3)}x/`,
    colons: (size) => `/hr${':'.repeat(size)}x/`,
    'streams of files': repeat(':$a'),
    'combining letters': repeat('a%CC%81'),
  };
  const rules = ['/', '/hr/', '/w?a=b&c=d'].map((path) => ({
    prefix: `http://a.example${path}`,
    allow: ['x'],
    deny: [],
  }));
  const { find } = compileAclRules(rules);
  await expectLinear(texts, (path) => find(`http://a.example${path}`));
  await expectLinear({ query: texts['parameters of the query']! }, (query) => find(`http://a.example/w${query}`));
});

it('a file of access rules', async () => {
  const lines = (line: (i: number) => string) => (size: number) =>
    Array.from({ length: size / 40 }, (_, i) => line(i)).join('\n');
  const texts: Texts = {
    rules: lines((i) => `allow http://a.example/${i}/ staff, board`),
    'rules of one prefix': lines((i) => `allow http://a.example/ p${i}`),
    'rules of one page': lines((i) => `allow http://a.example/w?title=${i} staff`),
    'lines that are wrong': lines(() => `allow ${' '.repeat(30)}x`),
    'blanks within a line': (size) => `allow http://a.example/${' '.repeat(size)}x`,
  };
  const read = function* (text: string) {
    const { rules } = yield* parseAclFile(text);
    return yield* compileAclInSteps({ default: [], rules });
  };
  const compile = (text: string): unknown => runAtOnce(read(text));
  await expectLinear(texts, compile);
  // Copying is quick: it takes more time than the rest only for thousands of rules.
  expect(await findSuperlinear({ rules: texts.rules! }, compile, 4 * SIZE)).toEqual([]);
});

it('login pages', async () => {
  const page: Texts = {
    fields: repeat('<input name=a value=b>'),
    forms: repeat('<form><input type=password name=p></form>'),
    'nested elements': nested('<b>', '</b>'),
    'a form with many fields': (size) => `<form>${'<input name=a>'.repeat(size / 14)}<input type=password name=p>`,
    'fields of another place': (size) => `<form id=f></form>${'<input form=f name=a>'.repeat(size / 21)}`,
    'forms and fields of other places': (size) =>
      Array.from({ length: size / 60 }, (_, i) => `<form id=f${i}></form><input form=f${i} type=password name=p>`).join(
        '',
      ),
    options: (size) =>
      `<form><select name=s>${'<option value=a>x'.repeat(size / 17)}</select><input type=password name=p>`,
    links: repeat('<a href="/logout?x">x</a>'),
    text: repeat('a b\n'),
    blanks: repeat(' '),
    'half a tag': repeat('<'),
    references: repeat('&amp;'),
  };
  await expectLinear(page, (html) => {
    try {
      const parsed = parsePage(html, 'http://a.example/');
      const form = findForm(parsed, undefined, [':user', ':password']);
      if (form) collectValues(form.element, new Map());
      listSigns(parsed);
      describeForms(parsed);
      getPageText(parsed);
    } catch (error) {
      if (!(error instanceof PageTooComplex)) throw error;
    }
  });
});

it('challenges of servers', async () => {
  const texts: Texts = {
    schemes: repeat('Basic, '),
    parameters: (size) => `Digest ${'a=b, '.repeat(size / 5)}`,
    'quoted parameters': (size) => `Digest ${'a="b,c", '.repeat(size / 9)}`,
    quotes: repeat('"'),
    'escaped quotes': (size) => `Digest a="${'\\"'.repeat(size / 2)}`,
    blanks: repeat(' '),
    commas: repeat(','),
    'equal signs': repeat('a='),
    token: repeat('a'),
  };
  await expectLinear(texts, (header) => [parseChallenges(header), parseParameters(header)]);
});

it('robots.txt, sitemaps and IndexNow', async () => {
  const lists: Texts = {
    groups: repeat('User-agent: a\nDisallow: /b\n'),
    agents: repeat('User-agent: a\n'),
    rules: (size) => `User-agent: *\n${'Disallow: /*a*b*c$\n'.repeat(size / 19)}`,
    wildcards: (size) => `User-agent: *\nDisallow: /${'*a'.repeat(size / 2)}`,
    blanks: repeat(' '),
    lines: repeat('\r'),
    comments: repeat('#'),
    addresses: repeat('http://a.example/b\n'),
    'elements of a sitemap': (size) =>
      `<urlset>${'<url><loc>http://a.example/</loc></url>'.repeat(size / 39)}</urlset>`,
    'elements that are not closed': repeat('<url><loc>'),
    'half a tag': repeat('<'),
    'half a comment': repeat('<!--'),
  };
  await expectLinear(lists, parseRobots);
  await expectLinear(lists, (text) => readSitemapText(text, 1_000_000));
  const many = (size: number): string =>
    JSON.stringify(Array.from({ length: size / 40 }, (_, i) => `http://a.example/${i}`));
  await expectLinear({ many }, (urlList) =>
    parseIndexNow({ host: 'a.example', key: 'abcdefgh', urlList: JSON.parse(urlList) as unknown }),
  );
});

it('addresses and pages that are judged at each visit', async () => {
  const texts: Texts = {
    words: repeat('/log/out'),
    'parts of a word': repeat('log'),
    underscores: repeat('_'),
    parameters: (size) => `?${'log=out&'.repeat(size / 8)}`,
  };
  await expectLinear(texts, (path) => looksLikeLogoutUrl(new URL(`http://a.example/${path}`)));
});

it('cookies', async () => {
  const session = new CookieSession();
  await session.storeCookies('http://a.example/', 'a=b');
  const texts: Texts = {
    cookies: repeat('a=b\n'),
    'one cookie': (size) => `a=${'b'.repeat(size)}`,
    attributes: repeat('a;'),
  };
  await expectLinear(texts, (text) => session.storeCookies('http://a.example/', text));
});
