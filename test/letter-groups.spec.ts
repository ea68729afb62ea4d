/** The letter groups of the built program, which are packed, are those of the package. */
import { eld } from 'eld/extrasmall';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const script = new URL('../scripts/letter-groups.mjs', import.meta.url).href;
const { packLetterGroups, unpack } = (await import(script)) as {
  packLetterGroups(groups: Groups): string;
  unpack: string;
};

type Groups = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What the bundled program evaluates. */
function unpackGroups(groups: Groups): Groups {
  return new Function(`${unpack}\nreturn unpack(${packLetterGroups(groups)});`)() as Groups;
}

describe('packed letter groups', () => {
  const group = fc.string({ unit: fc.constantFrom(...'aLü_\\\0 |>é'), minLength: 1, maxLength: 6 });
  const scores = fc.dictionary(fc.nat(62).map(String), fc.nat(4_000), {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  });
  const groups = fc.dictionary(
    group.filter((name) => !name.endsWith('\0')),
    scores,
    { minKeys: 1 },
  );

  it('have the scores of each group, and none of others', () => {
    fc.assert(
      fc.property(groups, fc.array(group), (expected, others) => {
        const packed = unpackGroups(expected);
        for (const name of [...Object.keys(expected), ...others, 'constructor', '', 'a\0'])
          expect(packed[name]).toEqual(Object.hasOwn(expected, name) ? expected[name] : undefined);
      }),
    );
  });

  it('give the built program the results of the package', async () => {
    const { letterGroups } = (await import(
      new URL('../dist/program/letter-groups.js', import.meta.url).href
    )) as typeof import('../src/adapters/parsers/letter-groups.js');
    const texts = [
      'Das ist ein Satz.',
      'Le chat est parti',
      'Быстрая лиса',
      'हिंदी में',
      'to constructor from __proto__',
      '',
    ];
    for (const text of texts) expect(letterGroups.detect(text).getScores()).toEqual(eld.detect(text).getScores());
  });
});
