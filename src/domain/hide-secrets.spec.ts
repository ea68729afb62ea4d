import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectSecrets, createSecretFilter } from './hide-secrets.js';
import { Secret } from './secret.js';

const SECRET = 'p@ss w/Ö"1';

describe('a secret in a text', () => {
  const hide = createSecretFilter([SECRET, undefined, 'abc', 'tok.n+x']);

  it.each([
    ['as it is', SECRET],
    ['in capitals', SECRET.toUpperCase()],
    ['encoded for a URL', encodeURIComponent(SECRET)],
    ['encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['encoded in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['encoded for a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['encoded in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in Base64', Buffer.from(SECRET).toString('base64')],
    ['with characters of an expression', 'tok.n+x'],
  ])('is hidden %s', (_, written) => {
    expect(hide(`before ${written} after ${written}`)).toBe('before *** after ***');
  });

  it.each(['tokXn+x', 'tok.nnx', 'abc', 'p@ss w', ''])('is not seen in %j', (text) => expect(hide(text)).toBe(text));

  it('is hidden whole if another secret is a part of it', () => {
    expect(createSecretFilter(['pass', 'password'])('my password and pass')).toBe('my *** and ***');
    expect(createSecretFilter(['password', 'pass'])('my password and pass')).toBe('my *** and ***');
  });

  it('is hidden if it has at least four characters, because shorter ones are in ordinary words', () => {
    expect(createSecretFilter(['abcd', 'xyz'])('abcd xyz')).toBe('*** xyz');
    expect(createSecretFilter([])('abcd http://u:p@h/')).toBe('abcd http://***@h/');
  });

  it('is hidden whatever characters it has', () => {
    const secret = fc
      .string({ unit: 'grapheme', minLength: 4, maxLength: 12 })
      .filter((text) => text.trim().length >= 4 && !/^\*/.test(text));
    fc.assert(
      fc.property(secret, (text) => {
        const hidden = createSecretFilter([text])(`<${text}> <${encodeURIComponent(text.toWellFormed())}>`);
        expect(hidden.match(/\*\*\*/g)?.length ?? 0).toBeGreaterThanOrEqual(2);
        expect(hidden.replaceAll('***', '')).not.toContain(text);
      }),
    );
  });
});

it('the secrets of a definition are those in it, at any place up to ten levels deep', () => {
  const definition = { a: new Secret('one'), b: [{ c: new Secret('two') }], d: 'three', e: null, f: 4 };
  expect(collectSecrets(definition)).toEqual(['one', 'two']);
  const nest = (depth: number): unknown => (depth === 0 ? new Secret('deep') : { next: nest(depth - 1) });
  expect(collectSecrets(nest(11))).toEqual(['deep']);
  expect(collectSecrets(nest(12))).toEqual([]);
  expect(collectSecrets(new Secret('alone'))).toEqual(['alone']);
  expect(collectSecrets(undefined)).toEqual([]);
});
