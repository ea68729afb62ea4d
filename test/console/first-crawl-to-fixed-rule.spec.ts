import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

/** Judging again and pushing happen in the background. */
const PATIENCE = { timeout: 60_000 };

const NOTHING_YET = '<cw:Sink name="main" type="papi" url="INDEX" connector="test"/>';

describeInBrowser('from an empty configuration to search results', { configuration: NOTHING_YET }, (stage) => {
  it('begins with a guide that shows what would be crawled, crawls it, and leads to the search page', async () => {
    const { page, open, world, complaints } = stage();
    await open('/');
    await page.waitForURL(/\/start/);
    await page.getByLabel('Address of the site').fill(`${world.site.origin}/`);
    await page.getByLabel('Pause between two requests').fill('0.02');
    await page.getByRole('button', { name: 'Show what would be crawled' }).click();
    await page.getByText('5 would be crawled').waitFor();
    expect(world.site.fetched).toEqual(['/']);
    await page.getByRole('button', { name: 'Start crawling' }).click();
    const search = page.getByRole('link', { name: 'Search the documents' });
    await search.waitFor();
    expect(await search.getAttribute('href')).toBe(world.index.url);
    await page.getByText('The site has been crawled').waitFor();
    expect(complaints).toEqual([]);
  });

  it('explains why a page is missing, and helps to fix the rule with a preview', async () => {
    const { page, open, world } = stage();
    await open('/configuration');
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    await page.getByLabel('Value').fill(`${world.site.origin}/guide/lamps`);
    await page.getByRole('dialog').getByLabel('Crawl').selectOption('Ignore');
    await page.getByRole('button', { name: 'Preview…' }).click();
    await page.getByText(/1 documents would be removed from the index/).waitFor();
    await page.getByRole('button', { name: 'Save and delete these documents' }).click();
    await expect.poll(() => found(world.index.url, 'brass'), PATIENCE).toBe(false);

    await open(`/try?url=${encodeURIComponent(world.site.url('/guide/lamps.html'))}`);
    await page
      .getByText(/^Not (?:crawled|in the index)/)
      .first()
      .waitFor();
    await open('/configuration');
    await page.getByRole('button', { name: 'Delete rule 1' }).click();
    await page.getByText('would be crawled again').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => found(world.index.url, 'brass'), PATIENCE).toBe(true);
  });
});

async function found(index: string, word: string): Promise<boolean> {
  const html = await (await fetch(`${index}/?q=${word}`)).text();
  return html.includes('/guide/lamps.html');
}
