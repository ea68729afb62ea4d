import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.js';

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
