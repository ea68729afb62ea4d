import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/temporary-directory.js';

const script = new URL('../scripts/packages.mjs', import.meta.url).href;
const { checkPackages } = (await import(script)) as { checkPackages(root: string): string[] };

const HASH = 'sha512-x';

/** A project with one package, that its lock file and its manifest describe. */
function faultsOf(entry: object, version = '1.0.0', licence = 'MIT'): string[] {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'node_modules/a'), { recursive: true });
  writeFileSync(join(root, 'node_modules/a/package.json'), JSON.stringify({ license: licence }));
  const packages = { '': { dependencies: { a: version } }, 'node_modules/a': entry };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  return checkPackages(root);
}

test('a package with an exact version, a strong hash and a permissive licence is allowed', () => {
  expect(faultsOf({ integrity: HASH, resolved: 'https://registry.example/a.tgz' })).toEqual([]);
});

test.each([
  ['without a hash', {}, '1.0.0', 'MIT', 'has no SHA-512 hash'],
  ['with a weak hash', { integrity: 'sha1-x' }, '1.0.0', 'MIT', 'has no SHA-512 hash'],
  [
    'from a repository',
    { integrity: HASH, resolved: 'git+ssh://git@host/a.git' },
    '1.0.0',
    'MIT',
    'comes from git+ssh',
  ],
  ['over plain HTTP', { integrity: HASH, resolved: 'http://host/a.tgz' }, '1.0.0', 'MIT', 'comes from http://host'],
  ['that runs a script', { integrity: HASH, hasInstallScript: true }, '1.0.0', 'MIT', 'has an install script'],
  ['of any version', { integrity: HASH }, '^1.0.0', 'MIT', '^1.0.0 is not an exact version'],
  ['of the version of the day', { integrity: HASH }, 'latest', 'MIT', 'latest is not an exact version'],
  ['under a strict licence', { integrity: HASH }, '1.0.0', 'GPL-3.0', 'licence GPL-3.0'],
])('a package %s is not allowed', (_what, entry, version, licence, fault) => {
  expect(faultsOf(entry, version, licence).join()).toContain(fault);
});
