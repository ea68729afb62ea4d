import { expect, it } from 'vitest';
import { MemberSite } from '../support/member-site.js';
import { findProblems } from './accessible.js';
import { describeInBrowser } from './browser.js';

const CONFIGURATION = `
  <Crawler name="docs" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" defaultAccept="true">
    <Root url="SITE/"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="INDEX" connector="test"/>`;

const READER = 'reader-key-for-tests';
const ADMIN = 'admin-key-for-tests-0';

describeInBrowser(
  'logins',
  { configuration: CONFIGURATION, keys: `ann:read:${READER},bob:admin:${ADMIN}` },
  (stage) => {
    const signIn = async (key: string): Promise<void> => {
      const { page } = stage();
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };

    it('explains what a login is for when none is configured', async () => {
      const { page, open } = stage();
      await open('/logins');
      await signIn(ADMIN);
      await page.getByText('No login is configured.').waitFor();
    });

    it('shows each login with state and last success, and tests one step by step', async () => {
      const { page, open, world, complaints } = stage();
      complaints.length = 0;
      const site = await MemberSite.start({ kind: 'csrf', pages: ['/'] });
      await configure(world.server.url, site, 'wrong');
      await open('/logins');
      const panel = page.getByRole('region', { name: 'members' });
      await panel.getByText('unused').waitFor();
      const test = panel.getByRole('button', { name: 'Test login members' });
      await test.click();
      await page.getByText('Login members failed; see its steps for the reason.').waitFor();
      await panel.getByText('failing').waitFor();
      const steps = panel.getByRole('list', { name: 'Steps of login members' });
      expect(await steps.textContent()).toMatch(/opened the login page.*→ 200.*sent the form/s);
      expect(await panel.textContent()).toMatch(/refused:.*Consecutive refusals1 of 3/s);
      for (let refused = 2; refused <= 3; refused++) {
        await test.click();
        await panel.getByText(`${refused} of 3`).waitFor();
      }
      await panel.getByText('Crawlway does not retry this login').waitFor();
      expect(await findProblems(page)).toEqual([]);
      await configure(world.server.url, site, site.password);
      await panel.getByText('logged-in').waitFor();
      await test.click();
      await page.getByText('Login members works.').waitFor();
      expect(await panel.textContent()).toMatch(/Last success(?!–)/);
      expect(complaints).toEqual([]);
    });

    it('shows them to a reader, who cannot test them', async () => {
      const { page, open } = stage();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(READER);
      await open('/logins');
      await page.getByRole('region', { name: 'members' }).waitFor();
      expect(await page.getByRole('button', { name: /Test login/ }).count()).toBe(0);
    });
  },
);

/** Puts a configuration in force with a login at the site. */
async function configure(server: string, site: MemberSite, password: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  const stored = await fetch(`${server}/api/v1/secrets/members`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ value: password }),
  });
  expect(stored.status).toBe(200);
  const current = await fetch(`${server}/api/v1/config`, { headers });
  const login = `<cw:Login name="members" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}"
    user="robot" password="\${secret:members}" refusedText="Wrong name"/>`;
  const text = (await current.text())
    .replace(/<cw:Login [^>]*\/>/, '')
    .replace('</cw:Fetcher>', `${login}</cw:Fetcher>`);
  const answer = await fetch(`${server}/api/v1/config`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/xml', 'if-match': current.headers.get('etag')! },
    body: text,
  });
  expect(answer.status).toBe(200);
}
