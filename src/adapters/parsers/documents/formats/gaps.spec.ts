import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Box } from './accents.js';
import { type Glyphs, joinLetterspacedWords, separateWords } from './gaps.js';

/**
 * Characters are 5 points wide and 10 high. `|` is a gap of `gap` points, and `~` one that PDFium takes for a space.
 */
function line(written: string, gap: number): Glyphs {
  const texts: string[] = [];
  const boxes: Box[] = [];
  let left = 0;
  for (const character of written) {
    if (character === '|' || character === '~') left += gap;
    if (character === '|') continue;
    const right = /[~ ]/.test(character) ? left : left + 5;
    texts.push(character === '~' ? ' ' : character);
    boxes.push({ left, right, bottom: 0, top: 10 });
    left = character === ' ' ? left + 3 : right;
  }
  const generated = [...written.replaceAll('|', '')].map((character) => character === '~');
  return glyphs(texts, boxes, (index) => generated[index]!);
}

function glyphs(texts: string[], boxes: readonly Box[], isGenerated = (_: number) => false): Glyphs {
  const box = (index: number): Box | undefined => boxes[index];
  const advances = Float32Array.from(
    boxes.flatMap(({ left, top, right, bottom }, index) => [
      /\s/.test(texts[index]!) ? Number.NaN : left,
      top,
      right,
      bottom,
    ]),
  );
  return { texts, advances, getInkBox: box, size: () => 10, angle: () => 0, isGenerated };
}

const parted = (of: Glyphs): string => {
  separateWords(of);
  return of.texts.join('');
};
const joined = (of: Glyphs): string => {
  joinLetterspacedWords(of);
  return of.texts.join('');
};

const at = (left: number, bottom: number, size = 10): Box => ({
  left,
  right: left + size / 2,
  bottom,
  top: bottom + size,
});

describe('words that PDFium joins', () => {
  it('are separated where the gap is wider than a tenth of the font size', () => {
    expect(parted(line('odio aliquet|magna', 1.35))).toBe('odio aliquet magna');
    expect(parted(line('aliquet|magna', 0.8))).toBe('aliquetmagna');
  });

  it('are not separated in letterspaced words, or where letters are set into columns', () => {
    expect(parted(line('m|a|g|n|a', 2))).toBe('magna');
    const boxes = [at(0, 0), at(8, 0), at(11, 0), at(16, 0), at(25, 0), at(27, 0)];
    expect(parted(glyphs([...'places'], boxes))).toBe('places');
  });

  it('are separated in columns that are too far apart for a letterspaced word', () => {
    expect(parted(line('0|1|2|3', 15))).toBe('0 1 2 3');
    expect(parted(line('a|b|cd|e', 15))).toBe('a b cd e');
    expect(parted(glyphs([...'1245'], [at(0, 0), at(5, 0), at(22, 0), at(30, 0)]))).toBe('12 45');
  });

  it('may be numbers, whose groups have thin spaces', () => {
    expect(parted(line('10|000', 1.7))).toBe('10000');
    expect(parted(line('10|000', 2.5))).toBe('10 000');
  });

  it('are separated in scripts without spaces only where another script begins', () => {
    expect(parted(line('\u8a66\u5377|\u8a66\u5377|A', 1.5))).toBe('\u8a66\u5377\u8a66\u5377 A');
  });

  it('are separated at a line end and in a column, but not where a letter is only raised', () => {
    expect(parted(glyphs([...'tog'], [at(0, 20), at(5, 20), at(0, 13)]))).toBe('to g');
    expect(parted(glyphs([...'dis-t'], [at(0, 20), at(5, 20), at(10, 20), at(15, 20), at(0, 13)]))).toBe('dist');
    expect(parted(glyphs([...'012'], [at(0, 0), at(0, 17), at(0, 34)]))).toBe('0 1 2');
    expect(parted(glyphs([...'LaT'], [at(0, 0, 12), at(2, 2.5, 8), at(5, 0, 12)]))).toBe('LaT');
  });

  it('are separated from the number of a footnote before them', () => {
    expect(parted(glyphs([...'1so'], [at(0, 5, 6), at(3, 0), at(8, 0)]))).toBe('1 so');
    expect(parted(glyphs([...'x1so'], [at(0, 0), at(5, 5, 6), at(8, 0), at(13, 0)]))).toBe('x1so');
  });

  it('lose no character, whatever the page looks like', () => {
    const number = fc.integer({ min: -20, max: 40 });
    const box = fc.record({ left: number, right: number, bottom: number, top: number });
    const characters = fc.array(fc.tuple(fc.constantFrom(...'aZ1\u8a66 \n'), box), { maxLength: 30 });
    fc.assert(
      fc.property(characters, (list) => {
        const text = list.map(([character]) => character);
        const of = glyphs(
          [...text],
          list.map(([, place]) => place),
          (index) => text[index] === ' ',
        );
        const letters = (written: string): string => written.replace(/\s/g, '');
        expect(letters(parted(of))).toBe(letters(text.join('')));
        expect(letters(joined(of))).toBe(letters(text.join('')));
      }),
    );
  });
});

describe('a letterspaced word that PDFium splits', () => {
  it('is joined, and the words beside it are not', () => {
    expect(joined(line('begin s~h~o~w a', 0.9))).toBe('begin show a');
    expect(joined(line('{s~h~o~w} {n~o~w~h~e~r~e}', 1.7))).toBe('{show} {nowhere}');
  });

  it('is joined where only some of its gaps are spaces for PDFium', () => {
    expect(joined(line('C|l|a|s|s~i|f~i|c|a|t~i|o|n and', 2.5))).toBe('Classification and');
  });

  it('is not assumed if the gaps are those of words, the spaces are in the text, or there are few letters', () => {
    expect(joined(line('a~b~c~d', 1.9))).toBe('a b c d');
    expect(joined(line('are~a~b~c~d~here', 1.7))).toBe('are a b c d here');
    expect(joined(line('1~2~3~4', 1.1))).toBe('1 2 3 4');
    expect(joined({ ...line('a~b~c~d', 0.9), isGenerated: () => false })).toBe('a b c d');
    expect(joined(line('a~b~c', 0.9))).toBe('a b c');
    expect(joined(line('\u8a66~\u5377~\u8a66~\u5377', 0.9))).toBe('\u8a66 \u5377 \u8a66 \u5377');
  });

  it('ends where the letters are larger or on another line', () => {
    const off = [at(0, 0), at(6, 0), at(12, 0), at(0, 0)];
    const isGenerated = (index: number): boolean => index === 3;
    const larger = [at(18, 0, 20), at(29, 0, 20), at(40, 0, 20)];
    expect(joined(glyphs([...'off any'], [...off, ...larger], isGenerated))).toBe('off any');
    const below = [at(18, -9), at(24, -9), at(30, -9)];
    expect(joined(glyphs([...'off any'], [...off, ...below], isGenerated))).toBe('off any');
  });
});
