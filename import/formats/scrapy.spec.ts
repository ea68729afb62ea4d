import { expect, it } from 'vitest';
import { file, importAndLoad, judges, linesOf, SITE } from '../../test/support/imported.js';

const spider = (...rules: string[]) =>
  file(
    'docs.py',
    `class Docs(CrawlSpider):
    name = "docs"
    start_urls = ["${SITE}/docs/"]
    allowed_domains = ["www.example.com"]
    rules = (
${rules.map((rule) => `        ${rule},`).join('\n')}
    )
`,
  );
/** Whether pages are indexed, and whether their links are followed. */
const uses = (...rules: string[]) => {
  const judge = judges('scrapy', spider(...rules));
  return (path: string) => {
    const [verdict] = judge(path);
    return verdict?.accepted && { index: verdict.effects.index, follow: verdict.effects.follow };
  };
};

it('links of pages with a callback are followed only if the rule says so, except those of start pages', () => {
  const use = uses(
    `Rule(LinkExtractor(allow=r'/list/'), callback='parse_list', follow=True)`,
    `Rule(LinkExtractor(allow=r'/docs/'), callback='parse_item')`,
    `Rule(LinkExtractor(allow=r'/more/'), 'parse_item', follow=False)`,
  );
  expect(['/list/docs/', '/docs/more/', '/more/list/', '/more/', '/docs/'].map((path) => use(path))).toEqual(
    [true, false, true, false, true].map((follow) => ({ index: true, follow })),
  );
});

it('pages of a rule without a callback yield no items, if others do', () => {
  const list = `Rule(LinkExtractor(allow=r'/list/'))`;
  const item = `Rule(LinkExtractor(allow=r'/docs/'), callback='parse_item')`;
  expect(uses(list, item)('/list/')).toEqual({ index: false, follow: true });
  expect(uses(list, item)('/docs/a')).toEqual({ index: true, follow: false });
  expect(uses(list)('/list/')).toEqual({ index: true, follow: true });
});

it('a rule for a part of the page does not say which URLs are its own, so nothing is left out because of it', () => {
  const { xml, report } = importAndLoad(
    'scrapy',
    spider(
      `Rule(LinkExtractor(restrict_css='.next'))`,
      `Rule(LinkExtractor(restrict_xpaths='//main', allow=r'/docs/'), callback='parse_item', follow=False)`,
      `Rule(LinkExtractor(allow=r'/list/'), follow=False)`,
    ),
  );
  expect(xml).not.toMatch(/<No(?:Follow|Index)\/>/);
  expect(linesOf(report, 'not taken')).toEqual(
    [
      "6 restrict_css = '.next'",
      '7 callback of docs',
      "7 restrict_xpaths = '//main'",
      '7 follow of docs',
      '8 follow of docs',
    ].map((line) => `docs.py:${line}`),
  );
  expect(report.lines.find(({ setting }) => setting.startsWith('restrict_css'))?.note).toContain('anywhere on a page');
});

it('robots.txt is obeyed unless the settings say otherwise, which is told', () => {
  const rule = `Rule(LinkExtractor(allow=r'/docs/'))`;
  const load = (...settings: string[]) =>
    importAndLoad('scrapy', spider(rule), ...settings.map((text) => file('settings.py', text)));
  const told = 'robots.txt';
  expect(linesOf(load('BOT_NAME = "a"').report, 'taken differently')).toContain(told);
  for (const value of ['True', 'False']) {
    const { report, xml } = load(`ROBOTSTXT_OBEY = ${value}`);
    expect(linesOf(report, 'taken differently')).not.toContain(told);
    expect(xml).toContain(`ignoreRobotsTxt="${value === 'False'}"`);
  }
});
