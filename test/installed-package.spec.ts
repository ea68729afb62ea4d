import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../src/server/project-root.js';
import { temporaryDirectory } from './support/temporary-directory.js';

interface Manifest {
  readonly private?: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<'./client', { readonly types: string; readonly default: string }>>;
}

const script = new URL('../scripts/package.mjs', import.meta.url).href;
const { stagePackage } = (await import(script)) as { stagePackage(folder: string): Manifest };

const MOST_BYTES = 21_000_000;

function crawlway(cwd: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(cwd, 'node_modules/crawlway/bin/crawlway.mjs'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it('when the package is installed in an empty folder, init writes the sample and serve indexes it', async () => {
  const folder = temporaryDirectory();
  const installed = join(folder, 'node_modules/crawlway');
  const manifest = stagePackage(installed);
  expect(manifest.private).toBeUndefined();
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => /^(?:src|test|data|bench|docs\/screenshots)\b|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  const bytes = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);

  const client = (await import(join(installed, manifest.exports['./client'].default))) as { CrawlwayClient: unknown };
  expect(client.CrawlwayClient).toBeInstanceOf(Function);
  expect(files).toContain(normalize(manifest.exports['./client'].types));
  expect(readFileSync(join(installed, 'dist/program/LICENSES.txt'), 'utf8')).toMatch(/^typeorm [\d.]+\n/m);
  // swagger-ui-dist brings a package that reports each installation.
  expect(Object.keys(manifest.dependencies)).toEqual(['better-sqlite3', 'playwright-core']);

  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(PROJECT_ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const init = crawlway(folder, 'init');
  const [said] = await Promise.all([text(init.stdout), once(init, 'close')]);
  expect(said).toContain('Next: crawlway serve\n');
  expect(init.exitCode).toBe(0);
  const server = crawlway(folder, 'serve', '--port', '0');
  let output = '';
  server.stderr.on('data', (chunk) => {
    output += chunk;
  });
  for await (const chunk of server.stdout) {
    output += chunk;
    if (/\d+ documents are indexed/.test(output)) break;
  }
  expect(output).toMatch(/The crawl has caught up: 30 documents are indexed/);
  const url = /Console: (http:\S+?)\/ /.exec(output)?.[1];
  for (const path of ['/', '/help/', '/docs/', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  server.kill('SIGTERM');
  expect(await once(server, 'close')).toEqual([0, null]);
});
