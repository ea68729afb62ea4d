import { expect, it } from 'vitest';
import { compileContexts } from '../../src/engine/page/crawl-context.js';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { convert } from '../index.js';
import { createOriginal } from '../original/index.js';

const job = (filter: string) =>
  file(
    'c.xml',
    `<crawlers><crawler id="a"><startURLs stayOnDomain="true"><url>${SITE}/</url></startURLs><referenceFilters>${filter}</referenceFilters></crawler></crawlers>`,
  );

it('an extension is what follows the last dot', () => {
  const exclude = '<filter class="ExtensionReferenceFilter" onMatch="exclude">pdf, tar.gz</filter>';
  verdicts(accepts('norconex', job(exclude)), {
    '/a.PDF': false,
    '/a.htm/x': true,
    '/a.tar.z': true,
    '/a.b.pdf': false,
  });
  const include = '<filter class="ExtensionReferenceFilter" onMatch="include">tar.html</filter>';
  verdicts(accepts('norconex', job(include)), { '/a.tar.html': false });
});

it('the URLs of a start sitemap are start URLs, and no filter keeps it from being read', () => {
  const job = `<crawlers><crawler id="a"><maxDepth>0</maxDepth><startURLs stayOnDomain="true"><sitemap>${SITE}/sitemap.xml</sitemap></startURLs><referenceFilters><filter class="ReferenceFilter" onMatch="include"><valueMatcher method="wildcard">*/docs/*</valueMatcher></filter></referenceFilters></crawler></crawlers>`;
  verdicts(accepts('norconex', file('c.xml', job)), { '/sitemap.xml': true, '/docs/a': true, '/a': false });
  expect(convert('norconex', [file('c.xml', job)]).xml).toContain('name="max-hops" value="1"');
});

it.each([
  ['wildcard', '*/latest?/*', '^(?:.*/latest./.*)$'],
  ['basic', 'https://a.test/x.html', '^https://a\\.test/x\\.html$'],
  ['regex', '.*/new/.*', '^(?:.*/new/.*)$'],
])('a frequency applies to URLs by the %s of its matcher', (method, value, expression) => {
  const frequency = `<recrawlableResolver><minFrequency applyTo="reference" value="daily"><matcher method="${method}">${value}</matcher></minFrequency></recrawlableResolver>`;
  const job = `<crawlers><crawler id="a"><startURLs stayOnDomain="true"><url>${SITE}/</url></startURLs>${frequency}</crawler></crawlers>`;
  expect(convert('norconex', [file('c.xml', job)]).xml).toContain(`test="regex" field="url" value="${expression}"`);
});

it('each crawler has the defaults that it does not set itself, of its start URLs attribute by attribute', () => {
  const regex =
    '<filter class="com.norconex.collector.http.filter.impl.RegexURLFilter" onMatch="include">.*/docs/.*</filter>';
  const crawlers = `<c><crawlerDefaults><startURLs stayOnDomain="true"/><maxDepth>3</maxDepth><userAgent>acme</userAgent></crawlerDefaults>
    <crawlers><crawler id="a"><startURLs><url>${SITE}/</url></startURLs></crawler>
    <crawler id="b"><startURLs stayOnDomain="false"><url>${SITE}/</url></startURLs><httpURLFilters>${regex}</httpURLFilters></crawler></crawlers></c>`;
  const files = [file('c.xml', crawlers)];
  const { xml, report } = convert('norconex', files);
  expect(xml.match(/name="max-hops" value="3"/g)).toHaveLength(2);
  expect(xml).not.toContain('FetchWith');
  expect(report.lines.filter(({ kind }) => kind === 'not taken')).toEqual([]);
  const only = (name: string) => crawlers.replace(new RegExp(`<crawler id="${name}">.*?</crawler>`, 's'), '');
  const elsewhere = 'https://elsewhere.test/docs/a';
  const [a, b] = [only('b'), only('a')].map((text) => file('c.xml', text));
  verdicts(accepts('norconex', a!), { '/a': true, [elsewhere]: false });
  verdicts(accepts('norconex', b!), { '/docs/a': true, '/a': false, [elsewhere]: true });
  for (const one of [a!, b!])
    expect(createOriginal('norconex', [one]).judge(new URL(elsewhere)).accepted).toBe(one === b);
});

it('a default that each crawler replaces is said to be one', () => {
  const crawler = `<crawler id="a"><startURLs stayOnDomain="true"><url>${SITE}/</url></startURLs><maxDepth>1</maxDepth></crawler>`;
  const text = `<c><crawlerDefaults><maxDepth>3</maxDepth></crawlerDefaults><crawlers>${crawler}</crawlers></c>`;
  const { report } = convert('norconex', [file('c.xml', text)]);
  expect(report.lines.filter(({ kind }) => kind === 'not taken')).toMatchObject([
    { setting: 'maxDepth', note: 'a default that each crawler replaces' },
  ]);
});

it('a selector that only jsoup knows, or that means something else in CSS, is listed', () => {
  const dom = (selector: string, more = '') => `<dom selector="${selector}" toField="f" ${more}/>`;
  const others = ['p:eq(0)', '[^data-]', 'p:matchesOwn(a)', '//h1', '[name'];
  const handlers = `<handler class="DOMTagger">${[...others, 'p:has(b)'].map((one) => dom(one)).join('')}${dom('i', 'extract="html"')}</handler>
<handler class="DOMDeleteTransformer">${dom('nav:gt(1)')}</handler>`;
  const text = `<c><startURLs><url>${SITE}/</url></startURLs><importer>${handlers}</importer></c>`;
  const { xml, report } = importAndLoad('norconex', file('c.xml', text));
  expect([...xml.matchAll(/select="([^"]*)"/g)].map(([, select]) => select)).toEqual(['p:has(b)']);
  expect(linesOf(report, 'not taken')).toEqual([
    ...[...others.map((one) => `${one} text`), 'i html'].map((one) => `c.xml:1 dom ${one}`),
    'c.xml:2 dom nav:gt(1) text',
  ]);
});

it('normalizations become steps, and others are listed', () => {
  const names = 'removeFragment, removeTrailingSlash, SORT_QUERY_PARAMETERS, removeQueryString';
  const replacement = '<replacements><replace><match>&amp;view=print</match></replace></replacements>';
  const text = `<c><startURLs><url>${SITE}/</url></startURLs><urlNormalizer class="GenericURLNormalizer"><normalizations>${names}</normalizations>${replacement}</urlNormalizer></c>`;
  const { definition, report } = importAndLoad('norconex', file('c.xml', text));
  const context = [...compileContexts(definition).values()][0]!;
  expect(context.canonicalize(`${SITE}/a/?b=1&a=2`)?.href).toBe(`${SITE}/a?a=2&b=1`);
  expect(linesOf(report, 'not taken')).toEqual([
    'c.xml:1 urlNormalizer removeQueryString',
    'c.xml:1 urlNormalizer replacement &view=print',
  ]);
});

it('lists and files of version 4 are read whole, and what is null is in the report', () => {
  const yaml = `id: a
startReferences: ['${SITE}/']
startReferencesFiles: [lists/urls.txt]
startReferencesSitemaps: ['${SITE}/maps.xml']
referenceScopeResolver: { class: GenericUrlScopeResolver, stayOnDomain: true }
robotsTxtProvider: null
sitemapResolver: null
referenceFilters:
  - { class: ExtensionReferenceFilter, onMatch: EXCLUDE, extensions: [doc, xls] }
`;
  const files = [file('c.yaml', yaml), file('urls.txt', `${SITE}/listed\n`)];
  const { xml, report } = convert('norconex', files);
  expect([...xml.matchAll(/<Root url="([^"]*)"/g)].map(([, url]) => url)).toEqual(
    ['/', '/listed', '/maps.xml'].map((path) => SITE + path),
  );
  const skipped = report.lines.filter(({ kind }) => kind === 'not taken');
  expect(skipped.map(({ setting }) => setting)).toEqual(['robotsTxtProvider: null', 'sitemapResolver: null']);
  verdicts(accepts('norconex', ...files), { '/a': true, '/a.doc': false, '/a.xls': false, '/maps.xml': true });
  const original = createOriginal('norconex', files);
  expect(['/a.doc', '/a.xls', '/a'].map((path) => original.judge(new URL(SITE + path)).accepted)).toEqual([
    ...[false, false, true],
  ]);
});

it('a frequency that means each crawl there is no order to visit all the time', () => {
  const frequency = `<recrawlableResolver><minFrequency applyTo="reference" value="always">.*/news/.*</minFrequency></recrawlableResolver>`;
  const job = `<crawlers><crawler id="a"><startURLs stayOnDomain="true"><url>${SITE}/</url></startURLs>${frequency}</crawler></crawlers>`;
  const { xml, report } = convert('norconex', [file('c.xml', job)]);
  expect(xml).not.toContain('refresh-m');
  expect(linesOf(report, 'taken differently')).toContain('c.xml:1 minFrequency always .*/news/.*');
});

it('a file that is included by #parse has variables of its own beside it', () => {
  const main = file(
    'c.xml',
    `<?xml version="1.0"?>\n<!DOCTYPE xml>\n<crawler id="a">\n#parse("shared/start.xml")\n</crawler>`,
  );
  const beside: Record<string, string> = {
    'shared/start.xml':
      '<?xml version="1.0"?>\n<!DOCTYPE xml>\n<startURLs stayOnDomain="true"><url>$site/$part</url></startURLs>',
    'shared/start.variables': `site = ${SITE}\npart = docs`,
  };
  const variables = file('c.variables', 'part = news');
  const { xml } = convert('norconex', [main, variables], (name) =>
    beside[name] === undefined ? undefined : file(name.split('/').at(-1)!, beside[name]),
  );
  expect(xml).toContain(`<Root url="${SITE}/news"`);
});

it('filters of documents by their URL leave pages out of the index, whose links are followed', () => {
  const url = (kind: string, on: string, text: string) => `<filter class="${kind}" onMatch="${on}">${text}</filter>`;
  const job = (filters: string, handlers = '') =>
    file(
      'c.xml',
      `<crawlers><crawler id="a"><startURLs stayOnDomain="true"><url>${SITE}/</url></startURLs><documentFilters>${filters}</documentFilters><importer><preParseHandlers>${handlers}</preParseHandlers></importer></crawler></crawlers>`,
    );
  const isIndexed = (one: ReturnType<typeof job>, path: string) => {
    const context = [...compileContexts(importAndLoad('norconex', one).definition).values()][0]!;
    const root = [...context.roots.values()][0];
    const address = context.canonicalize(SITE + path)!;
    const verdict = context.policy.judge({ url: address, discoveredVia: 'link', root, hops: 1 });
    return verdict.accepted && verdict.effects.follow ? verdict.effects.index : undefined;
  };
  const both = job(
    url('RegexReferenceFilter', 'include', '.*/docs/.*'),
    `${url('ReferenceFilter', 'exclude', '<valueMatcher method="wildcard">*/draft/*</valueMatcher>')}${url('LanguageTagger', 'x', '')}`,
  );
  expect(['/docs/a', '/docs/draft/a', '/a'].map((path) => isIndexed(both, path))).toEqual([true, false, false]);
  const branch = (name: string) =>
    `<${name}><condition class="ReferenceCondition"><valueMatcher method="wildcard">*/docs/*</valueMatcher></condition><then><reject/></then></${name}>`;
  expect(['/docs/a', '/a'].map((path) => isIndexed(job('', branch('if')), path))).toEqual([false, true]);
  expect(['/docs/a', '/a'].map((path) => isIndexed(job('', branch('ifNot')), path))).toEqual([true, false]);
  const left = linesOf(importAndLoad('norconex', both).report, 'not taken');
  expect(left).toEqual(['c.xml:1 LanguageTagger']);
  // A page of this type may be included wherever it is.
  const other = job(
    url('RegexReferenceFilter', 'include', '.*/docs/.*') + url('RegexMetadataFilter', 'include', 'text/html'),
  );
  expect(isIndexed(other, '/a')).toBe(true);
  expect(linesOf(importAndLoad('norconex', other).report, 'not taken')).toContain('c.xml:1 documentFilters');
});

it.each([
  ['<delay default="2000"><schedule time="from 8:00 to 17:00">10000</schedule></delay>', '10000'],
  ['<delay><schedule time="from 8:00 to 17:00">10000</schedule></delay>', '10000'],
  ['<delay default="3 min 30s"/>', '210000'],
  ['<delay default="PT5S"/>', '5000'],
  ['<delay default="1 hour"/>', '3600000'],
  ['', '3000'],
])('the pause is never shorter than the longest of %s', (delay, milliseconds) => {
  const xml = `<crawlers><crawler id="a"><startURLs><url>${SITE}/</url></startURLs>${delay}</crawler></crawlers>`;
  expect(convert('norconex', [file('c.xml', xml)]).xml).toContain(` throttleTimeMS="${milliseconds}"`);
});

it('of a client of version 2, its login, proxy and headers are listed with what to write', () => {
  const client =
    '<httpClientFactory><authMethod>form</authMethod><proxyHost>p</proxyHost><authPassword>hunter2</authPassword></httpClientFactory>';
  const xml = `<crawlers><crawler id="a"><startURLs><url>${SITE}/</url></startURLs>${client}</crawler></crawlers>`;
  const { report } = convert('norconex', [file('c.xml', xml)]);
  const skipped = report.lines.filter(({ kind }) => kind === 'not taken');
  expect(skipped.map(({ setting, note }) => [setting, /Login|Proxy/.exec(note)?.[0]])).toEqual([
    ['authMethod', 'Login'],
    ['proxyHost', 'Proxy'],
    ['authPassword', 'Login'],
  ]);
});

const withSetting = (setting: string): string => job('').text.replace('<referenceFilters></referenceFilters>', setting);

it.each([
  ['<numThreads>4</numThreads>', 'nthreads="4"'],
  ['<maxDepth>3</maxDepth>', 'name="max-hops" value="3"'],
])('the setting %s becomes %s', (setting, expected) => {
  const { xml, report } = importAndLoad('norconex', file('c.xml', withSetting(setting)));
  expect(xml).toContain(expected);
  expect(linesOf(report, 'not taken')).toEqual([]);
});

it('a number with something before it is none', () => {
  const text = withSetting('<maxDepth>x3</maxDepth>');
  expect(linesOf(importAndLoad('norconex', file('c.xml', text)).report, 'not taken')).toEqual(['c.xml:1 maxDepth x3']);
});

it('a list of values with commas is one condition for each', () => {
  const matcher = '<valueMatcher method="csv" partial="true">/a/,/b/</valueMatcher>';
  const filter = `<filter class="ReferenceFilter" onMatch="exclude">${matcher}</filter>`;
  verdicts(accepts('norconex', job(filter)), { '/a/x': false, '/b/x': false, '/c/': true });
});
