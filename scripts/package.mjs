// Makes the npm package from a build: stages dist/package/ with the files that package.json lists, and a manifest with
// only those dependencies that the program loads from node_modules, since everything else is in dist/program/. Then
// packs it as crawlway-VERSION.tgz. `npm pack` in the checkout works, too, but installing its result also installs all
// packages that are already bundled.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Packages that have a compiled part or start processes with their own files; see bundle.mjs. */
const LOADED_AT_RUNTIME = ['better-sqlite3', 'playwright-core'];
const ALWAYS = ['README.md', 'LICENSE'];

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Creates the manifest that is published. */
function createManifest() {
  const { scripts, devDependencies, overrides, ...manifest } = readJson(join(root, 'package.json'));
  const versions = LOADED_AT_RUNTIME.map((name) => [
    name,
    readJson(join(root, 'node_modules', name, 'package.json')).version,
  ]);
  return { ...manifest, dependencies: Object.fromEntries(versions) };
}

/** Writes the content of the package to a folder, which is emptied first. */
export function stagePackage(folder) {
  rmSync(folder, { recursive: true, force: true });
  const manifest = createManifest();
  for (const file of globSync([...manifest.files, ...ALWAYS], { cwd: root })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'dist', 'package');
  stagePackage(folder);
  const { status } = spawnSync('npm', ['pack', folder, '--pack-destination', root], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
