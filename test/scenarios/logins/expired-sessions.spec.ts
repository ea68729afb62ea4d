import { expect, it, onTestFinished } from 'vitest';
import { WebhookSender } from '../../../src/adapters/push/webhook-sender.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { Webhooks } from '../../../src/server/webhooks/webhooks.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { type MemberSite, MemberSite as Site } from '../../support/member-site.js';
import { startReceiver } from '../../support/receivers/http-receiver.js';
import { crawl } from '../../support/scenario.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PAGES = ['/', '/a', '/b', '/c'];

const LOGINS = {
  csrf: (site: MemberSite) =>
    `page="${site.url('/login')}" user="robot" password="${site.password}" refusedText="Wrong name" lockedText="is locked"`,
  json: (site: MemberSite) => `page="${site.url('/login')}" successText="&quot;ok&quot;:true"`,
  steps: (site: MemberSite) => `page="${site.url('/login')}" refusedText="Wrong name"`,
} as const;

const INSIDE = {
  csrf: () => '',
  json: (site: MemberSite) =>
    `<cw:LoginStep json="${site.url('/login')}"><cw:LoginField name="user" value="robot"/><cw:LoginField name="pass" value="${site.password}"/></cw:LoginStep>`,
  steps: (site: MemberSite) =>
    `<cw:LoginStep form="#login"><cw:LoginField name="user" value="robot"/></cw:LoginStep><cw:LoginStep form="login"><cw:LoginField name="pass" value="${site.password}"/></cw:LoginStep>`,
} as const;

type Kind = keyof typeof LOGINS;

const configuration = (site: MemberSite, kind: Kind) => ({
  crawler: `<Root url="${site.url('/')}"/><cw:ErrorPolicy maxTemporaryErrors="2"/>`,
  more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:Login name="members" type="form" insecure="true" url="${site.url('/')}" ${LOGINS[kind](site)}>${INSIDE[kind](site)}</cw:Login></cw:Fetcher>`,
});

it.each<Kind>(['csrf', 'json', 'steps'])('a site behind a login (%s) is crawled to the end', async (kind) => {
  const site = await Site.start({ kind, pages: PAGES });
  const world = await crawl(configuration(site, kind));
  expect(await world.indexed()).toEqual(PAGES.map((path) => site.url(path)));
  expect(site.tried).toEqual(['right']);
  expect(await world.state(site.url('/logout'))).toMatchObject({ reason: 'login-page' });
  expect(await world.state(site.url('/login'))).toMatchObject({ reason: 'login-page' });
  const { visits } = await world.engine.explanations.getUrlHistory('test', site.url('/a'));
  expect(visits[0]?.detail).toBe('sent with login members and with cookie sid');
  expect(world.engine.logins.list()).toMatchObject([{ name: 'members', state: 'logged-in', refused: 0 }]);
});

it('an expired session is renewed once, whatever is in flight', async () => {
  const site = await Site.start({ kind: 'csrf', pages: PAGES });
  const world = await crawl(configuration(site, 'csrf'));
  site.endSessions();
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
  expect(await world.indexed()).toEqual(PAGES.map((path) => site.url(path)));
  expect(site.tried).toEqual(['right', 'right']);
});

it('a changed password costs three attempts and no document, and everything is current after the correction', async () => {
  const site = await Site.start({ kind: 'csrf', pages: PAGES });
  const world = await crawl(configuration(site, 'csrf'));
  const told: string[] = [];
  world.engine.events.observe((event) => {
    if (event.type === 'login') told.push(`${event.state}: ${event.message}`);
  });
  const alerts = await alertsOf(world);
  site.endSessions();
  site.password = 'new';
  for (const time of [minutes(5), hours(1), hours(23)]) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(time);
  }
  expect(site.tried).toEqual(['right', 'right', 'right', 'right']);
  expect(await world.indexed()).toEqual(PAGES.map((path) => site.url(path)));
  expect(await world.state(site.url('/a'))).toMatchObject({ reason: 'login-failed' });
  expect(told.filter((line) => line.startsWith('stopped'))).toEqual([
    `stopped: ${site.url('/login')} says that the user or the password is wrong`,
  ]);
  expect(await deletions(world)).toEqual([]);
  expect(alerts).toEqual(['members']);
  await world.engine.reconfigure(world.definition(configuration(site, 'csrf')));
  await world.untilIdle(minutes(5));
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'indexed', temporaryErrors: 0 });
  for (const path of PAGES)
    expect(await world.state(site.url(path))).toMatchObject({
      status: 'indexed',
      reason: 'indexed',
      temporaryErrors: 0,
    });
  expect(await deletions(world)).toEqual([]);
  expect(site.tried).toHaveLength(5);
  // The next failure is told again.
  site.endSessions();
  site.password = 'newer';
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(minutes(5));
  await expect.poll(() => alerts).toEqual(['members', 'members']);
});

/** Orders to delete anything, sent or kept back. */
const deletions = async (world: CrawlWorld) =>
  (await world.store.listOrders({ crawler: 'test' }, undefined, 100)).filter(({ kind }) => kind === 'delete');

/** Names of the logins that a webhook has told of. */
async function alertsOf(world: CrawlWorld): Promise<string[]> {
  const told: string[] = [];
  const receiver = await startReceiver(({ body }) => {
    told.push((JSON.parse(body.toString()) as { data: { login: string } }).data.login);
    return { status: 204 };
  });
  const more = `<cw:Webhook name="alerts" url="${receiver.url}/" events="login.failed" secret="${SECRET}"/>`;
  const definition = world.definition({ crawler: '', more });
  const nothing = () => {};
  const webhooks = new Webhooks({
    clock: world.clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    getDefinition: () => definition,
    openChannel: (webhook) => new WebhookSender(webhook),
  });
  onTestFinished(() => webhooks.close());
  world.engine.events.observe(webhooks.handleEvent);
  return told;
}

it.each([
  [
    'a form that was rebuilt',
    (site: MemberSite) => {
      site.rebuilt = true;
    },
    'changed',
    /has no form with the fields :user, :password: the page has form search with q; form login with csrf, mail, word, go/,
  ],
  [
    'a locked account',
    (site: MemberSite) => {
      site.locked = true;
    },
    'locked',
    /says that the account is locked/,
  ],
  [
    'a wrong password',
    (site: MemberSite) => {
      site.password = 'other';
    },
    'refused',
    /says that the user or the password is wrong/,
  ],
])('the test of a login tells %s', async (_name, fail, kind, detail) => {
  const site = await Site.start({ kind: 'csrf', pages: PAGES });
  const config = configuration(site, 'csrf');
  fail(site);
  const world = await crawl({ ...config, crawler: '' });
  const view = await world.engine.logins.test('members');
  expect(view).toMatchObject({ failure: kind, detail: expect.stringMatching(detail) });
  expect(JSON.stringify(view)).not.toContain('right');
});
