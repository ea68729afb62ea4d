import { describe, expect, it } from 'vitest';
import { compareTexts } from './compare-texts.js';

describe('two texts of one page', () => {
  it('are compared by sentences and lines, in their order', () => {
    const sent = 'Shop. Please turn on JavaScript!\nImprint';
    const rendered = 'Shop. Oak table. Pine chair.\nImprint';
    expect(compareTexts(sent, rendered)).toEqual({
      added: ['Oak table.', 'Pine chair.'],
      lost: ['Please turn on JavaScript!'],
    });
  });

  it('report how often a part occurs', () => {
    expect(compareTexts('Buy.', 'Buy. Buy.')).toEqual({ added: ['Buy.'], lost: [] });
  });

  it('keep the comparison within bounds', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `Sentence ${n}.`).join(' ');
    expect(compareTexts('', many).added).toHaveLength(1_000);
    const [first] = compareTexts('', 'x'.repeat(1_000)).added;
    expect(first).toHaveLength(400);
  });
});
