import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseBrowserLoginSteps } from './browser-login-steps.js';

it('steps of every kind are read', () => {
  const text =
    'click? #accept ;; goto https://a.example/login; fill input[name=u] with user; fill "with it" with the.code; click .go;wait #in; wait 1.5';
  expect(parseBrowserLoginSteps(text)).toEqual([
    { do: 'click', select: '#accept', isOptional: true },
    { do: 'goto', url: 'https://a.example/login' },
    { do: 'fill', select: 'input[name=u]', field: 'user' },
    { do: 'fill', select: '"with it"', field: 'the.code' },
    { do: 'click', select: '.go', isOptional: false },
    { do: 'wait', select: '#in' },
    { do: 'pause', time: 1_500 },
  ]);
});

it.each([
  '',
  ' ; ',
  'click',
  'press Enter',
  'goto javascript:alert(1)',
  'goto /login',
  'goto app+https://a.example/login',
  'fill #user',
  'fill with user',
  'fill #user with ',
  'wait 0',
  'wait 31',
  Array(31).fill('click a').join(';'),
])('what is no step is an error: %s', (text) => {
  expect(parseBrowserLoginSteps(text)).toHaveProperty('problem');
});

it('no text makes the parser throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseBrowserLoginSteps(text)));
});
