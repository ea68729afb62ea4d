import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

describeInBrowser('unsaved input', {}, (stage) => {
  const typeXml = async (): Promise<void> => {
    const { page, open } = stage();
    await open('/configuration?view=xml');
    await page.getByRole('textbox', { name: 'CrawlConfig.xml' }).press('Control+End');
    await page.keyboard.type('<!-- mine -->');
  };
  const goAndComeBack = async (): Promise<void> => {
    const { page } = stage();
    await page.getByRole('link', { name: 'Crawl rules' }).click();
    await page.getByRole('button', { name: 'Add a rule…' }).waitFor();
    await page.getByRole('link', { name: 'XML' }).click();
    await page.getByRole('textbox', { name: 'CrawlConfig.xml' }).waitFor();
  };
  const xml = () => stage().page.getByRole('textbox', { name: 'CrawlConfig.xml' }).textContent();

  it('stays in the form of a rule when its preview is cancelled', async () => {
    const { page, open } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    await page.getByLabel('Value').fill('http://site.example/lamps');
    await page.getByRole('button', { name: 'Preview…' }).click();
    const preview = page.getByRole('dialog', { name: 'What this change would do' });
    await preview.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Value').inputValue()).toBe('http://site.example/lamps');
  });

  it('needs confirmation before Escape closes the form, however often it is pressed', async () => {
    const { page, open } = stage();
    const asked: string[] = [];
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message());
      await (asked.length < 3 ? dialog.dismiss() : dialog.accept());
    });
    await open('/configuration');
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    await page.getByLabel('Value').fill('http://site.example/lamps');
    for (let i = 0; i < 2; i++) await page.keyboard.press('Escape');
    expect(await page.getByLabel('Value').inputValue()).toBe('http://site.example/lamps');
    await page.keyboard.press('Escape');
    await page.getByLabel('Value').waitFor({ state: 'detached' });
    expect(asked).toEqual(Array(3).fill('Discard what you typed and close?'));
    page.removeAllListeners('dialog');
  });

  it('stays in the XML after visiting another screen, until it is discarded', async () => {
    const { page } = stage();
    await typeXml();
    await goAndComeBack();
    expect(await xml()).toContain('<!-- mine -->');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(xml).not.toContain('<!-- mine -->');
    await goAndComeBack();
    expect(await xml()).not.toContain('<!-- mine -->');
  });

  it('does not overwrite changes that someone else has saved meanwhile', async () => {
    const { page, world } = stage();
    await typeXml();
    await page.getByRole('link', { name: 'Crawl rules' }).click();
    await page.getByRole('button', { name: 'Add a rule…' }).waitFor();
    const config = `${world.server.url}/api/v1/config`;
    const read = await fetch(config);
    const headers = { 'content-type': 'application/xml', 'if-match': read.headers.get('etag') ?? '' };
    await fetch(config, { method: 'PUT', headers, body: `${await read.text()}<!-- theirs -->` });
    await page.getByRole('link', { name: 'XML' }).click();
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Someone has changed the configuration in the meantime').waitFor();
    expect(await (await fetch(config)).text()).toContain('<!-- theirs -->');
  });

  it('needs confirmation before the tab is closed', async () => {
    const { page } = stage();
    await typeXml();
    const asked = page.waitForEvent('dialog');
    const closing = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
    await closing;
  });
});
