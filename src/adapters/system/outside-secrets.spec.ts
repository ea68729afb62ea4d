import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { ExternalSecrets, readSecretPlaces } from './outside-secrets.js';

/** A folder with secrets, and another one that no configuration may read. */
function folders() {
  const directory = temporaryDirectory();
  const inside = join(directory, 'secrets');
  for (const name of [inside, join(directory, 'secrets-of-others')]) mkdirSync(name);
  return { directory, inside, path: (name: string) => join(inside, name) };
}

/** Command line of a helper that runs a Node program. */
function helperOf(directory: string, body: string): string[] {
  const script = join(directory, 'helper.mjs');
  writeFileSync(script, body);
  return [process.execPath, script, 'get'];
}

describe('a secret in a file', () => {
  it('is read without its final line feed, and again when it has changed', async () => {
    const { inside, path } = folders();
    const secrets = new ExternalSecrets({ folders: [inside] }, {});
    writeFileSync(path('a'), 'first\n');
    expect(secrets.read(`file:${path('a')}`)).toBe('first');
    expect(await secrets.reloadAndCompare()).toBe(false);
    writeFileSync(path('a'), 'second\r\n');
    expect(await secrets.reloadAndCompare()).toBe(true);
    expect(await secrets.reloadAndCompare()).toBe(false);
    expect(secrets.read(`file:${path('a')}`)).toBe('second');
  });

  it('is read through links inside of its folder, and never from elsewhere', () => {
    const { directory, inside, path } = folders();
    const secrets = new ExternalSecrets({ folders: [inside] }, {});
    writeFileSync(path('real'), 'value');
    writeFileSync(join(directory, 'secrets-of-others', 'x'), 'stolen');
    symlinkSync('real', path('link'));
    symlinkSync(join(directory, 'secrets-of-others', 'x'), path('out'));
    expect(secrets.read(`file:${path('link')}`)).toBe('value');
    for (const name of [
      path('out'),
      `${inside}/../secrets-of-others/x`,
      join(directory, 'secrets-of-others', 'x'),
      'real',
      '/etc/hostname',
    ])
      expect(() => secrets.read(`file:${name}`), name).toThrow(`only from files below ${inside}`);
  });

  it.each([
    ['is missing', undefined, 'does not exist'],
    ['is empty', '\n', 'is empty'],
    ['is larger than a secret', 'x'.repeat(65_537), 'is larger than 65536 bytes'],
  ])('that %s is reported', (_, text, message) => {
    const { inside, path } = folders();
    if (text !== undefined) writeFileSync(path('a'), text);
    expect(() => new ExternalSecrets({ folders: [inside] }, {}).read(`file:${path('a')}`)).toThrow(message);
  });

  it('keeps its value when it is removed, and cannot be a folder', async () => {
    const { inside, path } = folders();
    const secrets = new ExternalSecrets({ folders: [inside] }, {});
    mkdirSync(path('folder'));
    expect(() => secrets.read(`file:${path('folder')}`)).toThrow('is not a file');
    writeFileSync(path('a'), 'value');
    expect(secrets.read(`file:${path('a')}`)).toBe('value');
    rmSync(path('a'));
    expect(await secrets.reloadAndCompare()).toBe(false);
  });
});

describe('a secret from the helper program', () => {
  it('is requested by name, once, and again to see whether it has changed', async () => {
    const { directory, path } = folders();
    const helper = helperOf(
      directory,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(${JSON.stringify(path('log'))}, process.argv.slice(2).join(' ') + (process.env.CRAWLWAY_API_KEYS ?? '') + process.env.VAULT + '\\n');
       console.log(readFileSync(${JSON.stringify(path('value'))}, 'utf8'));`,
    );
    const secrets = new ExternalSecrets({ folders: [], helper }, { CRAWLWAY_API_KEYS: ' keys', VAULT: ' vault' });
    const asked = () => readFileSync(path('log'), 'utf8').trim().split('\n');
    writeFileSync(path('value'), 'first');
    expect([secrets.read('helper:wiki/robot'), secrets.read('helper:wiki/robot')]).toEqual(['first', 'first']);
    expect(asked()).toEqual(['get wiki/robot vault']);
    writeFileSync(path('value'), 'second');
    expect(await secrets.reloadAndCompare()).toBe(true);
    expect(secrets.read('helper:wiki/robot')).toBe('second');
    expect(asked()).toHaveLength(2);
  });

  it.each([
    ['ends with an error', 'console.log("s3cret"); process.exit(3)', 'ended with exit code 3'],
    ['prints nothing', '', 'is empty'],
    ['prints too much', 'process.stdout.write("s3cret".repeat(20_000))', 'returned more than 65536 bytes'],
  ])('that %s is reported, without its output', (_, body, message) => {
    const { directory } = folders();
    const secrets = new ExternalSecrets({ folders: [], helper: helperOf(directory, body) }, {});
    const read = () => secrets.read('helper:a');
    expect(read).toThrow(message);
    expect(read).not.toThrow('s3cret');
  });

  it('is not available without a helper, and its name is not parsed as an option', () => {
    expect(() => new ExternalSecrets({ folders: [] }, {}).read('helper:a')).toThrow('CRAWLWAY_SECRETS_HELPER');
    const secrets = new ExternalSecrets({ folders: [], helper: ['/bin/echo'] }, {});
    for (const name of ['--version', 'a b', '', 'a;b', '../x', '$(id)'])
      expect(() => secrets.read(`helper:${name}`)).toThrow('the name of a secret');
    expect(() => new ExternalSecrets({ folders: [], helper: ['/nowhere/helper'] }, {}).read('helper:a')).toThrow(
      'ENOENT',
    );
  });
});

it('folders and helper come from the environment', () => {
  expect(readSecretPlaces({})).toEqual({ folders: ['/run/secrets'] });
  expect(readSecretPlaces({ CRAWLWAY_SECRETS_FOLDERS: '/a, /b', CRAWLWAY_SECRETS_HELPER: 'vault kv  get' })).toEqual({
    folders: ['/a', '/b'],
    helper: ['vault', 'kv', 'get'],
  });
  expect(readSecretPlaces({ CRAWLWAY_SECRETS_HELPER: '["/opt/my helper", "a b"]' }).helper).toEqual([
    '/opt/my helper',
    'a b',
  ]);
});
