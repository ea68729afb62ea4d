import { expect, it } from 'vitest';
import { isSecretOf } from './part-of-crawlers.js';

const at = (line: number) => ({ file: 'CrawlConfig.xml', line, column: 1 });

/** A configuration of which the first ten lines are the part of the caller's crawlers. */
const createWhole = (uses: Readonly<Record<string, readonly number[]>>) => ({
  current: {
    publicTexts: { xml: '', files: new Map() },
    secretUses: Object.entries(uses).flatMap(([name, lines]) => lines.map((line) => ({ name, place: at(line) }))),
    definition: { crawlers: ['hr', 'hr.emea', 'h r', 'h-r', 'sales'].map((name) => ({ name })) },
  },
  format: {
    readPart: () => '',
    widenPart: () => ({
      ...{ xml: '', sinks: new Set(), problems: [] },
      toPart: (place: { readonly line: number }) => (place.line <= 10 ? place : undefined),
    }),
  },
  file: { path: 'CrawlConfig.xml' },
});

const isOwn = (name: string, crawlers: readonly string[], uses = {}): boolean =>
  isSecretOf(createWhole(uses) as unknown as Parameters<typeof isSecretOf>[0], name, new Set(crawlers));

it.each([
  ['hr.password', ['hr'], true],
  ['sales.password', ['hr'], false],
  ['password', ['hr'], false],
  ['hr.emea.password', ['hr'], false],
  ['h-r.password', ['h r'], false],
  ['h-r.password', ['h r', 'h-r'], true],
])('a secret that nothing uses belongs to all crawlers that its name may mean, or to none: %s, %j', (...row) => {
  const [name, crawlers, expected] = row;
  expect(isOwn(name, crawlers)).toBe(expected);
});

it('a secret that is used belongs to the only crawlers that use it, whatever its name', () => {
  const uses = { shared: [3, 30], 'sales.own': [3, 4] };
  expect(isOwn('shared', ['hr'], uses)).toBe(false);
  expect(isOwn('sales.own', ['hr'], uses)).toBe(true);
});
