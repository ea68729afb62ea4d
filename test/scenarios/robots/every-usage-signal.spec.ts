import { afterEach, expect, it } from 'vitest';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const PAST = 'Thu, 25 Jun 2009 15:00:00 GMT';
const FUTURE = 'Mon, 25 Jun 2035 15:00:00 GMT';

interface Signal {
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Record of the group in robots.txt. */
  readonly robots?: string;
}

const robotsMeta = (content: string): Signal => ({ html: `<meta name="robots" content="${content}">` });
const robotsTag = (content: string): Signal => ({ headers: { 'x-robots-tag': content } });
const directive = (content: string): readonly Signal[] => [robotsMeta(content), robotsTag(content)];
const usage = (name: string, value: string): readonly Signal[] => [
  { headers: { [name.toLowerCase()]: value } },
  { robots: `${name}: /page ${value}` },
];
const reserved = (name: string, value: string): readonly Signal[] => [
  { html: `<meta name="${name}" content="${value}">` },
  { headers: { [name]: value } },
];

/** Signal, where it stands, what becomes of the page, its metas, and what explain says of its visit. */
const TABLE: readonly (readonly [readonly Signal[], string, Readonly<Record<string, string>>, string])[] = [
  [directive('noindex'), 'noindex', {}, 'not indexed: noindex'],
  [directive(`unavailable_after: ${PAST}`), 'unavailable-after', {}, 'not indexed: unavailable-after'],
  [directive(`unavailable_after: ${FUTURE}`), 'indexed', { unavailable_after: FUTURE }, FUTURE],
  [directive('nosnippet'), 'indexed', { nosnippet: 'true' }, 'nosnippet: true'],
  [directive('max-snippet:50'), 'indexed', { max_snippet: '50' }, 'max_snippet: 50'],
  [directive('noarchive'), 'indexed', { noarchive: 'true' }, 'noarchive: true'],
  [directive('noimageindex'), 'indexed', { noimageindex: 'true' }, 'noimageindex: true'],
  [usage('Content-Usage', 'search=n'), 'search-not-allowed', {}, 'content_usage: search=n'],
  [usage('Content-Usage', 'bots=n'), 'search-not-allowed', {}, 'content_usage: bots=n'],
  [usage('Content-Usage', 'train-ai=n'), 'indexed', { content_usage: 'train-ai=n' }, 'content_usage: train-ai=n'],
  [usage('Content-Signal', 'search=no'), 'search-not-allowed', {}, 'content_signal: search=no'],
  [
    usage('Content-Signal', 'search=yes, ai-train=no'),
    'indexed',
    { content_signal: 'search=yes, ai-train=no' },
    'content_signal: search=yes, ai-train=no',
  ],
  [reserved('tdm-reservation', '1'), 'indexed', { tdm_reservation: '1' }, 'tdm_reservation: 1'],
  [reserved('tdm-policy', '/tdm.json'), 'indexed', { tdm_policy: '/tdm.json' }, 'tdm_policy: /tdm.json'],
];

const ROWS = TABLE.flatMap(([signals, reason, metas, said]) =>
  signals.map((signal) => ({
    place: Object.entries(signal)
      .map(([place, text]) => `${place} ${JSON.stringify(text)}`)
      .join(),
    signal,
    reason,
    metas,
    said,
  })),
);

let site: FakeSite;
let world: CrawlWorld;

afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.close();
  await site.close();
});

it.each(ROWS)('$place: $reason', async ({ signal, reason, metas, said }) => {
  site = await FakeSite.start();
  const { html = '', headers = {}, robots = '' } = signal;
  site.set('/robots.txt', { body: `User-agent: crawlway\n${robots}\nAllow: /\n` });
  site
    .page('/', ['/page'])
    .set('/page', { headers: { 'content-type': 'text/html', ...headers }, body: `${html}<title>t</title><p>Text</p>` });
  world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  await world.untilIdle();
  expect((await world.state(site.url('/page')))!.reason).toBe(reason);
  const document = world.pushed().get(site.url('/page'));
  expect(document !== undefined).toBe(reason === 'indexed');
  if (document) expect(document.metas).toEqual(expect.arrayContaining(named(metas)));
  const { headline, visits } = await world.engine.explanations.explain('test', site.url('/page'));
  expect(headline.reason).toBe(reason);
  expect(visits[0]!.detail).toContain(said);
});

const named = (metas: Readonly<Record<string, string>>): { name: string; value: string }[] =>
  Object.entries(metas).map(([name, value]) => ({ name, value }));
