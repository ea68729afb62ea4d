/** What pages of other hosts say about a host's URLs changes nothing for the host: its documents, its limits and its turn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { FakePage, FakeSite } from '../../support/fake-site.js';
import { crawl, refusals, start, startSite } from '../../support/scenario.js';

const NAMES = { 'evil.example': '127.0.0.2', 'victim.example': '127.0.0.3' };
const html = (body: string): FakePage => ({ body, headers: { 'content-type': 'text/html; charset=utf-8' } });
const links = (hrefs: readonly string[]): string => hrefs.map((href) => `<a href="${href}">link</a>`).join('\n');
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const CHANGING = new Set(['crawl_time']);

const PRODUCTS = range(20).map((i) => `/product?id=${i}`);
const ARTICLES = range(30).map((i) => `/article/${i}`);

/** A host whose home page responds at the second request only, when the strangers' pages have been read. */
async function startVictim(): Promise<FakeSite> {
  const victim = await startSite('127.0.0.3', 'victim.example');
  let asked = 0;
  victim.set('/', () =>
    asked++ === 0
      ? { status: 503, headers: { 'retry-after': '120' } }
      : (html(`<title>Home</title>Welcome ${links(['/list', ...PRODUCTS])}`) as ReturnType<
          Extract<FakePage, (...a: never[]) => unknown>
        >),
  );
  victim.page('/list', ARTICLES);
  for (const path of ARTICLES) victim.page(path, ['/'], `Article about ${path}`);
  victim.elsewhere((path) =>
    /^\/product\?id=\d+$/.test(path) ? html(`<title>${path}</title>Product ${path}`) : undefined,
  );
  return victim;
}

const crawler = (evil: FakeSite, victim: FakeSite, traps: string) =>
  `<Root url="${evil.url('/')}" site="false"/><Root url="${victim.url('/')}"/><cw:Traps ${traps}/>
  <cw:Acl default=""><cw:AclRule url="${victim.url('/article/')}" allow="staff"/></cw:Acl>`;
const ATTRIBUTES =
  'nthreads="1" aggressive="false" throttleTimeMS="1000" nearDuplicateDetector="false" smartRefreshMinAgeS="86400"';

/** Crawls both, and returns what became of the victim. */
async function crawlVictim(evilPages: readonly string[], traps = '', evilSitemaps: readonly string[] = []) {
  const evil = await startSite('127.0.0.2', 'evil.example');
  const victim = await startVictim();
  evil.page(
    '/',
    evilPages.map((_, i) => `/e${i}`),
  );
  const sitemaps = evilSitemaps.map((path) => `Sitemap: ${victim.url(path)}`);
  evil.set('/robots.txt', { body: sitemaps.join('\n') });
  evilPages.forEach((body, i) => void evil.set(`/e${i}`, html(body.replaceAll('VICTIM', victim.origin))));
  const world = await start({
    index: 'none',
    attributes: evilSitemaps.length > 0 ? `${ATTRIBUTES} crawlSitemaps="true"` : ATTRIBUTES,
    crawler: crawler(evil, victim, traps),
    names: NAMES,
  });
  await world.pass(minutes(10));
  const own = new Set(['/', '/list', ...PRODUCTS, ...ARTICLES]);
  const documents = [...world.pushed()].flatMap(([uri, { text, metas }]) => {
    const path = uri.slice(victim.origin.length);
    const lasting = metas
      .filter(({ name }) => !CHANGING.has(name))
      .map(({ name, value }) => `${name}=${value.replace(victim.origin, '')}`);
    return uri.startsWith(victim.origin) && own.has(path) ? [[path, text, ...lasting.sort()].join('\n')] : [];
  });
  const fetched = victim.requests.map(({ path }) => path);
  const last = Math.max(...[...own].map((path) => fetched.lastIndexOf(path)));
  const strange = fetched
    .slice(0, last)
    .filter((path) => !own.has(path) && path !== '/robots.txt' && path !== '/sitemap.xml');
  return { world, evil, victim, documents: documents.sort(), strangeBeforeLast: strange.length };
}

describe('links of a stranger', () => {
  it.each([
    ['queries', 'maxQueryVariants="40"', range(300).map((i) => `VICTIM/product?id=junk${i}`), 'trap-query-variants'],
    ['pages', 'maxUrlsPerHost="100"', range(300).map((i) => `VICTIM/junk${i}`), 'trap-host-size'],
  ])('fill at most a tenth of the limit of %s, and the host has all of it', async (_, traps, junk, reason) => {
    const alone = await crawlVictim([], traps);
    expect(alone.documents).toHaveLength(52);
    const beside = await crawlVictim([links(junk)], traps);
    expect(beside.documents).toEqual(alone.documents);
    const refused = await refusals(beside.world);
    expect(Object.keys(refused)).toEqual([reason]);
    expect(beside.victim.fetched.filter((path) => path.includes('junk')).length).toBeLessThanOrEqual(20);
  });

  it('are limited in robots.txt as well, where they name sitemaps of the host', async () => {
    const alone = await crawlVictim([], 'maxUrlsPerHost="100"', ['/none.xml']);
    const sitemaps = range(300).map((i) => `/junk${i}.xml`);
    const beside = await crawlVictim([], 'maxUrlsPerHost="100"', sitemaps);
    expect(beside.documents).toEqual(alone.documents);
    expect(beside.victim.fetched.filter((path) => path.includes('junk')).length).toBeLessThanOrEqual(20);
  });

  it('wait behind the pages of the host, also those that they have named first', async () => {
    const junk = range(200).map((i) => `VICTIM/junk${i}`);
    const { strangeBeforeLast } = await crawlVictim([links([...junk, ...ARTICLES.map((path) => `VICTIM${path}`)])]);
    expect(strangeBeforeLast).toBeLessThanOrEqual(52 / 20 + 1);
  });

  it('give their place back if the page does not exist', async () => {
    const evil = await startSite('127.0.0.2', 'evil.example');
    const victim = await startVictim();
    victim.page('/real');
    const junk = range(10).map((i) => victim.url(`/junk${i}`));
    evil.page('/', junk);
    const traps = 'maxUrlsPerHost="100"';
    const world = await start({
      index: 'none',
      attributes: ATTRIBUTES,
      crawler: crawler(evil, victim, traps),
      names: NAMES,
    });
    await world.pass(minutes(10));
    expect(victim.fetched.filter((path) => path.startsWith('/junk'))).toHaveLength(10);
    // A page that changes as a whole would be in doubt.
    evil.page('/', [...junk, victim.url('/real')]);
    await world.engine.maintenance.refresh('test', { url: evil.url('/') });
    await world.pass(minutes(5));
    expect((await world.state(victim.url('/real')))?.status).toBe('indexed');
  });
});

const hostile = fc.oneof(
  fc.nat(400).map((count) => links(range(count).map((i) => `VICTIM/product?id=junk${i}`))),
  fc.nat(400).map((count) => links(range(count).map((i) => `VICTIM/j/${i}/`))),
  fc.subarray([...PRODUCTS, ...ARTICLES, '/list']).map((paths) => links(paths.map((path) => `VICTIM${path}`))),
  fc.nat(100).map((count) => `<base href="VICTIM/">${links(range(count).map((i) => `x${i}`))}`),
  fc.nat(60).map((count) => links(range(count).map((i) => `VICTIM/calendar?day=${i}&month=${i}`))),
  fc.constantFrom(...ARTICLES).map((path) => `<link rel="canonical" href="VICTIM${path}">Article about ${path}`),
  fc.constantFrom(...ARTICLES).map((path) => `<meta http-equiv="refresh" content="0;url=VICTIM${path}">`),
  fc.constantFrom(...ARTICLES).map((path) => `<title>${path}</title>Article about ${path}`),
  fc
    .constantFrom('everyone', 'staff')
    .map((name) => `<meta name="acl_allow" content="${name}">${links(ARTICLES.map((path) => `VICTIM/${path}`))}`),
);

it('pages of strangers change neither the documents of a host, nor their access rights, nor its limits and pace', async () => {
  const traps = 'maxUrlsPerHost="100" maxQueryVariants="40" maxPatternUrls="30"';
  const alone = await crawlVictim([], traps);
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 6 }), async (pages) => {
      const beside = await crawlVictim(pages, traps);
      expect(beside.documents).toEqual(alone.documents);
      expect(beside.strangeBeforeLast).toBeLessThanOrEqual(52 / 20 + 1);
      await beside.world.close();
      await beside.evil.close();
      await beside.victim.close();
    }),
    { numRuns: 6, seed: 39 },
  );
});

it('pages to which strangers redirect their own are not visited before new pages of the host', async () => {
  const evil = await startSite('127.0.0.2', 'evil.example');
  const victim = await startSite('127.0.0.3', 'victim.example');
  const setHome = (paths: readonly string[]) =>
    victim.page('/', paths, 'Welcome to the home page of a site with words');
  const [strange, old, fresh] = [
    range(60).map((i) => `/e${i}`),
    range(60).map((i) => `/v${i}`),
    range(30).map((i) => `/new${i}`),
  ];
  for (const path of strange) evil.page(path, [], `A text about ${path} and nothing else`);
  for (const path of [...old, ...fresh]) victim.page(path, [], `A text about ${path} and nothing else`);
  evil.page('/', strange);
  setHome(old);
  const roots = `<Root url="${evil.url('/')}" site="false"/><Root url="${victim.url('/')}"/>`;
  const world = await start({ index: 'none', attributes: ATTRIBUTES, crawler: roots, names: NAMES });
  await world.pass(minutes(10));
  strange.forEach((path, i) => void evil.set(path, { status: 301, headers: { location: victim.url(`/v${i}`) } }));
  setHome([...old, ...fresh]);
  victim.requests.length = 0;
  const { maintenance } = world.engine;
  await maintenance.refresh('test', { hostKey: new URL(evil.origin).host });
  await maintenance.refresh('test', { url: victim.url('/') });
  await world.pass(minutes(10));
  const asked = victim.requests.map(({ path }) => path);
  expect(Math.max(...fresh.map((path) => asked.indexOf(path)))).toBe(fresh.length);
  expect(fresh.filter((path) => !asked.includes(path))).toEqual([]);
});

describe('a redirect to a page', () => {
  it.each([
    ['of a stranger leaves nothing in its metas', 'evil.example', false, undefined],
    ['of a host of the same domain is named by it', 'old.victim.example', false, '/buy-now'],
    ['that is a root is named by it', 'evil.example', true, '/buy-now'],
  ])('%s', async (_, name, isRoot, source) => {
    const other = await startSite('127.0.0.2', name);
    const victim = await startSite('127.0.0.3', 'victim.example');
    const start = await startSite();
    victim.page('/target');
    other.set('/buy-now', { status: 302, headers: { location: victim.url('/target') } });
    start.page('/', [other.url('/buy-now')]);
    const root = isRoot ? other.url('/buy-now') : start.url('/');
    const names = { [name]: '127.0.0.2', 'victim.example': '127.0.0.3' };
    const world = await crawl({ index: 'none', crawler: `<Root url="${root}" site="false"/>`, names });
    const { metas } = world.pushed().get(victim.url('/target'))!;
    const found = metas.find((meta) => meta.name === 'redirect_source')?.value;
    expect(found).toBe(source && other.url(source));
  });
});
