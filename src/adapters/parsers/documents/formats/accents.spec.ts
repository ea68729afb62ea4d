import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, composeAccent, isPrintedOn, joinAccents } from './accents.js';

/**
 * Lower-case letters are 5 points high and wide, capitals 7; an accent begins one point above. `~` stands for a
 * generated space.
 */
function joined(
  text: string,
  boxes: (index: number, character: string) => Box | undefined,
  fontSize: (index: number) => number = () => 10,
): string {
  const texts = [...text].map((character) => (character === '~' ? ' ' : character));
  joinAccents({
    texts,
    getBox: (index) => (texts[index] === undefined ? undefined : boxes(index, [...text][index]!)),
    isGenerated: (index) => [...text][index] === '~',
    getFontSize: fontSize,
  });
  return texts.join('');
}
const letter = (left: number, line = 0): Box => ({ left, right: left + 5, bottom: line, top: line + 5 });
const accentOver = (box: Box): Box => ({
  left: box.left + 1,
  right: box.right - 1,
  bottom: box.top + 1,
  top: box.top + 2,
});

describe('an accent that is printed by itself', () => {
  it('is joined to the letter below it, and the gap in the word closes', () => {
    const boxes = [letter(0), undefined, accentOver(letter(5)), undefined, letter(5), letter(10)];
    expect(joined('f~\u00a8~ur', (index) => boxes[index])).toBe('f\u00fcr');
  });

  it('is joined to a letter far from it in the text, and words stay separate', () => {
    const boxes = [letter(0), letter(5), letter(10), undefined, accentOver(letter(5)), undefined, letter(18)];
    expect(joined('fur~\u00a8~d', (index) => boxes[index])).toBe('f\u00fcr  d');
  });

  it('stays where it is when no letter, or no suitable letter, is below it', () => {
    const beside = [letter(0), accentOver(letter(20)), letter(5)];
    expect(joined('a\u00a8u', (index) => beside[index])).toBe('a\u00a8u');
    const below = [letter(0), accentOver(letter(0, 40))];
    expect(joined('u\u00a8', (index) => below[index])).toBe('u\u00a8');
    const taken = [letter(0), accentOver(letter(0))];
    expect(joined('q\u00a8', (index) => taken[index])).toBe('q\u00a8');
  });

  it('stays where it is when its size differs, as with an initial', () => {
    const boxes = [accentOver(letter(0)), letter(0)];
    const sized = (size: number) =>
      joined(
        '\u00b4a',
        (index) => boxes[index],
        (index) => (index === 0 ? 10 : size),
      );
    expect(sized(40)).toBe('\u00b4a');
    expect(sized(12)).toBe('\u00e1');
  });

  it('joins accents below letters to their lower edge, and an accent to a dotless i', () => {
    const c = letter(0);
    expect(isPrintedOn('\u00b8', { left: 1, right: 3, bottom: -2, top: 0 }, c)).toBe(true);
    expect(isPrintedOn('\u00b8', accentOver(c), c)).toBe(false);
    expect(composeAccent('\u00b4', '\u0131')).toBe('\u00ed');
    expect(composeAccent('\u00a8', 'q')).toBeUndefined();
  });

  it('changes no text without accents, and never loses a letter', () => {
    const number = fc.integer({ min: -20, max: 20 });
    const box = fc.option(fc.record({ left: number, right: number, bottom: number, top: number }), { nil: undefined });
    const characters = fc.array(fc.tuple(fc.constantFrom(...'aeu\u0131Uq~ \u00a8\u00b4`'), box), { maxLength: 30 });
    fc.assert(
      fc.property(characters, (list) => {
        const text = list.map(([character]) => character).join('');
        const after = joined(text, (index) => list[index]?.[1]);
        const letters = (of: string): string =>
          of
            .normalize('NFD')
            .replace(/[^A-Za-z\u0131]/g, '')
            .replaceAll('\u0131', 'i');
        expect(letters(after)).toBe(letters(text));
        if (!/[\u00a8\u00b4`]/.test(text)) expect(after).toBe(text.replaceAll('~', ' '));
      }),
    );
  });
});
