import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const SCREENS = [
  '/',
  '/coverage',
  '/sources',
  '/urls',
  '/url?url=SITE/guide/',
  '/try?url=SITE/private/staff.html',
  '/try?view=links&url=SITE/',
  '/configuration',
  '/configuration?view=forms',
  '/configuration?view=other',
  '/configuration?view=xml',
  '/configuration?view=resolved',
  '/configuration?view=history',
  '/hosts',
  '/host?host=HOST',
  '/errors',
  '/logins',
  '/push',
  '/push?view=ledger',
  '/push?view=held',
  '/changes',
  '/audit',
  '/start',
];

/** What keeps people out; lesser findings are matters of taste. */
const GRAVE = new Set(['serious', 'critical']);

describeInBrowser('every screen is accessible', {}, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  it.each(SCREENS)('axe finds no serious problem, and no low contrast in dark mode: %s', async (path) => {
    const { page, open, world } = stage();
    const { host } = new URL(world.site.origin);
    await open(path.replace('SITE', world.site.origin).replace('HOST', host));
    expect(await findings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findings(page, "{ runOnly: ['color-contrast'] }")).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('axe finds no serious problem in a dialog and on a narrow screen', async () => {
    const { page, open } = stage();
    await page.setViewportSize({ width: 390, height: 800 });
    await open('/urls');
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel(/^URLs that match/).fill('%');
    await page.getByText(/stored URLs match/).waitFor();
    expect(await findings(page)).toEqual([]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('the problems that the editor lists can be read', async () => {
    const { page, open } = stage();
    await open('/configuration?view=xml');
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<Crawlr/>');
    await page.locator('.cm-lintRange-error, .cm-lintPoint-error').first().waitFor();
    await page.keyboard.press('Control+Shift+M');
    await page.locator('.cm-panel-lint .cm-diagnosticText').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findings(page, "{ runOnly: ['color-contrast'] }")).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('content wider than a narrow screen can be scrolled by keyboard', async () => {
    const { page, open, world } = stage();
    await page.setViewportSize({ width: 390, height: 800 });
    await open(`/url?url=${encodeURIComponent(world.site.url('/guide/'))}`);
    await page.getByRole('table', { name: 'Fetches' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.locator('.scroll', { has: page.getByRole('table', { name: 'Fetches' }) }).focus();
    await page.keyboard.press('ArrowRight');
    // Not `waitForFunction`: that evaluates text in the page again and again, which the console's content security policy forbids.
    await vi.waitUntil(() => page.evaluate('document.activeElement.scrollLeft > 0'));
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('the colour scheme can be chosen on a narrow screen too, and is remembered', async () => {
    const { page, open } = stage();
    await page.setViewportSize({ width: 390, height: 800 });
    await open('/');
    await page.getByLabel('Colors').selectOption({ label: '● Dark' });
    await open('/push');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByLabel('Colors').selectOption({ label: '◐ System colors' });
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('a rule can be moved and a dialog closed by keyboard', async () => {
    const { page, open } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Move rule 2 up' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

async function findings(page: Page, options = '{}'): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
  return violations
    .filter(({ impact }) => GRAVE.has(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
