import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { findProblems, openPanels, tryDialog, walkByTab } from './accessible.js';
import { describeInBrowser } from './browser.js';
import { CONFIGURATION } from './console-world.js';

const SCREENS = [
  '/',
  '/coverage',
  '/sources',
  '/urls',
  '/urls?status=error',
  '/url?url=SITE/guide/',
  '/try?url=SITE/private/staff.html',
  '/try?url=SITE/guide/lamps.html',
  '/try?view=links&url=SITE/',
  '/try?view=selectors&url=SITE/guide/lamps.html',
  '/configuration',
  '/configuration?view=forms',
  '/configuration?view=other',
  '/configuration?view=xml',
  '/configuration?view=resolved',
  '/configuration?view=history&version=1',
  '/configuration?view=secrets',
  '/hosts',
  '/host?host=HOST',
  '/errors',
  '/refused',
  '/roots',
  '/logins',
  '/plugins',
  '/push',
  '/push?view=ledger',
  '/push?view=held',
  '/changes',
  '/audit',
  '/start',
  '/nowhere',
  '/urls?crawler=nope',
];

interface DialogCase {
  readonly path: string;
  /** Name of the button that opens the dialog. */
  readonly opener: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
  readonly fill?: (dialog: Locator) => Promise<unknown>;
}

const typeIntoEditor = async (page: Page): Promise<void> => {
  await page.locator('.cm-content').first().click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' ');
};

const showPreview = (dialog: Locator): Promise<void> => dialog.getByText(/stored URLs? judged/).waitFor();

/** Dialogs that take more than a museum to open are tried where they are used: `tryDialog` in the specs of these screens. */
const DIALOGS: readonly DialogCase[] = [
  { path: '/', opener: 'Pause docs' },
  { path: '/', opener: 'Decide…' },
  { path: '/urls', opener: 'Refresh…', fill: (dialog) => dialog.getByRole('textbox').fill('%') },
  { path: '/urls', opener: 'Remove…', fill: (dialog) => dialog.getByRole('textbox').fill('%') },
  { path: '/url?url=SITE/guide/lenses.html', opener: 'Remove…' },
  { path: '/configuration', opener: 'Add a rule…' },
  { path: '/configuration', opener: 'Edit rule 2' },
  {
    path: '/configuration',
    opener: 'Edit rule 1',
    fill: (dialog) => dialog.getByRole('button', { name: 'Edit as XML' }).click(),
  },
  { path: '/configuration', opener: 'Move rule 2 up', fill: showPreview },
  { path: '/configuration', opener: 'Delete rule 1', fill: showPreview },
  {
    path: '/configuration?view=forms',
    opener: 'Preview and save…',
    prepare: (page) => page.getByRole('button', { name: 'Copy' }).click(),
    fill: showPreview,
  },
  { path: '/configuration?view=xml', opener: 'Preview and save…', prepare: typeIntoEditor, fill: showPreview },
  {
    path: '/configuration?view=other',
    opener: 'Preview and save…',
    prepare: (page) => page.getByRole('button', { name: 'Add server records…' }).click(),
    fill: showPreview,
  },
  { path: '/configuration?view=history&version=1', opener: 'Restore version 1…', fill: showPreview },
  { path: '/configuration?view=secrets', opener: 'Remove' },
  { path: '/host?host=HOST', opener: 'Pause this host…' },
  { path: '/errors', opener: 'Clear error cache…' },
];

/** Leaves the configuration when it has been crawled: somebody is to decide about its documents. */
const FORMER = `<Crawler name="former" aggressive="true" throttleTimeMS="0" defaultAccept="true"><Root url="SITE/guide/"/><cw:PushTo sink="main"/></Crawler>`;

describeInBrowser('the console is accessible', { configuration: CONFIGURATION + FORMER }, (stage) => {
  const show = async (path: string): Promise<void> => {
    const { open, world } = stage();
    const { host, origin } = new URL(world.site.origin);
    await open(path.replace('SITE', origin).replace('HOST', host));
  };

  beforeAll(async () => {
    const { world } = stage();
    await Promise.all([world.caughtUp(), world.caughtUp('former')]);
    const url = `${world.server.url}/api/v1/config`;
    const current = await fetch(url);
    const headers = { 'if-match': current.headers.get('etag')!, 'content-type': 'application/xml' };
    const body = (await current.text()).replace(FORMER.replaceAll('SITE', world.site.origin), '');
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
    const secret = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"value":"fir tree"}' };
    expect((await fetch(`${world.server.url}/api/v1/secrets/UNUSED`, secret)).ok).toBe(true);
  });

  it.each(SCREENS)('every control is reached by Tab, and axe finds nothing serious: %s', async (path) => {
    const { page } = stage();
    await show(path);
    expect(await walkByTab(page)).toEqual([]);
    await openPanels(page);
    expect(await findProblems(page)).toEqual([]);
  });

  it.each(DIALOGS)('a dialog is opened, used and closed by keyboard: $opener at $path', async (dialog) => {
    const { page } = stage();
    await show(dialog.path);
    await dialog.prepare?.(page);
    const opener = page.getByRole('button', { name: dialog.opener, exact: true });
    expect(await tryDialog(page, opener, dialog.fill)).toEqual([]);
  });

  it('the panels of the editor: problems, search and completions', async () => {
    const { page } = stage();
    await show('/configuration?view=xml');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<Crawlr/>');
    await page.locator('.cm-lintRange-error, .cm-lintPoint-error').first().waitFor();
    await page.keyboard.press('Control+Shift+M');
    await page.locator('.cm-panel-lint .cm-diagnosticText').first().waitFor();
    expect(await findProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+F');
    await page.locator('.cm-search').waitFor();
    expect(await findProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    expect(await findProblems(page)).toEqual([]);
  });

  it('content wider than a narrow screen can be scrolled by keyboard', async () => {
    const { page, open, world } = stage();
    await page.setViewportSize({ width: 390, height: 800 });
    await open(`/url?url=${encodeURIComponent(world.site.url('/guide/'))}`);
    await page.getByRole('table', { name: 'Fetches' }).waitFor();
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
});
