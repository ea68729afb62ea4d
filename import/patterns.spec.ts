import { expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../test/support/imported.js';
import { isLinear } from './patterns.js';

const seeds = file('seeds.txt', `${SITE}/\n`);
const twice = '-(/[^/]+)\\1/';

it('an expression that cannot be written leaves out its rule, not the rules beside it', () => {
  const files = [
    seeds,
    file('automaton-urlfilter.txt', '+.*\n'),
    file('regex-urlfilter.txt', `-\\.bak$\n${twice}\n+^https://www\\.example\\.com/\n-.\n`),
  ];
  verdicts(accepts('nutch', ...files), {
    '/a': true,
    '/a.bak': false,
    '/a/x/a/x/a/': true,
    'http://evil.test/': false,
  });
  expect(linesOf(importAndLoad('nutch', ...files).report, 'not taken')).toEqual([
    `regex-urlfilter.txt:2 ${twice.slice(1)}`,
  ]);
});

it('whatever the report quotes, its comment in the configuration goes on', () => {
  const files = [seeds, file('regex-urlfilter.txt', '-(?=a)---b-->\n+.\n')];
  expect(importAndLoad('nutch', ...files).xml).toContain('(?=a)- - -b- ->');
  importAndLoad('nutch', seeds, file('regex-urlfilter.txt', '-(?=a)\u0000\u0001\uFFFF\n+.\uFFFF\n'));
});

it('an empty list of domains lets everything pass, and a root is written once', () => {
  const { definition } = importAndLoad(
    'nutch',
    file('seeds.txt', `${SITE}\n${SITE}/\nhttp://a.test/#b\n${SITE}/#c\n`),
    file('regex-urlfilter.txt', '+.\n'),
    file('domain-urlfilter.txt', '# none\n'),
  );
  expect(definition.crawlers[0]!.roots.map(({ url }) => url)).toEqual([SITE, 'http://a.test/#b']);
  verdicts(accepts('nutch', seeds, file('domain-urlfilter.txt', '# none\n'), file('regex-urlfilter.txt', '+.\n')), {
    'http://b.test/': true,
  });
});

it('a filter of which nothing can be written accepts nothing: it does not open the crawl', () => {
  const job = `<crawlers><crawler id="a"><startURLs><url>${SITE}/</url></startURLs><referenceFilters>
    <filter class="RegexReferenceFilter" onMatch="include">.*/(?!evil).*</filter></referenceFilters></crawler></crawlers>`;
  verdicts(accepts('norconex', file('c.xml', job)), { '/a': false, 'http://evil.test/': false });
  expect(importAndLoad('norconex', file('c.xml', job)).problems.map(({ code }) => code)).toContain('root-rejected');
});

const URLS = ['http', 'https'].flatMap((scheme) =>
  ['www.example.com', 'docs.example.com', 'example.org'].flatMap((host) =>
    ['', 'docs/', 'docs/a.html', 'Docs/A.HTML', 'a/', 'a', 'b.pdf', 'x/y/docs', 'a?b=docs', '1'].map(
      (path) => `${scheme}://${host}/${path}`,
    ),
  ),
);

it.each([
  ['^(?!.*docs).*$'],
  ['^(?=.*docs)(?!.*html)'],
  ['^(?!https?://www\\.example\\.com/docs/)'],
  ['^https?://www\\.example\\.com/(?!docs/|a)'],
  ['^https?://[^/]+/(?!docs/).*$'],
  ['^http://[a-w.]x?(?!ww)', 'no text that ends at one place'],
  ['^https?://(?:www|docs)\\.example\\.com/(?!a)', 'alternatives'],
  ['^(?!http:)x|docs', 'alternatives'],
  ['.*(?<!/)$'],
  ['(?:(?<!\\.html)(?<!/))$'],
  ['^((?!docs|pdf).)*$'],
  ['^https://docs((?!html).)*$'],
  ['^(?:(?!.*(?:docs|a/)).*)$'],
  ['(?i)^(?!.*DOCS).*'],
  ['^(?i)(?!.*docs/).*'],
  ['docs(?!/)', 'found anywhere'],
  ['^(?!.*docs(?!/)).*$', 'twice'],
])(
  'what looks around only to say what else is in a URL, or is not, is written in parts: %s',
  (source, unsupported?: string) => {
    const rules = file('regex-urlfilter.txt', `-${source}\n+.\n`);
    const { report } = importAndLoad('nutch', seeds, rules);
    expect(linesOf(report, 'not taken')).toEqual(unsupported ? [`regex-urlfilter.txt:1 ${source}`] : []);
    if (unsupported) return;
    const regex = new RegExp(source.replace('(?i)', ''), source.includes('(?i)') ? 'i' : '');
    verdicts(accepts('nutch', seeds, rules), Object.fromEntries(URLS.map((url) => [url, !regex.test(url)])));
  },
);

it('what is left of such an expression is as plain as if it had been written that way', () => {
  const { xml } = importAndLoad('nutch', seeds, file('regex-urlfilter.txt', '-^(?!.*/docs/).*$\n+.\n'));
  expect(xml).toContain(
    '<Rule><ar:Not><ar:Atom field="url" kind="inside" norm="none" value="/docs/" litteral="true"/></ar:Not><Ignore/></Rule>',
  );
});

it('StormCrawler: of two lists for one scope, the later one counts', () => {
  const filters = '{ "x.URLFilters": [{ "class": "x.FastURLFilter", "params": { "file": "fast.json" } }] }';
  const fast = (...patterns: string[]) => ({ scope: 'GLOBAL', patterns });
  const files = [
    seeds,
    file('urlfilters.json', filters),
    file('fast.json', JSON.stringify([fast('DenyPath /a'), fast('DenyPath /b')])),
  ];
  verdicts(accepts('stormcrawler', ...files), { '/a': true, '/b': false });
  expect(linesOf(importAndLoad('stormcrawler', ...files).report, 'not taken')).toEqual(['fast.json:1 GLOBAL']);
});

it('a condition that cannot be written matches nothing, at any depth', () => {
  const condition = (kind: string, pattern: string, inner = '') =>
    `<crawl-${kind} field="url" how="regex"><crawl-pattern>${pattern}</crawl-pattern>${inner}</crawl-${kind}>`;
  const collection = (inner: string) =>
    file(
      'c.xml',
      `<vse-collection name="a"><crawler><call-function name="vse-crawler-seed-urls"><with name="urls">${SITE}/</with></call-function>${inner}</crawler></vse-collection>`,
    );
  verdicts(accepts('velocity', collection(condition('must-have', '(?=a)'))), { '/a': false });
  verdicts(accepts('velocity', collection(condition('may-not-have', '(?=a)'))), { '/a': true });
  const nested = condition(
    'condition-except',
    '(?=a)',
    condition('may-not-have', '(?=b)|') + condition('may-not-have', 'private'),
  );
  verdicts(accepts('velocity', collection(nested)), { '/a': true, '/private': false });
});

it.each([
  ['[0-9][0-9]', true],
  ['^https?://(?:[01]?[0-9][0-9]?)|\\[::1\\](?::\\d+)?[^]x][a-z]', true],
  ['[[:alpha:]_]', true],
  ['[a\\[b]&&c', true],
  ['[a[bc]]', false],
  ['[a-z&&[^b]]', false],
  ['[0-9][a-z&&[^b]]', false],
  ['(?=a)', false],
])('%j can be written: %j', (value, expected) => {
  expect(isLinear({ kind: 'regex', value })).toBe(expected);
});

it.each([
  ['(?i)^(?:/Docs/)$', { '/docs/': false, '/docs/a': true }],
  ['^(?:https://www\\.example\\.com/docs/)$', { '/docs/': false, '/Docs/': true, '/docs/a': true }],
])('the pattern %s is taken with its group and its flag', (pattern, urls) => {
  const text = pattern.replace('/Docs/', 'https://www\\.example\\.com/Docs/');
  verdicts(accepts('nutch', seeds, file('regex-urlfilter.txt', `-${text}\n+.\n`)), urls as Record<string, boolean>);
});
