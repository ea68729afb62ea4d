import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

describeInBrowser('the configuration as forms', {}, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  it('change settings, start URLs and sinks, and preview the effect', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=forms');
    const crawler = page.getByRole('region', { name: 'Crawler docs' });
    await crawler
      .getByText(/more settings, at their defaults/)
      .first()
      .click();
    await crawler.getByLabel('nthreads').fill('7');
    await crawler.getByLabel('nthreads').press('Tab');
    await crawler.getByLabel('Add to Crawler').selectOption('Root');
    await page.getByText(/\d+ errors?/).waitFor();
    expect(await page.getByRole('button', { name: 'Preview and save…' }).isEnabled()).toBe(false);
    const added = crawler.locator('details.element', { hasText: 'Root' }).last();
    await added.locator('summary').first().click();
    await added.getByLabel('url *').fill(world.site.url('/guide/'));
    await added.getByLabel('url *').press('Tab');
    const shared = page.getByRole('region', { name: 'Shared by all crawlers' });
    await shared.getByLabel('Add to CrawlConfig').selectOption('Sink');
    const sink = shared.locator('details.element', { hasText: 'Sink' }).last();
    await sink.locator('summary').first().click();
    await sink.getByLabel('name *').fill('copy');
    await sink.getByLabel('name *').press('Tab');
    await sink.getByLabel('type *').selectOption('kafka');
    await sink.getByLabel('topic *').waitFor();
    await sink.getByLabel('type *').selectOption('file');
    await sink.getByText(/more settings, at their defaults/).click();
    await sink.getByLabel('rotateBytes').waitFor();
    expect(await sink.getByLabel('topic').count()).toBe(0);
    await sink.getByLabel('url *').fill('copy.jsonl');
    await sink.getByLabel('url *').press('Tab');
    await sink.getByRole('button', { name: 'Test the sink' }).click();
    await sink.getByText("Works: The sink's folder is writable.").waitFor();
    const push = crawler.locator('details.element', { hasText: 'PushTo' });
    await push.locator('summary').first().click();
    expect(await push.getByLabel('sink *').locator('option').allTextContents()).toEqual(['main', 'copy']);
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'What this change would do' });
    await dialog.getByText(/stored URLs? judged/).waitFor();
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The new configuration is in force').waitFor();
    const { crawlers, sinks } = world.server.engine.definition;
    expect(crawlers[0]).toMatchObject({ concurrency: 7 });
    expect(crawlers[0]!.roots.map(({ url }) => url)).toContain(world.site.url('/guide/'));
    expect(sinks.map(({ name, type }) => [name, type])).toContainEqual(['copy', 'file']);
  });

  it('rename a sink with everything that refers to it', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=forms');
    const shared = page.getByRole('region', { name: 'Shared by all crawlers' });
    const sink = shared.locator('details.element', { hasText: 'papi' }).first();
    await sink.locator('summary').first().click();
    await sink.getByText('The name is also used in 1 other place').waitFor();
    await sink.getByLabel('name *').fill('search');
    await sink.getByLabel('name *').press('Tab');
    await page.getByText('no problems').waitFor();
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
    // The engine has it before the API shows it, and the next test edits what the API shows.
    await page.getByText('The new configuration is in force').waitFor();
    expect(world.server.engine.definition.crawlers[0]!.pushTo).toEqual(['search']);
  });

  it('copy a crawler and remove it, and ask every crawler about a page', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=forms');
    await page.getByRole('button', { name: 'Copy' }).click();
    const copy = page.getByRole('region', { name: 'Crawler docs-2' });
    await copy.waitFor();
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The new configuration is in force').waitFor();
    expect(world.server.engine.definition.crawlers).toHaveLength(2);
    await open(`/try?crawler=docs-2&url=${encodeURIComponent(world.site.url('/guide/'))}`);
    await page.getByRole('link', { name: 'docs in the index' }).waitFor();
    await open('/configuration?view=forms&crawler=docs-2');
    await page
      .getByRole('region', { name: 'Crawler docs-2' })
      .getByRole('button', { name: 'Remove', exact: true })
      .click();
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The new configuration is in force').waitFor();
    expect(world.server.engine.definition.crawlers).toHaveLength(1);
  });

  it('rename a crawler, which keeps its documents', async () => {
    const { page, open, world } = stage();
    await open('/configuration?view=forms');
    const crawler = page.getByRole('region', { name: 'Crawler docs' });
    await crawler.getByLabel('name *').first().fill('handbook');
    await crawler.getByLabel('name *').first().press('Tab');
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'What this change would do' });
    const question = dialog.getByLabel(/^What becomes of the \d+ documents of docs/);
    expect(await question.inputValue()).toBe('hand-over handbook');
    const { indexed } = (await world.server.engine.getCrawler('docs')).counts;
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The new configuration is in force').waitFor();
    const listFormer = async () => (await world.server.engine.formerCrawlers.list()).map(({ name }) => name);
    await expect.poll(listFormer).not.toContain('docs');
    expect((await world.caughtUp('handbook')).counts.indexed).toBe(indexed);
  });
});
