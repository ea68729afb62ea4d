import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

describeInBrowser('the configuration screen', {}, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  it('previews the effect of a deleted rule in numbers before it is saved', async () => {
    const { page, open, world } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Delete rule 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'What this change would do' });
    await dialog.getByText('More than 10 % of the documents of docs would leave the index.').waitFor();
    expect(await dialog.textContent()).toMatch(/5 documents would leave the index \(100 % of 5\)/);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(world.server.engine.definition.crawlers[0]!.rules).toHaveLength(2);
  });

  it('adds a rule by a form and moves it', async () => {
    const { page, open, world } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const editor = page.getByRole('dialog', { name: 'New rule' });
    await editor.getByLabel('Test').selectOption('path contains');
    await editor.getByLabel('Value').fill('/no-such-lamps');
    await editor.getByLabel('Crawl').selectOption('');
    await editor.getByLabel('Index', { exact: true }).selectOption('NoIndex');
    await editor.getByRole('button', { name: 'Preview…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('path contains /no-such-lamps').waitFor();
    await page.getByRole('button', { name: 'Move rule 3 up' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(() => page.locator('.rule').nth(1).textContent(), { timeout: 15_000 })
      .toContain('/no-such-lamps');
    expect(world.server.engine.definition.crawlers[0]!.rules).toHaveLength(3);
  });

  it('marks a mistake at its place while one types', async () => {
    const { page, open, complaints } = stage();
    await open('/configuration?view=xml&line=5');
    await page.getByRole('textbox', { name: 'CrawlConfig.xml' }).focus();
    await page.keyboard.type('<Rule ');
    await page.getByText(/\d+ errors?/).waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    expect(await page.getByRole('button', { name: 'Preview and save…' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('shows the resolved view, for everything and for one URL', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=resolved');
    await page
      .getByRole('region', { name: 'Crawl rules' })
      .getByText(/rule 1/)
      .waitFor();
    await page.getByLabel(/For one URL/).fill(world.site.url('/private/staff.html'));
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('table', { name: 'Final options' }).waitFor();
  });

  it('shows what changed since a version, and restores it', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=history');
    await page.getByRole('button', { name: 'Compare version 1 with the one in force' }).click();
    await page.getByRole('button', { name: 'Restore version 1…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The new configuration is in force.').waitFor();
    expect(world.server.engine.definition.crawlers[0]!.rules).toHaveLength(2);
  });
});
