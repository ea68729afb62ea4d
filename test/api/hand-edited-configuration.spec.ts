import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ApiWorld, type Problem } from './api-world.js';

const CRAWLER = `<Root url="SITE/" site="true"/>
    <cw:CrawlSpace rules="rules/crawl.rules"/>`;
const RULES = 'allow prefix *\n';

describe('a manual edit of the configuration file', () => {
  let world: ApiWorld;
  beforeEach(async () => {
    world = await ApiWorld.start({ crawler: CRAWLER, files: { 'rules/crawl.rules': RULES } });
    onTestFinished(() => world.stop());
  });

  const path = (name: string): string => join(dirname(world.configFile), name);
  const onDisk = (name = 'CrawlConfig.xml'): string => readFileSync(path(name), 'utf8');
  const edit = (from: string, to: string): void => writeFileSync(world.configFile, onDisk().replace(from, to));
  const setWeights = (etag: string) =>
    world.send<Problem>('PUT', 'config/crawlers/test/weights', { follow: 50 }, { 'if-match': etag });
  const rejected = async () => (await world.get('config/state')).body.rejected;
  const authors = async (): Promise<string[]> =>
    (await world.get('config/versions')).body.items.map(({ who }: { who: string }) => who);

  it('that was not noticed yet is applied before a write, which then has an outdated version', async () => {
    const etag = await world.etag();
    edit('throttleTimeMS="0"', 'throttleTimeMS="7"');
    expect((await setWeights(etag)).status).toBe(412);
    expect((await world.get('config')).text).toContain('throttleTimeMS="7"');
    expect(await authors()).toEqual(['file', 'file']);
    expect((await setWeights(await world.etag())).status).toBe(200);
    expect(onDisk()).toContain('throttleTimeMS="7"');
  });

  it('is applied too if it is made while the server starts, or puts an earlier edit in force', async () => {
    const edits = [['"0"', '"7"'] as const, ['"7"', '"8"'] as const];
    const { push } = world.logged;
    world.logged.push = (line) => {
      const isReading = /^crawler test: running|^a new configuration is in force/.test(line);
      const [from, to] = (isReading && edits.shift()) || [];
      if (from) edit(`throttleTimeMS=${from}`, `throttleTimeMS=${to}`);
      return push.call(world.logged, line);
    };
    await world.restart();
    await expect.poll(async () => (await world.get('config')).text).toContain('throttleTimeMS="8"');
  });

  it('that is made during the preview of a write is not overwritten by it', async () => {
    const { engine } = world.server;
    const preview = engine.preview.bind(engine);
    engine.preview = (definition) => {
      edit('throttleTimeMS="0"', 'throttleTimeMS="7"');
      return preview(definition);
    };
    expect((await setWeights(await world.etag())).status).toBe(412);
    expect(onDisk()).toContain('throttleTimeMS="7"');
  });

  it('of a rule file counts like one of the configuration', async () => {
    const etag = await world.etag();
    writeFileSync(path('rules/crawl.rules'), `${RULES}# by hand\n`);
    const files = { 'rules/crawl.rules': `${RULES}# over the API\n` };
    expect((await world.send('PUT', 'config', { files }, { 'if-match': etag })).status).toBe(412);
    expect(onDisk('rules/crawl.rules')).toContain('# by hand');
    expect(JSON.stringify((await world.get('config/files')).body)).toContain('# by hand');
  });

  it('with an error is never overwritten: the write reports what is wrong, where, and what to do', async () => {
    edit('throttleTimeMS="0"', 'throttleTimeMS="oops"');
    await expect.poll(rejected).toHaveLength(1);
    const { version } = (await world.get('config/state')).body;
    const { status, body } = await setWeights(await world.etag());
    expect([status, body.type]).toEqual([409, 'urn:crawlway:problem:edit-not-in-force']);
    expect(body.detail).toMatch(/CrawlConfig\.xml:3:.*throttleTimeMS.*Fix the file or undo the edit.*If-Match: \*/);
    expect(body.errors).toMatchObject([{ line: 3, severity: 'error' }]);
    expect((await setWeights('*')).status).toBe(409);
    expect((await world.send('POST', `config/versions/${version}/restore`)).status).toBe(409);
    expect(onDisk()).toContain('oops');
    edit('oops', '8');
    expect((await setWeights('*')).status).toBe(200);
    expect(onDisk()).toContain('throttleTimeMS="8"');
    expect(onDisk()).toContain('weight="50"');
  });

  it('with an error is kept beside the file when a whole configuration is forced over it', async () => {
    const { text } = await world.get('config');
    edit('throttleTimeMS="0"', 'throttleTimeMS="oops"');
    expect((await world.sendXml('PUT', 'config', text, { 'if-match': '*' })).status).toBe(200);
    expect(onDisk()).toBe(text);
    expect(await rejected()).toEqual([]);
    expect(onDisk('CrawlConfig.xml.rejected')).toBe(text.replace('throttleTimeMS="0"', 'throttleTimeMS="oops"'));
    expect(await authors()).toEqual(['local', 'file']);
  });

  it('that is not XML is kept like that too, each time, and shown by no call', async () => {
    const { text } = await world.get('config');
    const edits = ['first', 'second'].map((password) => `<CrawlConfig><cw:Credential password="${password} secret"`);
    for (const edit of edits) {
      writeFileSync(world.configFile, edit);
      expect((await world.sendXml('PUT', 'config', text, { 'if-match': '*' })).status).toBe(200);
    }
    expect(['CrawlConfig.xml.rejected', 'CrawlConfig.xml.rejected-2'].map(onDisk)).toEqual(edits);
    expect(statSync(path('CrawlConfig.xml.rejected')).mode).toBe(statSync(world.configFile).mode);
    for (const { version } of (await world.get('config/versions')).body.items)
      expect((await world.get(`config/versions/${version}`)).text).not.toContain(' secret');
  });

  it('through a symbolic link keeps the link and the permissions of the file', async () => {
    const real = join(world.folder, 'real.xml');
    renameSync(world.configFile, real);
    chmodSync(real, 0o664);
    symlinkSync(real, world.configFile);
    expect((await setWeights(await world.etag())).status).toBe(200);
    expect(lstatSync(world.configFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('weight="50"');
    expect(statSync(real).mode & 0o777).toBe(0o664);
    const written = readFileSync(real, 'utf8').replace('throttleTimeMS="0"', 'throttleTimeMS="9"');
    const edited = async (): Promise<string> => {
      writeFileSync(real, written);
      return (await world.get('config')).text;
    };
    await expect.poll(edited, { interval: 1_000 }).toContain('throttleTimeMS="9"');
  });

  it('is never a reason to write through a foreign link beside the configuration', async () => {
    const victim = join(world.folder, 'victim');
    writeFileSync(victim, 'untouched');
    const links = ['new', 'tmp', 'bak', '~'].map((ending) =>
      path(`CrawlConfig.xml${ending === '~' ? '' : '.'}${ending}`),
    );
    for (const link of links) symlinkSync(victim, link);
    for (const weight of [50, 51, 52]) {
      const put = { follow: weight };
      const { status } = await world.send('PUT', 'config/crawlers/test/weights', put, { 'if-match': '*' });
      expect(status).toBe(200);
    }
    expect(onDisk()).toContain('weight="52"');
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(links.map((link) => lstatSync(link).isSymbolicLink())).toEqual(links.map(() => true));
  });

  it('that has an error is forgotten with the file, which the next write creates again', async () => {
    const text = onDisk();
    writeFileSync(world.configFile, text.replace('throttleTimeMS="0"', 'throttleTimeMS="oops"'));
    await expect.poll(rejected).toHaveLength(1);
    rmSync(world.configFile);
    await expect.poll(rejected).toEqual([]);
    expect((await setWeights(await world.etag())).status).toBe(200);
    expect(onDisk()).toContain('weight="50"');
  });

  it('that makes a rule file unwritable: the write names the file and changes nothing', async () => {
    const before = (await world.get('config')).text;
    rmSync(path('rules'), { recursive: true });
    writeFileSync(path('rules'), 'no folder');
    const draft = { files: { 'rules/crawl.rules': `${RULES}# over the API\n` } };
    const { status, body } = await world.send<Problem>('PUT', 'config', draft, { 'if-match': '*' });
    expect([status, body.type]).toEqual([422, 'urn:crawlway:problem:unacceptable']);
    expect(body.detail).toMatch(/^Nothing was changed: .*crawl\.rules cannot be written: /);
    expect((await world.get('config')).text).toBe(before);
  });
});
