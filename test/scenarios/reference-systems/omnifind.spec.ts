/** The text "Global Web crawl space configuration" of OmniFind, sentence by sentence. */
import { describe, expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

const NAMES = { 'www.ibm.com': '127.0.0.1', 'news.ibm.com': '127.0.0.2', 'other.org': '127.0.0.3' };
const ATTRIBUTES = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
const SPACE = '<cw:CrawlSpace rules="crawl.rules"/>';
const GLOBAL = '<cw:GlobalCrawlSpace rules="global.rules"/>';

/** Three hosts, all linked from the first. */
async function hosts(): Promise<{ www: FakeSite; news: FakeSite; other: FakeSite }> {
  const [www, news, other] = await Promise.all([
    startSite(NAMES['www.ibm.com'], 'www.ibm.com'),
    startSite(NAMES['news.ibm.com'], 'news.ibm.com'),
    startSite(NAMES['other.org'], 'other.org'),
  ]);
  www
    .page('/', ['/a', '/private/b', news.url('/'), other.url('/')])
    .page('/a')
    .page('/private/b');
  news.page('/', ['/today']).page('/today');
  other.page('/');
  return { www, news, other };
}

const start = (www: FakeSite, rules: string, more: { global?: string } = {}): Promise<CrawlWorld> =>
  crawl({
    crawler: `<Root url="${www.url('/')}" site="false"/>${SPACE}`,
    attributes: ATTRIBUTES,
    names: NAMES,
    files: { 'crawl.rules': rules, ...(more.global === undefined ? {} : { 'global.rules': more.global }) },
    more: more.global === undefined ? '' : GLOBAL,
  });

describe('a crawl space defines the URLs that are to be crawled or not crawled', () => {
  it('discovered URLs in the crawl space are retained; URLs that are not are discarded', async () => {
    const { www, news, other } = await hosts();
    const rules = 'allow domain *.ibm.com\nforbid domain *\n';
    const world = await start(www, rules);
    expect(www.fetched).toEqual(['/', '/a', '/private/b']);
    expect(news.fetched).toEqual(['/', '/today']);
    expect(other.requests).toEqual([]);
    expect(await world.state(other.url('/'))).toBeUndefined();
    expect(await refusals(world)).toEqual({ 'crawl-space-domain': [other.url('/')] });
  });

  it('rules name a domain, a URL prefix or an IP address; the first that matches decides; none allows', async () => {
    const { www, news, other } = await hosts();
    const rules = `# comment\n\nallow prefix ${www.url('/private/b')}\nforbid prefix ${www.url('/private/')}\nforbid address 127.0.0.2 255.255.255.255\n`;
    www.page('/', ['/a', '/private/b', '/private/c', news.url('/'), other.url('/')]);
    const world = await start(www, rules);
    expect(www.fetched).toEqual(['/', '/a', '/private/b']);
    expect(other.fetched).toEqual(['/']);
    expect(news.requests).toEqual([]);
    expect(await world.indexed()).toEqual([www.url('/'), www.url('/a'), www.url('/private/b'), other.url('/')].sort());
    // The address is known when the URL is about to be fetched, so the URL is a stored one by then.
    expect(await world.state(news.url('/'))).toMatchObject({ status: 'excluded', reason: 'crawl-space-address' });
  });

  it('a DNS failure is not an exclusion', async () => {
    const { www } = await hosts();
    www.page('/', ['http://unknown.example/']);
    const world = await start(www, 'forbid address 10.0.0.0/8\n');
    expect(await world.state('http://unknown.example/')).toMatchObject({ status: 'error', reason: 'dns-not-found' });
  });

  it('a URL that a later rule forbids is not crawled because an address rule before it has no address to look at', async () => {
    const { www } = await hosts();
    www.page('/', ['http://unknown.example/', '/private/b']);
    const rules = `forbid address 10.0.0.0/8\nforbid domain unknown.example\nforbid prefix ${www.url('/private/')}\n`;
    const world = await start(www, rules);
    expect(await world.state('http://unknown.example/')).toBeUndefined();
    expect(www.fetched).toEqual(['/']);
    const { explanation } = await world.engine.explanations.explain('test', 'http://unknown.example/');
    expect(explanation.verdict).toMatchObject({ accepted: false, reason: 'crawl-space-domain' });
  });

  it.each([
    ['forbid address 10.0.0.0/8\nforbid domain b.test\n', undefined],
    ['allow address 10.0.0.0/8\nforbid domain b.test\n', { status: 'error', reason: 'dns-no-answer' }],
  ])(
    'where only the proxy resolves names, nothing that a later rule forbids is asked for: %j',
    async (rules, state) => {
      const proxy = await startSite();
      proxy.page('http://a.test/', ['http://b.test/']).page('http://b.test/');
      const world = await crawl({
        crawler: `<Root url="http://a.test/" site="false"/>${SPACE}`,
        attributes: ATTRIBUTES,
        names: {},
        files: { 'crawl.rules': rules },
        more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:Proxy url="${proxy.url('')}"/></cw:Fetcher>`,
      });
      expect(await world.indexed()).toEqual(['http://a.test/']);
      expect(proxy.requests.map(({ path }) => path).filter((path) => path.startsWith('http://b.test/'))).toEqual([]);
      expect(await world.state('http://b.test/')).toEqual(state && expect.objectContaining(state));
    },
  );
});

describe('one Web crawler whose crawl space is reduced', () => {
  it('restores consistency: the status of crawled and uncrawled URLs becomes 760, the excluded pages leave the index', async () => {
    const { www, news } = await hosts();
    const world = await start(www, 'forbid domain other.org\n');
    expect(await world.indexed()).toContain(news.url('/today'));
    await world.engine.setRunState('test', 'paused');
    await world.engine.roots.submit('test', [{ url: news.url('/uncrawled') }]);
    www.forgetRequests();
    news.forgetRequests();
    const files = {
      'crawl.rules': `forbid domain other.org\nforbid domain news.ibm.com\nforbid prefix ${www.url('/private')}\n`,
    };
    await world.reconfigure({ crawler: `<Root url="${www.url('/')}" site="false"/>${SPACE}`, files });
    await world.engine.setRunState('test', 'running');
    await world.untilIdle();
    expect(await world.indexed()).toEqual([www.url('/'), www.url('/a')]);
    for (const url of [news.url('/'), news.url('/today'), news.url('/uncrawled')]) {
      expect(await world.state(url)).toMatchObject({ status: 'excluded', reason: 'crawl-space-domain' });
      expect((await world.engine.explanations.explain('test', url)).explanation.verdict).toMatchObject({
        accepted: false,
      });
    }
    const { explanation } = await world.engine.explanations.explain('test', news.url('/today'));
    expect(explanation.verdict.status).toBe(760);
    await world.pass(days(3));
    expect(news.requests).toEqual([]);
  });

  it('a crawl space that grows again takes its URLs back', async () => {
    const { www, news } = await hosts();
    const world = await start(www, '');
    const reduced = { 'crawl.rules': 'forbid domain news.ibm.com\n' };
    const crawler = `<Root url="${www.url('/')}" site="false"/>${SPACE}`;
    await world.reconfigure({ crawler, files: reduced });
    await world.untilIdle();
    expect(await world.indexed()).not.toContain(news.url('/today'));
    await world.reconfigure({ crawler, files: { 'crawl.rules': '' } });
    await world.untilIdle();
    expect(await world.indexed()).toContain(news.url('/today'));
  });
});

describe('the rules of the global crawl space, in their order', () => {
  const reduce = async (local: string, global?: string): Promise<{ world: CrawlWorld; news: FakeSite }> => {
    const { www, news } = await hosts();
    const world = await start(www, '', global === undefined ? {} : { global });
    expect(await world.indexed()).toContain(news.url('/today'));
    news.forgetRequests();
    await world.reconfigure({
      crawler: `<Root url="${www.url('/')}" site="false"/>${SPACE}`,
      files: {
        'crawl.rules': local.replace('$NEWS', news.origin),
        ...(global === undefined ? {} : { 'global.rules': global }),
      },
    });
    await world.untilIdle();
    return { world, news };
  };
  const status = async (world: CrawlWorld, url: string): Promise<number | undefined> =>
    (await world.engine.explanations.explain('test', url)).explanation.verdict.status;

  it.each([
    ['prefix', 'forbid prefix $NEWS/\n', 'crawl-space-prefix'],
    ['address', 'forbid address 127.0.0.2\n', 'crawl-space-address'],
  ])(
    '1. excluded by a local %s rule: 760 and removed, although the global crawl space allows it',
    async (_kind, local, reason) => {
      const { world, news } = await reduce(local, 'allow domain news.ibm.com\n');
      expect(await world.state(news.url('/today'))).toMatchObject({ status: 'excluded', reason });
      expect(await status(world, news.url('/today'))).toBe(760);
      expect(await world.indexed()).not.toContain(news.url('/today'));
      await world.pass(days(2));
      expect(news.requests).toEqual([]);
    },
  );

  it('2. excluded by a local domain rule and there is no global crawl space: 760, removed, not crawled again', async () => {
    const { world, news } = await reduce('forbid domain news.ibm.com\n');
    expect(await world.state(news.url('/today'))).toMatchObject({ status: 'excluded', reason: 'crawl-space-domain' });
    expect(await status(world, news.url('/today'))).toBe(760);
    expect(await world.indexed()).not.toContain(news.url('/today'));
    await world.pass(days(2));
    expect(news.requests).toEqual([]);
  });

  it('3. excluded by a local domain rule but explicitly allowed by the global crawl space: 761, not crawled again, not removed', async () => {
    const { world, news } = await reduce('forbid domain news.ibm.com\n', 'allow domain *.ibm.com\n');
    expect(await world.state(news.url('/today'))).toMatchObject({
      status: 'elsewhere',
      reason: 'left-to-another-crawler',
    });
    expect(await status(world, news.url('/today'))).toBe(761);
    await world.pass(days(2));
    expect(news.requests).toEqual([]);
    expect(await world.indexed()).toEqual(expect.arrayContaining([news.url('/'), news.url('/today')]));
  });

  it.each([
    ['forbidden', 'forbid domain news.ibm.com\nallow domain *\n'],
    ['no rule applies: the default of the global crawl space is to forbid', 'allow domain www.ibm.com\n'],
    ['an empty file enables it too', ''],
  ])('4. excluded by a local domain rule and not explicitly allowed (%s): 760, removed', async (_name, global) => {
    const { world, news } = await reduce('forbid domain news.ibm.com\n', global);
    expect(await status(world, news.url('/today'))).toBe(760);
    expect(await world.indexed()).not.toContain(news.url('/today'));
  });

  it('a URL that the local crawl space allows is crawled whatever the global one says', async () => {
    const { www, news } = await hosts();
    await start(www, 'allow domain news.ibm.com\n', { global: 'forbid domain *\n' });
    expect(news.fetched).toEqual(['/', '/today']);
  });

  it('a discovered URL of another crawler is discarded, not stored', async () => {
    const { www, news } = await hosts();
    const world = await start(www, 'forbid domain news.ibm.com\n', { global: 'allow domain *.ibm.com\n' });
    expect(news.requests).toEqual([]);
    expect(await world.state(news.url('/'))).toBeUndefined();
    expect(await refusals(world)).toEqual({ 'left-to-another-crawler': [news.url('/')] });
  });

  it('global.rules can contain only domain rules', async () => {
    const { www } = await hosts();
    await expect(
      start(www, '', { global: 'allow domain *.ibm.com\nallow prefix http://www.ibm.com/\n' }),
    ).rejects.toThrow(/2: .*domain/);
  });
});

describe('the crawl space divided between two crawlers', () => {
  const attributes =
    'nthreads="4" aggressive="true" defaultAccept="true" crawlSitemaps="false" smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
  const two = (a: FakeSite, b: FakeSite): string =>
    `<Crawler name="a" ${attributes}><Root url="${a.url('/')}" site="false"/><cw:CrawlSpace rules="a.rules"/></Crawler>
     <Crawler name="b" ${attributes}><Root url="${b.url('/')}" site="false"/><cw:CrawlSpace rules="b.rules"/></Crawler>`;
  const BEFORE = {
    'a.rules': 'allow domain *.ibm.com\nforbid domain *\n',
    'b.rules': 'allow domain other.org\nforbid domain *\n',
  };
  const AFTER = {
    'a.rules': 'forbid domain news.ibm.com\nallow domain *.ibm.com\nforbid domain *\n',
    'b.rules': 'allow domain other.org\nallow domain news.ibm.com\nforbid domain *\n',
  };

  const move = async (after: Record<string, string>, global?: string, meanwhile?: (news: FakeSite) => unknown) => {
    const { www, news, other } = await hosts();
    other.page('/', [news.url('/')]);
    const files: Record<string, string> = global === undefined ? {} : { 'global.rules': global };
    const more = global === undefined ? '' : GLOBAL;
    const world = await crawl({ crawler: two(www, other), files: { ...BEFORE, ...files }, more, names: NAMES });
    const held = [
      ...['/', '/a', '/private/b'].map((path) => www.url(path)),
      news.url('/'),
      news.url('/today'),
      other.url('/'),
    ].sort();
    expect(await world.indexed()).toEqual(held);
    const lost: string[] = [];
    const watch = world.engine.events.subscribe((event) => {
      if (event.type === 'order' && event.kind === 'delete') lost.push(event.uri);
    });
    const replaced = Object.fromEntries(
      Object.entries(after).map(([name, text]) => [name, text.replaceAll('$NEWS', news.origin)]),
    );
    meanwhile?.(news);
    await world.reconfigure({ crawler: two(www, other), files: { ...replaced, ...files }, more });
    await world.pass(days(2));
    watch();
    return { world, news, held, lost };
  };

  it('a host moves from A to B with global.rules: the index never loses a document', async () => {
    const { world, news, held, lost } = await move(AFTER, 'allow domain *.ibm.com\nallow domain other.org\n');
    expect(lost).toEqual([]);
    expect(await world.indexed()).toEqual(held);
    expect(await world.state(news.url('/today'), 'a')).toMatchObject({ status: 'elsewhere' });
    expect(await world.state(news.url('/today'), 'b')).toMatchObject({ status: 'indexed' });
  });

  it('without global.rules the original crawler removes the moved pages from the index', async () => {
    const { world, news, lost } = await move(AFTER);
    expect(lost.sort()).toEqual([news.url('/'), news.url('/today')]);
    expect(await world.state(news.url('/today'), 'a')).toMatchObject({ status: 'excluded' });
  });

  it.each(['with', 'without'])('a prefix rule %s global.rules removes the pages', async (kind) => {
    const after = { ...BEFORE, 'a.rules': `forbid prefix $NEWS/\n${BEFORE['a.rules']}` };
    const { world, news, lost } = await move(after, kind === 'with' ? 'allow domain *.ibm.com\n' : undefined);
    expect(lost.sort()).toEqual([news.url('/'), news.url('/today')]);
    expect(await world.indexed()).not.toContain(news.url('/today'));
  });

  it("what B deletes afterwards leaves the index: the document is B's now", async () => {
    const { world, news } = await move(AFTER, 'allow domain *.ibm.com\nallow domain other.org\n');
    news.remove('/today');
    await world.pass(days(2));
    expect(await world.indexed()).not.toContain(news.url('/today'));
  });

  it('B visits what A has left to it: a page to which no link leads stays, and one that is gone leaves the index', async () => {
    const global = 'allow domain *.ibm.com\nallow domain other.org\n';
    const kept = await move(AFTER, global, (news) => news.page('/', []));
    expect(await kept.world.indexed()).toEqual(kept.held);
    expect(await kept.world.state(kept.news.url('/today'), 'b')).toMatchObject({ status: 'indexed' });
    const gone = await move(AFTER, global, (news) => news.page('/', []).remove('/today'));
    expect(await gone.world.indexed()).toEqual(gone.held.filter((url) => url !== gone.news.url('/today')));
  });

  it('clearing what A has left to B takes nothing of B out of the index, and what nobody has taken leaves it', async () => {
    const { world, news, held } = await move(AFTER, 'allow domain *.ibm.com\nallow domain other.org\n');
    await world.engine.maintenance.clear('b', { like: news.url('/today') });
    await world.untilIdle();
    await world.engine.maintenance.clear('a', { like: `${news.url('/')}%` });
    await world.untilIdle();
    expect(await world.state(news.url('/'), 'a')).toBeUndefined();
    expect(await world.indexed()).toEqual(held.filter((url) => url !== news.url('/today')));
  });

  it('a comparison with the index holds A to nothing that B has by now', async () => {
    const { world, news } = await move(AFTER, 'allow domain *.ibm.com\nallow domain other.org\n');
    news.page('/today', [], 'Other news.').remove('/');
    await world.pass(days(2));
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({
      missing: { count: 0 },
      extra: { count: 0 },
      stale: { count: 0 },
    });
  });
});
