import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isSameDefinition, Secret } from './secret.js';

it('shows asterisks to whatever prints, serializes, joins or copies it', () => {
  const secret = new Secret('hunter2');
  const shown = [
    String(secret),
    `${secret}`,
    `a${secret as unknown as string}`,
    JSON.stringify({ secret }),
    inspect({ deep: [{ secret }] }, { depth: null, showHidden: true }),
    [secret].join(),
    Object.entries(secret).join(),
    JSON.stringify(structuredClone(secret)),
    String((secret as unknown as string) === 'hunter2'),
  ];
  expect(shown.filter((text) => text.includes('hunter2'))).toEqual([]);
  expect(shown[0]).toBe('***');
  expect(secret.reveal()).toBe('hunter2');
});

describe('two parts of a definition', () => {
  const secret = new Secret('hunter2');

  it.each([
    ['secrets with one text', { a: new Secret('x') }, { a: new Secret('x') }],
    ['properties in another order', { a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }],
    ['a property that is undefined, and one that is absent', { a: 1, b: undefined }, { a: 1 }],
    ['two that are not numbers', Number.NaN, Number.NaN],
    ['places that are ignored at any depth', { a: [{ place: 1 }], place: 2 }, { a: [{ place: 3 }] }],
  ])('are equal: %s', (_, left, right) => {
    expect(isSameDefinition(left, right, 'place')).toBe(true);
    expect(isSameDefinition(right, left, 'place')).toBe(true);
  });

  it.each([
    ['secrets with different texts', { a: secret }, { a: new Secret('other') }],
    ['a secret and its text', { a: secret }, { a: 'hunter2' }],
    ['a secret and an empty object', secret, {}],
    ['an array and an object', [], {}],
    ['one property more', { a: 1 }, { a: 1, b: 1 }],
    ['a property of another name', { a: undefined, b: 1 }, { c: 1 }],
    ['an inherited name', { toString: Object.prototype.toString }, { a: 1 }],
    ['null and an object', null, {}],
    ['a longer array', [1], [1, 2]],
  ])('are not equal: %s', (_, left, right) => {
    expect(isSameDefinition(left, right, 'place')).toBe(false);
    expect(isSameDefinition(right, left, 'place')).toBe(false);
  });
});
