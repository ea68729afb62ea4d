import { expect, it } from 'vitest';
import { file, importAndLoad, linesOf, SITE } from '../../test/support/imported.js';

it('URLs that are not for the index are crawled for their links', () => {
  const config = { name: 'a', urls: `${SITE}/`, includedDocUrls: '.*/docs/.*\n# all', excludedDocUrls: '.*/draft/.*' };
  const { xml, report } = importAndLoad(
    'fess',
    file('f.bulk', `{"index":{"_index":"web_config"}}\n${JSON.stringify(config)}\n`),
  );
  expect(xml.match(/<Rule>.*<\/Rule>/g)).toEqual([
    expect.stringMatching(/^<Rule><ar:Atom .*value="\/draft\/".*<NoIndex\/><\/Rule>$/),
    expect.stringMatching(/^<Rule><ar:Not><ar:Atom .*value="\/docs\/".*<\/ar:Not><NoIndex\/><\/Rule>$/),
  ]);
  expect(linesOf(report, 'not taken')).toEqual([]);
  // Fess waits ten seconds unless a crawl says otherwise.
  expect(xml).toContain('throttleTimeMS="10000"');
});

it('what Fess leaves out of pages by default is left out, unless a crawl names tags itself', () => {
  const load = (configParameter: string) =>
    importAndLoad(
      'fess',
      file(
        'f.bulk',
        `{"index":{"_index":"web_config"}}\n${JSON.stringify({ name: 'a', urls: `${SITE}/`, configParameter })}\n`,
      ),
    ).xml.match(/<cw:Exclude select="[^"]*"/g);
  expect(load('')).toEqual(['<cw:Exclude select="header, footer, nav, a[rel=nofollow]"']);
  expect(load('config.html.pruned.tags=aside')).toEqual(['<cw:Exclude select="aside"']);
});
