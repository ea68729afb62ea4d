/** A secret outside of the configuration changes: no restart, no edit. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { MemberSite } from '../support/member-site.js';
import { ApiWorld } from './api-world.js';

const folder = mkdtempSync(join(tmpdir(), 'crawlway-secrets-'));
vi.stubEnv('CRAWLWAY_SECRETS_FOLDERS', folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a login that was refused works once the file has the new password', async () => {
  const site = await MemberSite.start({ kind: 'csrf', pages: ['/', '/a'] });
  const file = join(folder, 'wiki');
  writeFileSync(file, 'old\n');
  const world = await ApiWorld.start({
    crawler: `<Root url="${site.url('/')}"/>`,
    fetcher: `<cw:Login name="members" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}"
      user="robot" password="\${file:${file}}" refusedText="Wrong name"/>`,
  });
  onTestFinished(() => world.stop());
  const login = async () => (await world.get('logins')).body.items[0];
  await expect.poll(login).toMatchObject({ state: 'failing', failure: 'refused', refused: 1 });
  const { body: config, text } = await world.get('config');
  expect(`${text}${JSON.stringify(config)}`).toContain(`\${file:${file}}`);
  const version = (await world.get('config/versions')).body.items[0].version;
  writeFileSync(file, `${site.password}\n`);
  expect((await world.send('POST', 'logins/members/test')).body).toMatchObject({ state: 'logged-in', refused: 0 });
  expect(site.tried.filter((password) => password === 'old')).toHaveLength(1);
  expect((await world.get('config/versions')).body.items[0].version).toBe(version);
  expect(world.logged.join('\n')).toContain('a secret of the configuration has changed');
  expect(world.logged.join('\n')).not.toContain(site.password);
  await expect.poll(async () => (await world.get('crawlers')).body.items[0].counts.indexed).toBe(2);
});

it('after a failed login the file is read again, and the old password is not tried again', async () => {
  const site = await MemberSite.start({ kind: 'csrf', pages: ['/', '/a'] });
  const file = join(folder, 'portal');
  writeFileSync(file, site.password);
  const world = await ApiWorld.start({
    crawler: `<Root url="${site.url('/')}"/>`,
    fetcher: `<cw:Login name="members" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}"
      user="robot" password="\${file:${file}}" refusedText="Wrong name"/>`,
  });
  onTestFinished(() => world.stop());
  await world.caughtUp(2);
  site.password = 'new';
  site.endSessions();
  writeFileSync(file, 'new');
  await world.send('POST', 'crawlers/test/refresh', { url: site.url('/a') });
  await expect.poll(() => site.tried).toEqual(['right', 'right', 'new']);
  await expect.poll(async () => (await world.get('logins')).body.items[0].state).toBe('logged-in');
});

it('a missing file is an error with its place in the configuration', async () => {
  const world = await ApiWorld.start();
  onTestFinished(() => world.stop());
  const xml = world
    .configuration()
    .replace(
      '<cw:AllowAddress',
      `<cw:Credential url="http://a.example/" user="u" password="\${file:${folder}/none}"/><cw:AllowAddress`,
    );
  const { body } = await world.sendXml('POST', 'config/check', xml);
  expect(JSON.stringify(body)).toContain(`the file ${folder}/none does not exist`);
});
