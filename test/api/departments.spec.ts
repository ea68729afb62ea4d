/** Two departments on one server: each sees and changes its own crawler, and of the rest nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { ApiWorld } from './api-world.js';

const KEY = { root: 'r'.repeat(20), hr: 'h'.repeat(20), both: 'b'.repeat(20) };
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const SALES = `<Crawler name="sales" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
  <Root url="SITE/a.html"/><Rules group="default"><Rule><Path value="/secret-plan/"/><NoFollow/></Rule></Rules>
  <cw:PushTo sink="sales-index"/><sales-note/></Crawler>`;

let world: ApiWorld;
beforeAll(async () => {
  const keys = [`root:admin:${KEY.root}`, `hr:admin@test:${KEY.hr}`, `both:read@test+sales:${KEY.both}`].join(',');
  world = await ApiWorld.start({ keys, callsPerMinute: 1_000_000 });
  const xml = world.configuration();
  const sink = /<cw:Sink name="main".*?\/>/.exec(xml)![0];
  const quotas = `<cw:Quota name="hr" maxUrls="100"><cw:Covers crawler="test"/></cw:Quota><cw:Quota name="sales" maxDocuments="50"><cw:Covers crawler="sales"/></cw:Quota>`;
  const more = `${SALES.replaceAll('SITE', world.site.origin)}${quotas}${sink.replace('main', 'sales-index').replace('orders.jsonl', 'sales.jsonl')}`;
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

it('a department sees what its crawlers use, and its quotas, as JSON and CSV', async () => {
  const { days, quotas } = await get('usage', 'hr');
  expect(names(days)).toEqual(['test']);
  expect(days[0].bytes).toBeGreaterThan(0);
  expect(quotas).toMatchObject([{ quota: 'hr', limit: 'urls', max: 100, used: 5, reached: false }]);
  expect(names((await get('usage', 'root')).days).sort()).toEqual(['sales', 'test']);
  expect((await get('usage?crawler=sales', 'hr')).days).toEqual([]);
  const csv = await world.get('usage?format=csv', bearer(KEY.hr));
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.text).toMatch(/^day,crawler,visits,bytes,renderedSeconds,urls,documents\r\n\d{4}-\d\d-\d\d,test,/);
  expect(csv.text).not.toContain('sales');
  expect((await world.get('usage', { ...bearer(KEY.hr), accept: 'text/csv' })).text).toBe(csv.text);
  expect((await world.get('usage?from=yesterday', bearer(KEY.hr))).status).toBe(400);
});

/** Every call that reads, with the names of what the department has. */
const readingCalls = (): string[] => {
  const { paths } = load(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')) as { paths: Record<string, object> };
  const host = new URL(world.site.origin).host;
  const places: Record<string, string> = {
    crawler: 'test',
    host: encodeURIComponent(host),
    sink: 'main',
    name: 'main',
  };
  return Object.entries(paths)
    .filter(([path, item]) => 'get' in item && path.startsWith('/api/v1/') && !path.endsWith('/events'))
    .map(([path]) => path.slice('/api/v1/'.length).replace(/\{(\w+)\}/g, (_, name: string) => places[name] ?? '1'));
};

it('no call that reads says a word of another department', async () => {
  const calls = readingCalls();
  expect(calls.length).toBeGreaterThan(30);
  const read: string[] = [];
  for (const path of calls) {
    for (const query of ['', '?crawler=test', '?crawler=sales', '?q=sales&text=secret-plan&limit=100']) {
      const { status, text } = await world.get(path + query, bearer(KEY.hr));
      expect([path, status < 500], text).toEqual([path, true]);
      if (status < 300) read.push(path);
      // A refusal may repeat what was asked.
      if (status < 300 || !query.includes('sales'))
        expect([path, text]).toEqual([path, expect.not.stringMatching(/sales|secret-plan/)]);
    }
  }
  expect(new Set(read).size).toBeGreaterThan(15);
});

async function connectAssistant(key: keyof typeof KEY): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: bearer(KEY[key]) };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.server.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

it('the assistants of a department know its crawlers only', async () => {
  const client = await connectAssistant('hr');
  const ask = async (name: string, args: Record<string, unknown> = {}) => {
    const { isError = false, content } = await client.callTool({ name, arguments: args });
    return { isError, text: (content as { text: string }[])[0]!.text };
  };
  const url = world.site.url('/a.html');
  for (const [name, args] of [
    ['crawl_status', {}],
    ['list_errors', {}],
    ['search_urls', { like: '%' }],
    ['explain_url', { url }],
  ] as const) {
    const answer = await ask(name, args);
    expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
    expect(answer.text).not.toMatch(/sales|secret-plan/);
  }
  const refused = [
    await ask('search_urls', { like: '%', crawler: 'sales' }),
    await ask('explain_url', { url, crawler: 'sales' }),
    await ask('list_errors', { crawler: 'sales' }),
    await ask('submit_urls', { urls: [url], crawler: 'sales' }),
    await ask('preview_rule', { rule: '<Rule/>', crawler: 'sales' }),
  ];
  expect(refused.map(({ isError }) => isError)).toEqual(refused.map(() => true));
});

it('what is refused says why', async () => {
  const detail = async (path: string, key: keyof typeof KEY) => {
    const { status, body } = await world.get(path, bearer(KEY[key]));
    return `${status} ${body.detail}`;
  };
  expect(await detail('crawlers/sales', 'hr')).toBe('403 Your role is limited to the crawlers test.');
  expect(await detail('config/versions', 'hr')).toBe(
    '403 Your role is limited to the crawlers test, and the call concerns the whole server.',
  );
  expect(await detail('orders', 'both')).toBe(
    '403 Your role is limited to crawlers: name one with crawler= (test, sales).',
  );
});

it('a department edits the rules of its crawler, which only its own audit log shows', async () => {
  const rule = '<ar:Rule xmlns:ar="exa:com.exalead.actionrules.v21"><Path value="/private/"/><NoFollow/></ar:Rule>';
  const change = async (crawler: string, path = '/private/') => {
    const etag = (await world.get('config', bearer(KEY.root))).headers.get('etag')!;
    const headers = { ...bearer(KEY.hr), 'content-type': 'application/xml', 'if-match': etag };
    const { status } = await world.send(
      'POST',
      `config/crawlers/${crawler}/rules`,
      rule.replaceAll('ar:', '').replace('/private/', path),
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
  expect(await change('test', `/\${env:REGION}/`)).toBe(403);
});

it('what a rule would do, and why it cannot be, is told of the crawlers of the department alone', async () => {
  const send = async (path: string, value: string) => {
    const rule = { match: [{ element: 'Path', value }], actions: [{ element: 'NoFollow' }] };
    return await world.send('POST', `config/crawlers/test/rules${path}`, rule, { ...bearer(KEY.hr), 'if-match': '*' });
  };
  const preview = await send('/preview', '/private/');
  expect(preview.status).toBe(200);
  expect(names(preview.body.crawlers)).toEqual(['test']);
  const { counts } = await get('crawlers/test', 'hr');
  const own = Object.values<number>(counts).reduce((sum, count) => sum + count);
  expect((await get('crawlers/sales', 'root')).indexed).toBeGreaterThan(0);
  expect(preview.body).toMatchObject({ judged: own, total: own });
  for (const path of ['', '/preview']) {
    const { status, body, text } = await send(path, '/(?=x)/');
    expect([status, body.errors]).toMatchObject([422, [{ code: 'bad-pattern' }]]);
    expect(text).not.toContain('sales');
  }
  const onDisk = readFileSync(world.configFile, 'utf8');
  writeFileSync(world.configFile, onDisk.replace('<sales-note/>', '<PushTo sink="sales-imdex"/>'));
  const refused = await send('', '/private/');
  writeFileSync(world.configFile, onDisk);
  expect(refused.status).toBe(409);
  expect(refused.text).not.toContain('sales');
});

it('a department changes its crawler and sink in its part of the configuration, and nothing else', async () => {
  const read = async (key: keyof typeof KEY) => {
    const { text, headers } = await world.get('config', bearer(KEY[key]));
    return { text, etag: headers.get('etag')! };
  };
  const send = async (method: string, path: string, text: string, etag = '') => {
    const headers = { ...bearer(KEY.hr), 'content-type': 'application/xml', 'if-match': etag };
    const { status, body } = await world.send(method, path, text, headers);
    return { status, body };
  };
  const whole = await read('root');
  const part = await read('hr');
  expect(part.text).toContain('<Crawler name="test"');
  expect(part.text).toMatch(/<cw:Sink name="main"/);
  expect(part.text).not.toMatch(/sales|secret-plan|Quota|Fetcher/);

  const changed = part.text.replace('<Crawler name="test"', '<Crawler name="test" nthreads="3"');
  const preview = await send('POST', 'config/preview', changed);
  expect([preview.status, preview.body.crawlers.map(({ crawler }: { crawler: string }) => crawler)]).toEqual([
    200,
    ['test'],
  ]);
  const put = await send('PUT', 'config', changed, part.etag);
  expect([put.status, put.body.file, put.body.warnings]).toEqual([200, 'CrawlConfig.xml', []]);
  expect((await read('root')).text).toBe(
    whole.text.replace('<Crawler name="test"', '<Crawler name="test" nthreads="3"'),
  );
  expect((await get('audit', 'hr')).items[0]).toMatchObject({ who: 'hr', what: 'putConfiguration', crawler: 'test' });

  const { etag } = await read('hr');
  const beyond = changed.replace('sink="main"', 'sink="sales-index"');
  expect((await send('POST', 'config/check', beyond)).body).toMatchObject({
    valid: false,
    problems: [{ code: 'beyond-role', file: 'CrawlConfig.xml', line: expect.any(Number) }],
  });
  for (const [method, path] of [
    ['PUT', 'config'],
    ['POST', 'config/preview'],
    ['POST', 'config/test-sink?sink=main'],
    ['POST', `config/look?crawler=test&url=${world.site.url('/a.html')}`],
  ] as const) {
    const { status, body } = await send(method, path, beyond, etag);
    expect([path, status, body.detail]).toEqual([
      path,
      403,
      expect.stringMatching(/^CrawlConfig\.xml:\d+:\d+ sink="sales-index" is new here: only an administrator/),
    ]);
  }
  const wrong = await send('PUT', 'config', changed.replace('nthreads="3"', 'nthreads="x"'), etag);
  const line = changed.split('\n').findIndex((text) => text.includes('<Crawler')) + 1;
  expect([wrong.status, wrong.body.errors]).toMatchObject([422, [{ line, file: 'CrawlConfig.xml' }]]);
  expect((await send('PUT', 'config', '<CrawlConfig', etag)).status).toBe(422);
  expect((await send('POST', 'config/test-sink?sink=sales-index', changed)).status).toBe(404);
  const draft = { xml: changed, files: { 'sales.rules': 'allow domain x.example' } };
  expect((await world.send('POST', 'config/check', draft, bearer(KEY.hr))).status).toBe(403);
  // An edit of the file that has an error is somebody else's, whoever forces a part over it.
  const onDisk = readFileSync(world.configFile, 'utf8');
  writeFileSync(world.configFile, onDisk.replace('nthreads="3"', 'nthreads="oops"'));
  expect((await send('PUT', 'config', changed, '*')).status).toBe(409);
  writeFileSync(world.configFile, onDisk);
});

it('a department stores secrets by names of its own, and sees no others', async () => {
  const put = async (name: string, key: keyof typeof KEY = 'hr') =>
    (await world.send('PUT', `secrets/${name}`, { value: 'hunter2' }, bearer(KEY[key]))).status;
  expect(await put('sales.index', 'root')).toBe(200);
  expect([await put('test.index'), await put('sales.index'), await put('index')]).toEqual([200, 403, 403]);
  expect(names((await get('secrets', 'hr')).items, 'name')).toEqual(['test.index']);
  const remove = async (name: string) =>
    (await world.send('DELETE', `secrets/${name}`, undefined, bearer(KEY.hr))).status;
  expect([await remove('sales.index'), await remove('test.index')]).toEqual([403, 204]);
  expect((await world.send('PUT', 'secrets/x', { value: 'y' }, bearer(KEY.hr))).body.detail).toBe(
    'The secret x does not belong to your crawlers. The name of a new one begins with a crawler and a dot: test.password.',
  );
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

it('an assistant hears from every crawler that its key may see why a page is missing', async () => {
  const url = world.site.url('/a.html');
  const explained = async (key: keyof typeof KEY) => {
    const client = await connectAssistant(key);
    const { structuredContent } = await client.callTool({ name: 'explain_url', arguments: { url } });
    return (structuredContent as { explanations: { crawler: string; explanation: { url: string } }[] }).explanations;
  };
  expect(await explained('hr')).toMatchObject([{ crawler: 'test', explanation: { url } }]);
  const both = await explained('both');
  expect(both.map(({ crawler }) => crawler).sort()).toEqual(['sales', 'test']);
  expect(both.map((item) => item.explanation.url)).toEqual([url, url]);
});
