import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';

describeInBrowser('the console, screen by screen', {}, (stage) => {
  beforeAll(() => stage().world.caughtUp());

  beforeEach(() => {
    stage().complaints.length = 0;
  });

  it('shows what each crawler does, and pauses and starts it', async () => {
    const { page, open, complaints } = stage();
    await open('/');
    const card = page.getByRole('region', { name: 'docs' });
    await card.getByText('Documents in the index').waitFor();
    expect(await card.textContent()).toContain('nothing is due; 1 URL failed and will be retried.');
    await card.getByRole('button', { name: 'Pause docs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause docs' });
    await dialog.getByLabel('Until').fill('2099-03-01T08:00');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    await card.getByText(/^until .*08:00/).waitFor();
    await card.getByRole('button', { name: 'Start docs' }).click();
    await card.getByText('running', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps the focus when a button is replaced by another one', async () => {
    const { page, open } = stage();
    await open('/');
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    for (const [pressed, next] of [
      ['Pause', 'Start'],
      ['Stop', 'Start'],
      ['Start', 'Pause'],
    ]) {
      await page.getByRole('button', { name: `${pressed} docs` }).focus();
      await page.keyboard.press('Enter');
      if (pressed === 'Pause') await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).press('Enter');
      await page.getByRole('button', { name: `${pressed} docs` }).waitFor({ state: 'detached' });
      await expect.poll(focused).toBe(next);
    }
  });

  it('never shows another crawler than the one in the URL', async () => {
    const { page, open } = stage();
    await open('/urls?crawler=nope&status=error');
    await page.getByText('There is no crawler named nope.').waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(await page.getByLabel('Crawler', { exact: true }).count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: 'docs' }).click();
    await page.waitForURL(/crawler=docs&status=error/);
    await page.getByRole('table', { name: 'Stored URLs' }).waitFor();
  });

  it('explains on any screen why a page is missing, and lists roots and the audit log', async () => {
    const { page, open, world, complaints } = stage();
    await open('/hosts');
    const field = page.getByLabel('Why is my page missing?');
    await field.waitFor();
    await page.keyboard.press('/');
    expect(await field.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('/');
    expect(await field.inputValue()).toBe('/');
    await field.fill(world.site.url('/nowhere/at/all'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/try\?crawler=docs&url=/);
    await page.getByRole('heading', { name: 'Try a URL' }).waitFor();
    await page.getByLabel('Why is my page missing?').fill(`${new URL(world.site.origin).host}/guide/`);
    await page.keyboard.press('Enter');
    await page.waitForURL(({ searchParams }) => searchParams.get('url') === world.site.url('/guide/'));
    await page.getByText('In the index').first().waitFor();
    await open('/roots');
    const roots = page.getByRole('table', { name: 'Start URLs' });
    expect(await roots.getByRole('row').nth(1).textContent()).toContain(`${world.site.origin}/`);
    await open('/audit');
    await page.getByRole('table', { name: 'Audit log' }).getByText('Pause crawler').first().waitFor();
    await page.getByText('state running → paused').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('reports an unknown screen', async () => {
    const { page, open } = stage();
    await open('/nowhere');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  it('shows visits as they happen', async () => {
    const { page, open, world } = stage();
    await open('/');
    await page.getByText('live, a sample of events').waitFor();
    await world.server.engine.maintenance.refresh('docs', { url: world.site.url('/news.html') });
    const events = page.getByRole('region', { name: 'Right now' });
    await events.getByRole('link', { name: '/news.html' }).first().waitFor();
    expect(await events.getByRole('time').allTextContents()).toContainEqual(expect.stringMatching(/^\d\d:\d\d:\d\d$/));
  });

  it('shows how much of what was found is indexed, why the rest is not, and how old it is', async () => {
    const { page, open, world } = stage();
    await open('/coverage');
    const { indexed } = (await world.server.engine.getCrawler('docs')).counts;
    const stages = page.getByRole('region', { name: 'Of all discovered URLs' });
    await stages
      .getByRole('listitem')
      .filter({ hasText: 'Indexed' })
      .getByRole('link', { name: `${indexed}` })
      .waitFor();
    const age = page.getByRole('region', { name: 'Age of the index' });
    await age.getByText(`All ${indexed} documents were visited within the maximum age`).waitFor();
    const why = page.getByRole('region', { name: 'Not in the index, and why' });
    await why
      .getByRole('row', { name: /http-404/ })
      .getByRole('link')
      .click();
    await page.waitForURL(/\/urls\?.*reason=http-404/);
    await page.getByRole('table', { name: 'Stored URLs' }).waitFor();
  });

  it('shows the oldest URL of a source, with a link to its history', async () => {
    const { page, open } = stage();
    await open('/sources');
    const row = page.getByRole('row', { name: /^refresh/ });
    await row.getByRole('link', { name: /^in / }).click();
    await page.waitForURL(/\/url\?.*url=/);
  });

  it('writes changed weights of sources into the configuration', async () => {
    const { page, open, world } = stage();
    await open('/sources');
    await page.getByLabel('Weight of follow').fill('25');
    await page.getByRole('button', { name: 'Save weights' }).click();
    await page.getByText('The weights have been saved').waitFor();
    expect(world.server.engine.definition.crawlers[0]!.weights.follow).toBe(25);
  });

  it('filters URLs, and keeps the filter in the URL', async () => {
    const { page, open } = stage();
    await open('/urls');
    await page.getByLabel('Status').selectOption('error');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/status=error/);
    const table = page.getByRole('table', { name: 'Stored URLs' });
    await table.getByText('http-404').waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await page.getByLabel('Last visited').selectOption('more than a week ago');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No stored URLs match the filter.').waitFor();
  });

  it('shows the history of a URL on one page', async () => {
    const { page, open, world } = stage();
    await open(`/url?url=${encodeURIComponent(world.site.url('/guide/lamps.html'))}`);
    const path = page.getByRole('region', { name: 'How it was found' }).getByRole('listitem');
    await path.nth(2).waitFor();
    expect(await path.allTextContents()).toEqual(
      ['/', '/guide/', '/guide/lamps.html'].map((one) => world.site.url(one)),
    );
    expect(await page.getByRole('table', { name: 'Fetches' }).textContent()).toContain('document200');
    expect(await page.getByRole('table', { name: 'Push orders' }).textContent()).toContain('acknowledged');
    await page.getByRole('button', { name: 'Refresh now' }).click();
    await page.getByText('It is due now').first().waitFor();
    await page
      .getByRole('link', { name: /CrawlConfig.xml:\d+/ })
      .first()
      .click();
    await page.waitForURL(/\/configuration\?.*line=\d+/);
  });

  it('asks before a URL is removed, and states the consequences', async () => {
    const { page, open, world } = stage();
    await open(`/url?url=${encodeURIComponent(world.site.url('/guide/lenses.html'))}`);
    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this URL' });
    expect(await dialog.textContent()).toContain('1 URL is forgotten and 1 document is removed from the index');
    await dialog.getByRole('button', { name: 'Remove it' }).click();
    await page.waitForURL(/\/urls\?/);
    const left = () => world.server.engine.urls.count({ crawler: 'docs', like: '%/guide/lenses.html' });
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
  });

  it('explains why a URL is not crawled, and where this is configured', async () => {
    const { page, open, world } = stage();
    await open('/try');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(world.site.url('/private/staff.html'));
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText(/^Not crawled: /).waitFor();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    expect(await verdict.textContent()).toContain('rule 2');
    await verdict.getByRole('link', { name: 'Show it in the configuration' }).waitFor();
    await verdict
      .getByRole('link', { name: /CrawlConfig.xml/ })
      .first()
      .waitFor();
  });

  it('shows what robots.txt forbids although the rules accept it, and by which line', async () => {
    const { page, open, world } = stage();
    await open(`/try?url=${encodeURIComponent(world.site.url('/attic/box.html'))}`);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByText(/^Not (?:crawled|in the index): .*robots\.txt disallows it/).waitFor();
    expect(await verdict.textContent()).toMatch(
      /robots\.txt disallows it for crawlway by line 3: Disallow: \/attic\//i,
    );
    await open(`/url?url=${encodeURIComponent(world.site.url('/'))}`);
    expect(await page.getByRole('region', { name: 'Verdict' }).textContent()).toContain('no line forbids it');
    await open(`/try?url=${encodeURIComponent('https://elsewhere.example/')}`);
    await verdict.getByText('has not been fetched yet').waitFor();
  });

  it('shows the links of a page with their verdicts, and queues the selected ones', async () => {
    const { page, open, world } = stage();
    await open(`/try?view=links&url=${encodeURIComponent(world.site.url('/'))}`);
    const links = page.getByRole('table', { name: /Links of/ });
    await links
      .getByRole('row', { name: /private\/staff/ })
      .getByText('rejected')
      .waitFor();
    await links.getByLabel(`Choose ${world.site.url('/news.html')}`).check();
    await page.getByRole('button', { name: 'Queue it' }).click();
    await page.getByText('1 URL queued').waitFor();
  });

  it('shows hosts, their robots.txt and folders, and pauses one', async () => {
    const { page, open, world } = stage();
    await open('/hosts');
    await page.getByRole('link', { name: `127.0.0.1:${world.site.port}` }).click();
    await page.getByRole('heading', { name: 'robots.txt' }).waitFor();
    await page.locator('summary', { hasText: 'guide/' }).click();
    await page.getByRole('link', { name: 'lamps.html' }).waitFor();
    await page.getByRole('button', { name: 'Pause this host' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume this host' }).click();
    await page.getByText('healthy', { exact: true }).waitFor();
  });

  it('says what to do when a part of it cannot be loaded, for instance after an update of the server', async () => {
    const { page, open } = stage();
    await open('/');
    await page.route('**/assets/hosts-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Hosts' }).click();
    await page.getByText('This part of the console did not load').waitFor();
    await page.unroute('**/assets/hosts-*.js');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('table', { name: 'Hosts' }).waitFor();
  });

  it('groups errors by class and host, retries them and forgets them', async () => {
    const { page, open, world } = stage();
    const fail = async (path: string): Promise<void> => {
      world.site.set(path, { status: 500 });
      await world.server.engine.roots.submit('docs', [{ url: world.site.url(path) }]);
      await world.caughtUp();
    };
    await fail('/broken.html');
    await open('/errors');
    const group = page.getByRole('region', { name: 'http-5xx' });
    await group.getByRole('button', { name: 'Retry all URLs with http-5xx' }).click();
    await page.getByText('1 URL will be retried').waitFor();
    await fail('/broken-too.html');
    await page.getByRole('button', { name: 'Clear error cache…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget them' }).click();
    await page.getByText(/URLs? forgotten/).waitFor();
  });

  it('shows sinks and orders, and compares what the index holds with the store', async () => {
    const { page, open } = stage();
    await open('/push');
    await page.getByRole('button', { name: 'Compare with the store' }).click();
    await page.getByText('The sink holds exactly what it should according to the store.').waitFor();
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByLabel('Order', { exact: true }).selectOption('add');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/kind=add/);
    await page.getByRole('table', { name: 'Orders' }).getByText('acknowledged').first().waitFor();
    await page.getByRole('link', { name: 'Held', exact: true }).click();
    await page.getByText('Nothing is held.').waitFor();
  });
});
