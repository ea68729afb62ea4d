import { expect, it } from 'vitest';
import { OutputBudget } from './output-budget.js';

const document = (more: object) => ({ metas: [], text: '', ...more }) as Parameters<OutputBudget['add']>[0];
/** Eight of them are within the limit of a small page, with what an entry takes besides its text. */
const LONG = 'x'.repeat(999_900);

it.each([
  ['text', { text: LONG }],
  ['Markdown', { markdown: LONG }],
  ['values of metas', { metas: [{ name: 'a', value: LONG }] }],
  ['names of metas', { metas: [{ name: LONG, value: 'a' }] }],
  ['headings', { headings: [{ level: 1, text: LONG, start: 0 }] }],
  ['chunks', { chunks: [{ text: LONG, path: [], start: 0, end: 1 }] }],
  ['headings of chunks', { chunks: [{ text: '', path: [LONG], start: 0, end: 1 }] }],
])('the %s of the documents of a page count together', (_, part) => {
  const budget = new OutputBudget(1_000);
  let documents = 0;
  while (budget.add(document(part))) documents++;
  expect(documents).toBe(8);
});

it('many empty entries count as well', () => {
  const budget = new OutputBudget(0);
  const metas = Array.from({ length: 1_000_000 }, () => ({ name: '', value: '' }));
  expect(budget.add(document({ metas }))).toBe(false);
});

it('a larger page may have more, up to a limit', () => {
  const [small, large, huge] = [1, 10_000_000, 10 ** 12].map((size) => new OutputBudget(size).limit);
  expect(small).toBe(new OutputBudget(0).limit);
  expect(large).toBeGreaterThan(small!);
  expect(huge).toBe(new OutputBudget(10 ** 13).limit);
});
