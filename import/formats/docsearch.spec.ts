import { describe, expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { createOriginal } from '../original/index.js';
import { toGlobExpression } from './algolia.js';

const config = (settings: object) => file('config.json', JSON.stringify({ index_name: 'docs', ...settings }, null, 1));

/** Both configurations say the same of the URLs. */
function compare(format: 'docsearch' | 'algolia', given: ReturnType<typeof file>, urls: Record<string, boolean>): void {
  verdicts(accepts(format, given), urls);
  const original = createOriginal(format, [given]);
  verdicts((url) => original.judge(new URL(url, SITE)).accepted, urls);
}

describe('the scraper of DocSearch', () => {
  it('links match a start URL as an expression with any scheme, no stop URL, and the hosts of both', () => {
    compare(
      'docsearch',
      config({
        start_urls: [`${SITE}/docs/`, { url: `${SITE}/api/v[0-9]+/` }, `${SITE}/manual.PDF`],
        stop_urls: ['/old/', '\\?', `${SITE}/docs/x$`],
      }),
      {
        '/docs/a': true,
        'http://www.example.com/docs/a': true,
        '/api/v12/a': true,
        '/api/a': false,
        '/': false,
        '/docs/old/a': false,
        '/docs/a?b=1': false,
        '/docs/x': false,
        '/docs/xy': true,
        '/docs/a.pdf': false,
        '/manual.PDF': true,
        'https://elsewhere.test/docs/': false,
      },
    );
  });

  it('a start URL that is no page to index by the expressions is read for its links', () => {
    const { definition } = importAndLoad(
      'docsearch',
      config({ start_urls: [`${SITE}/docs/index.html`, `${SITE}/docs/`], stop_urls: ['index\\.html'] }),
    );
    expect(definition.crawlers[0]!.roots.map(({ url }) => url)).toEqual([`${SITE}/docs/index.html`, `${SITE}/docs/`]);
    const { xml } = importAndLoad('docsearch', config({ start_urls: [`${SITE}/`], scrape_start_urls: false }));
    expect(xml).toMatch(/kind="exact"[^>]*value="https:\/\/www.example.com\/"[^>]*\/><NoIndex\/>/);
    const looksBehind = config({ start_urls: [`${SITE}/`], stop_urls: ['.*(?<!\\.html)$'] });
    // Without use_anchors, a fragment is no part of a URL.
    compare('docsearch', config({ start_urls: [`${SITE}/#/`] }), { '/': true, '/a': false });
    compare('docsearch', looksBehind, { '/': true, '/a.html': true, '/a': false });
    compare('docsearch', config({ start_urls: [`${SITE}/docs/index.html`], stop_urls: ['index\\.html'] }), {
      '/docs/index.html': true,
      '/docs/index.html?x': false,
    });
  });

  it('variables stand for their values, and what objects say of pages is the metas of the first that matches', () => {
    const start = (url: string, more: object) => ({ url: `${SITE}${url}`, ...more });
    const given = config({
      start_urls: [
        start('/docs/(?P<version>.*?)/', {
          variables: { version: ['1.0', '2.0'] },
          tags: ['old', 'docs'],
          page_rank: 3,
        }),
        start('/docs/', { extra_attributes: { product: 'A & B' } }),
        start('/(?P<lang>.*?)/', { variables: { lang: { url: SITE, js: 'return [1]' } } }),
      ],
    });
    const { xml, report, definition } = importAndLoad('docsearch', given);
    expect(definition.crawlers[0]!.roots.map(({ url }) => new URL(url).pathname)).toEqual([
      '/docs/1.0/',
      '/docs/2.0/',
      '/docs/',
    ]);
    expect(xml).toContain(
      '<AddMeta name="tags" value="old"/><AddMeta name="tags" value="docs"/><AddMeta name="page_rank" value="3"/><AddMeta name="version" value="1.0"/>',
    );
    expect(xml).toMatch(
      /<ar:Not><ar:Or>.*1\\\.0.*2\\\.0.*<\/ar:Or><\/ar:Not>.*<AddMeta name="product" value="A &#38; B"\/>/,
    );
    expect(linesOf(report, 'not taken').filter((line) => /start_urls|variables/.test(line))).toHaveLength(2);
  });

  it('pages of a sitemap without start URLs are taken without their links', () => {
    const given = config({ sitemap_urls: [`${SITE}/sitemap.xml`], sitemap_urls_regexs: ['/docs/'] });
    const { xml, problems } = importAndLoad('docsearch', given);
    expect(xml).toContain('defaultFollow="false"');
    expect(problems).toEqual([]);
    compare('docsearch', given, { '/docs/a': true, '/a': false, '/sitemap.xml': true });
  });

  it('selectors select what is extracted, by the first start URL that matches a page', () => {
    const selectors = {
      default: { lvl0: { selector: '.nav .active', global: true, default_value: 'Docs' }, lvl1: 'h1', text: 'main p' },
      api: {
        lvl0: { selector: '//h2', type: 'xpath', global: true },
        lvl1: 'h1',
        text: 'td',
        version: { selector: '.v' },
      },
      path: { lvl1: 'h1', text: { selector: '//p', type: 'xpath' } },
    };
    const { xml, report } = importAndLoad(
      'docsearch',
      config({
        start_urls: [
          { url: `${SITE}/a/`, selectors_key: 'api' },
          `${SITE}/b/`,
          { url: `${SITE}/c/`, selectors_key: 'path' },
        ],
        selectors,
        selectors_exclude: ['nav', 'a['],
        only_content_level: true,
      }),
    );
    expect(xml.replace(/\s+/g, ' ')).toContain(
      '<cw:Content> <cw:Exclude select="nav"/> <cw:Include select="main p"/> <cw:Field name="lvl0" select=".nav .active"/> </cw:Content>',
    );
    expect(xml.replace(/\s+/g, ' ')).toContain(
      '<cw:Content name="api"> <cw:Exclude select="nav"/> <cw:Include select="td"/> <cw:Field name="version" select=".v"/> </cw:Content>',
    );
    // Without its text, headings alone would be too little.
    expect(xml).toMatch(/<cw:Content name="path">\s*<cw:Exclude select="nav"\/>\s*<\/cw:Content>/);
    const order = [...xml.matchAll(/<cw:option name="content" value="(\w+)"/g)].map(([, name]) => name);
    expect(order).toEqual(['path', 'default', 'api']);
    expect(linesOf(report, 'not taken').map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'selectors_exclude a[',
      'selectors lvl0 (XPath)',
      'selectors text (XPath)',
    ]);
  });

  it('variables that stand for too many URLs are refused, and no expression takes long', () => {
    const variables = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, Array.from({ length: 30 }, (_, n) => `${n}`)]),
    );
    const many = { url: `${SITE}/(?P<a>.*?)/(?P<b>.*?)/(?P<c>.*?)/`, variables };
    expect(() => importAndLoad('docsearch', config({ start_urls: [many] }))).toThrow('more than 1000 start URLs');
    const start = `${SITE}/${'a'.repeat(40)}b`;
    importAndLoad('docsearch', config({ start_urls: [start], stop_urls: ['(a+)+$', '(a|a)*$'] }));
  });

  it.each([
    ['js_render', true, 'render="always"'],
    ['use_anchors', true, 'keep-hash-routes'],
    ['user_agent', 'Acme', 'userAgent="Acme"'],
  ])('%s', (name, value, attribute) => {
    const { xml } = importAndLoad('docsearch', config({ start_urls: [`${SITE}/`], [name]: value }));
    expect(xml).toContain(attribute);
  });
});

describe('Algolia Crawler', () => {
  const crawler = (settings: string, paths = `'${SITE}/docs/**'`) =>
    file(
      'crawler.js',
      `new Crawler({ startUrls: ['${SITE}/'], ${settings}\n actions: [{ indexName: 'docs', pathsToMatch: [${paths}] }] });`,
    );

  it.each([
    [`'${SITE}/docs/**'`, { '/docs': true, '/docs/a/b': true, '/docs2': false }],
    [`'${SITE}/docs**/**'`, { '/docs': false, '/docs/': true, '/docs-2/a/b': true }],
    [`'${SITE}/*/a.html'`, { '/x/a.html': true, '/x/y/a.html': false, '/a.html': false }],
    [`'${SITE}/{de,fr}/**/*.html'`, { '/de/a.html': true, '/fr/x/y/a.html': true, '/en/a.html': false }],
    [`'${SITE}/v[0-9]/?(a|b)'`, { '/v1/a': true, '/v1/c': false, '/v12/a': false }],
    [`'**/docs/**', '!**/docs/old/**'`, { '/docs/a': true, '/x/docs/b': true, '/docs/old/a': false }],
    [`'${SITE}/**/+(x|y)*', '${SITE}/@(p|q)'`, { '/a/b/xy1': true, '/p': true, '/pq': false }],
  ])('patterns of micromatch: %s', (paths, urls) => compare('algolia', crawler('', paths), { '/': true, ...urls }));

  it('links of what is only discovered are taken, and exclusions and the depth of paths apply to all but start URLs', () => {
    const given = crawler(
      `sitemaps: ["${SITE}/a/b/c/sitemap.xml"], discoveryPatterns: ['${SITE}/**'], exclusionPatterns: ['**/x/**'], maxDepth: 2,`,
    );
    const urls = { '/a': true, '/docs/a': true, '/docs/a/': false, '/docs/x/': false, '/a/b/c/sitemap.xml': true };
    compare('algolia', given, urls);
    const { xml, problems } = importAndLoad('algolia', given);
    expect(problems).toEqual([]);
    expect(xml).toMatch(/<ar:Not><ar:Atom [^>]*\/docs[^>]*\/><\/ar:Not><NoIndex\/>/);
  });

  it('code is not run: what is plain in it is taken, and no secret is shown', () => {
    const given = file(
      'crawler.js',
      `// new Crawler( is called below
      const URL_OF_ALL = '${SITE}';
      module.exports = new Crawler({
        apiKey: 'secret-1', rateLimit: 4, startUrls: ["${SITE}/", URL_OF_ALL + '/b', \`\${URL_OF_ALL}/c\`],
        login: { body: 'user=me&password=secret-2' }, requestOptions: { headers: { Authorization: 'secret-3' } },
        renderJavaScript: { enabled: true, patterns: ['${SITE}/app/**'] },
        linkExtractor: ({ url }) => { if (/[)}"]/.test(url.href)) { return ["secret-4"] } },
        actions: [
          { indexName: 'a', pathsToMatch: ['${SITE}/a/**'], recordExtractor: ({ $, helpers }) => {
            $(".hash, nav").remove(); // a bracket )
            return helpers.docsearch({ recordProps: { lvl0: { selectors: '', defaultValue: title }, lvl1: ['h1', 'h2'],
              content: "main p", lang: { selectors: '.lang' }, version: { defaultValue: ['1', '2'] }, pageRank: 7 } });
          } },
          { indexName: 'b', pathsToMatch: ['${SITE}/b/**'], recordExtractor({ $ }) { return [{ title: $('h1').text() }]; }, },
        ],
      });`,
    );
    const { xml, report } = importAndLoad('algolia', given);
    expect(JSON.stringify(report.lines) + xml).not.toContain('secret-');
    expect(xml).toContain('throttleTimeMS="250"');
    expect(xml.match(/<Root url="[^"]*"/g)).toEqual([`<Root url="${SITE}/"`]);
    expect(xml.replace(/\s+/g, ' ')).toContain(
      '<cw:Content name="action 1"> <cw:Exclude select=".hash, nav"/> <cw:Field name="lang" select=".lang"/> <cw:Include select="h1, main p"/> </cw:Content>',
    );
    expect(xml).toMatch(
      /\/a\(.*<AddMeta name="version" value="1"\/><AddMeta name="version" value="2"\/><AddMeta name="pageRank" value="7"\/>/,
    );
    expect(xml).toMatch(/\/app\(.*<Render mode="always"\/>/);
    expect(linesOf(report, 'not taken')).toEqual(
      ['9 recordExtractor', '14 recordExtractor', '4 startUrls', '5 login', '5 requestOptions', '7 linkExtractor'].map(
        (line) => `crawler.js:${line}`,
      ),
    );
  });

  it('comments without an end, and many of them, are read in one go', () => {
    const text = `new Crawler({ actions: [{ pathsToMatch: ['${SITE}/**'], recordExtractor: () => ${'/* '.repeat(300_000)}`;
    expect(() => importAndLoad('algolia', file('crawler.js', text))).toThrow('a closing } is missing');
    expect(toGlobExpression(`${'{..'.repeat(10_000)}`)).toBeUndefined();
  });

  it('reads the JSON of the API', () => {
    const source = "({ helpers }) => helpers.docsearch({ recordProps: { content: 'main' } })";
    const action = { indexName: 'x', pathsToMatch: [`${SITE}/**`], recordExtractor: { __type: 'function', source } };
    const given = file('c.json', JSON.stringify({ name: 'x', config: { startUrls: [`${SITE}/`], actions: [action] } }));
    expect(importAndLoad('docsearch', given).xml).toContain('<cw:Include select="main"/>');
  });

  it.each([
    ['new Crawler({ startUrls: [', 'a closing ] is missing'],
    ['new Crawler({ actions: [{ a: 1 ] })', '} is missing before ]'],
    ['new Crawler(config)', 'contains no new Crawler'],
    ['new Crawler({ rateLimit: 1 })', 'contains no actions'],
    [`new Crawler({ a: ${'['.repeat(60)}1${']'.repeat(60)} })`, 'nested more than'],
  ])('%s is refused', (text, message) => {
    expect(() => importAndLoad('algolia', file('crawler.js', text))).toThrow(message);
  });
});
