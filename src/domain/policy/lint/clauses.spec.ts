import { expect, it } from 'vitest';
import { moveAnchorsToKind } from './clauses.js';

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
