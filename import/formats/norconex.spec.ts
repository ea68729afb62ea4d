import { expect, it } from 'vitest';
import { accepts, file, SITE, verdicts } from '../../test/support/imported.js';
import { convert } from '../index.js';

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
