import fc from 'fast-check';
import { expect, it } from 'vitest';
import { crawlerDefinition, placeAt } from '../../../test/support/crawler-definition.js';
import type { MatchExpression } from '../crawl/policy-definition.js';
import { runAtOnce } from '../steps.js';
import { listNamedExtensions } from './named-extensions.js';

const IGNORED = ['gif', 'jpeg', 'jpg', 'mp3', 'mp4', 'zip', 'gz'];
const place = placeAt(1);

/** Those of the ignored extensions that a rule with Accept names. */
function named(value: string, parts: object = {}, actions: object = { accept: true }): string[] {
  const match = { type: 'atom', field: 'path', kind: 'suffix', norm: 'none', litteral: false, value, place, ...parts };
  const rule = { match: match as MatchExpression, actions: { ...actions, metas: [] }, number: 1, place };
  const { rules, conditions } = crawlerDefinition({ rules: [rule as never] });
  const all = new Set(runAtOnce(listNamedExtensions({ rules, conditions }, IGNORED)).map(({ extension }) => extension));
  return IGNORED.filter((extension) => all.has(extension));
}

it.each([
  ['\\.zip', ['zip']],
  ['\\.jpe?g', ['jpeg', 'jpg']],
  ['\\.(gif|jpe?g)', ['gif', 'jpeg', 'jpg']],
  ['\\.mp[34]', ['mp3', 'mp4']],
  ['^/images/.*\\.(?:GIF|Jpg)$', ['gif', 'jpg']],
  ['\\.(zip|tar\\.gz)', ['zip', 'gz']],
  ['/(a\\.gif|b\\.zip)', ['gif', 'zip']],
  ['\\.[a-z]+', []],
  ['.*', []],
  ['/docs/', []],
])('the pattern %s names %j', (value, extensions) => expect(named(value)).toEqual(extensions));

it.each([
  [{ accept: true }, ['zip']],
  [{ index: true }, ['zip']],
  [{ follow: 'yes' }, ['zip']],
  [{ accept: false, index: false, follow: false }, []],
])('a rule with %j names what it wants', (actions, extensions) =>
  expect(named('\\.zip', {}, actions)).toEqual(extensions),
);

it('in a literal pattern, operators are letters', () => {
  expect(named('.jpg', { litteral: true })).toEqual(['jpg']);
  expect(named('.jp.*g', { litteral: true })).toEqual([]);
});

it.each([
  ['wildcard', '*.jp*g', ['jpeg', 'jpg']],
  ['wildcard', '*.mp?', ['mp3', 'mp4']],
  ['wildcard', '*.*', []],
  ['wildcard-set', '*.gif\n*.zip', ['gif', 'zip']],
  ['regex', '\\.jpe?g$', ['jpeg', 'jpg']],
] as const)('a condition (%s) %j names %j', (type, value, extensions) => {
  const test = { type, field: 'path', value, caseSensitive: false } as const;
  const rule = { kind: 'must-have', test, log: false, options: {}, children: [], place } as const;
  const conditions = { defaultAllow: 'allow', options: {}, rules: [rule], place } as const;
  const found = new Set(
    runAtOnce(listNamedExtensions({ rules: [], conditions }, IGNORED)).map(({ extension }) => extension),
  );
  expect(IGNORED.filter((extension) => found.has(extension))).toEqual(extensions);
});

it('whatever the pattern, looking for what it names ends', () => {
  fc.assert(fc.property(fc.string({ maxLength: 40 }), (value) => void named(value)));
});
