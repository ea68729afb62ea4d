import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { instant, seconds } from '../../domain/time/units.js';
import { readHistory, writeHistory } from './history-file.js';

const POINT = { at: instant(1), length: seconds(15), pages: 1, errors: 0, orders: 1, indexed: 1, errorsByCode: {} };

it('the history is read back as it was written', async () => {
  const path = join(temporaryDirectory(), 'data', 'history.json');
  await writeHistory(path, { docs: [POINT] });
  expect(await readHistory(path)).toEqual({ docs: [POINT] });
});

it.each([
  '',
  '{',
  '[]',
  'null',
  '{"version":2,"crawlers":{}}',
  '{"version":1}',
  '{"version":1,"crawlers":{"docs":[{"at":"x"}]}}',
])('a damaged history is begun again: %s', async (text) => {
  const path = join(temporaryDirectory(), 'history.json');
  writeFileSync(path, text);
  expect(await readHistory(path)).toEqual({});
});

it('a missing history is an empty one', async () => {
  expect(await readHistory(join(temporaryDirectory(), 'none.json'))).toEqual({});
});
