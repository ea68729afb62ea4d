/** The text "Recursive Conditions" of Velocity, sentence by sentence. */
import { describe, expect, it } from 'vitest';
import { createResolvedView, resolveUrl } from '../../../src/domain/policy/resolved.js';
import { toCrawlUrl } from '../../../src/domain/url/crawl-url.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

async function tree(inside: string, attributes = ''): Promise<{ site: FakeSite; world: CrawlWorld }> {
  const site = await startSite();
  site.page('/', ['/docs/a', '/docs/b', '/img/c', '/other']);
  for (const path of ['/docs/a', '/docs/b', '/img/c', '/other']) site.page(path);
  const crawler = `<Root url="${site.url('/')}" site="false"/><cw:Conditions ${attributes}>${inside}</cw:Conditions>`;
  return { site, world: await crawl({ crawler }) };
}
const option = (name: string, value: string): string => `<cw:option name="${name}" value="${value}"/>`;
const agentOf = (site: FakeSite, path: string): string | undefined =>
  site.requests.find((request) => request.path === path)?.headers['user-agent'];

describe('for every URL that the crawler considers', () => {
  it('all global options are assigned', async () => {
    const { site } = await tree(option('user-agent', 'global'));
    for (const path of ['/', '/docs/a', '/other']) expect(agentOf(site, path)).toBe('global');
  });

  it('conditions apply for: on a match all options are assigned and the rules contained are processed', async () => {
    const inside = `<cw:apply-for field="path" value="/docs/*">${option('user-agent', 'docs')}
      <cw:apply-for field="path" value="*/a">${option('user-agent', 'a')}</cw:apply-for></cw:apply-for>`;
    const { site } = await tree(inside);
    expect(agentOf(site, '/docs/b')).toBe('docs');
    expect(agentOf(site, '/docs/a')).toBe('a');
  });

  it('conditions apply for: without a match none of the rules contained is evaluated', async () => {
    const inside =
      '<cw:apply-for field="path" value="/docs/*"><cw:may-not-have field="path" value="*/a"/></cw:apply-for>';
    const { site, world } = await tree(inside);
    site.page('/', ['/a', '/docs/a']);
    expect(site.fetched).toEqual(['/', '/docs/b', '/img/c', '/other']);
    expect((await world.engine.explanations.explain('test', site.url('/x/a'))).explanation.verdict.accepted).toBe(true);
  });

  it('conditions apply except for: without a match all options are assigned and the rules contained are processed', async () => {
    const inside = `<cw:apply-except-for field="path" value="/docs/*">${option('user-agent', 'not docs')}
      <cw:may-not-have field="path" value="/img/*"/></cw:apply-except-for>`;
    const { site } = await tree(inside);
    expect(site.fetched).toEqual(['/', '/docs/a', '/docs/b', '/other']);
    expect(agentOf(site, '/other')).toBe('not docs');
  });

  it('conditions apply except for: on a match none of the rules contained is evaluated', async () => {
    const inside = `<cw:apply-except-for field="path" value="/docs/*">${option('user-agent', 'not docs')}
      <cw:may-not-have field="path" value="*/a"/></cw:apply-except-for>`;
    const { site } = await tree(inside);
    expect(site.fetched).toContain('/docs/a');
    expect(agentOf(site, '/docs/a')).toBe('Crawlway/0.1');
  });

  it('URLs may not have: a match marks the URL as filtered', async () => {
    const { site, world } = await tree('<cw:may-not-have field="path" value="/docs/*" log="true"/>');
    expect(site.fetched).toEqual(['/', '/img/c', '/other']);
    expect(await refusals(world)).toEqual({ 'condition-filtered': [site.url('/docs/a'), site.url('/docs/b')] });
  });

  it('URLs must have: no match marks the URL as filtered', async () => {
    const { site } = await tree('<cw:must-have test="regex" field="path" value="^/$|^/docs/"/>');
    expect(site.fetched).toEqual(['/', '/docs/a', '/docs/b']);
  });

  it('wildcard, regular expression and wildcard set, on the URL or a part of it', async () => {
    const inside = `<cw:may-not-have test="wildcard-set" field="path" value="/docs/b /img/*"/>
      <cw:may-not-have test="regex" value="/oth[a-f]r$"/><cw:may-not-have field="host" value="*.example"/>`;
    const { site } = await tree(inside);
    expect(site.fetched).toEqual(['/', '/docs/a']);
  });

  it('being filtered is final: a condition that would allow the URL afterwards changes nothing', async () => {
    const inside = `<cw:may-not-have field="path" value="/docs/*"/>
      <cw:apply-for field="path" value="/docs/a">${option('default-allow', 'allow')}</cw:apply-for>`;
    const { site } = await tree(inside);
    expect(site.fetched).not.toContain('/docs/a');
  });

  it('when an option is set multiple times, the last setting takes precedence', async () => {
    const inside = `<cw:apply-for field="path" value="/docs/a">${option('user-agent', 'first')}</cw:apply-for>
      <cw:apply-for field="path" value="/docs/*">${option('user-agent', 'last')}</cw:apply-for>`;
    const { site } = await tree(option('user-agent', 'global') + inside);
    expect(agentOf(site, '/docs/a')).toBe('last');
    expect(agentOf(site, '/other')).toBe('global');
  });

  it('the components can be reordered by hand in the XML', async () => {
    const rules = [
      `<cw:apply-for field="path" value="/docs/a">${option('user-agent', 'narrow')}</cw:apply-for>`,
      `<cw:apply-for field="path" value="/docs/*">${option('user-agent', 'wide')}</cw:apply-for>`,
    ];
    const wide = await tree(rules.join(''));
    const narrow = await tree(rules.toReversed().join(''));
    expect(agentOf(wide.site, '/docs/a')).toBe('wide');
    expect(agentOf(narrow.site, '/docs/a')).toBe('narrow');
  });
});

describe('a URL that was filtered will not be crawled', () => {
  it('if one of the rules that filtered it logs, it is recorded with the reason', async () => {
    const inside = `<cw:may-not-have field="path" value="/docs/*"/><cw:may-not-have field="path" value="*/a" log="true"/>`;
    const { site, world } = await tree(inside);
    expect(await world.state(site.url('/docs/a'))).toMatchObject({
      status: 'filtered',
      reason: 'condition-filtered',
      foundOn: site.url('/'),
      visits: 0,
    });
    expect(await world.state(site.url('/docs/b'))).toBeUndefined();
  });

  it('if none of the rules that filtered it logs, no record is kept, whatever rules that passed it would log', async () => {
    const inside = `<cw:may-not-have field="path" value="/docs/*"/><cw:may-not-have field="path" value="/x" log="true"/>`;
    const { site, world } = await tree(inside);
    expect(await world.state(site.url('/docs/a'))).toBeUndefined();
    expect(await world.engine.urls.listRefusedLinks('test')).toMatchObject([
      { reason: 'condition-filtered', count: 2, samples: [] },
    ]);
  });

  it('no record is kept of a page that was crawled before the condition, and its document is deleted', async () => {
    const { site, world } = await tree('');
    expect(await world.indexed()).toContain(site.url('/docs/a'));
    const conditions = '<cw:Conditions><cw:may-not-have field="path" value="/docs/*"/></cw:Conditions>';
    await world.reconfigure({ crawler: `<Root url="${site.url('/')}" site="false"/>${conditions}` });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/img/c'), site.url('/other')]);
    expect(await world.state(site.url('/docs/a'))).toBeUndefined();
  });

  it('a record goes when its condition no longer logs', async () => {
    const { site, world } = await tree('<cw:may-not-have field="path" value="/docs/*" log="true"/>');
    expect(await world.state(site.url('/docs/a'))).toMatchObject({ status: 'filtered' });
    const conditions = '<cw:Conditions><cw:may-not-have field="path" value="/docs/*"/></cw:Conditions>';
    await world.reconfigure({ crawler: `<Root url="${site.url('/')}" site="false"/>${conditions}` });
    await world.untilIdle();
    expect(await world.state(site.url('/docs/a'))).toBeUndefined();
  });

  it('a root of the configuration is recorded too, and crawled once the rules let it pass', async () => {
    const { site, world } = await tree('<cw:may-not-have field="path" value="/" log="true"/>');
    const root = { status: 'filtered', reason: 'condition-filtered', discoveredVia: 'root', visits: 0 };
    expect(await world.state(site.url('/'))).toMatchObject(root);
    await world.reconfigure({ crawler: `<Root url="${site.url('/')}" site="false"/><cw:Conditions/>` });
    await world.untilIdle();
    expect(await world.indexed()).toContain(site.url('/docs/a'));
  });

  it('a recorded URL is crawled once the rules let it pass', async () => {
    const { site, world } = await tree('<cw:may-not-have field="path" value="/docs/*" log="true"/>');
    await world.reconfigure({ crawler: `<Root url="${site.url('/')}" site="false"/><cw:Conditions/>` });
    await world.untilIdle();
    expect(await world.indexed()).toContain(site.url('/docs/a'));
  });
});

describe('otherwise default-allow determines the disposition', () => {
  const allowRoot = (inside = ''): string =>
    `<cw:apply-for field="path" value="/">${option('default-allow', 'allow')}</cw:apply-for>${inside}`;

  it('allow: the URL is crawled', async () => {
    const { site } = await tree('', 'default-allow="allow"');
    expect(site.fetched).toHaveLength(5);
  });

  it('disallow: the URL is not crawled and no record is kept', async () => {
    const { site, world } = await tree(allowRoot(), 'default-allow="disallow"');
    expect(site.fetched).toEqual(['/']);
    expect(await world.state(site.url('/other'))).toBeUndefined();
    expect(await world.engine.urls.count({ crawler: 'test' })).toBe(1);
  });

  it.each(['disallow-log', 'log-disallow'])('%s: the URL is not crawled and the reason is recorded', async (value) => {
    const { site, world } = await tree(allowRoot(), `default-allow="${value}"`);
    expect(site.fetched).toEqual(['/']);
    expect(await world.state(site.url('/other'))).toMatchObject({ status: 'filtered', reason: 'condition-disallowed' });
  });

  it('it is an option like others: conditions set it for subsets of URLs', async () => {
    const inside = allowRoot(
      `<cw:apply-for field="path" value="/docs/*">${option('default-allow', 'allow')}</cw:apply-for>`,
    );
    const { site } = await tree(inside, 'default-allow="disallow"');
    expect(site.fetched).toEqual(['/', '/docs/a', '/docs/b']);
  });
});

describe('the resolved view shows the recursive rules that are used', () => {
  const inside = `${option('max-hops', '9')}<cw:apply-for field="path" value="/docs/*">${option('user-agent', 'docs')}
    <cw:may-not-have field="path" value="*/b" log="true"/></cw:apply-for>`;

  it('of the whole configuration, in the order of evaluation', async () => {
    const { world } = await tree(inside);
    const lines = createResolvedView(world.engine.definition.crawlers[0]!)
      .filter((entry) => entry.layer === 'conditions')
      .map((entry) => `${'  '.repeat(entry.depth)}${entry.text} → ${entry.effect}`);
    expect(lines).toEqual([
      'global options → defaultAllow=allow, maxHops=9',
      'conditions apply for: path matches wildcard "/docs/*" → userAgent=docs',
      '  URLs may not have: path matches wildcard "*/b" (log) → ',
    ]);
  });

  it('of one URL: which rule matched, what it set, and who set each option last', async () => {
    const { site, world } = await tree(inside);
    const candidate = { url: toCrawlUrl(site.url('/docs/a')), discoveredVia: 'link', hops: 1 } as const;
    const view = resolveUrl(world.engine.definition.crawlers[0]!, undefined, candidate);
    expect(view.options.find((one) => one.name === 'userAgent')).toMatchObject({
      value: 'docs',
      setBy: 'conditions apply for: path matches wildcard "/docs/*"',
    });
    expect(view.options.find((one) => one.name === 'maxHops')).toMatchObject({ value: '9', setBy: 'global options' });
  });
});
