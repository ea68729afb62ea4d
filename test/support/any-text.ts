import fc from 'fast-check';

/** Any code point but halves of surrogate pairs. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

/** Names of what every object has. */
const INHERITED = ['__proto__', 'constructor', 'hasOwnProperty', 'isPrototypeOf', 'toString', 'valueOf'];

/** Like fast-check's strings with the unit `binary`, which lists all million code points before the first one. */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const text = fc.string({ unit: character, maxLength });
  const names = INHERITED.filter(({ length }) => length <= maxLength);
  return names.length === 0
    ? text
    : fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...names) });
}
