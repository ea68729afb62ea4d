/** The store of secrets: written, never read back, and named by the configuration. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiWorld, type Problem } from './api-world.js';

const KEYS = 'reader:read:read-key-0123456789,operator:operate:operate-key-0123,ada:admin:admin-key-0123456789';
const ADMIN = { 'x-api-key': 'admin-key-0123456789' };

const header = (value: string): string => `<cw:Header name="Authorization" value="${value}"/>`;
const FIRST = 'Bearer first-value';

/** What the site was sent last. */
const authorization = (world: ApiWorld): string | undefined =>
  world.site.requests.findLast(({ path }) => path === '/a.html')?.headers['authorization'] as string | undefined;

const visitAgain = (world: ApiWorld) => world.send('POST', 'crawlers/test/refresh', { url: world.site.url('/a.html') });

describe('the calls about secrets', () => {
  let world: ApiWorld;
  const put = <T = Problem>(name: string, value: unknown, headers: Record<string, string> = ADMIN) =>
    world.send<T>('PUT', `secrets/${encodeURIComponent(name)}`, { value }, headers);
  beforeAll(async () => {
    world = await ApiWorld.start({ keys: KEYS });
  });
  afterAll(() => world.stop());

  it('are for administrators alone', async () => {
    for (const key of ['read-key-0123456789', 'operate-key-0123']) {
      const caller = { 'x-api-key': key };
      expect((await world.get('secrets', caller)).status).toBe(403);
      expect((await put('a', 'x', caller)).status).toBe(403);
      expect((await world.send('DELETE', 'secrets/a', undefined, caller)).status).toBe(403);
    }
    expect((await world.get('secrets')).status).toBe(401);
  });

  it('set a secret, list it with who set it and when, and tell its value to nobody', async () => {
    const { status, body, text } = await put<{ setAt: string }>('wiki.token', 'hunter2-first');
    expect(status).toBe(200);
    expect(body).toEqual({ name: 'wiki.token', setAt: expect.any(String), setBy: 'ada', uses: [] });
    expect(Date.parse(body.setAt)).toBeGreaterThan(0);
    const again = await put('wiki.token', 'hunter2-second');
    const answers = [text, again.text];
    for (const path of ['secrets', 'audit', 'config', 'config/versions', 'events?limit=1'].slice(0, 4))
      answers.push((await world.get(path, ADMIN)).text);
    expect(answers.join()).not.toContain('hunter2');
    expect(world.logged.join()).not.toContain('hunter2');
    const [entry] = (await world.get('audit', ADMIN)).body.items;
    expect(entry).toMatchObject({
      who: 'ada',
      what: 'putSecret',
      target: '/api/v1/secrets/wiki.token',
      outcome: 'done',
    });
    expect(JSON.parse(entry.before).setAt).toBe(body.setAt);
    expect((await world.get('secrets/wiki.token', ADMIN)).status).toBe(405);
  });

  it('refuse names, values and numbers beyond their limits, and quote no value', async () => {
    for (const name of ['', '-a', 'a b', 'a/b', 'a'.repeat(65), `\${x}`, 'ä'])
      expect([404, 422], name).toContain((await put(name, 'hunter2')).status);
    for (const value of [undefined, 7, null, ['hunter2']]) expect((await put('a', value)).status).toBe(400);
    for (const value of ['', `${'hunter2'.repeat(9_363)}1234567`]) {
      const { status, text } = await put('a', value);
      expect([status, text]).toEqual([422, expect.not.stringContaining('hunter2')]);
    }
    expect((await put('a', 'hunter2'.repeat(9_362))).status).toBe(200);
    expect((await world.send('DELETE', 'secrets/a', undefined, ADMIN)).status).toBe(204);
    expect((await world.send('DELETE', 'secrets/a', undefined, ADMIN)).status).toBe(404);
  });
});

describe('a configuration that refers to a secret', () => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await ApiWorld.start();
    await world.send('PUT', 'secrets/portal-token', { value: FIRST });
    const xml = world
      .configuration()
      .replace('<cw:AllowAddress', `${header(`\${secret:portal-token}`)}<cw:AllowAddress`);
    expect((await world.sendXml('PUT', 'config', xml)).status).toBe(200);
    await world.caughtUp();
  });
  afterAll(() => world.stop());

  it('sends it, and shows only its name: text in force, file, versions', async () => {
    await visitAgain(world);
    await expect.poll(() => authorization(world)).toBe(FIRST);
    const { version } = (await world.get('config/state')).body;
    const texts = [
      (await world.get('config')).text,
      (await world.get(`config/versions/${version}`)).text,
      readFileSync(world.configFile, 'utf8'),
    ];
    for (const text of texts) {
      expect(text).toContain(`value="\${secret:portal-token}"`);
      expect(text).not.toContain('first-value');
    }
  });

  it('uses a new value at once, without a new version', async () => {
    const etag = await world.etag();
    expect((await world.send('PUT', 'secrets/portal-token', { value: 'Bearer second-value' })).status).toBe(200);
    await visitAgain(world);
    await expect.poll(() => authorization(world)).toBe('Bearer second-value');
    expect(await world.etag()).toBe(etag);
  });

  it('keeps a secret with its places: it cannot be removed', async () => {
    const [listed] = (await world.get('secrets')).body.items;
    const line =
      readFileSync(world.configFile, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('portal-token')) + 1;
    expect(listed.uses).toEqual([{ file: world.configFile, line, column: expect.any(Number) }]);
    const { status, body } = await world.send<Problem>('DELETE', 'secrets/portal-token');
    expect([status, body.type]).toEqual([409, 'urn:crawlway:problem:secret-in-use']);
    expect(body.errors).toEqual([expect.objectContaining(listed.uses[0])]);
    await visitAgain(world);
  });

  it('keeps a value with which it would have errors from being stored', async () => {
    const webhook = `<cw:Webhook name="w" url="https://w.example/" secret="\${secret:signature}"/></CrawlConfig>`;
    const good = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    await world.send('PUT', 'secrets/signature', { value: good });
    const { text } = await world.get('config');
    expect((await world.sendXml('PUT', 'config', text.replace('</CrawlConfig>', webhook))).status).toBe(200);
    const refused = await world.send<Problem>('PUT', 'secrets/signature', { value: 'hunter2' });
    expect([refused.status, refused.body.type]).toEqual([422, 'urn:crawlway:problem:configuration-invalid']);
    expect(refused.text).not.toContain('hunter2');
    // It would be an error now if it had been stored.
    expect((await world.sendXml('POST', 'config/check', (await world.get('config')).text)).body.valid).toBe(true);
    expect((await world.sendXml('PUT', 'config', text)).status).toBe(200);
    expect((await world.send('DELETE', 'secrets/signature')).status).toBe(204);
  });

  it('is refused while it names an unknown one, with what was probably meant', async () => {
    const xml = (await world.get('config')).text.replace('portal-token', 'portal-tokn');
    const { body } = await world.sendXml('POST', 'config/check', xml);
    expect(body.problems).toContainEqual(
      expect.objectContaining({
        code: 'unknown-secret',
        severity: 'error',
        message: 'there is no secret named portal-tokn: did you mean portal-token?',
      }),
    );
    expect((await world.sendXml('PUT', 'config', xml)).status).toBe(422);
  });

  it('is refused with a secret in it, which is told where it belongs, wherever a configuration is sent', async () => {
    const xml = world
      .configuration()
      .replace(
        '<cw:AllowAddress',
        `<cw:Credential url="https://b.example/" user="u" password="hunter2"/><cw:AllowAddress`,
      )
      .replace('</CrawlConfig>', '<!-- <cw:Sink name="old" password="hunter3"/> --></CrawlConfig>');
    const put = await world.sendXml<Problem>('PUT', 'config', xml);
    expect(put.status).toBe(422);
    expect(put.body.errors!.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('PUT /api/v1/secrets/fetcher-default-credential-password'),
      expect.stringContaining(`write \${secret:sink-old-password} in its place`),
    ]);
    const calls = [
      'preview',
      'test-sink?sink=main',
      `look?crawler=test&url=${encodeURIComponent(world.site.url('/'))}`,
    ];
    for (const call of calls) {
      const { status, text } = await world.sendXml('POST', `config/${call}`, xml);
      expect([status, text], call).toEqual([422, expect.not.stringContaining('hunter')]);
    }
    const { body, text } = await world.sendXml('POST', 'config/check', xml);
    expect(body.valid).toBe(false);
    expect(text + put.text + world.logged.join()).not.toContain('hunter');
  });

  it('is restored with its references as they were', async () => {
    const { text } = await world.get('config');
    const { version } = (await world.get('config/state')).body;
    const changed = text.replace('<cw:AllowAddress', '<cw:Header name="X-Team" value="search"/><cw:AllowAddress');
    expect((await world.sendXml('PUT', 'config', changed)).status).toBe(200);
    expect((await world.send('POST', `config/versions/${version}/restore`)).status).toBe(200);
    expect(readFileSync(world.configFile, 'utf8')).toBe(text);
    await visitAgain(world);
    await expect.poll(() => authorization(world)).toBe('Bearer second-value');
  });
});

describe('a file with a secret as plain text', () => {
  it('works with one warning; what is shown and stored of it has references, and rules can be changed', async () => {
    const world = await ApiWorld.start({ fetcher: header('Bearer literal-value') });
    onTestFinished(() => world.stop());
    await world.caughtUp();
    expect(authorization(world)).toBe('Bearer literal-value');
    expect(world.logged.filter((line) => line.includes('literal-secret'))).toEqual([
      expect.stringMatching(/value of Header Authorization.*crawlway secrets import/),
    ]);
    expect((await world.get('config/state')).body.warnings).toMatchObject([{ code: 'literal-secret' }]);
    const shown = (await world.get('config')).text;
    expect(shown).toContain(`value="\${secret:fetcher-default-header-authorization}"`);
    const rule = { match: [{ element: 'Path', value: '/x/' }], actions: [{ element: 'Ignore' }] };
    const etag = { 'if-match': await world.etag() };
    expect((await world.send('POST', 'config/crawlers/test/rules', rule, etag)).status).toBe(201);
    expect(readFileSync(world.configFile, 'utf8')).toContain('Bearer literal-value');
    const versions = (await world.get('config/versions')).body.items;
    expect(versions).toHaveLength(2);
    for (const { version } of versions)
      expect((await world.get(`config/versions/${version}`)).text).not.toContain('literal-value');
    const refused = await world.sendXml<Problem>('PUT', 'config', shown);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('unknown-secret')]);
    expect(readFileSync(world.configFile, 'utf8')).toContain('Bearer literal-value');
  });

  it('whose secret changes is loaded again, although its version is the same', async () => {
    const world = await ApiWorld.start({ fetcher: header('Bearer literal-value') });
    onTestFinished(() => world.stop());
    await world.caughtUp();
    writeFileSync(world.configFile, readFileSync(world.configFile, 'utf8').replace('literal-value', 'changed-value'));
    await world.server.reload('test');
    await visitAgain(world);
    await expect.poll(() => authorization(world)).toBe('Bearer changed-value');
  });
});

it('an edit of the file that names an unknown secret is in force as soon as the secret is set', async () => {
  const world = await ApiWorld.start();
  onTestFinished(() => world.stop());
  await world.caughtUp();
  const text = readFileSync(world.configFile, 'utf8');
  writeFileSync(
    world.configFile,
    text.replace('<cw:AllowAddress', `${header(`\${secret:portal-token}`)}<cw:AllowAddress`),
  );
  await world.server.reload('test');
  expect((await world.get('config/state')).body.rejected).toMatchObject([{ code: 'unknown-secret' }]);
  expect((await world.send('PUT', 'secrets/portal-token', { value: FIRST })).status).toBe(200);
  expect((await world.get('config/state')).body.rejected).toEqual([]);
  await visitAgain(world);
  await expect.poll(() => authorization(world)).toBe(FIRST);
});

it('a server that is started again knows its secrets, and one with another key says so', async () => {
  const world = await ApiWorld.start();
  onTestFinished(() => world.stop());
  await world.send('PUT', 'secrets/portal-token', { value: FIRST });
  const xml = world.configuration().replace('<cw:AllowAddress', `${header(`\${secret:portal-token}`)}<cw:AllowAddress`);
  expect((await world.sendXml('PUT', 'config', xml)).status).toBe(200);
  await world.restart();
  await visitAgain(world);
  await expect.poll(() => authorization(world)).toBe(FIRST);
});
