import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const ATOM = { 'content-type': 'application/atom+xml' };
const LEASE = 10_000;

describe('a feed with a WebSub hub', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let asked: URLSearchParams[];

  const feed = (entries: readonly string[], hub: string): void => {
    const links = `<link rel="hub" href="${hub}"/><link rel="self" href="${site.url('/feed')}"/>`;
    const items = entries.map((path) => `<entry><link href="${site.url(path)}"/></entry>`).join('');
    site.set('/feed', { headers: ATOM, body: `<feed xmlns="http://www.w3.org/2005/Atom">${links}${items}</feed>` });
  };
  const start = async (more = '<cw:WebSub callback="https://crawlway.example/"/>'): Promise<void> => {
    world = await CrawlWorld.start({
      crawler: `<Root url="${site.url('/feed')}" site="false"/>`,
      attributes: 'crawlSitemaps="true" smartRefreshMinAgeS="86400"',
      index: 'none',
      more,
    });
    await world.untilIdle();
  };
  /** What is asked of a hub is no visit that the world waits for. */
  const untilAsked = async (times: number): Promise<void> => {
    while (asked.length < times) await new Promise((resolve) => setImmediate(resolve));
    await world.untilIdle();
  };
  const token = (): string => new URL(asked[0]!.get('hub.callback')!).pathname.replace('/websub/', '');
  const confirm = (topic = site.url('/feed'), mode = 'subscribe', of = token()) =>
    world.engine.subscriptions.confirm(of, { mode, topic, challenge: 'c1', leaseSeconds: LEASE });

  beforeEach(async () => {
    asked = [];
    site = await FakeSite.start();
    site.page('/first').page('/second');
    site.set('/hub', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        asked.push(new URLSearchParams(Buffer.concat(parts).toString()));
        response.writeHead(202).end();
      });
      return undefined;
    });
    feed(['/first'], site.url('/hub'));
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('is subscribed to, and visited when the hub sends a notification', async () => {
    await start();
    await untilAsked(1);
    expect(asked.map((form) => [form.get('hub.mode'), form.get('hub.topic')])).toEqual([
      ['subscribe', site.url('/feed')],
    ]);
    expect(asked[0]!.get('hub.callback')).toMatch(/^https:\/\/crawlway\.example\/websub\/[\w.-]+$/);
    expect(await confirm()).toBe('c1');
    feed(['/first', '/second'], site.url('/hub'));
    await world.pass(minutes(10));
    expect(await world.state(site.url('/second'))).toBeUndefined();
    expect(await world.engine.subscriptions.handleNotification(token())).toBe(true);
    await world.untilIdle();
    expect(await world.state(site.url('/second'))).toMatchObject({ status: 'indexed' });
    expect((await world.engine.explanations.explain('test', site.url('/feed'))).visits[0]!.detail).toContain('WebSub');
    expect(asked).toHaveLength(1);
  });

  it('is visited once more when another notification follows a moment later', async () => {
    await start();
    await untilAsked(1);
    const visits = async () => (await world.state(site.url('/feed')))!.visits;
    const before = await visits();
    for (let n = 0; n < 5; n++) expect(await world.engine.subscriptions.handleNotification(token())).toBe(true);
    await world.pass(seconds(30));
    expect(await visits()).toBe(before + 2);
  });

  it('is renewed before the lease expires', async () => {
    await start();
    await untilAsked(1);
    await confirm();
    await world.pass(seconds(0.7 * LEASE));
    expect(asked).toHaveLength(1);
    await world.pass(seconds(0.2 * LEASE));
    await untilAsked(2);
    expect(asked).toHaveLength(2);
    expect(asked[1]!.get('hub.callback')).toBe(asked[0]!.get('hub.callback'));
  });

  it('has its hub asked without the credentials of the host: whoever writes the feed chooses the URL', async () => {
    await start(`<cw:WebSub callback="https://crawlway.example/"/><cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>
      <cw:Credential url="${site.url('/')}" user="anna" password="hunter2"/></cw:Fetcher>`);
    await untilAsked(1);
    const authorized = site.requests.filter(({ headers }) => headers.authorization !== undefined);
    expect(authorized.map(({ path }) => path)).toContain('/feed');
    expect(authorized.map(({ path }) => path)).not.toContain('/hub');
  });

  it('is neither confirmed nor visited for a hub that was not asked', async () => {
    await start();
    await untilAsked(1);
    expect(await confirm('https://other.example/feed')).toBeUndefined();
    expect(await confirm(undefined, 'unsubscribe')).toBeUndefined();
    const forged = `${Buffer.from(JSON.stringify(['test', site.url('/feed'), 't', 'h'])).toString('base64url')}.AAAA`;
    for (const bad of [forged, '', 'x', `${token()}x`, '.']) {
      expect(await confirm(undefined, undefined, bad)).toBeUndefined();
      expect(await world.engine.subscriptions.handleNotification(bad)).toBe(false);
    }
  });

  it('is not subscribed to at a hub of another site', async () => {
    const other = await FakeSite.start();
    feed(['/first'], other.url('/hub'));
    await start();
    await other.close();
    expect([asked, other.requests]).toEqual([[], []]);
  });

  it('is subscribed to although a feed of another host has named its topic, with a hub that refuses', async () => {
    const evil = await FakeSite.start('127.0.0.2');
    const hubs: URLSearchParams[] = [];
    evil.set('/hub', (request, response) => {
      request.on('data', (part: Buffer) => void hubs.push(new URLSearchParams(part.toString())));
      request.on('end', () => response.writeHead(202).end());
      return undefined;
    });
    const links = `<link rel="hub" href="${evil.url('/hub')}"/><link rel="self" href="${site.url('/feed')}"/>`;
    evil.set('/feed', { headers: ATOM, body: `<feed xmlns="http://www.w3.org/2005/Atom">${links}</feed>` });
    const roots = (of: readonly FakeSite[]): string =>
      of.map((one) => `<Root url="${one.url('/feed')}" site="false"/>`).join('');
    const more = '<cw:WebSub callback="https://crawlway.example/"/>';
    const attributes = 'crawlSitemaps="true" smartRefreshMinAgeS="86400"';
    world = await CrawlWorld.start({ crawler: roots([evil]), attributes, index: 'none', more });
    while (hubs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.untilIdle();
    const own = new URL(hubs[0]!.get('hub.callback')!).pathname.replace('/websub/', '');
    expect(await confirm(undefined, 'denied', own)).toBe('');
    await world.reconfigure({ crawler: roots([evil, site]), attributes, more });
    await untilAsked(1);
    expect(asked[0]!.get('hub.topic')).toBe(site.url('/feed'));
    await evil.close();
  });

  it('is not subscribed to when switched off, nor soon after the hub has refused', async () => {
    await start('');
    expect(asked).toEqual([]);
    const more = '<cw:WebSub callback="https://crawlway.example/"/>';
    await world.reconfigure({ crawler: `<Root url="${site.url('/feed')}" site="false"/>`, more });
    const visitAgain = async (entries: readonly string[]): Promise<void> => {
      feed(entries, site.url('/hub'));
      await world.engine.maintenance.refresh('test', { url: site.url('/feed') });
      await world.pass(hours(1));
    };
    await visitAgain(['/first', '/second']);
    await untilAsked(1);
    expect(asked).toHaveLength(1);
    expect(await confirm(undefined, 'denied')).toBe('');
    await world.pass(hours(7));
    await visitAgain(['/second']);
    expect(asked).toHaveLength(1);
  });
});
