import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { html } from '../../support/fake-site.js';
import { startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';

const acl = (inside: string, attributes = ''): string =>
  `<cw:Acl default="everyone" header="X-Acl" denyHeader="X-Deny" meta="audience" file="acl.txt" ${attributes}>${inside}</cw:Acl>`;

it('documents carry their access rights, and a change of a rule reaches the index', async () => {
  const site = await startSite();
  site.page('/', ['/hr/', '/hr/pay/', '/open']).page('/open').page('/hr/pay/');
  site.set('/hr/', {
    headers: { 'content-type': 'text/html', 'x-acl': 'board; jane', 'x-deny': 'interns' },
    body: html('/hr/', []).replace(
      '<head>',
      '<head><meta name="audience" content="hr"><meta name="acl_deny" content="jane">',
    ),
  });
  const crawler = (rules: string) => ({
    crawler: `<Root url="${site.url('/')}"/>${acl(rules)}`,
    files: { 'acl.txt': `# who\nallow ${site.url('/hr/pay/')} payroll, Pay Masters\n` },
  });
  const world = await start({ index: 'none', ...crawler(`<cw:AclRule url="${site.url('/hr/')}" allow="staff"/>`) });
  await world.untilIdle();
  const seen = (path: string): string[] =>
    world
      .pushed()
      .get(site.url(path))!
      .metas.filter(({ name }) => name.startsWith('acl_'))
      .map(({ name, value }) => `${name}=${value}`);
  expect(seen('/open')).toEqual([]);
  expect(seen('/hr/')).toEqual([
    'acl_allow=staff',
    'acl_allow=board',
    'acl_allow=jane',
    'acl_allow=hr',
    'acl_deny=interns',
  ]);
  expect(seen('/hr/pay/')).toEqual(['acl_allow=payroll', 'acl_allow=Pay Masters']);
  await world.reconfigure(crawler(`<cw:AclRule url="${site.url('/open')}" allow="staff" deny="guests"/>`));
  await world.untilIdle(minutes(5));
  expect(seen('/open')).toEqual(['acl_allow=staff', 'acl_deny=guests']);
});

/** A crawl of which only rules say who may see its documents. */
async function ruled(sinks = '<cw:PushTo sink="main"/>', more = '') {
  const site = await startSite();
  site.page('/', ['/hr/', '/hr/pay', '/open']).page('/open').page('/hr/').page('/hr/pay');
  const crawler = (rules: string) => ({
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false"><Root url="${site.url('/')}"/>
      <cw:Acl default="everyone">${rules}</cw:Acl>${sinks}</Crawler>`,
    more,
  });
  const rule = (path: string, principals: string) => `<cw:AclRule url="${site.url(path)}" ${principals}/>`;
  const world = await start({ index: 'none', ...crawler(rule('/hr/', 'allow="hr"')) });
  await world.untilIdle();
  const seen = (path: string) =>
    world
      .pushed()
      .get(site.url(path))!
      .metas.filter(({ name }) => name.startsWith('acl_'))
      .map(({ name, value }) => `${name}=${value}`);
  const change = (rules: string): Promise<void> => world.reconfigure(crawler(rules)).then(() => undefined);
  const changeAndPass = (rules: string): Promise<void> => change(rules).then(() => world.pass(minutes(2)));
  return { site, world, seen, rule, change, changeAndPass };
}

it('a change of a rule reaches the index without any request, and resends nothing else', async () => {
  const { site, world, seen, rule, changeAndPass } = await ruled();
  expect(seen('/hr/pay')).toEqual(['acl_allow=hr']);
  const asked = site.requests.length;
  const before = world.pushed().get(site.url('/hr/pay'))!;
  const orders = world.orders().length;
  await changeAndPass(`${rule('/hr/', 'allow="hr"')}${rule('/hr/pay', 'allow="payroll, board" deny="interns"')}`);
  expect(seen('/hr/pay')).toEqual(['acl_allow=payroll', 'acl_allow=board', 'acl_deny=interns']);
  expect(seen('/hr/')).toEqual(['acl_allow=hr']);
  expect(site.requests.slice(asked)).toEqual([]);
  expect(
    world
      .orders()
      .slice(orders)
      .map(({ uri, reason }) => `${new URL(uri).pathname} ${reason}`),
  ).toEqual(['/hr/pay access-changed']);
  const { metas: _, ...after } = world.pushed().get(site.url('/hr/pay'))!;
  expect(before).toMatchObject(after);
  expect(await world.engine.backfills.list()).toMatchObject([
    { why: 'access', state: 'done', done: 4, waitingVisits: 0 },
  ]);
});

it('a change of a rule reaches the index of a crawler that is paused, too', async () => {
  const { site, world, seen, rule, changeAndPass } = await ruled();
  await world.engine.setRunState('test', 'paused');
  const asked = site.requests.length;
  await changeAndPass(rule('/hr/', 'allow="board"'));
  expect(seen('/hr/')).toEqual(['acl_allow=board']);
  expect(site.requests.slice(asked)).toEqual([]);
});

it('the pages are visited when a sink returns no documents', async () => {
  const receiver = await startReceiver(() => ({ status: 200 }));
  const more = `<cw:Sink name="hook" type="json" url="${receiver.url}/"/>`;
  const { site, seen, rule, changeAndPass } = await ruled('<cw:PushTo sink="main"/><cw:PushTo sink="hook"/>', more);
  const asked = site.requests.length;
  await changeAndPass(rule('/hr/', 'allow="board"'));
  expect(seen('/hr/pay')).toEqual(['acl_allow=board']);
  expect(site.requests.length).toBeGreaterThan(asked + 3);
});

it.each([
  ['a sink gives nothing back', true],
  ['the sink gives back what it has', false],
])('a page that is in flight at the change gets the new principals, where %s', async (_, hasHook) => {
  const receiver = await startReceiver(() => ({ status: 200 }));
  const hook = `<cw:Sink name="hook" type="json" url="${receiver.url}/"/>`;
  const { site, world, seen, rule, change } = hasHook
    ? await ruled('<cw:PushTo sink="main"/><cw:PushTo sink="hook"/>', hook)
    : await ruled();
  const requested = Promise.withResolvers<() => void>();
  const html = { 'content-type': 'text/html' };
  site.set('/hr/pay', (_request, response) => {
    requested.resolve(() => void response.writeHead(200, html).end('<title>More pay</title>'));
    return undefined;
  });
  await world.engine.maintenance.refresh('test', { url: site.url('/hr/pay') });
  const answer = await requested.promise;
  site.set('/hr/pay', { headers: html, body: '<title>More pay</title>' });
  await change(rule('/hr/', 'allow="board"'));
  answer();
  await world.pass(minutes(2));
  expect(seen('/hr/pay')).toEqual(['acl_allow=board']);
});

it('a header that changes reaches the index although the page has not changed', async () => {
  const site = await startSite();
  const answer = (principals: string) =>
    site.set('/', (request, response) => {
      const headers = { 'content-type': 'text/html', etag: '"1"', 'x-acl': principals };
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
      else response.writeHead(200, headers).end('<title>Minutes</title>');
      return undefined;
    });
  answer('everyone');
  const world = await start({ index: 'none', crawler: `<Root url="${site.url('/')}"/><cw:Acl header="X-Acl"/>` });
  await world.untilIdle();
  const seen = (): string[] =>
    world
      .pushed()
      .get(site.url('/'))!
      .metas.filter(({ name }) => name === 'acl_allow')
      .map(({ value }) => value);
  expect(seen()).toEqual(['everyone']);
  answer('CN=Board,OU=Groups,DC=example,DC=com');
  await world.pass(hours(24 * 8));
  expect(seen()).toEqual(['CN=Board,OU=Groups,DC=example,DC=com']);
  expect(site.requests.filter(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([]);
});

it.each([
  ['has line breaks', '<meta name="audience" content="hr\n  board"><meta name="barred" content="interns\nguests">'],
  [
    'is long',
    `<meta name="audience" content="hr, board"><meta name="barred" content="${'\n'.repeat(20_000)}interns, guests">`,
  ],
  [
    'comes after hundreds of others',
    `${'<meta name="tag" content="x">'.repeat(501)}<meta name="audience" content="hr, board"><meta name="barred" content="interns, guests">`,
  ],
])('a list of principals in a meta that %s is read whole', async (_, metas) => {
  expect(await findPrincipals(metas)).toEqual(['allow hr', 'allow board', 'deny interns', 'deny guests']);
});

it.each([
  ['has no content', '<meta name="audience">'],
  ['is longer than any list', `<meta name="audience" content="hr${','.repeat(600_000)}">`],
  ['names somebody with a soft hyphen', '<meta name="audience" content="h&shy;r">'],
])('a page whose meta of principals %s may be seen by nobody', async (_, metas) => {
  expect(await findPrincipals(metas)).toEqual([]);
});

/** The principals of a page with these metas. */
async function findPrincipals(metas: string): Promise<string[]> {
  const site = await startSite();
  site.set('/', { headers: { 'content-type': 'text/html' }, body: `<title>Minutes</title>${metas}<p>What was said` });
  const world = await start({
    index: 'none',
    crawler: `<Root url="${site.url('/')}"/><cw:Acl default="everyone" meta="audience" denyMeta="barred"/>`,
  });
  await world.untilIdle();
  const { metas: delivered } = world.pushed().get(site.url('/'))!;
  return delivered.flatMap(({ name, value }) => (name.startsWith('acl_') ? [`${name.slice(4)} ${value}`] : []));
}
