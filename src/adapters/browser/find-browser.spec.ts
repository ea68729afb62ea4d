import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBrowser, findBrowserProblem } from './find-browser.js';

const ROOT = 0;
const SOMEBODY = 1000;

let folder: string;
let program: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crawlway-browser-'));
  program = join(folder, 'chromium');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('a browser is found on the search path, or where the configuration says', () => {
  expect(findBrowser({}, `/nowhere:${folder}`)).toBe(program);
  expect(findBrowser({ path: program }, '')).toBe(program);
  expect(findBrowser({ path: join(folder, 'missing') }, folder)).toBeUndefined();
});

it('a headless browser is preferred', () => {
  const shell = join(folder, 'chromium-headless-shell');
  writeFileSync(shell, '#!/bin/sh\n', { mode: 0o755 });
  expect(findBrowser({}, `/nowhere:${folder}`)).toBe(shell);
  rmSync(shell);
});

it('a missing browser is reported with what to do and what happens until then', () => {
  const problem = findBrowserProblem({ path: join(folder, 'missing'), sandbox: true }, SOMEBODY);
  expect(problem).toContain(`${join(folder, 'missing')} is not an executable file`);
  expect(problem).toContain('Install Chromium, or specify a browser with path or url on cw:Renderer');
  expect(problem).toContain('reported as needs-rendering');
});

it('a browser that cannot start as root with its sandbox is reported before it is started', () => {
  expect(findBrowserProblem({ path: program, sandbox: true }, ROOT)).toContain('does not run as root with its sandbox');
  expect(findBrowserProblem({ path: program, sandbox: false }, ROOT)).toBeUndefined();
  expect(findBrowserProblem({ path: program, sandbox: true }, SOMEBODY)).toBeUndefined();
});

it('no browser is looked for when the configuration names a remote one', () => {
  expect(findBrowserProblem({ url: 'ws://browsers.example/devtools', sandbox: true }, ROOT)).toBeUndefined();
});
