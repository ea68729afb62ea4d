import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

/** Removing happens in the background. */
const PATIENCE = { timeout: 15_000 };
/** Longer than a pause in typing is waited for. */
const PAUSE_MS = 1000;

describeInBrowser('the list of URLs', {}, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  it('suggests no pattern for a removal when the filter names no address, and says what does not apply', async () => {
    const { page, open } = stage();
    await open('/urls?status=error&reason=http-404');
    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove URLs' });
    expect(await dialog.getByRole('textbox').inputValue()).toBe('');
    expect(await dialog.textContent()).toContain('“Status” and “Reason or error code” do not apply.');
    expect(await dialog.textContent()).toContain('Type which URLs');
    expect(await dialog.getByRole('button', { name: 'Remove' }).isEnabled()).toBe(false);
  });

  it('removes what the filter of addresses means, and nothing else', async () => {
    const { page, open, world } = stage();
    const left = () => world.server.engine.countUrls({ crawler: 'docs' });
    const before = await left();
    await open(`/urls?prefix=${encodeURIComponent(world.site.url('/guide/'))}`);
    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove URLs' });
    expect(await dialog.textContent()).not.toContain('not apply');
    await dialog.getByRole('button', { name: 'Remove 3 URLs' }).click();
    await page.getByText('3 URLs of docs removed').waitFor();
    await expect.poll(left, PATIENCE).toBe(before - 3);
    expect(await world.server.engine.countUrls({ crawler: 'docs', like: '%/guide/%' })).toBe(0);
  });

  it('keeps the focus when a filter is applied or cleared, and the fields follow the address', async () => {
    const { page, open } = stage();
    await open('/urls');
    await page.getByLabel('Status').selectOption('error');
    await page.getByLabel('Host').fill('elsewhere.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(/host=elsewhere/);
    await page.getByText('No stored URL fits the filter.').waitFor();
    expect(await focused(page)).toBe('filter-host');
    await page.goBack();
    await page.getByRole('table', { name: 'Stored URLs' }).waitFor();
    expect(await page.getByLabel('Host').inputValue()).toBe('');
    expect(await page.getByLabel('Status').inputValue()).toBe('');
    await page.goForward();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.waitForURL(/\/urls$/);
    expect(await page.getByLabel('Host').inputValue()).toBe('');
    expect(await focused(page)).toBe('Apply');
  });

  it('offers the first page when the address names a page that there is not', async () => {
    const { page, open } = stage();
    await open('/urls?cursor=rubbish');
    await page.getByText('The address names a page of this list that there is not.').waitFor();
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('table', { name: 'Stored URLs' }).waitFor();
  });

  it('counts what a pattern means when the typing pauses, and acts on nothing before', async () => {
    const { page, open } = stage();
    await page.clock.install();
    const asked: string[] = [];
    page.on('request', (request) => request.method() === 'DELETE' && asked.push(request.url()));
    await open('/urls');
    await page.getByRole('button', { name: 'Refresh…' }).click();
    await page.clock.pauseAt(await page.evaluate('Date.now() + 1000'));
    const dialog = page.getByRole('dialog', { name: 'Refresh URLs now' });
    await dialog.getByRole('textbox').pressSequentially('%/news.html');
    expect(asked).toEqual([]);
    expect(await dialog.getByRole('button', { name: 'Refresh' }).isEnabled()).toBe(false);
    await page.clock.runFor(PAUSE_MS);
    await dialog.getByRole('button', { name: 'Refresh 1 URL' }).waitFor();
    expect(asked).toHaveLength(1);
    await dialog.getByRole('textbox').fill('%/nothing-here/%');
    await page.clock.runFor(PAUSE_MS);
    await dialog.getByText('No stored URL matches.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Refresh' }).isEnabled()).toBe(false);
  });
});

/** Id of the element, or its words. */
const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.id || document.activeElement.textContent');
