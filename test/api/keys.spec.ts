/** API keys that are made over the API, beside those of the environment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';
import { Program } from './program.js';

const ADMIN = 'a'.repeat(20);
const OPERATOR = 'o'.repeat(20);
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({ keys: `root:admin:${ADMIN},op:operate:${OPERATOR}` });
});
afterAll(() => world.stop());

const create = (body: object, key = ADMIN) => world.send('POST', 'keys', body, bearer(key));
const list = async () => (await world.get('keys', bearer(ADMIN))).body.items;
const session = async (key: string) => {
  const { status, body } = await world.get('session', bearer(key));
  return status === 200 ? `${body.name} ${body.role}` : status;
};

describe('a key that is created over the API', () => {
  it('is shown once, has the rights of its role, and none once it is revoked', async () => {
    const { status, body } = await create({ name: 'ci', role: 'operate', expiresAt: '2999-01-01T00:00:00Z' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'ci',
      role: 'operate',
      from: 'api',
      createdBy: 'root',
      expired: false,
      expiresAt: '2999-01-01T00:00:00.000Z',
    });
    expect(body.key).toMatch(/^cw_[\w-]{43}$/);
    expect(await session(body.key)).toBe('ci operate');
    expect((await world.get('keys', bearer(body.key))).status).toBe(403);
    const listed = await world.get('keys', bearer(ADMIN));
    expect(listed.body.items.map(({ name, from }: Record<string, string>) => `${name} ${from}`)).toEqual([
      'root environment',
      'op environment',
      'ci api',
    ]);
    expect(listed.text).not.toContain(body.key);
    expect((await world.send('DELETE', 'keys/ci', undefined, bearer(ADMIN))).status).toBe(204);
    expect(await session(body.key)).toBe(401);
    expect((await world.send('DELETE', 'keys/ci', undefined, bearer(ADMIN))).status).toBe(404);
  });

  it('ends the stream of events that was opened with it when it is revoked', async () => {
    const { body } = await create({ name: 'listener', role: 'read' });
    const stream = await fetch(`${world.server.url}/api/v1/events`, { headers: bearer(body.key) });
    expect(stream.status).toBe(200);
    await world.send('DELETE', 'keys/listener', undefined, bearer(ADMIN));
    expect(await stream.text()).toMatch(/^retry: /);
  });

  it('is in the audit log with its creator, and the key itself is stored nowhere', async () => {
    const { body } = await create({ name: 'audited', role: 'read' });
    await world.send('DELETE', 'keys/audited', undefined, bearer(ADMIN));
    const audit = await world.get('audit', bearer(ADMIN));
    const entries = audit.body.items.filter(({ target }: { target: string }) => /keys/.test(target)).slice(0, 2);
    expect(entries.map(({ who, what }: Record<string, string>) => `${who} ${what}`)).toEqual([
      'root revokeKey',
      'root createKey',
    ]);
    expect(audit.text).toContain('audited');
    const files = ['crawlway.sqlite', 'crawlway.sqlite-wal'].map((name) =>
      readFileSync(join(world.folder, 'data', name), 'latin1'),
    );
    for (const text of [audit.text, world.logged.join('\n'), ...files]) expect(text).not.toContain(body.key);
  });

  it('is refused when its name is taken, when it would be expired, and to callers other than admins', async () => {
    await create({ name: 'twice', role: 'read' });
    expect((await create({ name: 'twice', role: 'admin' })).status).toBe(422);
    expect((await create({ name: 'op', role: 'admin' })).status).toBe(422);
    expect((await create({ name: 'late', role: 'read', expiresAt: '2020-01-01T00:00:00Z' })).status).toBe(422);
    expect((await create({ name: 'a b', role: 'read' })).status).toBe(400);
    expect((await create({ name: 'x', role: 'root' })).status).toBe(400);
    expect((await create({ name: 'x', role: 'read' }, OPERATOR)).status).toBe(403);
    expect((await list()).map(({ name, role }: Record<string, string>) => `${name} ${role}`)).toEqual([
      'root admin',
      'op operate',
      'twice read',
    ]);
    expect((await world.send('DELETE', 'keys/op', undefined, bearer(ADMIN))).status).toBe(422);
    expect(await session(OPERATOR)).toBe('op operate');
  });

  it('is created, listed and revoked on the command line', async () => {
    const env = { CRAWLWAY_API_KEY: ADMIN, CRAWLWAY_PORT: new URL(world.server.url).port };
    const run = (...args: string[]) => new Program(args, { env }).ended;
    const made = await run('keys', 'create', 'cli', 'read', '--expires', '90d');
    expect(made.stdout).toMatch(/^cw_[\w-]{43}\n$/);
    expect(await session(made.stdout.trim())).toBe('cli read');
    expect((await run('keys', 'list')).stdout).toMatch(/cli +read +api +\S+ +root +20/);
    await run('keys', 'revoke', 'cli');
    expect(await session(made.stdout.trim())).toBe(401);
  });
});
