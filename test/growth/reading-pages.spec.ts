/**
 * What `cw:Content` asks for takes time in proportion to the page, whatever the page is like. Selectors have a spec that counts
 * their steps; what works on whole texts can only be measured.
 */
import { expect, it } from 'vitest';
import { ContentReader } from '../../src/adapters/parsers/content/content-reader.js';
import type { ContentDefinition, FieldDefinition } from '../../src/domain/content/content-definition.js';
import { compileFields } from '../../src/domain/content/fields.js';
import { toCrawlUrl } from '../../src/domain/url/crawl-url.js';
import { findSuperlinear } from './cpu-growth.js';

const PLACE = { file: 'f', line: 1, column: 1 };
const NOTHING: ContentDefinition = {
  include: [],
  exclude: [],
  markers: [],
  main: false,
  omitRepeated: false,
  metas: false,
  fields: [],
  headings: false,
  markdown: false,
  changeDetection: 'content',
  place: PLACE,
};
const field = (source: FieldDefinition['source'], match?: string): FieldDefinition => ({
  name: 'f',
  source,
  type: 'text',
  multiple: true,
  place: PLACE,
  ...(match === undefined ? {} : { match }),
});

type Option = Exclude<keyof ContentDefinition, 'name' | 'place' | 'changeDetection'>;

/** A new option does not compile without a line here. */
const OPTIONS: Readonly<Record<Option, readonly Partial<ContentDefinition>[]>> = {
  include: [{ include: ['b, p ~ p'] }],
  exclude: [{ exclude: ['p, b, li, td'] }, { exclude: ['div'] }],
  markers: [{ markers: ['googleoff', 'nosnippet', 'elastic', 'swiftype', 'noindex'] }],
  main: [{ main: true }],
  omitRepeated: [{ omitRepeated: true }],
  metas: [{ metas: true }],
  fields: [
    { fields: [field({ kind: 'select', selector: 'div, b, p, table' })] },
    { fields: [field({ kind: 'select', selector: '*', attribute: 'class' })] },
    { fields: [field({ kind: 'jsonld', path: 'a.b' })] },
    { fields: [field({ kind: 'select', selector: 'body, div' }, 'a.*b|a|x')] },
  ],
  split: [{ split: { selector: 'h1, h2, section', id: 'id' } }, { split: { selector: 'p', id: 'id' } }],
  headings: [{ headings: true }],
  markdown: [{ markdown: true }],
  chunks: [
    { chunks: { size: 100, overlap: 0, unit: 'tokens' } },
    { chunks: { size: 100, overlap: 50, unit: 'characters' } },
  ],
};

/** Pages of about `size` characters. How deeply they are nested does not grow: it has a limit, here nearly reached. */
const PAGES: Readonly<Record<string, (size: number) => string>> = {
  'a text without spaces': (size) => `<p>${'a'.repeat(size)}`,
  'a text in Chinese': (size) => `<p>${'漢'.repeat(size)}`,
  words: (size) => `<p>${'word '.repeat(size / 5)}`,
  'characters of markup': (size) => `<p>${'<&*_`'.repeat(size / 5)}`,
  'spaces of all kinds': (size) => `<p>${'\u00a0 \n'.repeat(size / 3)}`,
  'nested tables': (size) =>
    `${'<table><tr><td>x<td>'.repeat(100)}${'y '.repeat(size / 2)}${'</table>'.repeat(100)}${'z'.repeat(size / 2)}`,
  'nested tables for layout': (size) => `${'<table><tr><td>'.repeat(400)}${'y '.repeat(size / 2)}`,
  'a table with many rows': (size) => `<table>${'<tr><td>x<td>y</tr>'.repeat(size / 20)}`,
  'nested elements': (size) => `${'<div>x'.repeat(400)}${'y '.repeat(size / 2)}`,
  'nested marks': (size) => `${'<b><i>x'.repeat(200)}${'y '.repeat(size / 2)}`,
  'nested links': (size) => `${'<a href=/x><i>'.repeat(200)}${'y '.repeat(size / 2)}`,
  'inline elements around blocks': (size) => `${'<span>'.repeat(400)}${'<b>y</b>'.repeat(size / 8)}<div>x</div>`,
  'end tags that fit nothing': (size) =>
    `${'<i>'.repeat(size / 8)}<section>${'</i></u></x-y>'.repeat(size / 28)}${'<a href=x><div></a>'.repeat(size / 80)}y`,
  'nested lists and quotations': (size) => `${'<ul><li>x<blockquote><dl><dd>'.repeat(80)}${'y<br>'.repeat(size / 5)}`,
  'nested headers': (size) => `${'<header>'.repeat(400)}${'<br>'.repeat(size / 5)}<h1>x</h1>`,
  'many headings': (size) => '<h1>x</h1>y'.repeat(size / 11),
  'many empty headings': (size) => `${'<h1></h1>'.repeat(size / 9)}x`,
  'nested headings': (size) => `${'<h1><div>'.repeat(200)}${'y '.repeat(size / 2)}`,
  'many sections': (size) =>
    Array.from({ length: size / 40 }, (_, index) => `<section id=${index}>x</section>`).join(''),
  'headings between sections': (size) =>
    `<div>${['', '<h2>a b</h2><p>x</p>'.repeat(size / 20), ''].map((one) => one || `<div>${`<p>${'word, '.repeat(40)}</p>`.repeat(9)}</div>`).join('')}</div>`,
  siblings: (size) => `<h2>x</h2>${'<p>a</p>'.repeat(size / 8)}`,
  'microdata in each other': (size) => `<div itemscope>${'<div itemprop=a>'.repeat(400)}${'y '.repeat(size / 2)}`,
  'many items': (size) => '<div itemscope><b itemprop=a>x</b></div>'.repeat(size / 40),
  'nested captions': (size) => `${'<figure><figcaption>'.repeat(200)}${'<b></b>'.repeat(size / 7)}`,
  'nested boxes': (size) => `${'<aside>'.repeat(400)}${'<aside>x</aside>'.repeat(size / 16)}`,
  'paragraphs in many elements': (size) => `${'<div>'.repeat(400)}${`<p>${'word, '.repeat(20)}`.repeat(size / 123)}`,
  'paragraphs without anything around them': (size) => `<p>${'word, '.repeat(20)}`.repeat(size / 123),
  'introductions before nested elements': (size) =>
    `${`<div><p>${'word, '.repeat(20)}</p>`.repeat(200)}${`<i>x</i><p>${'word, '.repeat(9)}`.repeat(size / 70)}`,
  markers: (size) => '<!--googleoff: index-->x<!--googleon: index-->y'.repeat(size / 48),
  'nested markers': (size) => `${'<div data-nosnippet>'.repeat(400)}${'y '.repeat(size / 2)}`,
  'many signs of JSON-LD': (size) => 'ld+json '.repeat(size / 8),
  'JSON-LD with comments': (size) =>
    `<script type="application/ld+json">[${'/*"*/{"a":"//\n"},//'.repeat(size / 19)}</script>`,
  'line breaks': (size) => `<div>${'# <br>'.repeat(size / 6)}`,
  'long JSON-LD': (size) => `<script type="application/ld+json">[${'{"a":[{"b":1}]},'.repeat(size / 16)}0]</script>`,
};

const SIZE = 80_000;
const FACTS = { url: toCrawlUrl('http://a.test/'), base: 'http://a.test/', metas: [] };

const cases = Object.entries(OPTIONS).flatMap(([option, definitions]) =>
  definitions.map((definition, index) => [`${option} ${index + 1}`, definition] as const),
);

it.each(cases)('%s', async (_, definition) => {
  const reader = new ContentReader({ ...NOTHING, ...definition });
  const readFields = compileFields(definition.fields ?? []);
  const read = (html: string): void => {
    const { found } = reader.read({
      utf8: Buffer.from(html),
      xml: false,
      base: FACTS.base,
      maxTextLength: 4_000_000,
      hasMarkers: true,
      showsCut: false,
    });
    readFields({ ...FACTS, found });
  };
  expect(await findSuperlinear(PAGES, read, SIZE)).toEqual([]);
});
