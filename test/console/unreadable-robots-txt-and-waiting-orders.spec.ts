import { expect, it } from 'vitest';
import { FakeSite } from '../support/fake-site.js';
import { describeInBrowser } from './browser.js';

const CONFIGURATION = `
  <Crawler name="docs" aggressive="true" throttleTimeMS="0" crawlSitemaps="false">
    <Rules group="default">
      <Rule><ar:Atom field="scheme" kind="exact" norm="none" litteral="true" value="http"/><Index/><Follow/><Accept/></Rule>
    </Rules>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="RECEIVER" connector="test"/>`;

describeInBrowser('unavailable hosts and sinks', { configuration: CONFIGURATION }, (stage) => {
  it('a robots.txt that cannot be read is shown as the reason why nothing is fetched', async () => {
    const { page, open, world } = stage();
    const site = await FakeSite.start();
    site.set('/robots.txt', { status: 503 });
    await world.server.engine.roots.submit('docs', [{ url: site.url('/') }]);
    await open(`/host?host=${new URL(site.origin).host}`);
    await page.getByText('It could not be read; nothing is fetched from the host until it can be.').waitFor();
    expect(site.fetched).toEqual([]);
    await site.close();
  });

  it('a URL whose first order waits for the sink is shown as fetched', async () => {
    const { page, open, world } = stage();
    world.receiver.fate = () => 'fail';
    const url = world.site.url('/guide/lamps.html');
    await world.server.engine.roots.submit('docs', [{ url }]);
    await open(`/url?url=${encodeURIComponent(url)}`);
    const orders = page.getByRole('table', { name: 'Push orders' });
    await orders.getByText('pending').waitFor();
    const facts = await page.getByRole('region', { name: 'What is known' }).textContent();
    expect(facts).toContain('It was fetched; the sinks have yet to acknowledge its order.');
    expect(facts).not.toContain('first visit');
    expect(facts).not.toContain('0 visits');
    expect(await page.getByRole('region', { name: 'Fetches' }).textContent()).not.toContain('not been fetched');
    world.receiver.fate = () => 'pass';
  });
});
