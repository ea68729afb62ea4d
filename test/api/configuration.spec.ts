import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld, type Problem } from './api-world.js';

const RULES = `<Root url="SITE/" site="true"/>
    <!-- kept as it is -->
    <Rules group="default">
      <Rule><Path value="/private/"/><Ignore/></Rule>
      <Rule><Ext value=".pdf"/><NoIndex/></Rule>
    </Rules>`;
/** A busy machine may take its time. */
const SECRET = 'correct horse battery';
const REFERENCE = `\${secret:site}`;

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({ crawler: `${RULES}`, attributes: '' });
  const withSecret = world
    .configuration()
    .replace('<cw:AllowAddress', `<cw:Credential url="SITE/" user="u" password="${REFERENCE}"/><cw:AllowAddress`)
    .replaceAll('SITE', world.site.origin);
  expect((await world.send('PUT', 'secrets/site', { value: SECRET })).status).toBe(200);
  expect((await world.sendXml('PUT', 'config', withSecret)).status).toBe(200);
  await world.caughtUp();
});
afterAll(() => world.stop());

const onDisk = (): string => readFileSync(world.configFile, 'utf8');
const versions = async (): Promise<number[]> =>
  (await world.get('config/versions')).body.items.map(({ version }: { version: number }) => version);

describe('the configuration calls', () => {
  it('return the active text with an ETag, and never a secret', async () => {
    const { status, text, headers } = await world.get('config');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/xml');
    expect(headers.get('etag')).toMatch(/^"\d+-[0-9a-z]+"$/);
    expect(text).toContain('<!-- kept as it is -->');
    expect(text).toBe(onDisk());
    expect(text).toContain(`password="${REFERENCE}"`);
  });

  it('apply a changed text', async () => {
    const { text } = await world.get('config');
    const answer = await world.sendXml('PUT', 'config', text.replace('.pdf', '.docx'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe(await world.etag());
    expect(onDisk()).toBe(text.replace('.pdf', '.docx'));
    expect(readdirSync(dirname(world.configFile))).toEqual(['CrawlConfig.xml']);
  });

  it('refuse a write without If-Match, or with an outdated one', async () => {
    const { text } = await world.get('config');
    const type = { 'content-type': 'application/xml' };
    expect((await world.send('PUT', 'config', text, type)).status).toBe(428);
    expect((await world.send('PUT', 'config', text, { ...type, 'if-match': '"0123"' })).status).toBe(412);
    expect((await world.send('PUT', 'config', text, { ...type, 'if-match': '*' })).status).toBe(200);
    const several = `"0123" , W/${await world.etag()}`;
    const asText = { 'content-type': 'Text/XML; charset=utf-8', 'if-match': several };
    expect((await world.send('PUT', 'config', text, asText)).status).toBe(200);
  });

  it('refuse a text with errors, report all of them with their places, and change nothing', async () => {
    const before = { text: onDisk(), versions: await versions(), etag: await world.etag() };
    const bad = (await world.get('config')).text.replace('<Ignore/>', '<Ignor/>').replace('<NoIndex/>', '<NoIndx/>');
    const { status, body } = await world.sendXml<Problem>('PUT', 'config', bad);
    expect(status).toBe(422);
    expect(body.type).toBe('urn:crawlway:problem:configuration-invalid');
    expect(body.errors!.map((error) => error.line)).toEqual([...body.errors!.map((error) => error.line)].sort());
    expect(body.errors!.filter((error) => error.detail.includes('did you mean'))).toHaveLength(2);
    expect({ text: onDisk(), versions: await versions(), etag: await world.etag() }).toEqual(before);
  });

  it('accept a text in the encoding that it declares, and write it as UTF-8', async () => {
    const { text } = await world.get('config');
    const comment = '<!-- für die Größe -->';
    const body = text.replace(/^<\?xml[^>]*>\s*/, '') + comment;
    const latin1 = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>\n${body}`, 'latin1');
    const headers = { 'if-match': await world.etag(), 'content-type': 'application/xml' };
    expect(await world.send('PUT', 'config', latin1, headers)).toMatchObject({ status: 200 });
    expect(onDisk()).toBe(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
    expect((await world.get('config')).text).toBe(onDisk());
    // Text in JSON is decoded already, whatever it declares.
    const xml = onDisk().replace('UTF-8', 'windows-1252');
    expect(await world.send('PUT', 'config', { xml }, { 'if-match': await world.etag() })).toMatchObject({
      status: 200,
    });
    expect(onDisk()).toBe(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
    expect((await world.sendXml('PUT', 'config', text)).status).toBe(200);
  });

  it('check a text without changing anything', async () => {
    const { text } = await world.get('config');
    const good = await world.sendXml('POST', 'config/check', text);
    expect(good.body).toMatchObject({ valid: true });
    const bad = await world.sendXml('POST', 'config/check', '<CrawlConfig><Crawlr/></CrawlConfig>');
    expect(bad.status).toBe(200);
    expect(bad.body.valid).toBe(false);
    expect(bad.body.problems[0]).toMatchObject({ severity: 'error', line: 1, column: 14 });
  });

  it('preview what a text would change, as one report or as lines', async () => {
    const { text } = await world.get('config');
    const narrow = text.replace('<Path value="/private/"/>', '<Path value="/b"/>');
    const report = await world.sendXml('POST', 'config/preview', narrow);
    expect(report.body).toMatchObject({ done: true, judged: 5, needsConfirmation: ['test'] });
    expect(report.body.crawlers[0].documentsDeleted).toMatchObject({ count: 1 });
    expect(report.body.crawlers[0].documentsDeleted.samples[0].url).toBe(world.site.url('/b.html'));
    const lines = await world.sendXml('POST', 'config/preview', narrow, { accept: 'application/x-ndjson' });
    expect(lines.headers.get('content-type')).toContain('application/x-ndjson');
    expect(JSON.parse(lines.text.trimEnd().split('\n').at(-1)!)).toEqual(report.body);
    expect((await world.sendXml('POST', 'config/preview', '<x')).status).toBe(422);
  });

  it('require confirmation of a change that deletes many documents', async () => {
    const { text } = await world.get('config');
    const narrow = text.replace('<Path value="/private/"/>', '<Path value="/b"/>');
    const asked = await world.sendXml<Problem>('PUT', 'config', narrow);
    expect(asked.status).toBe(409);
    expect(asked.body['crawlers']).toEqual([{ crawler: 'test', documentsDeleted: 1, indexed: 4 }]);
    expect((await world.sendXml('PUT', 'config?confirm=true', narrow)).status).toBe(200);
    await world.caughtUp(3);
    expect(world.pushed).toContain('delete /b.html');
    expect((await world.sendXml('PUT', 'config', text)).status).toBe(200);
  });

  it('list versions and restore one of them', async () => {
    const first = (await versions()).at(-1)!;
    const text = (await world.get(`config/versions/${first}`)).text;
    expect(text).not.toContain('.docx');
    const { status, body } = await world.send('POST', `config/versions/${first}/restore`);
    expect(status).toBe(200);
    expect(body.version).toBe((await versions())[0]);
    expect((await world.get('config')).text).toBe(text);
    expect((await world.send('POST', 'config/versions/999/restore')).status).toBe(404);
  });

  it('load a changed file automatically, and keep the old text when the file is invalid', async () => {
    const good = onDisk();
    const changed = good.replace('.pdf', '.odt');
    writeFileSync(world.configFile, changed);
    await expect.poll(async () => (await world.get('config')).text).toContain('.odt');
    writeFileSync(world.configFile, good.replace('<Ignore/>', '<Ignor/>'));
    await expect.poll(async () => (await world.get('config/state')).body.rejected.length).toBeGreaterThan(0);
    expect((await world.get('config')).text).toContain('.odt');
    expect(world.logged.join('\n')).toContain('unknown-element');
    writeFileSync(world.configFile, good);
    await expect.poll(async () => (await world.get('config/state')).body.rejected).toEqual([]);
  });
});

describe('the calls for single rules', () => {
  const rules = 'config/crawlers/test/rules';
  const elements = async (): Promise<string[]> =>
    (await world.get(rules)).body.items.map((rule: { xml: string }) => rule.xml.replaceAll(/\s+/g, ' '));

  it('insert, replace, move and delete rules, as JSON and as XML, and leave the rest of the text unchanged', async () => {
    const { text, headers } = await world.get('config');
    const match = { 'if-match': headers.get('etag')! };
    const json = { match: [{ element: 'Host', value: 'a.example' }], actions: [{ element: 'NoFollow' }] };
    const inserted = await world.send('POST', `${rules}?index=0`, json, match);
    expect([inserted.status, inserted.body.index]).toEqual([201, 0]);
    expect(inserted.body.xml).toContain('a.example');
    const xml = '<Rule><Path value="/b/"/><NoIndex/></Rule>';
    expect((await world.sendXml('POST', rules, xml)).body.index).toBe(3);
    const replaced = await world.sendXml('PUT', `${rules}/0`, xml);
    expect(replaced.body.match).toEqual([{ element: 'Path', value: '/b/' }]);
    const moved = await world.send('POST', `${rules}/move`, { from: 0, to: 2 }, { 'if-match': await world.etag() });
    expect(moved.body.items.map((rule: { actions: { element: string }[] }) => rule.actions[0]!.element)).toEqual([
      'Ignore',
      'NoIndex',
      'NoIndex',
      'NoIndex',
    ]);
    for (const index of [3, 2]) {
      expect(
        (await world.send('DELETE', `${rules}/${index}`, undefined, { 'if-match': await world.etag() })).status,
      ).toBe(204);
    }
    expect((await world.get('config')).text).toBe(text);
  });

  it('refuse empty rules, rules that do not exist, and writes without a version', async () => {
    const before = await elements();
    const match = { 'if-match': await world.etag() };
    expect((await world.send('POST', rules, {}, match)).status).toBe(400);
    expect((await world.send('POST', rules, { match: [{ element: 'Nonsense' }], actions: [] }, match)).status).toBe(
      422,
    );
    expect((await world.sendXml('POST', rules, '<Rule><Path value="/b/"/><Ignor/></Rule>')).status).toBe(422);
    expect((await world.get(`${rules}/99`)).status).toBe(404);
    expect((await world.send('DELETE', `${rules}/99`, undefined, match)).status).toBe(404);
    expect((await world.get('config/crawlers/nobody/rules')).status).toBe(404);
    expect((await world.send('DELETE', `${rules}/0`)).status).toBe(428);
    expect(await elements()).toEqual(before);
  });

  it('refuse characters that XML does not allow anywhere, and leave the file unchanged', async () => {
    const before = onDisk();
    const etag = await world.etag();
    const send = (method: string, path: string, body: object) =>
      world.send<Problem>(method, path, body, { 'if-match': etag });
    const rule = { match: [{ element: 'Path', value: '/q' }], actions: [{ element: 'Ignore' }] };
    for (const strange of ['\u0001', '\ud800', '\ufffe']) {
      const answers = [
        await send('POST', rules, { ...rule, match: [{ element: 'Path', value: `/q${strange}` }] }),
        await send('PUT', `${rules}/0`, { ...rule, actions: [{ element: 'AddMeta', name: strange, value: 'v' }] }),
        await send('POST', rules, { ...rule, group: `new${strange}` }),
        await send('POST', rules, { xml: `<Rule><!--${strange}--><Path value="/q"/><Ignore/></Rule>` }),
        await send('PUT', 'config', { xml: before.replace('kept as it is', strange) }),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(422);
        expect(body.errors![0]!.detail).toContain('is not allowed in XML');
      }
    }
    expect((await send('POST', rules, { ...rule, group: 'new\u0000' })).status).toBe(400);
    expect(onDisk()).toBe(before);
  });

  it('set weights of sources', async () => {
    const match = { 'if-match': await world.etag() };
    const { status, body } = await world.send('PUT', 'config/crawlers/test/weights', { follow: 50 }, match);
    expect(status).toBe(200);
    expect(body).toEqual({ user: 10000, redir: 2000, index: 1000, index_follow: 100, follow: 50, refresh: 1 });
    expect((await world.get('crawlers/test')).body.sources[4].weight).toBe(50);
  });
});

describe('the resolved view', () => {
  it('shows the whole policy in the order of evaluation', async () => {
    const { status, body } = await world.get('config/crawlers/test/resolved');
    expect(status).toBe(200);
    const layers = body.entries.map((entry: { layer: string }) => entry.layer);
    expect([...new Set(layers)]).toEqual(['link-rules', 'site-mode', 'crawl-rules']);
    expect(body.entries.at(-1)).toMatchObject({
      text: expect.stringContaining('.pdf'),
      effect: expect.stringContaining('index=no'),
    });
    expect((await world.get('config/crawlers/nobody/resolved')).status).toBe(404);
  });

  it('shows for one URL what each rule did, and which rule set each option', async () => {
    const url = world.site.url('/private/x.pdf');
    const { body } = await world.get(`config/crawlers/test/resolved?url=${encodeURIComponent(url)}`);
    expect(body).toMatchObject({ url, verdict: { accepted: false, reason: 'rule-ignored' } });
    expect(body.steps.filter((step: { layer: string }) => step.layer === 'crawl-rules').length).toBeGreaterThanOrEqual(
      2,
    );
    expect(body.options.find((option: { name: string }) => option.name === 'throttle').setBy).toBe('crawler test');
  });
});

it('the linter reports rules without effect', async () => {
  const text = (await world.get('config')).text.replace(
    '<Rule><Ext value=".pdf"/><NoIndex/></Rule>',
    '<Rule><Ext value=".pdf"/><NoIndex/></Rule><Rule><Ext value=".pdf"/><Index/></Rule>',
  );
  const { body } = await world.sendXml('POST', 'config/check', text);
  expect(body.valid).toBe(true);
  expect(body.problems[0]).toMatchObject({ severity: 'warning', line: expect.any(Number) });
});
