import { describe, expect, it } from 'vitest';
import { parsePrincipals } from './principals.js';

const BOARD = 'CN=Board,OU=Groups,DC=example,DC=com';

describe('principals in a text', () => {
  it.each([
    [' Pay Masters ,b;c\rd\ne,, ', ['Pay Masters', 'b', 'c', 'd', 'e']],
    ['', []],
    [undefined, []],
    ['CORP\\jane, CORP\\bob', ['CORP\\jane', 'CORP\\bob']],
    ['"a, b; c", d', ['a, b; c', 'd']],
    ['"say ""hello""",x', ['say "hello"', 'x']],
    ['Pay\u00a0Masters,\ufeffb', ['Pay Masters', 'b']],
    ['مدیر\u200cها', ['مدیر\u200cها']],
  ])('are separated by commas, semicolons and line breaks outside of quotes, not by spaces: %j', (text, names) => {
    expect(parsePrincipals(text)).toEqual({ names });
  });

  it.each([
    [BOARD, [BOARD]],
    [`${BOARD}; cn=Smith\\, John, ou=x ;jane,bob`, [BOARD, 'cn=Smith\\, John, ou=x', 'jane', 'bob']],
    [`"${BOARD}", jane`, [BOARD, 'jane']],
    ['DC=com,DC=example,OU=Groups,CN=Board', ['DC=com,DC=example,OU=Groups,CN=Board']],
    ['2.5.4.3=Board,O=Example', ['2.5.4.3=Board,O=Example']],
    ['role=admin,role=editor', ['role=admin', 'role=editor']],
  ])('may be distinguished names, which have commas themselves: %s', (text, names) => {
    expect(parsePrincipals(text)).toEqual({ names });
  });

  it.each([
    ['a name before a distinguished name', `jane,${BOARD}`, 'mixes', []],
    ['a name after it', `${BOARD},jane`, 'mixes', []],
    ['two distinguished names', `${BOARD},${BOARD};jane`, 'mixes', ['jane']],
    ['an open quote', 'jane,"bob', 'not closed', []],
    ['a control character', 'jane,b\u0000b', 'control character', ['jane']],
    ['a soft hyphen', 'jane,in\u00adterns', '"in\\u{00AD}terns" contains an invisible', ['jane']],
    ['a blank without width', 'jane,hr\u200b', 'invisible', ['jane']],
    ['a joiner between Latin letters', 'jane,h\u200dr', 'invisible', ['jane']],
    ['a mark of the direction', 'jane,\u202ehr\u2069', 'invisible', ['jane']],
    ['a letter without a shape', 'jane,h\u3164r', 'invisible', ['jane']],
    ['bytes that are no text', 'jane,b\uFFFDb', 'not valid text', ['jane']],
    ['a long name', `${'x'.repeat(256)},${'y'.repeat(257)},z`, 'more than 256', ['x'.repeat(256), 'z']],
  ])('are left out with a problem: %s', (_, text, problem, names) => {
    expect(parsePrincipals(text)).toEqual({ names, problem: expect.stringContaining(problem) });
  });

  it('are at most 1,000', () => {
    const names = Array.from({ length: 1_500 }, (_, i) => `p${i}`);
    expect(parsePrincipals(names.slice(0, 1_000).join()).problem).toBeUndefined();
    expect(parsePrincipals(names.join())).toEqual({
      names: names.slice(0, 1_000),
      problem: expect.stringContaining('more than 1000'),
    });
  });
});
