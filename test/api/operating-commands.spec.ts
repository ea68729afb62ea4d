import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import {
  applyConfiguration,
  diffConfigurations,
  planConfiguration,
  restoreConfiguration,
  showHistory,
} from '../../src/cli/configuration.js';
import { controlCrawlers, controlHost, listOrders, listUrls, showAudit, showHost } from '../../src/cli/control.js';
import { listCrawlers, removeCrawler, renameCrawler } from '../../src/cli/crawlers.js';
import { showChanges, showUsage } from '../../src/cli/status.js';
import { ApiWorld } from './api-world.js';
import { printed } from './printed.js';

let world: ApiWorld;
let server: { server: string };
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
  server = { server: world.server.url };
});
afterAll(() => world.stop());
afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

/** What the command prints, and its exit code. */
async function run(command: () => Promise<void>): Promise<{ text: string; code: unknown }> {
  process.exitCode = undefined;
  const text = await printed(command);
  return { text, code: process.exitCode };
}

/** A file with the configuration in force, changed. */
function fileWith(change: (xml: string) => string): string {
  const file = join(world.folder, 'edited.xml');
  writeFileSync(file, change(readFileSync(world.configFile, 'utf8')));
  return file;
}

it('a crawler is paused and started, and a host is paused and resumed', async () => {
  const state = async () => (await world.get('crawlers/test')).body.state;
  expect((await run(() => controlCrawlers('pause', undefined, server))).text).toBe('test is paused\n');
  expect(await state()).toBe('paused');
  expect((await run(() => controlCrawlers('start', 'test', server))).text).toBe('test is running\n');
  expect(await state()).toBe('running');
  const host = new URL(world.site.origin).host;
  expect((await run(() => controlHost('pause', host, server))).text).toBe(`${host} is paused until it is resumed\n`);
  expect((await world.get(`hosts/${encodeURIComponent(host)}`)).body.paused).toBe(true);
  expect((await run(() => controlHost('resume', host, server))).text).toBe(`${host} is crawled again\n`);
  expect((await world.get(`hosts/${encodeURIComponent(host)}`)).body.paused).toBe(false);
});

it('a host is shown with what it holds, what failed and whether it is paused', async () => {
  const host = new URL(world.site.origin).host;
  const show = async () => (await run(() => showHost(host, server))).text.trimEnd().split('\n');
  const shown = await show();
  expect(shown[0]).toBe(`${host}: 5 URLs, 4 in the index, 1 in error, 5 scheduled`);
  expect(shown).toContain('failed visits: http-404 (1)');
  expect(shown.filter((line) => line.startsWith('paused'))).toEqual([]);
  await run(() => controlHost('pause', host, server));
  expect(await show()).toContain('paused until it is resumed');
  const printedJson = JSON.parse((await run(() => showHost(host, { ...server, json: true }))).text);
  expect(printedJson).toMatchObject({ host, indexed: 4, paused: true });
  await run(() => controlHost('resume', host, server));
  await expect(showHost('nowhere.example', server)).rejects.toThrow('nowhere.example');
});

it('a pause with an end is over then, also after a restart', async () => {
  const host = new URL(world.site.origin).host;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await run(() => controlCrawlers('pause', 'test', { ...server, until }))).text).toBe(
    `test is paused until ${until}\n`,
  );
  expect((await run(() => controlHost('pause', host, { ...server, until }))).text).toBe(
    `${host} is paused until ${until}\n`,
  );
  await expect(controlHost('pause', host, { ...server, until: '2020-01-01T00:00:00Z' })).rejects.toThrow('in the past');
  await expect(controlHost('pause', host, { ...server, until: 'soon' })).rejects.toThrow('--until soon is neither');
  await world.restart();
  server = { server: world.server.url };
  expect((await world.get('crawlers/test')).body).toMatchObject({ state: 'paused', pausedUntil: until });
  expect((await world.get(`hosts/${encodeURIComponent(host)}`)).body).toMatchObject({
    paused: true,
    pausedUntil: until,
  });
  expect((await run(() => controlCrawlers('start', 'test', server))).text).toBe('test is running\n');
  expect((await world.get('crawlers/test')).body.pausedUntil).toBeUndefined();
  await run(() => controlHost('resume', host, server));
});

it('a changed file is planned, applied, compared and taken back', async () => {
  const same = await run(() => planConfiguration({ ...server, file: world.configFile }));
  expect(same).toEqual({ text: 'the file is in force: nothing would change\n', code: 0 });

  const before = readFileSync(world.configFile, 'utf8');
  const file = fileWith((xml) =>
    xml.replace('<cw:PushTo', '<Rules><Rule><Path value="/a.html"/><Ignore/></Rule></Rules>\n<cw:PushTo'),
  );
  const planned = await run(() => planConfiguration({ ...server, file }));
  expect(planned.code).toBe(2);
  expect(planned.text).toContain('test: 1 document would be deleted from the index\n  http');
  expect(planned.text).toContain('/a.html (rule-ignored)\n');
  expect(planned.text).toMatch(/more than a tenth of the documents of test would be deleted: apply with --yes\n$/);
  expect(readFileSync(world.configFile, 'utf8')).toBe(before);

  const compared = await run(() => diffConfigurations(undefined, undefined, { ...server, file }));
  expect(compared.code).toBe(2);
  const changed = compared.text.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
  expect(changed.map((line) => line.slice(0, 8))).toEqual(['-    <cw', '+    <Ru', '+<cw:Pus']);

  await expect(applyConfiguration({ ...server, file })).rejects.toThrow(
    'would delete 1 of 4 documents of test. Repeat with --yes to make it.',
  );
  expect(readFileSync(world.configFile, 'utf8')).toBe(before);
  const applied = await run(() => applyConfiguration({ ...server, file, yes: true }));
  const [, version] = /^version (\d+) is in force\n$/.exec(applied.text)!;
  expect(readFileSync(world.configFile, 'utf8')).toBe(readFileSync(file, 'utf8'));

  const history = await run(() => showHistory({ ...server, limit: '50' }));
  expect(history.text).toMatch(new RegExp(`^VERSION .*\\n +${version} `));
  const lastChange = await run(() => diffConfigurations(undefined, undefined, server));
  expect(lastChange.text).toContain('+    <Rules><Rule><Path value="/a.html"/>');

  const restored = await run(() => restoreConfiguration(String(Number(version) - 1), { ...server, yes: true }));
  expect(restored.text).toBe(`version ${Number(version) + 1} is in force\n`);
  expect(readFileSync(world.configFile, 'utf8')).toBe(before);
  expect(await run(() => diffConfigurations(String(Number(version) - 1), undefined, server))).toEqual({
    text: '',
    code: 0,
  });
});

it('a crawler is renamed and keeps its documents, and one that is removed leaves them until somebody decides', async () => {
  await world.caughtUp();
  const { indexed } = (await world.get('crawlers/test')).body;
  const renamed = await run(() => renameCrawler('test', 'site', server));
  expect(renamed.text).toBe('test is now site; its URLs and documents keep their history\n');
  await expect.poll(async () => (await world.get('crawlers/site')).body.indexed).toBe(indexed);
  await expect.poll(async () => (await world.get('former-crawlers')).body.items).toEqual([]);
  expect((await run(() => renameCrawler('site', 'test', server))).text).toContain('site is now test');
  await expect.poll(async () => (await world.get('former-crawlers')).body.items).toEqual([]);

  const other = await world.send(
    'PUT',
    'config',
    readFileSync(world.configFile, 'utf8').replace('<Crawler name="test"', '<Crawler name="other"'),
    { 'if-match': '*', 'content-type': 'application/xml' },
  );
  expect(other.status).toBe(200);
  expect((await run(() => listCrawlers(server))).text).toMatch(
    new RegExp(`^CRAWLER .*\nother .*\ntest +not in the configuration +${indexed} +undecided\n$`),
  );
  expect((await world.get('crawlers/test/urls?status=indexed')).body.items).toHaveLength(indexed);
  await expect(removeCrawler('test', server)).rejects.toThrow(
    `test has ${indexed} documents in the index. What becomes of them: delete, keep, or hand-over=CRAWLER? Without a terminal, say it with --documents`,
  );
  await expect(removeCrawler('test', { ...server, documents: 'hand-over=nobody' })).rejects.toThrow(
    'there is no crawler "nobody"; configured: other',
  );
  expect((await run(() => removeCrawler('test', { ...server, documents: 'keep' }))).text).toBe(
    'test is removed; its documents stay in the index\n',
  );
  await run(() => removeCrawler('test', { ...server, documents: 'hand-over=other' }));
  await expect.poll(async () => (await world.get('former-crawlers')).body.items).toEqual([]);
  expect((await run(() => renameCrawler('other', 'test', server))).text).toContain('other is now test');
  await expect.poll(async () => (await world.get('crawlers/test')).body.indexed).toBe(indexed);
});

it('a file with errors is refused with their lines', async () => {
  const file = fileWith((xml) => xml.replace('<cw:PushTo', '<Rool/><cw:PushTo'));
  // The file has the user's name for it, not the server's.
  await expect(planConfiguration({ ...server, file })).rejects.toThrow(
    new RegExp(`has errors\\.\\n {2}${file}:\\d+:\\d+ .*Rool`),
  );
  await expect(planConfiguration({ ...server, file: join(world.folder, 'none.xml') })).rejects.toThrow(
    /there is no configuration .*none\.xml/,
  );
});

it('URLs, orders and calls are listed, and URLs are exported whole', async () => {
  await world.caughtUp();
  const limit = '50';
  const urls = await run(() => listUrls({ ...server, status: 'indexed', limit }));
  expect(urls.text).toMatch(/^STATUS +REASON +LAST VISIT +NEXT VISIT +URL\nindexed /);
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await run(() => listUrls({ ...server, status: 'indexed', limit: '1', json: true }));
  expect(said.mock.calls).toEqual([['these are the first 1; --limit shows up to 1000, --export all\n']]);
  said.mockRestore();
  const exported = await run(() => listUrls({ ...server, status: 'indexed', limit: '1', export: 'csv' }));
  expect(exported.text.trim().split(/\r?\n/)).toHaveLength(urls.text.trim().split('\n').length);
  const orders = await run(() => listOrders({ ...server, kind: 'add', limit, json: true }));
  expect(JSON.parse(orders.text)).toContainEqual(
    expect.objectContaining({ kind: 'add', uri: `${world.site.origin}/`, state: 'acknowledged' }),
  );
  const audit = await run(() => showAudit({ ...server, limit }));
  expect(audit.text).toMatch(/^TIME +BY +CALL +TARGET +OUTCOME\n/);
  expect(audit.text).toContain('pauseHost');
});

it('what crawlers use is shown by day, and as CSV', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const shown = await run(() => showUsage(server));
  expect(shown.text).toMatch(new RegExp(`${today} +test +\\d+ +0\\.0 MB`));
  const csv = await run(() => showUsage({ ...server, csv: true, crawler: 'test' }));
  expect(csv.text).toContain(`${today},test,`);
});

it('what is new, changed and gone is listed, and comes as feeds', async () => {
  await world.caughtUp();
  const { origin } = world.site;
  const host = new URL(origin).host;
  const cleared = await world.send('DELETE', 'crawlers/test/urls?like=*/c.html&confirm=true');
  expect(cleared.body).toEqual({ count: 1 });
  const count = async (query: string) => (await world.get(`changes?${query}`)).body.counts;
  await expect.poll(() => count('since=1h&crawler=test')).toEqual({ new: 3, changed: 0, gone: 0 });
  // All of them came after the test began. Since the newest order, only its document is gone.
  const [newest] = (await world.get('orders?limit=1')).body.items;
  expect((await world.get(`changes?since=${newest.decidedAt}`)).body).toMatchObject({
    counts: { new: 0, changed: 0, gone: 1 },
    sections: [{ section: `${host}/`, counts: { gone: 1 } }],
    reasons: [{ change: 'gone', reason: 'cleared-by-person', count: 1 }],
    documents: [{ uri: `${origin}/c.html`, change: 'gone', crawler: 'test' }],
    complete: true,
  });
  const all = (await run(() => showChanges({ ...server, crawler: 'test', since: '1h', limit: '50' }))).text;
  expect(all).toMatch(/^since .*: 3 new, 0 changed, 0 gone\n/);
  expect(all).toContain(`${host}/\n`);
  expect(await count(`crawler=test&section=${host}/b`)).toEqual({ new: 1, changed: 0, gone: 0 });

  const atom = await world.get('changes/atom?since=1h&crawler=test&change=new');
  expect(atom.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  expect(atom.text.match(/<entry>/g)).toHaveLength(3);
  expect(atom.text).toContain(`<link href="${origin}/b.html"></link>`);
  const feed = JSON.parse((await world.get('changes/json-feed?since=1h&crawler=test')).text);
  expect(feed).toMatchObject({
    version: 'https://jsonfeed.org/version/1.1',
    items: [{ tags: ['new', 'test', expect.any(String)] }, {}, {}],
  });
  expect((await world.get('changes?since=yesterday')).status).toBe(400);
  expect((await world.get('changes?crawler=nobody')).status).toBe(404);
});

it('the text of a changed document is compared, once its crawler keeps texts', async () => {
  const diff = world.site.url('/b.html');
  const compare = () => run(() => showChanges({ ...server, since: '1h', limit: '50', diff }));
  expect((await compare()).text).toContain(`no change of ${diff} is kept`);
  const file = fileWith((xml) => xml.replace('<Rules', '<cw:KeepTexts/><Rules'));
  await run(() => applyConfiguration({ ...server, file, yes: true }));
  world.site.page('/b.html', [], 'Open daily. Closed on Mondays.');
  await world.send('POST', 'crawlers/test/refresh', { url: diff });
  const readTexts = async () =>
    (await world.get(`changes/text?crawler=test&url=${encodeURIComponent(diff)}`)).body.items;
  await expect.poll(readTexts).toHaveLength(1);
  const { text } = await compare();
  expect(text).toContain('\n-Text of /b.html.\n');
  expect(text).toContain('\n+Open daily.\n+Closed on Mondays.\n');
  const [newest] = (await world.get('orders?limit=1')).body.items;
  const feed = (await world.get(`changes/json-feed?since=${newest.decidedAt}`)).text;
  expect(feed).toContain(`/changes?crawler=test&compare=${encodeURIComponent(diff)}`);
});
