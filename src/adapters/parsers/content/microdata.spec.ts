import { expect, it } from 'vitest';
import { collectMetas, findJsonLdItems } from './json-ld.js';
import { findMicrodataItems, hasMicrodata } from './microdata.js';
import { parseTree } from './tree.js';

const metas = (html: string) =>
  collectMetas(findMicrodataItems(parseTree(Buffer.from(html), false).elements, 'http://a/b/'), 'microdata').map(
    ({ name, value }) => `${name}=${value}`,
  );

it('flattens items, with values by element type and nested items under their property', () => {
  expect(
    metas(`<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>The <b>anvil</b></h1>
      <img itemprop=image src=i.png><time itemprop=releaseDate datetime=2024-05-01>May</time>
      <div itemprop=offers itemscope itemtype="http://schema.org/Offer"><b itemprop="price" content="12.5">12,50</b>
      <link itemprop=availability href="/InStock"></div><p itemprop="brand maker">Acme</p></div>`),
  ).toEqual([
    'microdata.type=Product',
    'microdata.name=The anvil',
    'microdata.image=http://a/b/i.png',
    'microdata.releasedate=2024-05-01',
    'microdata.offers.type=Offer',
    'microdata.offers.price=12.5',
    'microdata.offers.availability=http://a/InStock',
    'microdata.brand=Acme',
    'microdata.maker=Acme',
  ]);
});

it('is found in upper case, too, and so is JSON-LD', () => {
  expect(hasMicrodata(Buffer.from('<P ITEMSCOPE>'))).toBe(true);
  const page =
    '<SCRIPT TYPE="APPLICATION/LD+JSON">{"@type":"Book"}</SCRIPT><script type="application/ld+json">{"@type":"Map"}</script>';
  expect(findJsonLdItems(Buffer.from(page))).toEqual([{ '@type': 'Book' }, { '@type': 'Map' }]);
});

it.each([
  ['comments', '{/* by the shop */"@type":"Book", // the type\n"name":"a // b /* c */"}', 'a // b /* c */'],
  ['line ends in a string', '{"@type":"Book","name":"a\n\tb"}', 'a\n\tb'],
  ['control characters in a string', '{"@type":"Book",\x01"name":"a\x02b"}', 'a\x02b'],
  ['quotes in a string beside a comment', '{"@type":"Book","name":"\\"//\\\\"/* x */}', '"//\\'],
  ['a comment that XHTML needs', '//<![CDATA[\n{"@type":"Book","name":"a"}\n//]]>', 'a'],
  ['commas behind the last of a list, as templates write them', '{"@type":"Book","name":["a,]",\n],};', ['a,]']],
  ['such commas before comments', '{"@type":"Book","name":["a,,]",/* , */,],// ]\n};//]]>', ['a,,]']],
])('reads JSON-LD with %s', (_, json, name) => {
  const page = `<script type="application/ld+json">${json}</script>`;
  expect(findJsonLdItems(Buffer.from(page))).toEqual([{ '@type': 'Book', name }]);
});

it('is safe from endlessly nested items and from prototype names', () => {
  const deep = '<p itemscope itemprop=a>'.repeat(400);
  expect(metas(`<div itemscope><i itemprop=__proto__>x</i>${deep}</div>`)).toContain('microdata.__proto__=x');
  expect(hasMicrodata(Buffer.from('<p>nothing</p>'))).toBe(false);
});

it('limits the names of one property, and skips values with a name that is too long', () => {
  const names = Array.from({ length: 100_000 }, (_, i) => `n${i}`).join(' ');
  const { elements } = parseTree(Buffer.from(`<div itemscope><p itemprop="${names}">x</p></div>`), false);
  expect(Object.keys(findMicrodataItems(elements, 'http://a/')[0]!)).toHaveLength(20);
  let looked = 0;
  const value = {
    get name() {
      looked++;
      return 'x';
    },
  };
  expect(collectMetas([{ ['long'.repeat(100)]: value, short: value }])).toEqual([
    { name: 'jsonld.short.name', value: 'x' },
  ]);
  expect(looked).toBe(1);
});
