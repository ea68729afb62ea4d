import { describe, expect, it } from 'vitest';
import { buildRuleXml, changeRules, expandMatch } from '../../../console/src/screens/configuration/rule-text.js';
import { addCrawler, type CrawlSettings } from '../../../console/src/screens/first-run/crawl-draft.js';
import { listRules } from '../../../src/adapters/config-xml/edit/rules.js';
import { readConfiguration } from '../../../src/adapters/config-xml/read.js';

const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="other"><Rules group="g"><Rule><ar:Path value="/a"/><Index/></Rule></Rules></Crawler>
  <Crawler name="docs more">
    <Rules group="g">
      <!-- <Rule><ar:Path value="/a"/><Index/></Rule> -->
      <Rule><ar:Path value="/a"/><Index/></Rule>
      <Rule><ar:Path value="/b"/><Follow/></Rule>
    </Rules>
    <Rules group="h">
      <Rule><ar:Path value="/c"/><Ignore/></Rule>
    </Rules>
  </Crawler>
</CrawlConfig>`;

const CRAWLER = 'docs more';
const rules = (xml: string) => listRules(xml, CRAWLER) as never[];
const paths = (xml: string): string[] => listRules(xml, CRAWLER).map(({ match }) => match[0]!.value!);
const change = (wanted: Parameters<typeof changeRules>[3]): string => changeRules(XML, CRAWLER, rules(XML), wanted);

describe('a change of one rule', () => {
  it('replaces, deletes, inserts or moves the rule as it is then read', () => {
    const d = '<Rule><ar:Path value="/d"/><Index/></Rule>';
    expect(paths(change({ kind: 'replace', index: 0, xml: d }))).toEqual(['/d', '/b', '/c']);
    expect(paths(change({ kind: 'delete', index: 1 }))).toEqual(['/a', '/c']);
    expect(paths(change({ kind: 'insert', index: 0, xml: d }))).toEqual(['/d', '/a', '/b', '/c']);
    expect(paths(change({ kind: 'insert', index: 3, xml: d }))).toEqual(['/a', '/b', '/c', '/d']);
    expect(paths(change({ kind: 'move', from: 0, to: 2 }))).toEqual(['/b', '/c', '/a']);
    expect(paths(change({ kind: 'move', from: 2, to: 0 }))).toEqual(['/c', '/a', '/b']);
  });

  it('changes neither another crawler nor comments', () => {
    const changed = change({ kind: 'delete', index: 0 });
    expect(changed).toContain('<!-- <Rule><ar:Path value="/a"/><Index/></Rule> -->');
    expect(changed).toContain('<Crawler name="other"><Rules group="g"><Rule><ar:Path value="/a"/>');
  });

  it('moves the comments of a rule with it, and inserts nothing between them', () => {
    const write = (...names: string[]): string =>
      `<CrawlConfig><Crawler name="${CRAWLER}"><Rules>\n  <!-- all -->\n\n${names.map((name) => `  <!-- ${name} -->\n  <Rule><Path value="/${name}"/><Index/></Rule> <!-- ${name}! -->`).join('\n')}\n</Rules></Crawler></CrawlConfig>`;
    const xml = write('a', 'b', 'c');
    const move = (from: number, to: number) => changeRules(xml, CRAWLER, rules(xml), { kind: 'move', from, to });
    expect([move(2, 0), move(0, 1)]).toEqual([write('c', 'a', 'b'), write('b', 'a', 'c')]);
    const rule = '<Rule><Path value="/d"/><Index/></Rule>';
    const insert = (index: number) => changeRules(xml, CRAWLER, rules(xml), { kind: 'insert', index, xml: rule });
    expect(insert(0)).toBe(xml.replace('<!-- a -->', `${rule}\n  $&`));
    expect(insert(1)).toBe(xml.replace('<!-- a! -->', `$&\n  ${rule}`));
  });

  it('is refused when the text and the rules do not match', () => {
    expect(() => changeRules(XML.replace('"/b"', '"/x"'), CRAWLER, rules(XML), { kind: 'delete', index: 0 })).toThrow(
      'Rule 2 was not found',
    );
  });
});

describe('a rule built from its parts', () => {
  it('is read as the same parts', () => {
    const [first] = listRules(XML, CRAWLER);
    const parts = {
      match: [
        { element: 'Atom', field: 'url', kind: 'inside', litteral: true, value: '"<&>.\n' },
        { element: 'Not', children: [{ element: 'Ext', value: 'pdf' }] },
      ],
      actions: [
        { element: 'AddMeta', name: 'team', value: 'a"b' },
        { element: 'Priority', shift: -1 },
        { element: 'Index' },
      ],
    } as const;
    const xml = buildRuleXml(parts.match as never, parts.actions as never, XML);
    const text = changeRules(XML, CRAWLER, rules(XML), { kind: 'replace', index: first!.index, xml });
    expect(listRules(text, CRAWLER)[0]).toMatchObject(parts);
  });
});

describe('the style of a rule', () => {
  const path = { element: 'Atom', field: 'path', kind: 'prefix', litteral: true, value: '/mod/' } as const;
  const build = (rule: string, condition: object = path): string =>
    buildRuleXml(
      [condition] as never,
      [{ element: 'Ignore' }],
      XML.replaceAll(/<Rule>.*<[/]Rule>/g, `<Rule>${rule}<Index/></Rule>`),
    );

  it('is that of the file: short elements, and its spelling of the attributes', () => {
    expect(build('')).toBe('<Rule><ar:Path val="/mod/"/><Ignore/></Rule>');
    expect(build('<ar:Path value="/a"/>')).toBe('<Rule><ar:Path value="/mod/"/><Ignore/></Rule>');
    expect(build('', { ...path, value: '/a.b' })).toContain('<ar:Path val="/a.b" literal="true"/>');
    expect(build('<ar:Host val="a" litteral="true"/>', { ...path, value: '/a.b' })).toContain('litteral="true"');
    expect(build('', { ...path, kind: 'inside' })).toContain('<ar:Atom field="path" kind="inside" val="/mod/"/>');
  });

  it('is long where the file writes Atoms in place of short elements', () => {
    const long = '<ar:Atom field="path" kind="prefix" value="/a"/>';
    expect(build(long)).toContain('<ar:Atom field="path" kind="prefix" value="/mod/"/>');
    expect(build(`${long}<ar:Host value="a"/>`)).toContain('<ar:Path value="/mod/"/>');
  });

  it('does not matter to a form, which shows short elements like Atoms', () => {
    expect(expandMatch({ element: 'Path', value: '/mod/' })).toEqual(path);
    expect(expandMatch({ element: 'Path', value: '/a.b' })).toMatchObject({ kind: 'prefix', litteral: undefined });
    expect(expandMatch({ ...path, litteral: undefined })).toEqual(path);
    expect(expandMatch({ element: 'Domain', value: 'a' })).toEqual({ element: 'Domain', value: 'a' });
  });
});

describe('a new crawl', () => {
  const wish: CrawlSettings = {
    name: 'new',
    url: new URL('https://www.example.com/docs/start.html'),
    scope: 'site',
    pauseSeconds: 2.5,
    sink: 'main',
    newSink: { type: 'json', url: 'https://search.example.com/orders?a=1&b=2' },
    allow: '10.0.0.0/8',
  };
  const read = (xml: string) =>
    readConfiguration(xml, { file: 'c.xml', readFile: () => '', env: {} } as Parameters<typeof readConfiguration>[1]);

  it.each(['', '<CrawlConfig/>', '<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v20"></CrawlConfig>', XML])(
    'is valid in a configuration like %s',
    (before) => {
      for (const scope of ['site', 'folder', 'domain'] as const) {
        const { definition, problems } = read(addCrawler(before, { ...wish, scope }));
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
        const crawler = definition!.crawlers.find(({ name }) => name === 'new')!;
        expect(crawler.roots.map(({ url }) => url)).toEqual([wish.url.href]);
        expect(crawler.throttle).toBe(2500);
        expect(definition!.sinks.map(({ url }) => url)).toContain(wish.newSink!.url);
      }
    },
  );

  it.each(['', '<CrawlConfig/>', XML])('added twice to a configuration like %s causes no warning', (before) => {
    const first = addCrawler(before, { ...wish, url: new URL('https://one.example/') });
    const { newSink: _, ...again } = wish;
    const second = addCrawler(first, { ...again, name: 'second', url: new URL('https://two.example/') });
    const added = read(second).problems.filter(({ code }) => code !== 'no-sink');
    expect(added).toEqual(
      read(before || '<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21"/>').problems.filter(
        ({ code }) => code !== 'no-sink',
      ),
    );
  });

  it('follows the links of a deep page over the whole site', () => {
    const { definition } = read(addCrawler('<CrawlConfig/>', wish));
    expect(definition!.crawlers[0]!.roots[0]).toMatchObject({ site: false });
  });
});
