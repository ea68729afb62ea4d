import { beforeAll, describe, expect, it } from 'vitest';
import { findProblems, openPanels, tryDialog } from './accessible.js';
import { describeInBrowser, type Stage } from './browser.js';

/** Visiting and pushing happen in the background. */
const PATIENCE = { timeout: 120_000 };

/** Holds every deletion of a visit; a person decides. */
const CONFIGURATION = `
  <Crawler name="docs" aggressive="true" throttleTimeMS="0" crawlSitemaps="false">
    <Root url="SITE/" site="true"/>
    <Rules group="default">
      <Rule><ar:Atom field="url" kind="prefix" norm="none" litteral="true" value="SITE/"/><Index/><Follow/><Accept/></Rule>
    </Rules>
    <cw:DeletionGuard maxDeletions="0" maxShare="0"/>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="RECEIVER" connector="test"/>`;

const LOST = ['/guide/lamps.html', '/guide/lenses.html'];
const DOCUMENTS = 6;

describeInBrowser('held deletions, refused orders and differences', { configuration: CONFIGURATION }, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  describe('held deletions', () => {
    it('are dropped: the dialog states how many documents stay, and they stay', async () => {
      const { page, open, world } = stage();
      await revoke(stage(), LOST);
      await open('/');
      await page.getByText('2 deletions for').waitFor();
      await open('/push?view=held');
      await page.getByText('2 deletions', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Drop…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Drop held deletions' });
      expect(await dialog.textContent()).toContain(`2 documents of ${host(stage())} will stay in the index`);
      await dialog.getByRole('button', { name: 'Drop 2 deletions' }).click();
      await page.getByText('2 deletions dropped; the documents stay.').waitFor();
      await page.getByText('Nothing is held.').waitFor();
      expect(await indexed(stage())).toBe(DOCUMENTS);
      expect(await world.server.engine.orders.list({ state: 'dropped' }, undefined, 10)).toHaveLength(2);
    });

    it('are released: the dialog states how many documents will be deleted, and they are', async () => {
      const { page, open } = stage();
      await revoke(stage(), LOST);
      await open('/push?view=held');
      await openPanels(page);
      expect(await tryDialog(page, page.getByRole('button', { name: 'Release…' }))).toEqual([]);
      await page.getByRole('button', { name: 'Release…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Release held deletions' });
      expect(await dialog.textContent()).toContain(`2 documents of ${host(stage())} will be removed from the index`);
      await dialog.getByRole('button', { name: 'Release 2 deletions' }).click();
      await page.getByText('2 deletions on the way to the sinks.').waitFor();
      await page.getByText('Nothing is held.').waitFor();
      await expect.poll(() => indexed(stage()), PATIENCE).toBe(DOCUMENTS - LOST.length);
      await expect.poll(() => held(stage(), LOST[0]!), PATIENCE).toBe(false);
    });
  });

  it("refused orders are shown with the sink's message, and can be sent again", async () => {
    const { page, open, world } = stage();
    world.receiver.fate = (body) => (body.includes('A new lamp') ? 'refuse' : 'pass');
    world.site.page('/news.html', [], 'A new lamp.');
    await world.server.engine.maintenance.refresh('docs', { url: world.site.url('/news.html') });
    const table = page.getByRole('table', { name: 'Orders' });
    await expect.poll(() => refused(stage()), PATIENCE).toBe(1);
    await open('/');
    await page.getByText('The sinks refused 1 order.').waitFor();
    await page.getByRole('link', { name: 'Review' }).click();
    await table.getByRole('row', { name: /news\.html.*this document is poison/ }).waitFor();
    expect(await findProblems(page)).toEqual([]);
    world.receiver.fate = () => 'pass';
    await table.getByRole('button', { name: /Resend order/ }).click();
    await page.getByText('The page will be fetched again, and the resulting order will be sent.').waitFor();
    await expect.poll(() => found(stage(), 'new lamp'), PATIENCE).toBe(true);
    await expect.poll(() => refused(stage()), PATIENCE).toBe(0);
    await page.getByText('There are no refused orders.').waitFor();
  });

  it('differences between sink and store are counted, and can be repaired', async () => {
    const { page, open, world } = stage();
    const push = (command: string, fields: Record<string, string>): Promise<Response> =>
      fetch(`${world.index.url}/papi/4/connectors/test/${command}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
    await push('delete_documents', { PAPI_uri: world.site.url('/guide/') });
    await push('add_documents', { 'PAPI_1:uri': world.site.url('/news.html'), 'PAPI_1:stamp': 'of another time' });
    await push('add_documents', { 'PAPI_1:uri': 'http://elsewhere.example/', 'PAPI_1:stamp': 'x' });
    await open('/push');
    await page.getByRole('button', { name: 'Compare with the store' }).click();
    const report = page.getByRole('region', { name: 'Reconciliation report' });
    await report.getByText('http://elsewhere.example/').waitFor();
    expect(await tryDialog(page, report.getByRole('button', { name: 'Repair…' }))).toEqual([]);
    await report.getByRole('button', { name: 'Repair…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Repair main' });
    expect(await dialog.textContent()).toContain(
      '2 pages will be fetched and pushed again, and 1 document deleted from the sink.',
    );
    await dialog.getByRole('button', { name: 'Send the orders' }).click();
    await report.getByText('The orders that fix these differences are on the way.').waitFor();
    await expect.poll(() => held(stage(), '/guide/'), PATIENCE).toBe(true);
    await world.caughtUp();
    await report.getByRole('button', { name: 'Compare again' }).click();
    await report.getByText('The sink holds exactly what it should according to the store.').waitFor();
  });
});

async function revoke({ world }: Stage, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    world.site.remove(path);
    await world.server.engine.maintenance.refresh('docs', { url: world.site.url(path) });
  }
  await expect
    .poll(async () => (await world.server.engine.orders.list({ state: 'held' }, undefined, 10)).length, PATIENCE)
    .toBe(paths.length);
}

const host = ({ world }: Stage): string => new URL(world.site.origin).host;
const indexed = ({ world }: Stage): Promise<number> =>
  world.server.engine.urls.count({ crawler: 'docs', indexed: true });
const refused = async ({ world }: Stage): Promise<number> =>
  (await world.server.engine.orders.list({ state: 'refused' }, undefined, 10)).length;
const found = async ({ world }: Stage, words: string): Promise<boolean> =>
  (await (await fetch(`${world.index.url}/?q=${encodeURIComponent(words)}`)).text()).includes('/news.html');

async function held({ world }: Stage, path: string): Promise<boolean> {
  const query = new URLSearchParams({ PAPI_uri: world.site.url(path) });
  const url = `${world.index.url}/papi/4/connectors/test/get_documents_status?${query}`;
  return !(await (await fetch(url)).text()).includes('false');
}
