/** More than twenty fates of a URL; of each, the sentence that a person reads first and the next step that it names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { days, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite, html } from '../../support/fake-site.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';
import { start, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html' };
const NAMES = { www: '127.0.0.1', busy: '127.0.0.1', closed: '127.0.0.1', 'moved.example': '127.0.0.1' };
const LONG = Array.from({ length: 300 }, (_, n) => `word${(n * 7919) % 997} heron lake ${n}`).join(' ');

describe('the headline of a URL', () => {
  let site: FakeSite;
  let closed: FakeSite;
  let busy: FakeSite;
  let world: CrawlWorld;

  beforeAll(async () => {
    site = await FakeSite.start('127.0.0.1', 'www');
    closed = await FakeSite.start('127.0.0.1', 'closed');
    closed.set('/robots.txt', { status: 500 }).page('/');
    busy = await FakeSite.start('127.0.0.1', 'busy');
    busy.set('/', { status: 503, headers: { 'retry-after': '3600' } });
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /secret\n' });
    const paths = [
      '/ok',
      '/secret',
      '/noindex',
      '/links-only',
      '/picture',
      '/old',
      '/away',
      '/gone',
      '/twice',
      '/login',
    ];
    paths.push('/refers', '/twin-1', '/left.zip', '/intern/x', 'http://moved.example/');
    site.page('/', [...paths, closed.url('/'), busy.url('/')]);
    for (const path of ['/ok', '/links-only', '/new', '/nobody-links-here']) site.page(path);
    site.page('/canon', [], 'Whoever reads this page reads what other pages point to as their canonical one.');
    site.set('/noindex', { headers: HTML, body: '<meta name="robots" content="noindex"><title>n</title>' });
    site.set('/picture', { headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' });
    site.set('/old', { status: 301, headers: { location: '/new' } });
    site.set('/away', { status: 302, headers: { location: 'http://elsewhere.example/' } });
    site.set('/twice', { status: 500 }).set('/login', { status: 401 });
    site.set('/refers', { headers: HTML, body: '<link rel="canonical" href="/canon"><title>r</title>' });
    for (const path of ['/twin-1', '/twin-2'])
      site.set(path, { headers: HTML, body: html('Twins', [], `${LONG} ${path}`) });
    const crawler = `<Root url="${site.url('/')}" site="false"/><cw:LinkRules maxUrlLength="100" ignoreLinksTo="zip"/>
      <cw:CrawlSpace rules="crawl.rules"/>
      <cw:Conditions><cw:may-not-have field="path" value="/draft/*"/></cw:Conditions>
      <cw:ErrorPolicy maxTemporaryErrors="5"/>
      <Rules group="default"><Rule><ar:Host val="elsewhere.example"/><Ignore/></Rule><Rule><ar:Path val="/links-only"/><NoIndex/></Rule></Rules>`;
    world = await CrawlWorld.start({
      attributes: 'name="test" nthreads="1" nearDuplicateDetector="true"',
      crawler,
      files: {
        'crawl.rules': `forbid domain moved.example\nforbid prefix http://www:${site.port}/intern/\n`,
        'global.rules': 'allow domain moved.example\n',
      },
      more: '<cw:GlobalCrawlSpace rules="global.rules"/>',
      names: NAMES,
      index: 'none',
    });
    await world.pass(minutes(2));
    await world.engine.roots.submit('test', [{ url: site.url('/twin-2') }]);
    await world.pass(minutes(2));
  });
  afterAll(async () => {
    await world.close();
    await site.close();
    await closed.close();
    await busy.close();
  });

  const others = (): Record<string, string> => ({ 'http://closed/': closed.url('/'), 'http://busy/': busy.url('/') });

  it.each([
    ['a document', '/ok', 'in-index', /^In the index\. Its next visit is at \d{4}-/, undefined],
    [
      'forbidden by robots.txt',
      '/secret',
      'not-in-index',
      /^Not in the index: robots\.txt disallows it for crawlway \(line 2: Disallow: \/secret\)\.$/,
      /Ask the site/,
    ],
    [
      'noindex',
      '/noindex',
      'not-in-index',
      /^Not in the index: The page says noindex/i,
      /Remove noindex from the page/,
    ],
    [
      'read for its links',
      '/links-only',
      'not-in-index',
      /^Not in the index: The page was read for its links/i,
      /change the rule with NoIndex/,
    ],
    [
      'of an unwanted type',
      '/picture',
      'not-in-index',
      /^Not in the index: .*does not accept image\/svg\+xml/,
      /MimeTypes/,
    ],
    [
      'redirected',
      '/old',
      'not-in-index',
      /^Not in the index under this address: it redirects to http:\/\/www:\d+\/new, which is in the index\.$/,
      /Check .*\/new/,
    ],
    [
      'redirected to what the rules refuse',
      '/away',
      'not-in-index',
      /redirects to http:\/\/elsewhere\.example\/, which is refused \(rule-ignored: /,
      /^To have http:\/\/elsewhere\.example\/ crawled: change that rule/,
    ],
    [
      'gone',
      '/gone',
      'not-in-index',
      /^Not in the index: its last visit failed \(http-404\)\. The page does not exist \(404\)/,
      /links/,
    ],
    [
      'failing',
      '/twice',
      'not-in-index',
      /\(http-5xx\)\. The server failed .* If it fails again, the URL is removed\.$/,
      /Inform the site/,
    ],
    ['behind a login', '/login', 'not-in-index', /\(http-401\)\. /, /credential/],
    [
      'busy',
      'http://busy/',
      'on-its-way',
      /^Not in the index: its last visit failed \(http-503-retry-after\)\. .*Its next visit is at/,
      /Retried/,
    ],
    [
      'with another canonical URL',
      '/refers',
      'not-in-index',
      /names another URL as its canonical one: http:\/\/www:\d+\/canon, which is in the index/,
      /rel=canonical/,
    ],
    [
      'a near duplicate',
      '/twin-2',
      'not-in-index',
      /its text is nearly the same as that of http:\/\/www:\d+\/twin-1\./,
      /nearDuplicateDetector/,
    ],
    [
      'on a host without a robots.txt that can be read',
      'http://closed/',
      'on-its-way',
      /is waiting for its first visit, and nothing is fetched from closed:\d+ until its robots\.txt can be read/,
      /Check the host/,
    ],
    [
      'refused by the link rules',
      '/left.zip',
      'not-in-index',
      /^Not crawled: the link to it on http:\/\/www:\d+\/ was refused \(extension-ignored\)|^Not crawled: it would be accepted as a root, but links to it are refused: .*\.zip/,
      /ignoreLinksTo/,
    ],
    [
      'refused by the crawl space',
      '/intern/x',
      'not-in-index',
      /^Not crawled: the configuration rejects it: .*forbid prefix.* \(crawl-space, crawl\.rules:2\)\.$/,
      /crawl\.rules/,
    ],
    [
      'left to another crawler',
      'http://moved.example/',
      'not-in-index',
      /forbid domain moved\.example/,
      /another crawler/,
    ],
    ['filtered by a condition', '/draft/1', 'not-in-index', /rejects it: .*URLs may not have/, /Change the condition/],
    ['ignored by a rule', 'http://elsewhere.example/', 'not-in-index', /rule 1 \(group "default"\)/, /Accept/],
    ['too long', `/${'x'.repeat(200)}`, 'not-in-index', /characters, but only 100 are allowed/, /maxUrlLength/, '/'],
    [
      'never linked',
      '/nobody-links-here',
      'not-in-index',
      /^Not known: the configuration accepts it, but no page read so far links to it\.$/,
      /Link to it from a page that is crawled, list it in a sitemap, or submit it/,
    ],
    [
      'of another protocol',
      'ftp://www/file',
      'not-in-index',
      /the protocol ftp is not among those that this crawler uses/,
      /protocols/,
    ],
  ] as const)('%s', async (_, path, fate, text, step, from?: string) => {
    const url = others()[path] ?? (path.startsWith('/') ? site.url(path) : path);
    const { headline } = await world.engine.explanations.explain('test', url, from && site.url(from));
    expect(headline.text).toMatch(text);
    expect(headline.fate).toBe(fate);
    // Whatever is not in the index comes with a next step.
    if (step) expect(headline.nextStep).toMatch(step);
    else expect(fate).toBe('in-index');
    if (fate === 'in-index') expect(headline.nextStep).toBeUndefined();
  });

  it('lists the links of a root that wait for selection, with the state of each', async () => {
    const other = await start({ crawler: '<Root url="http://nowhere/"/>', names: NAMES, index: 'none' });
    await other.engine.roots.submit('test', [{ url: site.url('/'), followLinks: false, site: false }]);
    await other.pass(minutes(2));
    const { listedLinks } = await other.engine.explanations.getUrlHistory('test', site.url('/'));
    expect(listedLinks.map(({ url }) => url)).toContain(site.url('/ok'));
    expect(listedLinks.every(({ state }) => state === undefined)).toBe(true);
    const { headline } = await other.engine.explanations.explain('test', site.url('/ok'));
    expect(headline).toMatchObject({ fate: 'not-in-index', reason: 'links-not-followed' });
  });

  it('states for a new link to a stored URL what would happen to the link, and the state of the URL', async () => {
    const { headline } = await world.engine.explanations.explain('test', site.url('/ok'), site.url('/'));
    expect(headline.text).toMatch(/^In the index\./);
    const far = await world.engine.explanations.explain('test', site.url('/left.zip'), site.url('/'));
    expect(far.headline.text).toMatch(/^Not crawled: the link on http:\/\/www:\d+\/ is refused: .*\.zip/);
  });

  it('states that a removed URL returns when a page that links to it is visited', async () => {
    await world.engine.maintenance.refresh('test', { url: site.url('/twice') });
    await world.pass(minutes(1));
    const { headline } = await world.engine.explanations.explain('test', site.url('/twice'));
    expect(headline).toMatchObject({ fate: 'not-in-index', reason: 'removed-after-errors' });
    expect(headline.text).toMatch(
      /^Not in the index: it was given up after repeated errors, the last one at 2026-\S+Z: http-5xx: The server failed.*It is retried when a page that links to it is visited/,
    );
    expect(headline.nextStep).toMatch(/^Fix the page: it is retried/);
  });

  it('states that the crawler is paused, whatever else applies', async () => {
    await world.engine.setRunState('test', 'paused');
    const { headline } = await world.engine.explanations.explain('test', closed.url('/'));
    expect(headline.text).toContain('The crawler is paused: nothing is fetched until it is started.');
    expect(headline.nextStep).toBe('Start the crawler.');
    await world.engine.setRunState('test', 'running');
  });

  it('names the source of the queue: natural, shift and final', async () => {
    const shifted = '<Rules group="default"><Rule><ar:Path val="/fast"/><Priority shift="-2"/></Rule></Rules>';
    const other = await start({
      crawler: `<Root url="${site.url('/ok')}" priority="1" site="false"/>${shifted}`,
      names: NAMES,
      index: 'none',
    });
    const queue = async (path: string, from?: string) =>
      (await other.engine.explanations.explain('test', site.url(path), from)).queue;
    expect(await queue('/ok')).toEqual({ natural: 'user', shift: 1, source: 'redir' });
    expect(await queue('/unknown')).toEqual({ natural: 'user', shift: 0, source: 'user' });
    expect(await queue('/slow', site.url('/ok'))).toEqual({
      natural: 'index_follow',
      shift: 0,
      source: 'index_follow',
    });
    expect(await queue('/fast', site.url('/ok'))).toEqual({ natural: 'index_follow', shift: -2, source: 'redir' });
  });
});

it.each([
  ['site mode', '', 'outside-site', /\(site-mode/],
  [
    'server records',
    '<cw:Servers><cw:Server url="ORIGIN/news/"/></cw:Servers>',
    'no-server-record',
    /\(server-records/,
  ],
])('the headline names the layer that refuses a URL: %s', async (_, servers, reason, layer) => {
  const site = await startSite();
  site.page('/news/', ['/news/a', '/other']).page('/news/a').page('/other');
  const scope = servers === '' ? 'true' : 'false';
  const crawler = `<Root url="${site.url('/news/')}" site="${scope}"/>${servers.replace('ORIGIN', site.origin)}`;
  const world = await start({ crawler, index: 'none' });
  await world.pass(minutes(1));
  const { headline: known } = await world.engine.explanations.explain('test', site.url('/news/a'));
  expect(known.text).toMatch(/^In the index\./);
  const { headline } = await world.engine.explanations.explain('test', site.url('/other'), site.url('/news/'));
  expect(headline).toMatchObject({ fate: 'not-in-index', reason });
  expect(headline.text).toMatch(/^Not crawled: the link on .* is refused: /);
  expect(headline.text).toMatch(layer);
  expect(headline.nextStep).toBeTruthy();
});

it('notes of a visit about its request and links do not make the headline claim missing text', async () => {
  const site = await startSite();
  site.page('/held');
  site.set('/', { headers: { ...HTML, 'set-cookie': 'a=1' }, body: html('Cookie', ['/after', '/held']) });
  site.set('/after', { headers: { ...HTML, 'x-robots-tag': 'noarchive' }, body: html('After', []) });
  const crawler = `<Root url="${site.url('/')}"/>`;
  const world = await start({ attributes: 'nthreads="1" nearDuplicateDetector="false"', crawler, index: 'none' });
  const visitHeld = async (): Promise<void> => {
    await world.pass(minutes(1));
    await world.engine.maintenance.refresh('test', { url: site.url('/held') });
    await world.pass(minutes(1));
  };
  site.set('/held', { status: 503, headers: { 'retry-after': '3600' } });
  await visitHeld();
  site.page('/held');
  await visitHeld();
  for (const [path, noted] of [
    ['/after', /sent with cookie a/],
    ['/held', /tried at a person's request/],
  ] as const) {
    const { visits } = await world.engine.explanations.getUrlHistory('test', site.url(path));
    expect(visits.map(({ detail }) => detail ?? '').join(' ')).toMatch(noted);
    const { headline } = await world.engine.explanations.explain('test', site.url(path));
    expect(headline.text).toMatch(/^In the index\. Its next visit is at \S+$/);
  }
});

it('the headline of a page whose deletion waits for an early look states it', async () => {
  const site = await startSite();
  const paths = Array.from({ length: 60 }, (_, n) => `/p${n}`);
  site.page('/', paths);
  for (const path of paths) site.page(path);
  const ages = 'smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400" nearDuplicateDetector="false"';
  const world = await start({ attributes: ages, crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  await world.untilIdle();
  for (const path of paths) site.set(path, { status: 404 });
  await world.engine.maintenance.refresh('test', { like: '%/p%' });
  await world.pass(minutes(5));
  const waiting = await world.engine.orders.list({ kind: 'delete', state: 'awaiting' }, undefined, 1);
  const held = await world.engine.orders.list({ kind: 'delete', state: 'held' }, undefined, 1);
  const [order] = [...waiting, ...held];
  const { headline } = await world.engine.explanations.explain('test', order!.uri);
  expect(headline.fate).toBe('in-index');
  expect(headline.text).toMatch(/^In the index/);
  expect(headline.nextStep).toBeTruthy();
});

describe('the headline of a URL and its orders', () => {
  it('states that a sink refused the document and which order to retry, that an order waits, and that a deletion waits', async () => {
    const site = await startSite();
    const receiver = await FlakyReceiver.start();
    const paths = Array.from({ length: 8 }, (_, i) => `/p${i}`);
    site.page('/', ['/poison', ...paths]).page('/poison', [], 'Poisonous');
    for (const path of paths) site.page(path);
    receiver.fate = (body) => (body.includes('Text of /p0.') ? 'fail' : body.includes('Poisonous') ? 'refuse' : 'pass');
    const world = await start({
      attributes: 'nearDuplicateDetector="false" smartRefreshMaxAgeS="604800"',
      crawler: `<Root url="${site.url('/')}"/>`,
      through: receiver,
    });
    const headline = async (path: string) => (await world.engine.explanations.explain('test', site.url(path))).headline;
    await world.pass(minutes(1));
    expect(await headline('/p0')).toMatchObject({
      fate: 'on-its-way',
      text: expect.stringMatching(/^On its way to the index: /),
    });
    receiver.fate = (body) => (body.includes('Poisonous') ? 'refuse' : 'pass');
    await world.pass(minutes(10));
    expect(await headline('/p0')).toMatchObject({ fate: 'in-index' });
    expect(await headline('/poison')).toMatchObject({
      fate: 'not-in-index',
      reason: 'order-refused',
      text: expect.stringMatching(/^Not in the index: a sink refused its document: .*poison.*\.$/),
      nextStep: expect.stringMatching(/retry order \d+\./),
    });

    for (const path of ['/', '/poison', ...paths]) site.set(path, { status: 500 });
    await world.pass(days(1));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(5));
    const held = await Promise.all(paths.map((path) => headline(path)));
    const waiting = held.filter(({ reason }) => reason === 'held' || reason === 'awaiting-sign-of-life');
    expect(waiting.length).toBeGreaterThan(0);
    for (const each of waiting)
      expect(each).toMatchObject({ fate: 'in-index', text: expect.stringContaining('http-5xx') });
  });
});
