/**
 * Takes the pictures that the pages of docs/ and the README show, of a real crawl; or those of the screens that are named, light and dark, wide and narrow.
 *   npm run screenshots [-- FOLDER [SCREEN…]]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { FakeSite } from '../support/fake-site.js';
import { findShownPictures } from '../support/shown-pictures.js';
import { ARGUMENTS, CHROMIUM } from './chromium.js';
import { ConsoleWorld } from './console-world.js';
import { paletted } from './palette-png.js';
import { startTeaShop, TEA_PAGES } from './tea-shop.js';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const FOLDER = process.argv[2] ?? join(DOCS, 'screenshots');
const SHOWN = findShownPictures(DOCS);
/** The first points of the charts. */
const CRAWL_MS = 75_000;
/** All pages of the shop are rendered once. */
const SHOP_MS = 45_000;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 800 };
/** A page is fetched and rendered. */
const READING_MS = 120_000;
const ONLY = process.argv.slice(3);
/** They show the shop, whose crawlers come last: the others show one crawler alone. */
const OF_THE_SHOP: ReadonlySet<string> = new Set(['made-by-scripts', 'rendered']);

const SCREENS: Readonly<Record<string, string>> = {
  overview: '/',
  coverage: '/coverage',
  sources: '/sources',
  urls: '/urls',
  'url-history': '/url?url=SITE/guide/page-3.html',
  'try-a-url': '/try?url=SITE/private/plans.html&from=SITE/',
  links: '/try?view=links&url=SITE/',
  selectors: '/try?view=selectors&url=SITE/guide/page-3.html',
  rules: '/configuration',
  forms: '/configuration?view=forms',
  'other-rules': '/configuration?view=other',
  xml: '/configuration?view=xml&line=12',
  resolved: '/configuration?view=resolved',
  hosts: '/hosts',
  host: '/host?host=HOST',
  'made-by-scripts': '/host?host=TEA_HOST&crawler=shop',
  rendered: '/try?view=rendered&crawler=shop&url=TEA/',
  errors: '/errors',
  refused: '/refused',
  roots: '/roots',
  audit: '/audit',
  push: '/push',
  ledger: '/push?view=ledger',
  held: '/push?view=held',
  'first-run': '/start',
};

const SECTIONS = ['guide', 'blog', 'api'];

async function startSite(number: number): Promise<FakeSite> {
  const site = await FakeSite.start(`127.0.0.${number + 2}`);
  const pages = 90 + number * 70;
  const path = (index: number): string => `/${SECTIONS[index % 3]}/page-${index}.html`;
  const some = (from: number): string[] => [1, 7, 30, 61].map((step) => path((from * 3 + step) % pages));
  site.page('/', [
    ...Array.from({ length: 24 }, (_, index) => path(index)),
    '/private/plans.html',
    '/gone.html',
    '/broken.html',
  ]);
  for (let index = 0; index < pages; index++) site.page(path(index), some(index), `Chapter ${index}`);
  for (let index = 0; index < 8 - number; index++) site.set(path(index * 5 + 4), { status: index % 2 ? 404 : 500 });
  site.set('/broken.html', { status: 500 });
  const robots = 'User-agent: *\nDisallow: /private/\nCrawl-delay: 0.2\n';
  return site.set('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: robots });
}

const crawlerOf = (shop: FakeSite, attributes: string): string => `
  <Crawler ${attributes} throttleTimeMS="300" crawlSitemaps="false">
    ${TEA_PAGES.map((path) => `<Root url="${shop.url(path)}" site="false"/>`).join('')}
    <Rules group="default"><Rule><ar:Host litteral="true" value="${new URL(shop.origin).hostname}"/><Index/><Follow/><Accept/></Rule></Rules>
    <cw:PushTo sink="main"/>
  </Crawler>`;

const configuration = (sites: readonly FakeSite[]): string => `
  <!-- Product documentation, crawled gently. -->
  <Crawler name="docs" throttleTimeMS="300" crawlSitemaps="false">
${sites.map(({ origin }) => `    <Root url="${origin}/" site="true"/>`).join('\n')}
    <Rules group="default">
      <Rule><ar:Atom field="host" kind="prefix" norm="none" litteral="true" value="127.0.0."/><Index/><Follow/><Accept/></Rule>
      <Rule><ar:Path litteral="true" value="/api/"/><NoIndex/></Rule>
      <Rule><ar:Path litteral="true" value="/blog/"/><Priority shift="1"/><AddMeta name="kind" value="blog"/></Rule>
      <Rule><ar:Atom field="path" kind="prefix" litteral="true" value="/private/"/><Ignore/></Rule>
    </Rules>
    <cw:Servers followOutside="yes"><cw:Server url="${sites[1]!.origin}/" period="1d12h"/></cw:Servers>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Renderer ${process.getuid?.() === 0 ? 'sandbox="false"' : ''} timeLimitMS="${READING_MS}"/>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="INDEX" connector="crawlway"/>`;

async function picture(page: Page, name: string): Promise<void> {
  writeFileSync(join(FOLDER, `${name}.png`), paletted(await page.screenshot()));
}

const sites = await Promise.all([0, 1, 2, 3].map(startSite));
const shop = await startTeaShop('127.0.0.6');
const world = await ConsoleWorld.start({ configuration: configuration(sites) });
const profile = mkdtempSync(join(tmpdir(), 'crawlway-chromium-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: CHROMIUM,
  headless: true,
  args: ARGUMENTS,
});
const page = await browser.newPage();
mkdirSync(FOLDER, { recursive: true });
await sleep(CRAWL_MS);
const [first, tea] = [new URL(sites[0]!.origin), new URL(shop.origin)];
const addressed = (path: string): string =>
  path
    .replaceAll('TEA_HOST', tea.host)
    .replaceAll('TEA', tea.origin)
    .replaceAll('SITE', first.origin)
    .replaceAll('HOST', first.host);
async function addShop(): Promise<void> {
  const url = `${world.server.url}/api/v1/config`;
  const read = await fetch(url);
  const crawlers = [crawlerOf(shop, 'name="shop"'), crawlerOf(shop, 'name="shop-rendered" render="auto"')].join('');
  const written = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/xml', 'if-match': read.headers.get('etag') ?? '' },
    body: (await read.text()).replace('</CrawlConfig>', `${crawlers}\n</CrawlConfig>`),
  });
  if (!written.ok) throw new Error(await written.text());
  await sleep(SHOP_MS);
}

const isWanted = (picture: string): boolean =>
  ONLY.length > 0
    ? ONLY.includes(picture.replace(/-(?:wide|narrow)-(?:light|dark)$/, ''))
    : SHOWN.has(`${picture}.png`);

async function pictures(screens: readonly string[]): Promise<void> {
  for (const name of screens)
    for (const [size, viewport] of Object.entries({ wide: WIDE, narrow: NARROW }))
      for (const colorScheme of ['light', 'dark'] as const) {
        const file = `${name}-${size}-${colorScheme}`;
        if (isWanted(file)) await screen(file, SCREENS[name]!, { viewport, colorScheme });
      }
}

interface Look {
  readonly viewport: typeof WIDE;
  readonly colorScheme: 'light' | 'dark';
}

async function screen(file: string, path: string, { viewport, colorScheme }: Look): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await page.goto(world.server.url + addressed(path), { waitUntil: 'load' });
  for (const word of ['Loading…', 'Reading…'])
    await page.getByText(word).first().waitFor({ state: 'hidden', timeout: READING_MS });
  await sleep(1500);
  await picture(page, file);
}

await pictures(Object.keys(SCREENS).filter((name) => !OF_THE_SHOP.has(name)));
if (isWanted('look-wide-light')) {
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${world.server.url}/start`);
  await page.getByLabel('Address of the site').fill(`${sites[0]!.origin}/`);
  await page.getByLabel('Pause between two requests').fill('0.3');
  await page.getByRole('button', { name: 'Show what would be crawled' }).click();
  await page.getByText('links on the first page').waitFor();
  await picture(page, 'look-wide-light');
}
if ([...OF_THE_SHOP].some((name) => isWanted(`${name}-wide-light`))) {
  await addShop();
  await pictures([...OF_THE_SHOP]);
}
await browser.close();
await world.stop();
await Promise.all([shop, ...sites].map((site) => site.close()));
rmSync(profile, { recursive: true, force: true });
