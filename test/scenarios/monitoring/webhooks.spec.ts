import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { WebhookSender } from '../../../src/adapters/push/webhook-sender.js';
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/push/webhook.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { Webhooks } from '../../../src/server/webhooks/webhooks.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';
import { startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Message {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

it('each kind of webhook is sent for its event, and verified by the library of the specification', async () => {
  const messages: Message[] = [];
  const alerts = await startReceiver(({ body, headers }) => {
    messages.push(new Webhook(SECRET).verify(body.toString(), headers as Record<string, string>) as Message);
    return { status: 204 };
  });
  const through = await FlakyReceiver.start();
  onTestFinished(() => through.close());
  through.fate = (body) => (body.includes('nobody takes this') ? 'refuse' : 'pass');
  const paths = Array.from({ length: 24 }, (_, n) => `/p${n}`);
  const site = await startSite();
  site.page('/');
  const isWell = (): void => {
    paths.forEach((path, n) => {
      const words = Array.from(
        { length: 40 },
        (_, i) => String.fromCodePoint(97 + n).repeat(1 + (i % 7)) + i.toString(36),
      );
      site.page(path, [], words.join(' '));
    });
  };
  isWell();
  site.page('/refused', [], 'nobody takes this');
  const closed = await startSite('127.0.0.2');
  closed.set('/', { status: 401, headers: { 'www-authenticate': 'Negotiate' } });
  const options = {
    crawler: `<Root url="${site.url('/')}"/><Root url="${closed.url('/')}"/>
      <cw:DeletionGuard maxDeletions="5" maxShare="0.1" signOfLife="false"/>`,
    more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>
      <cw:Login name="m" type="basic" insecure="true" url="${closed.url('/')}" user="robot" password="wrong"/></cw:Fetcher>
      <cw:Webhook name="alerts" url="${alerts.url}/" secret="${SECRET}"/>`,
  };
  const world = await start({ crawler: `<Root url="${site.url('/')}"/>`, through });
  // Messages wait for nothing on this clock, which moves only for the crawl.
  const webhooks = new Webhooks({
    clock: world.clock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    getDefinition: () => world.engine.definition,
    openChannel: (definition) => new WebhookSender(definition),
  });
  onTestFinished(() => webhooks.close());
  world.engine.events.observe(webhooks.handleEvent);
  const told = (type: string): Promise<Message> =>
    expect
      .poll(() => messages.find((message) => message.type === type), { message: type })
      .toBeDefined()
      .then(() => messages.find((message) => message.type === type)!);

  await world.untilIdle();
  // What is to be told begins only now.
  site.page('/', [...paths, '/refused']);
  await world.reconfigure(options);
  await told('configuration.applied');
  await world.engine.maintenance.refresh('test', { url: site.url('/') });
  await world.untilIdle();
  for (const crawler of world.engine.takeCaughtUpCrawlers()) webhooks.publishCaughtUp(crawler);
  expect((await told('crawl.caught-up')).data).toEqual({ crawler: 'test' });
  expect((await told('orders.refused')).data).toMatchObject({ crawler: 'test', uri: site.url('/refused') });
  expect((await told('login.failed')).data).toMatchObject({
    login: 'm',
    state: 'failing',
    message: expect.stringContaining(closed.url('/')),
  });

  through.fate = () => 'fail';
  site.page('/p0', [], 'Another text.');
  await world.engine.maintenance.refresh('test', { url: site.url('/p0') });
  await world.pass(minutes(1));
  expect((await told('sink.down')).data).toMatchObject({ sink: 'main' });
  through.fate = () => 'pass';
  await world.pass(minutes(10));
  await told('sink.up');

  await site.goDown();
  await world.engine.maintenance.refresh('test', { like: `${site.origin}/%` });
  await world.pass(minutes(10));
  const { host } = (await told('host.ill')).data;
  expect(site.origin).toContain(String(host));
  await site.comeBack();
  await world.pass(hours(12));
  expect((await told('host.recovered')).data).toEqual({ host });

  for (const path of paths)
    site.page(path, [], 'We are closed for maintenance today. Please come back tomorrow. '.repeat(5));
  await world.engine.maintenance.refresh('test', { like: `${site.origin}/%` });
  await world.pass(hours(1));
  expect((await told('changes.held')).data).toMatchObject({ crawler: 'test', host, cause: 'one-page-everywhere' });
  isWell();
  await world.pass(hours(12));
  // The engine whose index is another one is that of scenarios/sinks/deleted-index.spec.ts.
  webhooks.handleEvent({ type: 'sink', at: world.clock.now(), sink: 'main', state: 'replaced', message: 'another' });
  expect((await told('sink.replaced')).data).toEqual({ sink: 'main', message: 'another' });

  // A site that really moves is in scenarios/moves/moves-of-sites.spec.ts.
  const move = {
    crawler: 'test',
    root: site.url('/'),
    target: 'https://new.example/',
    reason: 'move-undecided',
  } as const;
  webhooks.handleEvent({ type: 'move', at: world.clock.now(), ...move });
  expect((await told('site.move')).data).toEqual(move);

  for (const path of paths) site.remove(path);
  await world.engine.maintenance.refresh('test', { like: `${site.origin}/%` });
  await world.pass(hours(2));
  expect((await told('deletions.held')).data).toMatchObject({ crawler: 'test', count: 1 });

  site.page('/', paths).page('/p0', [], 'Back with another text.');
  const quota = `<cw:Quota name="small" maxBytesPerDay="1"/>`;
  await world.reconfigure({ ...options, more: `${options.more}${quota}` });
  await world.engine.maintenance.refresh('test', { like: `${site.origin}/%` });
  await world.pass(hours(1));
  expect((await told('quota.reached')).data).toMatchObject({ quota: 'small', limit: 'bytes', max: 1 });

  expect([...new Set(messages.map(({ type }) => type))].sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort());
});
