import { expect, it } from 'vitest';
import { selector } from './expressions.js';

const isValid = (text: string): boolean => 'value' in selector.parse(text);

it('a selector with a doubled dot or # is refused: css-what reads the second one as part of the name', () => {
  expect(['h2..chapter', 'main ##top', 'p:not(..note)', '.#x'].map(isValid)).toEqual([false, false, false, false]);
  const valid = ['h2.chapter', '#top.note', 'a[href$="..pdf"]', '.\\.name', '[data-x="a##b"]', 'p:not(.note)'];
  expect(valid.map(isValid)).toEqual(valid.map(() => true));
});

it('a selector that css-what accepts, but that matches nothing or everything inside another, is refused', () => {
  const slips = [
    'main >',
    '> p',
    'p, div ~',
    '(p',
    '@media',
    'ma!n',
    ':not(> a)',
    ':is(p >)',
    ':has(p >)',
    ':has(:is(> p))',
  ];
  expect(slips.map(isValid)).toEqual(slips.map(() => false));
  const valid = ['div:has(> p)', ':has(+ p, ~ a)', 'my-tag > *', ':scope > p', 'p:not(:has(> a))', 'größe', '.\\!mt'];
  expect(valid.map(isValid)).toEqual(valid.map(() => true));
});
