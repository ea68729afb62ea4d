import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, type Stage } from './browser.js';

/** Visiting and pushing happen in the background. */
const PATIENCE = { timeout: 60_000 };

const crawler = (name: string, sinks: readonly string[]): string => `
  <Crawler name="${name}" aggressive="true" throttleTimeMS="0" crawlSitemaps="false">
    <Root url="SITE/news.html" priority="1" site="false"/>
    <Rules group="default">
      <Rule><ar:Atom field="url" kind="prefix" norm="none" litteral="true" value="SITE/news"/><Index/><Follow/><Accept/></Rule>
      <Rule><ar:Atom field="url" kind="prefix" norm="none" litteral="true" value="SITE/guide/l"/><Index/><Accept/></Rule>
    </Rules>
    ${sinks.map((sink) => `<cw:PushTo sink="${sink}"/>`).join('')}
  </Crawler>`;

const LONG_NAME =
  'the crawler of a department that has a name of its own which is as long as a name can possibly be 99';

/** Nothing listens at port 1. */
const CONFIGURATION = `${crawler('docs', ['main'])}${crawler('trouble', ['broken', 'away'])}
  <Crawler name="other"><Root url="SITE/guide/"/><cw:PushTo sink="main"/></Crawler>
  <Crawler name="${LONG_NAME}"><Root url="http://127.0.0.1:1/"/><cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="INDEX" connector="test"/>
  <cw:Sink name="broken" type="papi" url="RECEIVER" connector="other"/>
  <cw:Sink name="away" type="json" url="http://127.0.0.1:1/"/>`;

describeInBrowser('crawlers with sinks of their own', { configuration: CONFIGURATION }, (stage) => {
  beforeAll(async () => {
    const { world } = stage();
    world.receiver.fate = (body) => (body.includes('A lamp of brass.') ? 'refuse' : 'pass');
    await world.caughtUp('docs');
  });

  it('the crawler that knows a page explains why it is missing, whichever one is selected', async () => {
    const { page, open, world } = stage();
    await open('/hosts?crawler=other');
    await page.getByLabel('Why is my page missing?').fill(world.site.url('/news.html'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/try\?crawler=docs&url=/);
    await page.getByText(/^In the index/).waitFor();
  });

  it('a crawler of which nothing could be crawled is named above the cards, and its name leaves room for the search', async () => {
    const { page, open } = stage();
    await open('/?crawler=docs');
    const alert = page.getByRole('region', { name: 'Alerts' }).getByText(`All URLs of ${LONG_NAME} failed`);
    await alert.waitFor(PATIENCE);
    await open(`/?crawler=${encodeURIComponent(LONG_NAME)}`);
    expect((await page.getByLabel('Why is my page missing?').boundingBox())?.width).toBeGreaterThan(140);
  });

  it('orders that one sink refused are shown while another one is unavailable', async () => {
    const { page, open, world } = stage();
    const submit = (path: string) => world.server.engine.roots.submit('trouble', [{ url: world.site.url(path) }]);
    await submit('/guide/lamps.html');
    await expect.poll(() => world.receiver.failures).toBeGreaterThan(0);
    // That the sink accepts another page shows that the order is to blame, and not the sink.
    await submit('/guide/lenses.html');
    await expect.poll(() => sink(stage(), 'broken').refused, PATIENCE).toBe(1);
    await expect.poll(() => sink(stage(), 'away').state, PATIENCE).toBe('unavailable');
    await open('/?crawler=trouble');
    const alerts = page.getByRole('region', { name: 'Alerts' });
    await alerts.getByText('The sink away is unavailable').waitFor();
    await alerts
      .getByText(/The sink broken has refused 1 order since the server started: .*this document is poison/)
      .waitFor();
    await open('/push?crawler=trouble');
    const panel = page.getByRole('region', { name: 'broken' });
    await panel.getByText(/The sink refused orders, most recently with: .*this document is poison/).waitFor();
    await open('/push?crawler=trouble&view=ledger');
    const orders = page.getByRole('table', { name: 'Orders' });
    await orders.getByRole('row', { name: /lamps\.html.*pending broken: .*this document is poison/ }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    const hidden = await orders.evaluate(
      ({ parentElement }) => parentElement!.scrollWidth - parentElement!.clientWidth,
    );
    expect(hidden).toBeLessThanOrEqual(0);
  });

  it('a crawler shows warnings about its own sinks and its own orders only', async () => {
    const { page, open, world } = stage();
    await world.server.engine.hosts.setPaused(new URL(world.site.origin).host, true);
    await open('/?crawler=docs');
    const alerts = page.getByRole('region', { name: 'Alerts' });
    await alerts.getByText('is paused').waitFor();
    expect(await alerts.textContent()).not.toContain('sink');
    await world.server.engine.hosts.setPaused(new URL(world.site.origin).host, false);
    await open('/push?crawler=docs&view=ledger');
    const rows = page.getByRole('table', { name: 'Orders' }).getByRole('row', { name: /news\.html/ });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.textContent()).toContain('acknowledged');
  });

  it('a sink that cannot list what it holds is not offered for a comparison', async () => {
    const { page, open } = stage();
    await open('/push');
    const compare = (name: string) =>
      page.getByRole('region', { name, exact: true }).getByRole('button', { name: 'Compare with the store' });
    await compare('main').waitFor();
    expect(await compare('away').count()).toBe(0);
  });

  it('a comparison that fails can be closed', async () => {
    const { page, open } = stage();
    await page.route('**/sinks/main/reconcile*', (route) => route.fulfill({ status: 503 }));
    await open('/push');
    const compare = page
      .getByRole('region', { name: 'main', exact: true })
      .getByRole('button', { name: 'Compare with the store' });
    await compare.click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: 'Close the report' }).click();
    expect(await compare.isEnabled()).toBe(true);
    await page.unroute('**/sinks/main/reconcile*');
  });
});

const sink = ({ world }: Stage, name: string) => world.server.engine.listSinks().find((one) => one.name === name)!;
