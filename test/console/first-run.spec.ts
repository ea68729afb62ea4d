import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

const OTHER = 'other';

describeInBrowser('the guide to a new crawl', {}, (stage) => {
  const names = async (): Promise<string[]> => {
    const xml = await (await fetch(`${stage().world.server.url}/api/v1/config`)).text();
    return [...xml.matchAll(/<Crawler name="([^"]+)"/g)].map(([, name]) => name ?? '');
  };
  const look = async (): Promise<void> => {
    const { page, open, world } = stage();
    await open('/start');
    await page.getByLabel('Address of the site').fill(`${world.site.origin}/`);
    await page.getByRole('button', { name: 'Show what would be crawled' }).click();
    await page.getByText('links on the first page').waitFor();
    expect(await names()).toHaveLength(2);
  };

  it('takes its crawler back with the button Back', async () => {
    const { page } = stage();
    await look();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('Address of the site').waitFor();
    expect(await names()).toEqual(['docs']);
  });

  it('takes its crawler back when one goes to another screen', async () => {
    const { page } = stage();
    await look();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect.poll(names).toEqual(['docs']);
  });

  it('takes its crawler back when the page is closed', async () => {
    const { page } = stage();
    await look();
    await page.goto('about:blank');
    await expect.poll(names).toEqual(['docs']);
  });

  it('does not overwrite what somebody else has changed meanwhile, and says so', async () => {
    const { page } = stage();
    await look();
    await renameDocs(stage().world.server.url);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Somebody changed the configuration meanwhile').waitFor();
    await page.getByRole('button', { name: 'Start crawling' }).click();
    await page.getByText('Somebody changed the configuration meanwhile').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('The new crawler stays in the configuration.').waitFor();
    expect(await names()).toContain(OTHER);
  });
});

async function renameDocs(server: string): Promise<void> {
  const read = await fetch(`${server}/api/v1/config`);
  const xml = await read.text();
  const written = await fetch(`${server}/api/v1/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/xml', 'if-match': read.headers.get('etag') ?? '' },
    body: xml.replace('name="docs"', `name="${OTHER}"`),
  });
  expect(written.status).toBe(200);
}
