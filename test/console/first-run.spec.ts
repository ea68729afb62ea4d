import { expect, it } from 'vitest';
import { findProblems, openPanels } from './accessible.js';
import { describeInBrowser } from './browser.js';

const OTHER = 'other';

describeInBrowser('the guide to a new crawl', {}, (stage) => {
  const configuration = async (): Promise<string> => (await fetch(`${stage().world.server.url}/api/v1/config`)).text();
  const look = async (contact?: string): Promise<void> => {
    const { page, open, world } = stage();
    await open('/start');
    if (contact !== undefined) await page.getByLabel('Contact for site operators').fill(contact);
    await page.getByLabel('Address of the site').fill(`${world.site.origin}/`);
    await page.getByLabel('Pause between two requests').fill('0.02');
    await page.getByRole('button', { name: 'Show what would be crawled' }).click();
    await page.getByText('links on the first page').waitFor();
  };

  it('requests robots.txt and one page, stores nothing, and first shows what would be left out', async () => {
    const { page, world, complaints } = stage();
    world.site.page('/', ['/guide/', '/attic/trunk.html', 'https://elsewhere.example/']);
    const before = await configuration();
    await look();
    await openPanels(page);
    expect(await findProblems(page)).toEqual([]);
    const groups = await page.locator('.fates > div').allTextContents();
    expect(groups.slice(0, -1).toSorted()).toEqual([
      expect.stringMatching(/^no1 link Outside the site 127\.\S+, which you chose\.https:\/\/elsewhere\.example\/$/),
      expect.stringMatching(
        /^no1 link robots\.txt disallows it for crawlway, in line 3: Disallow: \/attic\/\.http.*attic/,
      ),
    ]);
    expect(groups.at(-1)).toMatch(/^yes1 link Would be crawled\..*\/guide\//);
    expect(await configuration()).toBe(before);
    await page.getByRole('button', { name: 'Back' }).click();
    expect(await page.getByLabel('Address of the site').inputValue()).toBe(`${world.site.origin}/`);
    await look();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await configuration()).toBe(before);
    expect(world.server.engine.definition.crawlers.map(({ name }) => name)).toEqual(['docs']);
    expect(complaints).toEqual([]);
  });

  it('does not fetch a page that robots.txt forbids, and names the line', async () => {
    const { page, open, world } = stage();
    await open('/start');
    await page.getByLabel('Address of the site').fill(world.site.url('/attic/'));
    await page.getByLabel('Pause between two requests').fill('0.02');
    await page.getByRole('button', { name: 'Show what would be crawled' }).click();
    await page.getByText('robots.txt disallows it for crawlway, in line 3').waitFor();
    expect(world.site.fetched).not.toContain('/attic/');
  });

  it('offers the page that the first one redirects to', async () => {
    const { page, open, world } = stage();
    await open('/start');
    await page.getByLabel('Address of the site').fill(world.site.url('/old.html'));
    await page.getByLabel('Pause between two requests').fill('0.02');
    await page.getByRole('button', { name: 'Show what would be crawled' }).click();
    await page.getByRole('button', { name: `Start at ${world.site.url('/news.html')} instead` }).click();
    await page.getByText('document', { exact: true }).waitFor();
  });

  it('adds its crawler to a configuration that someone else has changed meanwhile', async () => {
    const { page, world } = stage();
    await look();
    await renameDocs(world.server.url);
    await page.getByRole('button', { name: 'Start crawling' }).click();
    await page.getByText('The site has been crawled').waitFor();
    const names = world.server.engine.definition.crawlers.map(({ name }) => name);
    expect(names[0]).toBe(OTHER);
    expect(names).toHaveLength(2);
  });

  it('asks for a contact, which sites see from the first request on', async () => {
    const { page, open, world } = stage();
    await look('ops@a.example');
    await page.getByRole('button', { name: 'Start crawling' }).click();
    await page.getByText('The site has been crawled').waitFor();
    await open('/start');
    expect(await page.getByLabel('Contact for site operators').inputValue()).toBe('ops@a.example');
    const own = world.site.requests.filter(({ headers }) => headers.from === 'ops@a.example');
    expect(own.length).toBeGreaterThan(1);
    expect(new Set(own.map(({ headers }) => headers['user-agent']))).toEqual(new Set(['Crawlway/0.1 (ops@a.example)']));
  });

  it('accepts a new sink, and tests it first', async () => {
    const { page, open, world } = stage();
    await open('/start');
    await page.getByLabel('Push documents to').selectOption('');
    await page.getByLabel('Kind of index').selectOption('json');
    await page.getByLabel('Address', { exact: true }).fill('http://10.255.255.1/orders');
    await page.getByText('On a private network').click();
    expect(await page.getByLabel('Private addresses to allow for the sink').inputValue()).toBe('10.0.0.0/8');
    await page.getByLabel('Kind of index').selectOption('kafka');
    expect(await page.getByLabel(/^Topic/).getAttribute('required')).not.toBeNull();
    expect(await page.getByLabel(/^Password/).getAttribute('type')).toBe('password');
    expect(await page.getByLabel(/^Index/).count()).toBe(0);
    await page.getByText('More settings').click();
    expect(
      await page
        .getByLabel(/^Mechanism/)
        .locator('option')
        .allInnerTexts(),
    ).toContain('SCRAM-SHA-256');
    await page.getByLabel('Kind of index').selectOption('file');
    await page.getByLabel('File, in the data folder').fill('guide.jsonl');
    await page.getByRole('button', { name: 'Test the sink' }).click();
    await page.getByText("Works: The sink's folder is writable.").waitFor();
    expect(world.server.engine.definition.sinks.map(({ name }) => name)).toEqual(['main']);
  });
});

async function renameDocs(server: string): Promise<void> {
  const read = await fetch(`${server}/api/v1/config`);
  const xml = await read.text();
  const written = await fetch(`${server}/api/v1/config?confirm=true`, {
    method: 'PUT',
    headers: { 'content-type': 'application/xml', 'if-match': read.headers.get('etag') ?? '' },
    body: xml.replace('name="docs"', `name="${OTHER}"`),
  });
  expect(written.status).toBe(200);
}
