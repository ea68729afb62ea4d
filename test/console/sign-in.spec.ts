import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestProvider } from '../support/openid-provider.js';
import { describeInBrowser } from './browser.js';

const ended: (() => void)[] = [];
const provider = await TestProvider.start((close) => ended.push(close));
afterAll(() => {
  for (const close of ended) close();
});

describeInBrowser('users who sign in', { env: provider.environment('keepers:operate') }, (stage) => {
  beforeAll(() => provider.serve(`${stage().world.server.url}/auth/callback`, { ada: ['keepers'] }));

  it('return to the requested screen, work there without a key, and sign out', async () => {
    const { page, world } = stage();
    await world.caughtUp();
    await page.goto(`${world.server.url}/urls?status=error`);
    await page.getByRole('link', { name: 'Sign in with the museum' }).click();
    await page.locator('input[name=login]').fill('ada');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page
      .getByText(/asks you to confirm|scopes|Authorize/i)
      .first()
      .waitFor();
    await page.locator('button[type=submit]').click();
    await page.getByText('user:ada (operate)').waitFor();
    expect(page.url()).toBe(`${world.server.url}/urls?status=error`);
    await page.getByRole('table', { name: 'Stored URLs' }).getByText('http-404').waitFor();
    await page.goto(world.server.url);
    await page.getByRole('button', { name: 'Pause docs' }).click();
    await page.getByRole('dialog', { name: 'Pause docs' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Start docs' }).waitFor();
    expect(await page.evaluate('document.cookie')).not.toContain('crawlway');
    await page.getByRole('button', { name: 'Sign out' }).click();
    // The provider asks whether to end its own session, too.
    await page.getByRole('button', { name: /Yes/ }).click();
    await page.getByRole('link', { name: 'Sign in with the museum' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in with the museum' }).waitFor();
  });
});
