import { expect, it } from 'vitest';
import { countSmallWords } from './small-words.js';

it('the best language is the one with the most words, and the next best one if that is left out', () => {
  const { findBest, scoreOf } = countSmallWords(
    'nicht der hund und die katze sind im haus, maar die hond en die perd was nie daar nie',
  );
  expect(findBest(new Set())).toBe('de');
  const second = findBest(new Set(['de']));
  expect(second).toBe('af');
  expect(scoreOf('af')).toBeLessThan(scoreOf('de'));
});
