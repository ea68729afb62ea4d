/** The console for an administrator whose role is limited to one of the crawlers. */
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';
import { CONFIGURATION } from './console-world.js';

const KEY = 'department-key-for-tests';
const SALES = `
  <Crawler name="sales"><Root url="SITE/secret-plan/"/><cw:PushTo sink="sales-index"/><cw:PushTo sink="shared"/></Crawler>
  <cw:Sink name="sales-index" type="papi" url="INDEX" connector="sales"/>
  <cw:Sink name="shared" type="papi" url="INDEX" connector="shared"/>`;
const configuration = CONFIGURATION.replace('<cw:PushTo sink="main"/>', '$&<cw:PushTo sink="shared"/>') + SALES;

describeInBrowser('a department in the console', { keys: `hr:admin@docs:${KEY}`, configuration }, (stage) => {
  it('sees its own configuration, and is told what it may not change', async () => {
    const { page, world, open } = stage();
    await world.caughtUp();
    await open('/configuration?view=forms');
    await page.getByLabel('API key').fill(KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your role is limited to the crawler docs.').waitFor();
    await page.getByText('Only an administrator of the whole server adds, renames or removes').waitFor();
    const sinks = page.getByRole('region', { name: 'Sinks that only your crawlers use' });
    expect(await sinks.locator('summary').allTextContents()).toEqual([expect.stringContaining('name=main')]);
    expect(await page.getByRole('link', { name: 'History' }).count()).toBe(0);
    for (const name of ['Copy', 'Remove'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  });

  it('saves a setting of its crawler, and stores a secret under its name', async () => {
    const { page, world, open } = stage();
    await open('/configuration?view=forms');
    const sink = page.locator('details.element', { hasText: 'name=main' });
    await sink.locator('summary').first().click();
    expect(await sink.getByRole('button', { name: 'Remove Sink' }).count()).toBe(0);
    await sink
      .getByText(/more settings, at their defaults/)
      .first()
      .click();
    const field = sink.locator('.field', { has: page.getByLabel('Password', { exact: false }) }).first();
    await field.getByLabel('Store a value').fill('hunter2');
    await field.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The secret docs.sink-main-password is stored.').waitFor();
    await page.getByText('no problems').waitFor();
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The new configuration is in force').waitFor();
    const { definition } = world.server.engine;
    expect(definition.sinks.map(({ name }) => name)).toEqual(['main', 'sales-index', 'shared']);
    expect(definition.sinks[0]!.options).toHaveProperty('password');
    await open('/configuration?view=secrets');
    await page.getByRole('row', { name: /docs\.sink-main-password.*line \d+/ }).waitFor();
  });

  it('says at the place what it may not change', async () => {
    const { page, open } = stage();
    await open('/configuration?view=xml');
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.insertText('<cw:Quota name="docs"/>');
    await page.getByText('1 error').first().waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.keyboard.press('Control+Shift+M');
    await page.getByText('Quota docs is new or belongs to others: only an administrator of the whole server').waitFor();
  });

  it('finds nothing of others, and no error, on any screen', async () => {
    const { page, open, complaints } = stage();
    complaints.length = 0;
    const pending = new Set<string>();
    const isCall = (url: string): boolean => url.includes('/api/v1/') && !url.endsWith('/events');
    page.on('request', (request) => isCall(request.url()) && pending.add(request.url()));
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => pending.delete(request.url()));
    await open('/');
    const links = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').all();
    const paths = (await Promise.all(links.map((link) => link.getAttribute('href')))) as string[];
    const screens = paths.filter((path) => !/^\/(help|docs)/.test(path));
    expect(screens.length).toBeGreaterThan(12);
    for (const view of ['rules', 'forms', 'other', 'xml', 'secrets', 'resolved'])
      screens.push(`/configuration?view=${view}`);
    for (const path of screens) {
      await open(path);
      await expect.poll(() => [...pending], { timeout: 20_000 }).toEqual([]);
      const text = await page.locator('body').innerText();
      expect([path, text]).toEqual([path, expect.not.stringMatching(/sales|secret-plan/)]);
      expect([path, await page.getByRole('alert').allTextContents(), complaints]).toEqual([path, [], []]);
    }
  });
});
