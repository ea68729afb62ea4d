import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findTitle } from './page-title.js';

const page = { title: '', metas: [] };
const og = { name: 'og:title', value: ' Shared ' };

it.each([
  ['the title, if there is one', { ...page, title: 'Own', metas: [og], firstHeading: 'H' }, { title: 'Own' }],
  ['og:title', { ...page, metas: [{ name: 'dc.title', value: 'D' }, og] }, { title: 'Shared', source: 'og:title' }],
  [
    'the first value that is not blank',
    { ...page, metas: [{ ...og, value: ' ' }, og] },
    { title: 'Shared', source: 'og:title' },
  ],
  [
    'the headline of JSON-LD',
    { ...page, structured: [{ name: 'jsonld.headline', value: 'L' }], firstHeading: 'H' },
    { title: 'L', source: 'jsonld.headline' },
  ],
  ['the first heading', { ...page, title: ' ', firstHeading: 'H' }, { title: 'H', source: 'h1' }],
  ['nothing', page, { title: '' }],
])('the title of a page is %s', (_, content, found) => expect(findTitle(content, '/a')).toEqual(found));

const named = (title: string, siteName: string) => ({ title, metas: [{ name: 'og:site_name', value: siteName }] });

it.each([
  ['Vacuum | Heron', 'Heron', 'Vacuum'],
  ['Vacuum|Heron', 'Heron', 'Vacuum'],
  ['Vacuum - HERON', ' heron ', 'Vacuum'],
  ['Vacuum – Heron', 'Heron', 'Vacuum'],
  ['Vacuum — Heron', 'Heron', 'Vacuum'],
  ['Vacuum · Heron', 'Heron', 'Vacuum'],
  ['Vacuum :: Heron', 'Heron', 'Vacuum'],
  ['Heron - Vacuum', 'Heron', 'Vacuum'],
  ['Vacuum - SQL - Heron', 'Heron', 'Vacuum - SQL'],
  ['Vacuum - Heron - Docs', 'Heron - Docs', 'Vacuum'],
  ['Ｈeron | Heron', 'Heron', 'Ｈeron'],
  ['Vacuum-Heron', 'Heron', undefined],
  ['Vacuum: Heron', 'Heron', undefined],
  ['All about the Heron', 'Heron', undefined],
  ['Vacuum - Herons', 'Heron', undefined],
  ['Heron', 'Heron', undefined],
  ['… | Heron', 'Heron', undefined],
  ['Vacuum | ', '', undefined],
])('of %j on the site %j, the title is %j', (title, siteName, shorter) => {
  const found = findTitle(named(title, siteName), '/docs/vacuum.html');
  expect(found).toEqual(shorter === undefined ? { title } : { title: shorter, full: title });
});

it.each(['/', '/en', '/de-AT/', '/index.html', '/en/index.php'])(
  'the home page %s keeps the name of its site',
  (path) =>
    expect(findTitle(named('Heron | Tall and patient', 'Heron'), path)).toEqual({ title: 'Heron | Tall and patient' }),
);

it('the name of the site is also that of its application, of its JSON-LD, and applies to a derived title', () => {
  const metas = [{ name: 'application-name', value: 'Heron' }];
  expect(findTitle({ title: 'Vacuum | Heron', metas }, '/a').title).toBe('Vacuum');
  expect(findTitle({ title: 'Vacuum | Heron', metas: [], siteNames: ['Heron'] }, '/a').title).toBe('Vacuum');
  const derived = [...metas, { name: 'og:title', value: 'Vacuum | Heron' }];
  expect(findTitle({ title: '', metas: derived }, '/a')).toEqual({
    title: 'Vacuum',
    source: 'og:title',
    full: 'Vacuum | Heron',
  });
});

it('any title of any site is shortened in time, to a part of itself that is not blank', () => {
  const piece = fc.oneof(fc.constantFrom(' | ', '|', ' - ', ' :: ', 'Heron', ' '), fc.string());
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, text, (title, siteName) => {
      const found = findTitle(named(title, siteName), '/a');
      expect(title).toContain(found.title);
      expect(found.title.trim() === '').toBe(title.trim() === '');
    }),
  );
  const long = `${'a | '.repeat(4_000)}Heron`;
  expect(findTitle(named(long, 'Heron'), '/a').title).toHaveLength(long.length - 8);
});
