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
