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
])('the title of a page is %s', (_, content, found) => expect(findTitle(content)).toEqual(found));
