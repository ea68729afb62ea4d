/** Selectors and fields that are tried on a page before they are saved. */
import { expect, it } from 'vitest';
import { tryDialog } from './accessible.js';
import { describeInBrowser } from './browser.js';

const PAGE = `<title>Lamp</title><nav>Home News</nav><main><h1>Brass lamp</h1><p class="price">Price: 42.50 EUR</p>
<p>It shines far out to sea.</p><div class="share">Share it</div></main><footer>Imprint</footer>`;

describeInBrowser('selectors', {}, (stage) => {
  it('are tried on a page with immediate results, show mistakes in place, and are added to the configuration', async () => {
    const { page, open, world, complaints } = stage();
    await world.caughtUp();
    complaints.length = 0;
    world.site.set('/lamp.html', { headers: { 'content-type': 'text/html' }, body: PAGE });
    const fetched = (): number => world.site.requests.filter(({ path }) => path === '/lamp.html').length;
    await open(`/try?url=${encodeURIComponent(world.site.url('/lamp.html'))}`);
    await page.getByRole('button', { name: 'Try selectors on it' }).click();
    const trial = page.getByRole('region', { name: 'What to extract from this page' });
    const read = page.getByRole('region', { name: 'What is extracted' });
    await read.getByText('Home News').waitFor();

    await trial.getByRole('button', { name: 'Add a part to keep' }).click();
    await trial.getByRole('textbox', { name: 'Only, selector 1' }).fill('main');
    await trial.getByText('finds 1 element').waitFor();
    await trial.getByRole('button', { name: 'Add a part to cut out' }).click();
    await trial.getByRole('textbox', { name: 'Without, selector 1' }).fill('.share');
    await read.locator('del', { hasText: 'Share it' }).waitFor();
    expect(await read.locator('del').allTextContents()).toEqual(['Home News ', 'Share it Imprint']);

    await trial.getByRole('textbox', { name: 'Without, selector 1' }).fill('.share[');
    await trial
      .getByRole('alert')
      .getByText(/expected a CSS selector/)
      .waitFor();
    expect(await trial.getByRole('button', { name: 'Add to the configuration…' }).isEnabled()).toBe(false);
    await trial.getByRole('textbox', { name: 'Without, selector 1' }).fill('.none');
    await trial.getByText('finds nothing on this page').waitFor();
    await trial.getByRole('textbox', { name: 'Without, selector 1' }).fill('.share');

    await trial.getByRole('button', { name: 'Add a field' }).click();
    await trial.getByLabel('Field', { exact: true }).fill('price');
    await trial.getByLabel('CSS selector').fill('.price');
    await trial.getByText('finds Price: 42.50 EUR').waitFor();
    await trial.getByLabel('Match').fill('[0-9.]+');
    await trial.getByLabel('Type').selectOption('number');
    await trial.getByText('finds 42.5', { exact: true }).waitFor();
    expect(fetched()).toBe(1);

    expect(await tryDialog(page, trial.getByRole('button', { name: 'Add to the configuration…' }))).toEqual([]);
    await trial.getByRole('button', { name: 'Add to the configuration…' }).click();
    const dialog = page.getByRole('dialog', { name: 'What this change would do' });
    await dialog.getByText(/stored URLs? judged/).waitFor();
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The new configuration is in force').waitFor();
    expect(world.server.engine.definition.crawlers[0]!.contents).toMatchObject([
      { include: ['main'], exclude: ['.share'], fields: [{ name: 'price', match: '[0-9.]+', type: 'number' }] },
    ]);
    await page.getByRole('textbox', { name: 'Only, selector 1' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Only, selector 1' }).inputValue()).toBe('main');
    if (process.env['SHOT']) await page.screenshot({ path: `${process.env['SHOT']}/selectors.png`, fullPage: true });
    expect(complaints).toEqual([]);
  });
});
