import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkProperty, domain, expression, host, some, word } from '../../test/support/import-proof.js';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';

it('Scrapy and its import say the same', () => {
  const list = (items: fc.Arbitrary<string>) =>
    fc.array(items, { maxLength: 3 }).map((values) => `[${values.map((value) => `r"${value}"`).join(', ')}]`);
  const argument = (name: string, values: fc.Arbitrary<string>) =>
    fc.option(
      values.map((value) => `${name}=${value}`),
      { nil: '' },
    );
  const rule = fc
    .tuple(
      argument('allow', list(expression)),
      argument('deny', list(expression)),
      argument('allow_domains', list(domain)),
      argument('deny_domains', list(domain)),
      argument('deny_extensions', list(fc.constantFrom('html', 'php'))),
    )
    .map((parts) => `Rule(LinkExtractor(${parts.filter(Boolean).join(', ')}), callback="parse", follow=True)`);
  const spider = fc
    .tuple(fc.array(rule, { maxLength: 3 }), list(domain), fc.constantFrom('rules = ', ''))
    .map(
      ([rules, domains, start]) =>
        `class A(CrawlSpider):\n    start_urls = ["${SITE}/"]\n    allowed_domains = ${domains}\n${start === '' ? '' : `    ${start}[${rules.join(', ')}]\n`}`,
    );
  return checkProperty(
    'scrapy',
    spider.map((text) => [file('a.py', text)]),
  );
});

it('Fess and its import say the same', () => {
  const lines = fc.array(
    fc.oneof(
      host.map((name) => `https?://${name}/.*`),
      word.map((text) => `.*${text}.*`),
      fc.constantFrom('(?i).*(pdf|html)', '# a comment', 'https://.*'),
    ),
    { maxLength: 3 },
  );
  const entry = fc
    .tuple(lines, lines, fc.constantFrom(SITE, 'http://example.org'))
    .map(([included, excluded, url]) =>
      [
        { index: { _index: '.fess_config.web_config' } },
        { name: 'a', urls: `${url}/`, includedUrls: included.join('\n'), excludedUrls: excluded.join('\n') },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
  return checkProperty(
    'fess',
    fc.array(entry, { minLength: 1, maxLength: 2 }).map((entries) => [file('f.bulk', entries.join('\n'))]),
  );
});

const PATTERNS = fc.array(
  fc
    .tuple(
      fc.constantFrom('', '', '', '-'),
      fc.oneof(
        host.map((name) => `${name}/`),
        word.map((text) => `contains:${text}`),
        word.map((text) => `/${text}/`),
        expression.filter((text) => !text.includes('(?i)')).map((text) => `regexp:${text}`),
        host.map((name) => `^https://${name}/`),
        fc.constantFrom(
          '.pdf$',
          `${SITE}/docs`,
          'regexpIgnoreCase:DOCS',
          'WWW.Example.com/',
          '^HTTPS://WWW.example.com/D',
        ),
        fc.constantFrom('https://WWW.Example.com/Docs', '^https://WWW.example.com/$'),
      ),
    )
    .map((parts) => parts.join('')),
  { minLength: 1, maxLength: 5 },
);

it('Google Search Appliance and its import say the same', () =>
  checkProperty(
    'gsa',
    some(
      PATTERNS.map((list) => file('follow.txt', list.join('\n'))),
      PATTERNS.map((list) => file('do-not-crawl.txt', list.join('\n'))),
    ).map((files) => [file('start.txt', `${SITE}/\n`), ...files]),
  ));

it('an exception of Google Search Appliance takes URLs out of the list that it stands in', () => {
  const files = [
    file('start.txt', `${SITE}/\n`),
    file('follow.txt', 'www.example.com/\n-/private/\n'),
    file('do-not-crawl.txt', '.pdf$\n-/manual/\n'),
  ];
  verdicts(accepts('gsa', ...files), {
    '/a': true,
    '/private/a': false,
    '/a.pdf': false,
    '/manual/a.pdf': true,
    'http://evil.test/manual/': false,
  });
  expect(linesOf(importAndLoad('gsa', ...files).report, 'taken differently')).toEqual(['what no setting says']);
});
