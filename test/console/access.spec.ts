import { expect, it } from 'vitest';
import { findProblems } from './accessible.js';
import { describeInBrowser } from './browser.js';

const READER = 'reader-key-for-tests';
const ADMIN = 'admin-key-for-tests-0';

describeInBrowser('with API keys', { keys: `ann:read:${READER},bob:admin:${ADMIN}` }, (stage) => {
  const signIn = async (key: string): Promise<void> => {
    const { page } = stage();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('asks for a key, and reports a wrong one', async () => {
    const { page, world, open } = stage();
    await world.caughtUp();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open('/urls?status=error');
    // The field has the focus: a person types and presses Enter.
    await page.keyboard.type('not-a-key-of-this-server');
    asked.length = 0;
    await page.keyboard.press('Enter');
    await page.getByText('The server does not recognize this key.').waitFor();
    expect(await findProblems(page)).toEqual([]);
    // The browser reports requests on its own time, at times after what they bring about.
    await expect.poll(() => asked.filter((path) => path === '/api/v1/session'), { timeout: 10_000 }).toHaveLength(1);
  });

  it('refuses a key that cannot be sent, and says why', async () => {
    const { page } = stage();
    await signIn('schlüssel–€');
    await page.getByText('it contains characters that cannot be sent').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('shows a reader everything and allows no action', async () => {
    const { page, open } = stage();
    await signIn(READER);
    await page.getByText('ann (read)').waitFor();
    await page.getByRole('table', { name: 'Stored URLs' }).getByText('http-404').waitFor();
    await open('/');
    expect(await page.getByRole('button', { name: /^(Start|Pause|Stop) docs/ }).count()).toBe(0);
    await open('/configuration?view=xml');
    await page.getByText('read-only').waitFor();
    await open('/configuration?view=other');
    await page.getByRole('heading', { name: 'Server records' }).waitFor();
    expect(await page.getByRole('button', { name: /^Add/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('remembers a key for all tabs of the browser if wanted, until signing out', async () => {
    const { page, world } = stage();
    await page.getByLabel('Remember it in this browser').check();
    await signIn(READER);
    await page.getByText('ann (read)').waitFor();
    const other = await page.context().newPage();
    await other.goto(world.server.url);
    await other.getByText('ann (read)').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('allows an admin every action, and shows live events', async () => {
    const { page, open } = stage();
    await signIn(ADMIN);
    await page.getByText('bob (admin)').waitFor();
    await open('/');
    await page.getByRole('button', { name: 'Pause docs' }).waitFor();
    await page.getByText('live, a sample of events').waitFor();
  });
});

describeInBrowser('content from the web', {}, (stage) => {
  it('is shown as text, whatever it contains', async () => {
    const { page, open, world, complaints } = stage();
    const evil = '<img src=x onerror=alert(1)><script>document.title = "owned"</script>';
    world.site.set('/evil.html', {
      headers: { 'content-type': 'text/html' },
      body: `<title>${evil.replaceAll('<', '&lt;')}</title><p>text</p>`,
    });
    await world.server.engine.roots.submit('docs', [{ url: world.site.url('/evil.html') }]);
    await world.caughtUp();
    await open(`/url?url=${encodeURIComponent(world.site.url('/evil.html'))}`);
    await page.getByRole('heading', { level: 1, name: evil }).waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(complaints).toEqual([]);
  });
});
