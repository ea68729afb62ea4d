import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';
import { CONFIGURATION } from './console-world.js';

/** What is crawled follows from the rules alone. */
const RULES_ALONE = CONFIGURATION.replace('site="true"', 'site="false"');

describeInBrowser('the configuration screen', { configuration: RULES_ALONE }, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  it('previews the effect of a deleted rule in numbers before it is saved', async () => {
    const { page, open, world } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Delete rule 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'What this change would do' });
    await dialog.getByText('More than 10 % of the documents of docs would be removed from the index.').waitFor();
    expect(await dialog.textContent()).toMatch(/5 documents would be removed from the index \(100 % of 5\)/);
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
      .poll(() => page.locator('.rule').nth(1).textContent(), { timeout: 60_000 })
      .toContain('/no-such-lamps');
    expect(world.server.engine.definition.crawlers[0]!.rules).toHaveLength(3);
  });

  it('edits a rule as XML, and shows its mistakes during typing', async () => {
    const { page, open, world } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Edit rule 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rule 3' });
    await dialog.getByRole('button', { name: 'Edit as XML' }).click();
    await dialog.getByRole('textbox', { name: 'Rule element' }).press('Control+End');
    for (let i = 0; i < '</Rule>'.length; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('<NoFollo/>');
    await dialog.getByText('1 error').waitFor();
    expect(await dialog.getByRole('button', { name: 'Preview…' }).isDisabled()).toBe(true);
    for (let i = 0; i < '/>'.length; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('w');
    await dialog.getByText('no problems').waitFor();
    await dialog.getByRole('button', { name: 'Preview…' }).click();
    await page.getByRole('button', { name: /^Save/ }).click();
    const actions = () => world.server.engine.definition.crawlers[0]!.rules[2]!.actions.follow;
    await expect.poll(actions, { timeout: 60_000 }).toBe(false);
  });

  it('completes elements, attributes and values of the schema, and closes no element automatically', async () => {
    const { page, open } = stage();
    await open('/configuration?view=xml');
    const editor = page.getByRole('textbox', { name: 'CrawlConfig.xml' });
    const offered = page.locator('.cm-tooltip-autocomplete');
    await editor.click();
    await page.keyboard.press('Control+End');
    for (let i = 0; i < '\n</CrawlConfig>\n'.length; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('<cw:Si');
    await offered.getByText('cw:Sink').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('nk ty');
    await offered.getByText('type', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('pe="opens');
    await offered.getByText('opensearch').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('earch"></cw:Sink>');
    const written = async () => (await editor.innerText()).replaceAll('\u200b', '');
    expect((await written()).split('</cw:Sink>')).toHaveLength(2);
    expect((await written()).split('</CrawlConfig>')).toHaveLength(2);
    await page.keyboard.press('Control+f');
    await page.getByPlaceholder('Find').pressSequentially('PushTo');
    await page.locator('.cm-searchMatch').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('marks a mistake at its place during typing', async () => {
    const { page, open, complaints } = stage();
    await open('/configuration?view=xml&line=5');
    await page.getByRole('textbox', { name: 'CrawlConfig.xml' }).focus();
    await page.keyboard.type('<Rule ');
    await page.getByText(/\d+ errors?/).waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    expect(await page.getByRole('button', { name: 'Preview and save…' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('lists problems that can be reached by keyboard', async () => {
    const { page, open } = stage();
    await open('/configuration?view=xml');
    const editor = page.getByRole('textbox', { name: 'CrawlConfig.xml' });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<!-- -->\n<Wrong/>');
    await page.locator('.cm-lint-marker').first().waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('F8');
    await page.locator('.cm-tooltip-lint, .cm-tooltip').getByText(/\(/).first().waitFor();
    await page.keyboard.press('Control+Shift+M');
    const list = page.locator('.cm-panel-lint [role=listbox]');
    await list.getByRole('option').first().waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('adds a crawl space, shows its mistakes during typing, and previews it', async () => {
    const { page, open, world, complaints } = stage();
    await open('/configuration?view=other');
    await page.getByRole('button', { name: 'Add crawl space…' }).click();
    const panel = page.getByRole('region', { name: 'Crawl space: docs.crawl.rules' });
    const text = panel.getByRole('textbox', { name: 'Crawl space: docs.crawl.rules' });
    await text.press('Control+Home');
    await page.keyboard.type(`forbid prefx ${world.site.url('/news')}*\n`);
    await panel.getByText('1 error').waitFor();
    await panel.locator('.cm-lintRange-error').first().waitFor();
    expect(await panel.getByRole('button', { name: 'Preview and save…' }).isDisabled()).toBe(true);
    await text.press('Control+Home');
    await page.keyboard.type(`forbid prefix ${world.site.url('/news')}*\n#`);
    await panel.getByText('no problems').waitFor();
    await panel.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByText(/1 documents? would be removed from the index/).waitFor();
    await page.getByRole('button', { name: 'Save and delete these documents' }).click();
    await page.getByText('The new configuration is in force.').waitFor();
    expect(world.server.engine.definition.crawlers[0]!.crawlSpace?.rules).toHaveLength(2);
    await open(`/try?url=${encodeURIComponent(world.site.url('/news.html'))}`);
    await page
      .getByText(/^Not (?:crawled|in the index)/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'docs.crawl.rules:1' }).first().click();
    await page.getByRole('region', { name: 'Crawl space: docs.crawl.rules' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('edits server records separately, and removes them again', async () => {
    const { page, open, world } = stage();
    const records = () => world.server.engine.definition.crawlers[0]!.servers?.records.length;
    await open('/configuration?view=other');
    await page.getByRole('button', { name: 'Add server records…' }).click();
    const panel = page.getByRole('region', { name: 'Server records' });
    await panel.getByRole('textbox').press('Control+Home');
    await page.keyboard.type('<cw:oops/>');
    await panel.getByText('1 error').waitFor();
    for (let i = 0; i < '<cw:oops/>'.length; i++) await page.keyboard.press('Backspace');
    await panel.getByText('no problems').waitFor();
    await panel.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(records, { timeout: 60_000 }).toBe(1);
    await panel.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(records, { timeout: 60_000 }).toBeUndefined();
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

  it('shows the changes since a version, and restores it', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=history');
    await page.getByRole('button', { name: 'Compare version 5 with the one in force' }).click();
    await page.getByRole('region', { name: 'docs.crawl.rules' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Compare version 1 with the one in force' }).click();
    await page.getByRole('region', { name: 'docs.crawl.rules' }).waitFor();
    await page.getByRole('button', { name: 'Restore version 1…' }).click();
    await page.getByRole('button', { name: 'Restore version 1', exact: true }).click();
    await page.getByText('The new configuration is in force.').waitFor();
    expect(world.server.engine.definition.crawlers[0]!.rules).toHaveLength(2);
  });

  it('leads from the audit log to the difference between two versions', async () => {
    const { page, open } = stage();
    await open('/audit');
    await page.getByRole('link', { name: 'Difference between version 5 and version 6' }).click();
    const difference = page.getByRole('region', { name: 'From version 5 to 6' });
    await difference.waitFor();
    expect(await difference.getByRole('button', { name: /^Restore/ }).count()).toBe(0);
  });
});
