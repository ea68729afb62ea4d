/** Pages created by scripts, on the screens *Try a URL* and *Host*. */
import { expect, it } from 'vitest';
import { publishShop } from '../rendering/script-made-site.js';
import { findProblems, openPanels } from './accessible.js';
import { describeInBrowser } from './browser.js';

const SANDBOX = process.getuid?.() === 0 ? 'sandbox="false"' : '';

const CONFIGURATION = `
  <Crawler name="docs" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" defaultAccept="true" render="auto">
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Renderer ${SANDBOX} timeLimitMS="150000"/>
  <cw:Sink name="main" type="papi" url="INDEX" connector="test"/>`;

describeInBrowser('pages that need rendering', { configuration: CONFIGURATION }, (stage) => {
  it('are shown as sent beside the rendered page, with a screenshot', async () => {
    const { page, open, world, complaints } = stage();
    publishShop(world.site);
    complaints.length = 0;
    await open(`/try?url=${encodeURIComponent(world.site.url('/'))}`);
    await page.getByRole('button', { name: 'Run its scripts and compare' }).click();
    const compared = page.getByRole('region', { name: 'As sent and as rendered' });
    await compared.getByText('Shadowstock 42 pieces').waitFor({ timeout: 150_000 });
    expect(await compared.getByRole('row', { name: /^Text/ }).textContent()).toMatch(
      /^Text0 characters\d+ characters$/,
    );
    const picture = compared.getByRole('img');
    expect(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1280);
    const links = page.getByRole('region', { name: 'Links of the page' });
    expect(await links.getByRole('row', { name: /product\/1\b/ }).textContent()).toContain('created by scripts');
    await openPanels(page);
    expect(await findProblems(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('are listed by host with what was learned, which can be overruled', async () => {
    const { page, open, world, complaints } = stage();
    publishShop(world.site);
    complaints.length = 0;
    await world.server.engine.roots.submit('docs', [{ url: world.site.url('/product/1') }]);
    await world.caughtUp();
    const host = `127.0.0.1:${world.site.port}`;
    await open(`/host?host=${host}`);
    const rendering = page.getByRole('region', { name: 'Rendering' });
    await rendering.getByRole('rowheader', { name: '/product/N' }).waitFor();
    await rendering.getByLabel('Rendering of /product/N').selectOption('never render');
    await page.getByText('/product/N: never render, starting with the next visit.').waitFor();
    const answer = await fetch(`${world.server.url}/api/v1/hosts/${host}/rendering`);
    const { patterns } = (await answer.json()) as { patterns: { pattern: string; render: string }[] };
    expect(patterns).toContainEqual(expect.objectContaining({ pattern: '/product/N', render: 'never' }));
    expect(complaints).toEqual([]);
  });
});
