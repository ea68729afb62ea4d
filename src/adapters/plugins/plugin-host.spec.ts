import { utimesSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { definition, TestPlugins } from '../../../test/support/plugins.js';
import { Secret } from '../../domain/secret.js';
import { seconds } from '../../domain/time/units.js';
import { PluginFailed } from '../../engine/ports/plugins.js';

const VISIT = { crawler: 'c', url: 'http://a/', discoveredVia: 'link', hops: 1 };
const order = (uri: string) => ({ id: 1, crawler: 'c', uri, reason: 'x', decidedAt: '', kind: 'delete' }) as const;
const failure = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PluginFailed);
  return (error as Error).message;
};

it('a function receives its arguments, and its result is returned', async () => {
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define(
      'a',
      `version: '7', setup(context) { this.context = context; },
       async onUrl(visit) { return { headers: { 'x-url': visit.url, 'x-who': this.context.name, 'x-s': this.context.settings.s } }; },
       onResponse({ body }) { return { body: body.map((byte) => byte + 1) }; }`,
      { settings: [{ name: 's', value: new Secret('sesame') }] },
    ),
  ]);
  expect(await plugins.host.call('a', 'onUrl', VISIT)).toEqual({
    headers: { 'x-url': 'http://a/', 'x-who': 'a', 'x-s': 'sesame' },
  });
  const body = new Uint8Array([1, 2, 3]);
  const changed = await plugins.host.call('a', 'onResponse', { ...VISIT, status: 200, headers: {}, body });
  expect(changed).toEqual({ body: Uint8Array.from([2, 3, 4]) });
  expect(plugins.host.facts).toEqual([
    { name: 'a', hooks: ['onUrl', 'onResponse'], mediaTypes: [], isOptional: false },
  ]);
  expect(plugins.host.listViews()).toMatchObject([
    { name: 'a', state: 'ready', version: '7', restarts: 0, calls: [{ hook: 'onUrl', answered: 1 }, { answered: 1 }] },
  ]);
});

it('a plug-in that throws fails with its name, function, and place in its file', async () => {
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define('bad', `onUrl({ url }) { if (url.endsWith('x')) throw new TypeError('no price here'); }`),
  ]);
  const said = await failure(plugins.host.call('bad', 'onUrl', { ...VISIT, url: 'http://a/x' }));
  expect(said).toMatch(/^bad onUrl: TypeError: no price here\n.*bad\.mjs:1:\d+/);
  expect(await plugins.host.call('bad', 'onUrl', VISIT)).toBeUndefined();
  const [view] = plugins.host.listViews();
  expect(view).toMatchObject({ state: 'ready', restarts: 0, calls: [{ hook: 'onUrl', answered: 1, failed: 1 }] });
  expect(view?.lastError?.message).toContain('no price here');
});

it('a plug-in that hangs times out and is restarted, and no other call loses its result', async () => {
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define(
      'slow',
      `onUrl({ url }) { if (url.endsWith('x')) { console.log('it hangs'); for (;;); } return { headers: { 'x-url': url } }; }`,
    ),
  ]);
  const hanging = failure(plugins.host.call('slow', 'onUrl', { ...VISIT, url: 'http://a/x' }));
  const behind = [1, 2, 3].map((n) => plugins.host.call('slow', 'onUrl', { ...VISIT, url: `http://a/${n}` }));
  await plugins.said('it hangs');
  plugins.clock.advance(seconds(5));
  expect(await hanging).toBe('slow onUrl: it took longer than 5 s');
  plugins.clock.advance(seconds(2));
  expect((await Promise.all(behind)).map((answer) => answer?.headers?.['x-url'])).toEqual([
    'http://a/1',
    'http://a/2',
    'http://a/3',
  ]);
  expect(plugins.host.listViews()).toMatchObject([{ state: 'ready', restarts: 1 }]);
});

it('a plug-in that awaits forever times out, and its process goes on', async () => {
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define(
      'late',
      `onUrl(visit, signal) {
        console.log('it waits');
        return new Promise(() => { signal.onabort = () => console.log('it gave up'); });
      }`,
    ),
  ]);
  const waiting = failure(plugins.host.call('late', 'onUrl', VISIT));
  await plugins.said('it waits');
  plugins.clock.advance(seconds(5));
  expect(await waiting).toBe('late onUrl: it took longer than 5 s');
  await plugins.said('it gave up');
  expect(plugins.host.listViews()).toMatchObject([{ restarts: 0 }]);
});

it('a plug-in that leaks memory is restarted at its limit, and every call completes', async () => {
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define('leaky', `onUrl() { (this.kept ??= []).push(Buffer.alloc(32 * 1024 * 1024, 1)); return {}; }`, {
      memoryLimit: 192 * 1024 * 1024,
    }),
  ]);
  for (let n = 0; n < 8; n++) expect(await plugins.host.call('leaky', 'onUrl', VISIT)).toEqual({});
  const [view] = plugins.host.listViews();
  expect(view?.restarts).toBeGreaterThan(0);
  expect(view?.lastError?.message).toBe('it used more than 192 MB of memory');
});

it('a plug-in whose process dies in every call is blamed the second time', async () => {
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define('ends', `onUrl({ url }) { if (url.endsWith('x')) process.exit(3); }, onOrder() {}`),
  ]);
  expect(await plugins.host.call('ends', 'onUrl', VISIT)).toBeUndefined();
  const message = plugins.host.call('ends', 'onUrl', { ...VISIT, url: 'http://a/x' });
  expect(await failure(message)).toBe('ends onUrl: its process ended unexpectedly (code 3)');
});

it.each([
  ['is written for another version', 'export default { apiVersion: 2 }', 'supports only apiVersion 1'],
  ['is no object', 'export default 7', 'its default export is not an object'],
  ['has nothing', 'export default { apiVersion: 1 }', 'it exports none of the functions'],
  ['is not JavaScript', 'export default {', 'SyntaxError'],
  ['fails in setup', 'export default { apiVersion: 1, onUrl() {}, setup() { throw new Error("no list") } }', 'no list'],
  ['has an extractor of nothing', 'export default { apiVersion: 1, extractor: { extract() {} } }', 'mediaTypes'],
])('a plug-in that %s is not loaded: pages wait for it, with the reason', async (_, text, why) => {
  const plugins = new TestPlugins();
  await plugins.host.configure([definition('bad', plugins.write('bad.mjs', text))]);
  expect(plugins.host.facts).toMatchObject([{ hooks: ['onUrl'] }]);
  expect(await failure(plugins.host.call('bad', 'onUrl', VISIT))).toContain(why);
  expect(plugins.host.listViews()).toMatchObject([{ state: 'failed' }]);
});

it('a changed file is reloaded, and a version that cannot be loaded does not replace one that works', async () => {
  const plugins = new TestPlugins();
  const text = (version: string): string =>
    `export default { apiVersion: 1, onUrl() { return { headers: { 'x-v': '${version}' } }; } };`;
  const file = plugins.write('p.mjs', text('1'));
  await plugins.host.configure([definition('p', file)]);
  const version = async (): Promise<string | undefined> =>
    (await plugins.host.call('p', 'onUrl', VISIT))?.headers?.['x-v'];
  expect(await version()).toBe('1');
  let changes = 0;
  const change = (content: string): void => {
    plugins.write('p.mjs', content);
    utimesSync(file, 1_700_000_000, 1_700_000_000 + ++changes);
    plugins.clock.advance(seconds(2));
  };
  change(text('2'));
  await expect.poll(version).toBe('2');
  change('export default {');
  await version();
  await plugins.said('cannot be loaded');
  expect(await version()).toBe('2');
  expect(plugins.host.listViews()[0]?.lastError?.message).toContain('SyntaxError');
  change(text('3'));
  await expect.poll(version).toBe('3');
});

const UNUSABLE = [
  ['onUrl', `{ headers: { 'x\\n': '1' } }`, 'headers.x'],
  ['onUrl', `{ headers: { x: 'a\\r\\nb' } }`, 'headers.x'],
  ['onUrl', `{ exlude: 'misspelled' }`, 'exlude'],
  ['onUrl', `'no'`, 'its return value'],
  ['onDocument', `{ metas: { price: 7 } }`, 'metas.price'],
  ['onDocument', `{ text: 7 }`, 'text'],
  ['onDocument', `{ metas: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [n, ''])) }`, 'metas'],
] as const;

it('the result of a function must have the documented form', async () => {
  const plugins = new TestPlugins();
  const answers = `[${UNUSABLE.map(([, answer]) => answer).join(', ')}]`;
  const answer = `({ hops }) { return ${answers}[hops]; }`;
  await plugins.host.configure([plugins.define('odd', `onUrl${answer}, onDocument${answer}`)]);
  for (const [hops, [hook, , where]] of UNUSABLE.entries()) {
    const said = await failure(plugins.host.call('odd', hook, { ...VISIT, hops } as never));
    expect(said).toContain('its return value is invalid');
    expect(said).toContain(where);
  }
});

it('a plug-in has nothing of the environment of the server', async () => {
  vi.stubEnv('CRAWLWAY_API_KEYS', 'a:admin:secret');
  const plugins = new TestPlugins();
  await plugins.host.configure([
    plugins.define('curious', `sink: { deliver: () => [{ refused: Object.keys(process.env).sort().join() }] }`),
  ]);
  const [answer] = await plugins.host.call('curious', 'deliver', [order('http://a/')]);
  expect(answer).not.toHaveProperty('refused', expect.stringContaining('CRAWLWAY'));
  vi.unstubAllEnvs();
});

it('a plug-in that leaves the configuration is stopped, and one that stays keeps its process', async () => {
  const plugins = new TestPlugins();
  const functions = `onUrl() { this.calls = (this.calls ?? 0) + 1; return { headers: { 'x-n': String(this.calls) } }; }`;
  const [a, b] = [plugins.define('a', functions), plugins.define('b', functions)];
  await plugins.host.configure([a, b]);
  await plugins.host.call('a', 'onUrl', VISIT);
  await plugins.host.configure([{ ...a, place: { ...a.place, line: 9 } }]);
  expect(await plugins.host.call('a', 'onUrl', VISIT)).toEqual({ headers: { 'x-n': '2' } });
  expect(await failure(plugins.host.call('b', 'onUrl', VISIT))).toBe('there is no plug-in b');
});
