/** Two departments on one server: each sees and changes its own crawler, and of the rest nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

const KEY = { root: 'r'.repeat(20), hr: 'h'.repeat(20), both: 'b'.repeat(20) };
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const SALES = `<Crawler name="sales" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
  <Root url="SITE/a.html"/><Rules group="default"><Rule><Path value="/secret-plan/"/><NoFollow/></Rule></Rules>
  <cw:PushTo sink="sales-index"/></Crawler>`;

let world: ApiWorld;
beforeAll(async () => {
  const keys = [`root:admin:${KEY.root}`, `hr:admin@test:${KEY.hr}`, `both:read@test+sales:${KEY.both}`].join(',');
  world = await ApiWorld.start({ keys, callsPerMinute: 1_000_000 });
  const xml = world.configuration();
  const sink = /<cw:Sink name="main".*?\/>/.exec(xml)![0];
  const more = `${SALES.replaceAll('SITE', world.site.origin)}${sink.replace('main', 'sales-index').replace('orders.jsonl', 'sales.jsonl')}`;
  const etag = (await world.get('config', bearer(KEY.root))).headers.get('etag')!;
  const { status } = await world.send('PUT', 'config', xml.replace('</CrawlConfig>', `${more}</CrawlConfig>`), {
    ...bearer(KEY.root),
    'content-type': 'application/xml',
    'if-match': etag,
  });
  expect(status).toBe(200);
  const isDone = async () => {
    const { items } = (await world.get('crawlers', bearer(KEY.root))).body;
    return items.every(({ indexed, idle }: { indexed: number; idle: boolean }) => idle && indexed > 0);
  };
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
});
afterAll(() => world.stop());

const get = async (path: string, key: keyof typeof KEY) => (await world.get(path, bearer(KEY[key]))).body;
const names = (items: readonly Record<string, string>[], field = 'crawler') => [
  ...new Set(items.map((item) => item[field])),
];

it('a department sees its crawlers, orders, changes, hosts and sinks, and no text of another', async () => {
  expect(names((await get('crawlers', 'hr')).items, 'name')).toEqual(['test']);
  expect(names((await get('crawlers', 'both')).items, 'name').sort()).toEqual(['sales', 'test']);
  expect(names((await get('orders', 'hr')).items)).toEqual(['test']);
  expect(names((await get('orders?crawler=sales', 'both')).items)).toEqual(['sales']);
  expect(names((await get('changes?since=1d', 'hr')).documents)).toEqual(['test']);
  expect((await get('hosts', 'hr')).items).toHaveLength(1);
  const { items } = await get('sinks', 'hr');
  expect(items).toMatchObject([{ name: 'main', crawlers: ['test'] }]);
  expect(names((await get('sinks', 'both')).items, 'name')).toEqual(['main', 'sales-index']);
  expect(await get('session', 'hr')).toMatchObject({ role: 'admin', crawlers: ['test'] });
  for (const path of [
    'crawlers',
    'config/state',
    'former-crawlers',
    'sinks',
    'orders',
    'config/crawlers/test/rules',
    'audit',
    'changes',
  ])
    expect(JSON.stringify(await get(path, 'hr'))).not.toMatch(/sales|secret-plan/);
});

it('what is refused says why', async () => {
  const detail = async (path: string, key: keyof typeof KEY) => {
    const { status, body } = await world.get(path, bearer(KEY[key]));
    return `${status} ${body.detail}`;
  };
  expect(await detail('crawlers/sales', 'hr')).toBe('403 Your role is limited to the crawlers test.');
  expect(await detail('config', 'hr')).toBe(
    '403 Your role is limited to the crawlers test, and the call concerns the whole server.',
  );
  expect(await detail('orders', 'both')).toBe(
    '403 Your role is limited to crawlers: name one with crawler= (test, sales).',
  );
});

it('a department edits the rules of its crawler, which only its own audit log shows', async () => {
  const rule = '<ar:Rule xmlns:ar="exa:com.exalead.actionrules.v21"><Path value="/private/"/><NoFollow/></ar:Rule>';
  const change = async (crawler: string) => {
    const etag = (await world.get('config', bearer(KEY.root))).headers.get('etag')!;
    const headers = { ...bearer(KEY.hr), 'content-type': 'application/xml', 'if-match': etag };
    const { status } = await world.send(
      'POST',
      `config/crawlers/${crawler}/rules`,
      rule.replaceAll('ar:', ''),
      headers,
    );
    return status;
  };
  expect([await change('test'), await change('sales')]).toEqual([201, 403]);
  expect(JSON.stringify(await get('config/crawlers/test/rules', 'hr'))).toContain('/private/');
  await world.send('POST', 'crawlers/sales/pause', undefined, bearer(KEY.root));
  const own = (await get('audit', 'hr')).items;
  expect(own).toMatchObject([{ who: 'hr', what: 'insertRule', crawler: 'test' }]);
  expect(names((await get('audit?crawler=sales', 'root')).items, 'what')).toEqual(['pauseCrawler']);
});

it('its stream of events has those of its crawler only', async () => {
  const response = await fetch(`${world.server.url}/api/v1/events`, { headers: bearer(KEY.hr) });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  await world.send('POST', 'crawlers/sales/start', undefined, bearer(KEY.root));
  await world.send('POST', 'crawlers/sales/pause', undefined, bearer(KEY.root));
  await world.send('POST', 'crawlers/test/pause', undefined, bearer(KEY.hr));
  while (!text.includes('"crawler":"test"')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  expect(text).not.toContain('sales');
});

it('a department cannot make keys, and a key for a crawler is made with its name', async () => {
  const make = (key: keyof typeof KEY, body: object) => world.send('POST', 'keys', body, bearer(KEY[key]));
  expect((await make('hr', { name: 'x', role: 'read' })).status).toBe(403);
  const { status, body } = await make('root', { name: 'reader', role: 'read', crawlers: ['test'] });
  expect([status, body.crawlers]).toEqual([201, ['test']]);
  expect(names((await world.get('crawlers', bearer(body.key))).body.items, 'name')).toEqual(['test']);
  expect((await make('root', { name: 'y', role: 'read', crawlers: [] })).status).toBe(400);
});
