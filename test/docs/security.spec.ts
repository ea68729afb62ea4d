import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';

it('each row of the threat model names tests that exist', () => {
  const text = readFileSync(join(PROJECT_ROOT, 'SECURITY.md'), 'utf8');
  const model = text.slice(text.indexOf('## Threat model'), text.indexOf('## What is not defended'));
  const rows = model.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| who '));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const tests = [...row.matchAll(/`([^`]+\.spec\.ts)`/g)].map(([, file]) => file!);
    expect(tests, row).not.toEqual([]);
    for (const file of tests) expect(existsSync(join(PROJECT_ROOT, file)), file).toBe(true);
  }
});

it('each row of who may influence what names a test that exists, and each kind of principal has one', () => {
  const text = readFileSync(join(PROJECT_ROOT, 'SECURITY.md'), 'utf8');
  const section = text.slice(text.indexOf('## Who may influence what'), text.indexOf('## Threat model'));
  const rows = section.split('\n').filter((line) => /^\| (?!who )/.test(line));
  for (const principal of ['page', 'host', 'crawler', 'order', 'key', 'person', 'counterpart'])
    expect(
      rows.some((row) => new RegExp(`^\\| an? ${principal}\\b`).test(row)),
      principal,
    ).toBe(true);
  for (const row of rows) {
    const [, file, name] = /`([^`]+\.spec\.ts)`: \*(.+)\* \|$/.exec(row) ?? [];
    expect(file, row).toBeDefined();
    expect(readFileSync(join(PROJECT_ROOT, file!), 'utf8'), row).toContain(name);
  }
});
