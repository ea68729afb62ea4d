/** What the change guard holds, beside what is indexed, and the moves of sites, in the console. */
import { beforeAll, expect, it } from 'vitest';
import { FakeSite } from '../support/fake-site.js';
import { createPage, HTML, write } from '../support/guarded-sites.js';
import { findProblems, openPanels, tryDialog } from './accessible.js';
import { describeInBrowser, type Stage } from './browser.js';

const PATIENCE = { timeout: 120_000 };
const PATHS = Array.from({ length: 7 }, (_, i) => `/topic-${i}`);
const ALL = ['/', ...PATHS];
const CONFIGURATION = `
  <Crawler name="docs" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400">
    <Root url="SITE/"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="RECEIVER" connector="test"/>`;
const MAINTENANCE = createPage('Wartung', 'We are working on our site and will be back for you as soon as we can.');

function recover(site: FakeSite): void {
  site.set('/', createPage('Home', write('home'), '', PATHS));
  for (const path of PATHS) site.set(path, createPage(`Page ${path}`, write(path)));
}

describeInBrowser('held changes and moves of sites', { configuration: CONFIGURATION, site: recover }, (stage) => {
  const refresh = () => stage().world.server.engine.maintenance.refresh('docs', { like: '%' });
  const countHeld = async () => (await stage().world.server.engine.getMetrics()).heldDeletions;
  const getHost = ({ world }: Stage): string => new URL(world.site.origin).host;

  beforeAll(() => stage().world.caughtUp());

  it('are shown with both texts, and are dropped by cause', async () => {
    const { world, page, open } = stage();
    for (const path of ALL)
      world.site.set(
        path,
        path < '/topic-3' ? MAINTENANCE : { ...MAINTENANCE, headers: { ...HTML, 'x-robots-tag': 'noindex' } },
      );
    await refresh();
    await expect.poll(countHeld, PATIENCE).toBe(ALL.length);
    await open('/');
    await open('/push?view=held');
    await page.getByText(`${ALL.length} changes`, { exact: true }).waitFor();
    await page.getByText('4 documents would be replaced, 4 documents would be deleted.').waitFor();
    await page.getByText('Compare', { exact: true }).click();
    const row = page.getByRole('table').getByRole('row').nth(1);
    await row.waitFor();
    expect(await row.textContent()).toContain('We are working on our site');
    await openPanels(page);
    expect(await tryDialog(page, page.getByRole('button', { name: 'Drop…' }))).toEqual([]);
    await page.getByRole('button', { name: 'Drop…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toContain(
      `${ALL.length} documents of ${getHost(stage())} will stay in the index`,
    );
    await dialog.getByRole('button', { name: `Drop ${ALL.length} changes` }).click();
    await page.getByText('Nothing is held.').waitFor();
    await open(`/url?url=${world.site.url('/topic-6')}`);
    await page.getByText('the change was dropped').waitFor();
    recover(world.site);
    await refresh();
    await world.caughtUp();
  });

  it('of pages are a card that says how far they have come and what leads nowhere', async () => {
    const { world, page, open } = stage();
    const toNew = (path: string): string => path.replace('/topic-', '/new/topic-');
    for (const path of PATHS) world.site.set(path, { status: 301, headers: { location: toNew(path) } });
    for (const path of PATHS.slice(1)) world.site.set(toNew(path), createPage(`Page ${path}`, write(path)));
    world.site.set('/', createPage('Home', write('home'), '', PATHS.map(toNew)));
    await refresh();
    await expect
      .poll(async () => (await world.server.engine.moves.list())[0]?.pages, PATIENCE)
      .toMatchObject({ done: PATHS.length - 1, nowhere: [world.site.url(PATHS[0]!)] });
    await open('/');
    const card = page.getByRole('region', { name: 'The pages of a site move' });
    await card.getByText(`${PATHS.length - 1} of ${PATHS.length} pages`).waitFor();
    await card.getByText('1 page leads nowhere').click();
    await card.getByText(PATHS[0]!).last().waitFor();
    expect(await findProblems(page)).toEqual([]);
  });

  it('to another site wait for a decision', async () => {
    const { world, page, open } = stage();
    const young = await FakeSite.start('127.0.0.2');
    try {
      world.site.set('/', { status: 301, headers: { location: young.url('/') } });
      young.set('/', createPage('Home', write('home')));
      await refresh();
      await expect.poll(async () => (await world.server.engine.moves.list()).length, PATIENCE).toBe(2);
      await open('/');
      const card = page.getByRole('region', { name: 'A site has moved' });
      await card.waitFor();
      await card.getByRole('button', { name: 'Follow' }).click();
      await page.getByText(`${world.site.url('/')} is crawled at its new address.`).waitFor();
      await card.waitFor({ state: 'hidden' });
      await expect.poll(() => young.requests.length, PATIENCE).toBeGreaterThan(0);
    } finally {
      await young.close();
    }
  });
});
