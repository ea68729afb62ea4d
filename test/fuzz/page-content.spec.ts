/** What pages say in other forms than text: Markdown has the words of the text, and structured data has the values that were written. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { MARKERS_ONLY } from '../../src/domain/content/content-definition.js';
import { type Extraction, isRefusal } from '../../src/engine/ports/content-extractor.js';
import { anyText } from '../support/any-text.js';

const SETTINGS = { numRuns: 60, seed: 20_261_128 };

const extractor = createPageReader().findExtractor('text/html');

function read(html: string, isMain = false): Extraction {
  if (extractor?.kind !== 'sync') throw new Error('pages are read at once');
  const content = { ...MARKERS_ONLY, main: isMain, markdown: true };
  const context = { url: 'http://a.example/', contentType: 'text/html; charset=utf-8', content, wantsMetas: true };
  const result = extractor.extract(Buffer.from(html), 'text/html', {
    ...context,
    maxLinks: 100,
    maxTextLength: 1_000_000,
  });
  if (isRefusal(result)) throw new Error(result.detail);
  return result;
}

const NAMES = 'p div h1 h2 h6 ul ol li blockquote pre code a b em del br hr span dl dt dd section img sub';
const TAGS = NAMES.split(' ').flatMap((name) => [`<${name}>`, `</${name}>`]);
const MARKS = '* _ ` ``` ~ # 1. - > | \\ [ ]( ! &lt; &amp; &#10;'.split(' ').flatMap((mark) => [mark, `${mark} `]);
const TABLES = [
  '<table><caption>heron1</caption><tr><th>heron2<th>a | b<tr><td>heron3</table>',
  '<table><tr><td>heron4</table>',
];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TAGS) },
  { weight: 3, arbitrary: fc.nat({ max: 999 }).map((number) => ` heron${number} `) },
  { weight: 2, arbitrary: fc.constantFrom(...MARKS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('<a href="/x y)">', '<img alt="a ] b" src="(">', '<ol start="7">', '\n', ' ', ...TABLES),
  },
  { weight: 1, arbitrary: anyText(3) },
);
const body = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
/** Links in code follow it once more. */
const wordsOf = (text: string | undefined): string[] => [...new Set(text?.match(/heron\d+/g))].sort();

it('Markdown has the words of the text', () => {
  fc.assert(
    fc.property(body, fc.boolean(), (html, isMain) => {
      const { text, markdown } = read(html, isMain);
      expect(wordsOf(markdown)).toEqual(wordsOf(text));
    }),
    SETTINGS,
  );
});

const plain = fc.string({ unit: fc.constantFrom(...'aZ9 "\'\\/<>&*{}[]:,\u00e9\u8a66'), minLength: 1, maxLength: 30 });
const noise = fc.constantFrom('', ' ', '\n', '/* a "b" */', '// c\n', '\t', '\u0001', '<!-- ');
const toScript = (json: string): string => `<script type="application/ld+json">${json}</script>`;

it('JSON-LD has the values that were written, also between comments and control characters', () => {
  fc.assert(
    fc.property(plain, plain, noise, noise, (headline, author, before, after) => {
      const quote = (text: string): string => JSON.stringify(text).replaceAll('<', '\\u003c');
      const json = `${before}{"@type":"Article",${after === '<!-- ' ? '' : after}"headline":${quote(headline)},"author":{"name":${quote(author)}}}`;
      const values = new Map((read(toScript(json)).structured ?? []).map(({ name, value }) => [name, value]));
      if (headline.trim() !== '') expect(values.get('jsonld.headline')).toBe(headline.trim());
      if (author.trim() !== '') expect(values.get('jsonld.author.name')).toBe(author.trim());
    }),
    SETTINGS,
  );
});

const PROPERTIES = [
  '<div itemscope>',
  '<div itemscope itemtype="https://schema.org/Event">',
  '</div>',
  '<b itemprop="name">',
];
const DATA = [
  '{',
  '}',
  '[',
  ']',
  '"a"',
  ':',
  ',',
  '"@graph":',
  '"@type":"Article"',
  'null',
  '1e999',
  '/*',
  '//',
  '<!--',
];
const METAS = [
  '<meta property="og:title" content="',
  '<meta name=author content=',
  '<meta itemprop=name content="x">',
  '">',
];
const data = fc.constantFrom(
  ...DATA,
  ...PROPERTIES,
  ...METAS,
  '<script type="application/ld+json">',
  '</script>',
  'x ',
  '<b itemprop="a a b" itemscope>',
);

it('structured data comes to an end within its limits, whatever it is', () => {
  fc.assert(
    fc.property(fc.array(data, { maxLength: 80 }), (pieces) => {
      const { metas, structured = [] } = read(pieces.join(''));
      expect(metas.length).toBeLessThanOrEqual(500);
      expect(structured.length).toBeLessThanOrEqual(120);
      for (const { name, value } of [...metas, ...structured])
        expect([typeof name, typeof value]).toEqual(['string', 'string']);
    }),
    SETTINGS,
  );
});
