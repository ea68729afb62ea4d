import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROW = /^\| (?:CloudView|Push API|mnoGoSearch|FDSE|OmniFind|Velocity).*\| `([^`]+)`: (.+) \|$/gm;

it('what is shown of each sentence of the reference systems is named as it is written there', () => {
  const rows = [...readFileSync('docs/comparison.md', 'utf8').matchAll(ROW)];
  expect(rows.length).toBeGreaterThanOrEqual(69);
  const missing = rows.filter(
    ([, file = '', words = '']) => !existsSync(file) || !readFileSync(file, 'utf8').includes(words),
  );
  expect(missing.map(([row]) => row)).toEqual([]);
});
