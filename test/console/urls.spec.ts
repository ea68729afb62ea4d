import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

/** Removing happens in the background. */
const PATIENCE = { timeout: 60_000 };
/** Longer than a pause in typing is waited for. */
const PAUSE_MS = 1000;

describeInBrowser('the list of URLs', {}, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  it('requires a pattern before anything is removed from an unfiltered list', async () => {
    const { page, open } = stage();
    await open('/urls');
    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove URLs' });
    expect(await dialog.getByRole('textbox').inputValue()).toBe('');
    expect(await dialog.textContent()).toContain('Enter a pattern');
    expect(await dialog.getByRole('button', { name: 'Remove' }).isEnabled()).toBe(false);
  });

  it('acts on exactly the listed URLs, whatever the filter', async () => {
    const { page, open, world } = stage();
    const visits = () => world.site.requests.filter(({ path }) => path === '/missing.html').length;
    const before = visits();
    await open('/urls?status=error&reason=http-404');
    await page.getByRole('button', { name: 'Refresh…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refresh URLs now' });
    await dialog.getByText('Reason or error code').waitFor();
    expect(await dialog.textContent()).toContain('http-404');
    await dialog.getByRole('button', { name: /^Refresh \d+ URLs?$/ }).click();
    await page.getByText(/URLs? of docs (?:is|are) due now/).waitFor();
    await expect.poll(visits, PATIENCE).toBeGreaterThan(before);
  });

  it('shows the number of URLs, sorts them and shows the selected columns', async () => {
    const { page, open, world } = stage();
    await open('/urls');
    const total = await world.server.engine.urls.count({ crawler: 'docs' });
    await page.getByText(`${total} URLs`, { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Stored URLs' });
    const links = async () => (await table.locator('tbody td:first-child a').allTextContents()) as string[];
    await table.getByRole('button', { name: 'URL' }).click();
    await page.waitForURL(/sort=url/);
    await table.locator('th[aria-sort=ascending]').waitFor();
    const ascending = await links();
    await table.getByRole('button', { name: 'URL' }).click();
    await table.locator('th[aria-sort=descending]').waitFor();
    await expect.poll(links).toEqual(ascending.toReversed());
    await page.getByText('Columns', { exact: true }).click();
    await page.getByLabel('Found on').check();
    await table.getByRole('columnheader', { name: 'Found on' }).waitFor();
    await page.reload();
    await table.getByRole('columnheader', { name: 'Found on' }).waitFor();
  });

  it('saves the list as a file', async () => {
    const { page, open, world } = stage();
    await open('/urls?status=error');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('docs-urls.csv');
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines[0]).toMatch(/^url,status,reason/);
    expect(lines).toHaveLength(1 + (await world.server.engine.urls.count({ crawler: 'docs', status: 'error' })));
  });

  it('removes exactly the URLs that the URL filter matches', async () => {
    const { page, open, world } = stage();
    const left = () => world.server.engine.urls.count({ crawler: 'docs' });
    const before = await left();
    await open(`/urls?prefix=${encodeURIComponent(world.site.url('/guide/'))}`);
    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove URLs' });
    await dialog.getByRole('button', { name: 'Remove 3 URLs' }).click();
    await page.getByText('3 URLs of docs removed').waitFor();
    await expect.poll(left, PATIENCE).toBe(before - 3);
    expect(await world.server.engine.urls.count({ crawler: 'docs', like: '%/guide/%' })).toBe(0);
  });

  it('keeps the focus when a filter is applied or cleared, and the fields follow the URL', async () => {
    const { page, open } = stage();
    await open('/urls');
    await page.getByLabel('Status').selectOption('error');
    await page.getByLabel('Host').fill('elsewhere.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(/host=elsewhere/);
    await page.getByText('No stored URLs match the filter.').waitFor();
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

  it('offers the first page when the URL names a page that does not exist', async () => {
    const { page, open } = stage();
    await open('/urls?cursor=rubbish');
    await page.getByText('This link points to a page of the list that does not exist.').waitFor();
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('table', { name: 'Stored URLs' }).waitFor();
  });

  it('counts the matches of a pattern when typing pauses, and allows no action before', async () => {
    const { page, open } = stage();
    await page.clock.install();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/urls/count?like') && asked.push(request.url()));
    await open('/urls');
    await page.getByRole('button', { name: 'Refresh…' }).click();
    // Far enough ahead that the clock has not come there when the call arrives.
    await page.clock.pauseAt(await page.evaluate('Date.now() + 600_000'));
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
