import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../read.js';
import { setCrawlerAttributes, setWeights } from './crawler.js';
import { deleteRule, insertRule, listRules, moveRule, type RuleInput, replaceRule } from './rules.js';
import { EditError } from './scope.js';

/** Odd spacing, quotes, comments and unknown elements, all of which must be preserved. */
const XML = `<?xml version='1.0'?>
<!-- top -->
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21"   xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1" xmlns:my="urn:my">
  <Crawler name='docs'  nthreads = "20" >
    <my:Note who="me">kept</my:Note>
    <Root url="https://docs.example.com/" site="true"/> <!-- the site -->
    <Rules group="first" key="auto">
      <!-- one -->
      <Rule>
        <ar:Path val="/one"/>
        <Index/><Accept/>
      </Rule>
      <Rule><ar:Not><ar:Ext val="\\.gif"/></ar:Not><Follow/></Rule>
    </Rules>
    <Rules group="second">
      <Rule><ar:Host val="three"/><Ignore/></Rule>
    </Rules>
    <Rules group="empty"/>
  </Crawler>
  <Crawler name="other"><Rules/></Crawler>
  <cw:Sink name="main" type="papi" url="http://127.0.0.1:8742"/>
</CrawlConfig>
`;

const problemsOf = (xml: string) =>
  readConfiguration(xml, { file: 'f', env: {}, readFile: () => '' }).problems.filter(
    ({ severity }) => severity === 'error',
  );

const RULE: RuleInput = {
  match: [
    {
      element: 'Or',
      children: [
        { element: 'Domain', value: 'foo.com' },
        { element: 'Atom', field: 'path', kind: 'prefix', norm: 'none', value: '/a"<b>&', litteral: true },
      ],
    },
    { element: 'Length', field: 'path', value: '[:80]' },
  ],
  actions: [{ element: 'Index' }, { element: 'Accept' }, { element: 'Priority', shift: -1 }],
};

const RULE_TEXT = `<Rule>
        <ar:Or>
          <ar:Domain value="foo.com"/>
          <ar:Atom field="path" kind="prefix" norm="none" value="/a&quot;&lt;b&gt;&amp;" litteral="true"/>
        </ar:Or>
        <ar:Length field="path" value="[:80]"/>
        <Index/>
        <Accept/>
        <Priority shift="-1"/>
      </Rule>`;

const order = (xml: string) =>
  listRules(xml, 'docs').map(({ group, xml: text }) => `${group} ${/val="([^"]*)"/.exec(text)?.[1]}`);

describe('edits of single rules in the text', () => {
  it('lists rules of all groups, as JSON and as written', () => {
    const rules = listRules(XML, 'docs');
    expect(rules).toEqual([
      {
        index: 0,
        group: 'first',
        key: 'auto',
        match: [{ element: 'Path', value: '/one' }],
        actions: [{ element: 'Index' }, { element: 'Accept' }],
        xml: '<Rule>\n        <ar:Path val="/one"/>\n        <Index/><Accept/>\n      </Rule>',
      },
      {
        index: 1,
        group: 'first',
        key: 'auto',
        match: [{ element: 'Not', children: [{ element: 'Ext', value: '\\.gif' }] }],
        actions: [{ element: 'Follow' }],
        xml: '<Rule><ar:Not><ar:Ext val="\\.gif"/></ar:Not><Follow/></Rule>',
      },
      expect.objectContaining({ index: 2, group: 'second' }),
    ]);
  });

  it('inserts a rule given as JSON and changes no other byte', () => {
    const edited = insertRule(XML, 'docs', RULE, 1);
    expect(edited).toBe(XML.replace('<Accept/>\n      </Rule>', `<Accept/>\n      </Rule>\n      ${RULE_TEXT}`));
    expect(problemsOf(edited)).toEqual([]);
    expect(listRules(edited, 'docs')[1]).toMatchObject(RULE);
  });

  it('leaves a comment with the rule behind which it stands', () => {
    const rule = '<Rule><ar:Host val="three"/><Ignore/></Rule>';
    const xml = XML.replace(rule, `${rule} <!-- three --> <!--\n not this -->`);
    expect(insertRule(xml, 'docs', { xml: rule })).toContain(
      `${rule} <!-- three -->\n      ${rule} <!--\n not this -->`,
    );
  });

  it('moves a rule with the comments above it and on its line, and inserts none between them', () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => `<Rule><ar:Path val="/${name}"/><Index/></Rule>`);
    const [first, second] = [`<!-- 1\n1 -->\n    <!-- one -->\n    ${one}`, `<!-- two -->\n    ${two} <!-- 2 -->`];
    for (const lineBreak of ['\n', '\r\n']) {
      const write = (...rules: (string | undefined)[]): string =>
        `<CrawlConfig><Crawler name="a">\n  <Rules>\n    ${rules.join('\n    ')}\n  </Rules>\n</Crawler></CrawlConfig>`.replaceAll(
          '\n',
          lineBreak,
        );
      const xml = write(first, second, three);
      expect(moveRule(xml, 'a', 1, 0)).toBe(write(second, first, three));
      expect(moveRule(xml, 'a', 0, 2)).toBe(write(second, three, first));
      expect(insertRule(xml, 'a', { xml: three! }, 0)).toBe(write(three, first, second, three));
    }
    const underHeading = (...rules: string[]): string =>
      `<CrawlConfig><Crawler name="a"><Rules>\n  <!-- heading -->\n\n  ${rules.join('\n  ')}</Rules></Crawler></CrawlConfig>`;
    expect(moveRule(underHeading(one!, two!), 'a', 1, 0)).toBe(underHeading(two!, one!));
  });

  it('inserts a rule given as XML unchanged', () => {
    const text = '<Rule  ><ar:Path val="/new"  /><Index/></Rule>';
    const edited = insertRule(XML, 'docs', { xml: `  <!-- outside -->${text}\n` }, 0);
    expect(edited).toBe(XML.replace('<!-- one -->', `${text}\n      <!-- one -->`));
  });

  it('creates a new group when the place belongs to another one, and uses an existing empty group', () => {
    const before = insertRule(XML, 'docs', { ...RULE, group: 'new', key: 'k' }, 0);
    expect(before).toContain('<Rules group="new" key="k">\n      <Rule>');
    expect(listRules(before, 'docs')[0]).toMatchObject({ index: 0, group: 'new', key: 'k' });
    const other = insertRule(XML, 'other', RULE);
    expect(other).toContain('<Rules>\n    <Rule>');
    expect(listRules(other, 'other')).toHaveLength(1);
    expect(problemsOf(other)).toEqual([]);
    expect(() => insertRule(XML, 'docs', { ...RULE, group: 'new' }, 1)).toThrow(/inside the group first/);
  });

  it('replaces and deletes a rule', () => {
    const replaced = replaceRule(XML, 'docs', 1, { xml: '<Rule><ar:Path val="/x"/><Index/></Rule>' });
    expect(replaced).toBe(
      XML.replace('<ar:Not><ar:Ext val="\\.gif"/></ar:Not><Follow/>', '<ar:Path val="/x"/><Index/>'),
    );
    const deleted = deleteRule(XML, 'docs', 1);
    expect(deleted).toBe(XML.replace(/\n.*<ar:Not>.*/, ''));
  });

  it('changes no byte when a rule is written as it was read', () => {
    for (const { index, xml } of listRules(XML, 'docs')) expect(replaceRule(XML, 'docs', index, { xml })).toBe(XML);
  });

  it('moves a rule to the requested index', () => {
    expect(order(XML)).toEqual(['first /one', 'first \\.gif', 'second three']);
    expect(order(moveRule(XML, 'docs', 0, 1))).toEqual(['first \\.gif', 'first /one', 'second three']);
    expect(order(moveRule(XML, 'docs', 2, 0))).toEqual(['first three', 'first /one', 'first \\.gif']);
    expect(order(moveRule(XML, 'docs', 0, 2))).toEqual(['first \\.gif', 'second three', 'second /one']);
    expect(moveRule(moveRule(XML, 'docs', 0, 1), 'docs', 1, 0).replace(/\s/g, '')).toBe(XML.replace(/\s/g, ''));
  });

  it('keeps Windows line ends', () => {
    const edited = insertRule(XML.replaceAll('\n', '\r\n'), 'docs', RULE, 1);
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
    expect(edited.replaceAll('\r\n', '\n')).toBe(insertRule(XML, 'docs', RULE, 1));
  });

  it('refuses rules with mistakes, and reports them', () => {
    const refused = (rule: RuleInput) => {
      try {
        insertRule(XML, 'docs', rule);
      } catch (error) {
        return (error as EditError).problems.map(({ code }) => code);
      }
      return 'accepted';
    };
    expect(refused({ match: [{ element: 'Pth', value: '/' }], actions: [{ element: 'Index' }] })).toEqual([
      'unknown-element',
    ]);
    expect(refused({ match: [{ element: 'Path' }], actions: [{ element: 'Index' }] })).toEqual(['missing-attribute']);
    expect(refused({ match: [], actions: [{ element: 'Index' }] })).toEqual(['empty-rule']);
    expect(refused({ xml: '<Rule><Path val="/"/><Index/></Rule><Rule/>' })).toEqual(['xml-not-well-formed']);
    expect(refused({ xml: '<Rules/>' })).toEqual(['wrong-root']);
    expect(refused({ match: [{ element: 'Path/><Evil', value: '/' }], actions: [] })).toContain('unknown-element');
    let deep: RuleInput = { match: [{ element: 'Path', value: '/' }], actions: [] };
    for (let i = 0; i < 10_000; i++) deep = { match: [{ element: 'And', children: deep.match }], actions: [] };
    expect(refused(deep)).toEqual(['xml-too-large']);
  });

  it('names the crawler or rule that does not exist', () => {
    expect(() => listRules(XML, 'nobody')).toThrow(EditError);
    expect(() => deleteRule(XML, 'docs', 3)).toThrow('there is no rule 3: the crawler has 3');
    expect(() => insertRule(XML, 'docs', RULE, 9)).toThrow('from 0 to 3');
  });
});

describe("edits of a crawler's values in the text", () => {
  it('sets, adds and removes attributes', () => {
    const edited = setCrawlerAttributes(XML, 'docs', { nthreads: 5, aggressive: true, throttleTimeMS: 100 });
    expect(edited).toBe(
      XML.replace(
        `name='docs'  nthreads = "20" >`,
        `name='docs'  nthreads = "5" aggressive="true" throttleTimeMS="100" >`,
      ),
    );
    expect(setCrawlerAttributes(XML, 'docs', { nthreads: undefined })).toBe(XML.replace('  nthreads = "20"', ''));
  });

  it('refuses unknown attributes', () => {
    expect(() => setCrawlerAttributes(XML, 'docs', { nthread: 5 })).toThrow('Crawler has no attribute nthread');
    expect(() => setCrawlerAttributes(XML, 'docs', { nthreads: 0 })).toThrow('whole number from 1 to 1000');
    expect(() => setCrawlerAttributes(XML, 'docs', { name: undefined })).toThrow('requires name');
  });

  it('sets the weights of sources, and sets them again', () => {
    const edited = setWeights(XML, 'docs', { user: 5, refresh: 7 });
    const weights = (xml: string) =>
      readConfiguration(xml, { file: 'f', env: {}, readFile: () => '' }).definition?.crawlers[0]?.weights;
    expect(weights(edited)).toMatchObject({ user: 5, refresh: 7, redir: 2000 });
    const again = setWeights(edited, 'docs', { user: 6 });
    expect(again).toBe(edited.replace('name="user" weight="5"', 'name="user" weight="6"'));
  });
});
