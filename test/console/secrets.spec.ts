import { expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.js';
import { describeInBrowser } from './browser.js';

describeInBrowser('secrets in the console', {}, (stage) => {
  const findPassword = (name: string): Secret | undefined => {
    const sink = stage().world.server.engine.definition.sinks.find((each) => each.name === name);
    return (sink?.options as { password?: Secret } | undefined)?.password;
  };
  const readConfiguration = async (): Promise<string> =>
    (await fetch(`${stage().world.server.url}/api/v1/config`)).text();

  it('a password that is typed into a form is stored, and the configuration names it', async () => {
    const { page, open, complaints } = stage();
    await open('/configuration?view=forms');
    const shared = page.getByRole('region', { name: 'Shared by all crawlers' });
    const sink = shared.locator('details.element', { hasText: 'papi' }).first();
    await sink.locator('summary').first().click();
    await sink
      .getByText(/more settings, at their defaults/)
      .first()
      .click();
    const field = sink.locator('.field', { has: page.getByLabel('Password', { exact: false }) }).first();
    await field.getByLabel('Store a value').fill('hunter2');
    await field.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The secret sink-main-password is stored.').waitFor();
    await field.getByText('The configuration only names it, as sink-main-password.').waitFor();
    expect(await sink.getByLabel('password', { exact: false }).first().inputValue()).toBe(
      `\${secret:sink-main-password}`,
    );
    await page.getByText('no problems').waitFor();
    await page.getByRole('button', { name: 'Preview and save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The new configuration is in force').waitFor();
    expect(findPassword('main')?.equals(new Secret('hunter2'))).toBe(true);
    expect(await readConfiguration()).toContain(`password="\${secret:sink-main-password}"`);
    expect(complaints).toEqual([]);
  });

  it('the list shows where each is used, and a new value is in force at once', async () => {
    const { page, open } = stage();
    await open('/configuration?view=secrets');
    const row = page.getByRole('row', { name: /sink-main-password/ });
    await row.getByRole('link', { name: /^line \d+$/ }).waitFor();
    expect(await row.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
    await row.getByRole('button', { name: 'Change…' }).click();
    await row.getByLabel('New value of sink-main-password').fill('hunter3');
    await row.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The secret sink-main-password is stored.').waitFor();
    expect(findPassword('main')?.equals(new Secret('hunter3'))).toBe(true);
    await page.getByLabel('Name').fill('spare');
    await page.getByLabel('Value').fill('hunter4');
    await page.getByRole('button', { name: 'Store' }).click();
    const spare = page.getByRole('row', { name: /spare.*not used/ });
    await spare.waitFor();
    await spare.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await spare.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('hunter');
  });

  it('the password of a new sink is stored by its own button, and the sink is tested with it', async () => {
    const { page, open } = stage();
    await open('/start');
    await page.getByLabel('Push documents to').selectOption('a new sink…');
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:1/');
    await page.getByLabel('Login').fill('push');
    const field = page.locator('.field', { has: page.getByText('Password', { exact: true }) }).first();
    await field.getByLabel('Store a value').fill('hunter5');
    await field.getByText('Not stored yet.').waitFor();
    await field.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The secret sink-main-2-password is stored.').waitFor();
    await page.getByRole('button', { name: 'Test the sink' }).click();
    await page.getByText(/Does not work: .*127\.0\.0\.1/).waitFor();
    expect(await readConfiguration()).not.toContain('main-2');
  });
});
