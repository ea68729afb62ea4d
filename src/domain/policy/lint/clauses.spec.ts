import { expect, it } from 'vitest';
import { moveAnchorsToKind } from './clauses.js';
import { toWildcardClauses } from './wildcard-clauses.js';

it.each([
  ['/a', 'prefix', '/a', 'prefix'],
  ['^/a', 'inside', '/a', 'prefix'],
  ['/a$', 'inside', '/a', 'suffix'],
  ['^/a$', 'inside', '/a', 'exact'],
  ['/a$', 'prefix', '/a', 'exact'],
  ['^/a', 'suffix', '/a', 'exact'],
  ['^/a', 'exact', '/a', 'exact'],
  ['/a$', 'exact', '/a', 'exact'],
  ['^/a.*', 'inside', '^/a.*', 'inside'],
] as const)('%s as %s is %s as %s', (source, kind, text, moved) => {
  expect(moveAnchorsToKind(source, kind)).toEqual({ source: text, kind: moved });
});

it.each([
  ['/a', ['exact /a']],
  ['/a*', ['prefix /a']],
  ['*/a', ['suffix /a']],
  ['*/a*', ['inside /a']],
  ['**/a**', ['inside /a']],
  ['/a*/b', ['prefix /a', 'suffix /b', 'opaque /a*/b']],
  ['*/a?b*', ['opaque */a?b*']],
  ['*', []],
])('of the wildcard %s is known: %j', (value, facts) => {
  const [clause] = toWildcardClauses({ field: 'path', value, norm: 'none' }, 'star-question');
  expect(clause!.map(({ kind, text }) => `${kind} ${text}`)).toEqual(facts);
});
