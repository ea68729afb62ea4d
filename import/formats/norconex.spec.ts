import { it } from 'vitest';
import { accepts, file, SITE, verdicts } from '../../test/support/imported.js';

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
