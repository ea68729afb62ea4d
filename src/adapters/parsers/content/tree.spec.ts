/** The tree against that of parse5, which follows the HTML standard to the letter; and where the two mean to differ. */
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { isComment, isElement, isText, type ParentNode } from './nodes.js';
import { extractReadableText } from './readable.js';
import { parseTree } from './tree.js';

type Shape = string | [name: string, attributes: Record<string, string>, content: Shape[]];

/** Pieces of text beside each other are one. */
function joinTexts(shapes: readonly Shape[]): Shape[] {
  const joined: Shape[] = [];
  for (const one of shapes)
    if (typeof one === 'string' && typeof joined.at(-1) === 'string') joined.push(`${joined.pop()}${one}`);
    else joined.push(one);
  return joined;
}

/** Elements with their attributes, and texts, without comments and declarations. */
const shape = ({ children }: ParentNode): Shape[] =>
  joinTexts(
    children.flatMap((child): Shape[] => {
      if (isText(child)) return [child.data];
      if (!isElement(child)) return [];
      const names = Array.from({ length: child.attributeCount }, (_, at) => child.getAttributeNameAt(at));
      const attributes = Object.fromEntries(names.map((name) => [name, child.getAttribute(name)!]));
      return [[child.name.toLowerCase(), attributes, shape(child)]];
    }),
  );

const shapeOfTheirs = (nodes: readonly DefaultTreeAdapterTypes.ChildNode[]): Shape[] =>
  joinTexts(
    nodes.flatMap((child): Shape[] => {
      if ('value' in child) return [child.value];
      if (!('tagName' in child)) return [];
      const attributes = Object.fromEntries(child.attrs.map(({ name, value }) => [name, value]));
      return [[child.tagName.toLowerCase(), attributes, shapeOfTheirs(child.childNodes)]];
    }),
  );

const START = '<!doctype html><body>';
const ours = (html: string, xml = false) => shape(parseTree(Buffer.from(html), xml).root);
function theirs(html: string): Shape[] {
  const [page] = shapeOfTheirs(parse(START + html).childNodes);
  const body = (page as Exclude<Shape, string>)[2][1];
  return (body as Exclude<Shape, string>)[2];
}

/** Elements that may be copied or moved, and those that parse5 adds. */
const NOT_COMPARED = new Set('a b font span tbody'.split(' '));

/** Each word with the names of the elements around it. */
const placeWords = (shapes: readonly Shape[], around = ''): string[] =>
  shapes.flatMap((one) => {
    if (typeof one === 'string') return (one.match(/w\d+/g) ?? []).map((word) => `${around} ${word}`);
    return placeWords(one[2], NOT_COMPARED.has(one[0]) ? around : `${around}>${one[0]}`);
  });

const attribute = fc.constantFrom(
  ...' a| a=1| a="1 &amp; 2"| a=\'"\'| A=2| b = "ü"| c=&uuml;d| a="x>y"| href=?a=1&copy=2'.split('|'),
);
const WORDS = ['word', ' ', 'ä&auml;', '&amp;', 'a < b', '<!--c-->', '<!-- > -->', '<!doctype html>', ' \n', '日本'];

/** Of `roots`, no end tags: they end their element whatever is inside, unlike in the standard. */
function pieces(names: string, ends: readonly string[], roots: string) {
  const name = fc.constantFrom(...names.split(' '));
  const start = fc.constantFrom(...`${names} ${roots}`.trim().split(' '));
  const piece = fc.oneof(
    fc
      .tuple(start, fc.array(attribute, { maxLength: 3 }), fc.constantFrom(...ends))
      .map(([tag, written, end]) => `<${tag}${written.join('')}${end}`),
    name.map((tag) => `</${tag}>`),
    fc.constantFrom(...WORDS),
  );
  return fc.array(piece, { maxLength: 30 }).map((list) => list.join(''));
}

it.each([
  ['tags', 'div section span SPAN x-y ul img image br script style textarea title noframes', ['>', '>', ' />'], ''],
  ['drawings', 'g path text div p', ['>', '/>'], 'svg foreignObject desc title'],
  ['formulas', 'mrow msup div p', ['>', '/>'], 'math mi mtext'],
] as const)('is that of the standard for any %s', (_, names, ends, roots) => {
  fc.assert(
    fc.property(pieces(names, ends, roots), (html) => {
      expect(ours(html)).toEqual(theirs(html));
    }),
    { numRuns: 5_000 },
  );
});

const BLOCKS = 'a b font p div ul ol li dl dt dd h1 h2 section article button pre span center'.split(' ');

/** Tables come in whole, since what is written between cells moves out of them. */
const { blocks } = fc.letrec<{ blocks: string[]; table: string[] }>((tie) => {
  const piece = fc.constantFrom(
    ...BLOCKS.flatMap((name) => [`<${name}>`, `</${name}>`]),
    ...Array(BLOCKS.length).fill('w'),
  );
  const cell = fc.constantFrom('<td>', '<th>', '<tr><td>', '<tbody><tr><td>', '<tfoot><tr><th>');
  const list = (...parts: fc.Arbitrary<string | string[]>[]) =>
    fc
      .array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, piece, ...parts), { maxLength: 30 })
      .map((all) => all.flat());
  return {
    blocks: list(piece, piece, tie('table')),
    table: list(piece, cell, tie('table')).map((all) => ['<table><tr><td>', ...all, '</td></tr></table>']),
  };
});

it('has each word in the elements in which the standard has it, for any blocks and tables', () => {
  fc.assert(
    fc.property(blocks, (all) => {
      const html = all.map((one, index) => (one === 'w' ? `w${index} ` : one)).join('');
      expect(placeWords(ours(html)), html).toEqual(placeWords(theirs(html)));
    }),
    { numRuns: 5_000 },
  );
});

/** The names of elements around each word, those of formatting too. */
const outline = (shapes: readonly Shape[]): string =>
  shapes.map((one) => (typeof one === 'string' ? one : `${one[0]}(${outline(one[2])})`)).join(' ');

describe('end tags that do not fit', () => {
  it.each([
    ['do not end blocks inside', '<span><article>1</span>2</article>3', 'span(article(12) 3)'],
    ['do not end what is outside of a cell', '<div><table><td>1</div>2</table>3</div>4', 'div(table(td(12)) 3) 4'],
    ['of a form leave its blocks open', '<form><p><div>1</form>2</div>3', 'form(p() div(12)) 3'],
    ['of a link in blocks end the link', '<div><a href=x><p>1</a>2</p>3</div>4', 'div(a(p(1)) p(2) 3) 4'],
    ['of an anchor leave its blocks whole', '<a name=x><p>1</a>2</p>3', 'a(p(12)) 3'],
    [
      'of a link around much are the end of it',
      `<a href=x>${'<div>'.repeat(11)}1</a>2`,
      `a(${'div('.repeat(11)}12${')'.repeat(11)})`,
    ],
    ['end what is for search engines', '<noindex><div>1</noindex>2', 'noindex(div(1)) 2'],
    ['end drawings', '<svg><desc><p>1</svg>2', 'svg(desc(p(1))) 2'],
    ['end what is for browsers without scripts', '<noscript><div>1</noscript>2', 'noscript(div(1)) 2'],
  ])('%s', (_, html, expected) => {
    expect(outline(ours(html))).toBe(expected);
  });

  it.each([
    ['another link begins', '<a href=x>1<a href=x>2</a>3', 'a(1) a(2) 3'],
    ['a cell begins', '<table><tr><td><font>1<td>2', 'table(tr(td(font(1)) td(2)))'],
    ['an item begins', '<ul><li><b>1<li>2</ul>', 'ul(li(b(1)) li(2))'],
    [
      'an option begins',
      '<select><optgroup><option>1<option>2<optgroup>3',
      'select(optgroup(option(1) option(2)) optgroup(3))',
    ],
    ['a page begins', '<head><div>1<body>2', 'head(div(1)) body(2)'],
  ])('are not needed where %s', (_, html, expected) => {
    expect(outline(ours(html))).toBe(expected);
  });
});

describe('by the HTML standard, as the scanner reads it', () => {
  it.each([
    ['a comment in a script hides its end tag', '<script><!--<script>a</script>b--></script>c', ['script', 'c']],
    ['an end tag may have attributes', 'a</p x=">">b', ['a', 'p', 'b']],
    ['what follows the end of a page is part of it', '<body><p>a</body><html><body>b</html>c', ['body']],
    ['CDATA outside of SVG is a comment', 'a<![CDATA[ x > y ]]>b', ['a y ]]>b']],
    ['an empty title in a drawing has no content', '<svg><title/><g>a</g></svg>b', ['svg', 'b']],
  ])('%s', (_, html, expected) => {
    const found = ours(html).map((one) => (Array.isArray(one) ? one[0] : one));
    expect(found).toEqual(expected);
  });

  it('in XHTML any tag may be empty, and CDATA is text', () => {
    expect(ours('<div/><script/>a<![CDATA[<b>]]>', true)).toEqual([['div', {}, []], ['script', {}, []], 'a<b>']);
  });
});

it('keeps comments that may be markers, and reports whether there is one', () => {
  const tree = (html: string) => parseTree(Buffer.from(html), false);
  const comments = (html: string) =>
    tree(html)
      .root.children.filter(isComment)
      .map(({ data }) => data);
  expect(comments('<!--googleoff: all--><!-- menu --><!--/robots--><!udmcomment>')).toEqual([
    'googleoff: all',
    '/robots',
    'udmcomment',
  ]);
  expect(tree('<!-- menu --><p data-x=1>').hasSigns).toBe(false);
  for (const sign of ['<!--noindex-->', '<p data-nosnippet>', '<NOINDEX>', '<!--googleoff: all-->'])
    expect(tree(sign).hasSigns).toBe(true);
});

it('finds the first of several attributes with a name, however many there are', () => {
  const many = Array.from({ length: 300 }, (_, n) => `a${n % 150}=${n}`).join(' ');
  const [element] = parseTree(Buffer.from(`<b ${many}>`), false).elements;
  expect(['a0', 'a149', 'a150'].map((name) => element?.getAttribute(name))).toEqual(['0', '149', undefined]);
  expect(['a7', 'b'].map((name) => element?.hasAttribute(name))).toEqual([true, false]);
});

it('stops at its limits', () => {
  const deep = parseTree(Buffer.from(`${'<b>'.repeat(4_000)}text`), false);
  expect(deep.elements).toHaveLength(500);
  expect(deep.elements.at(-1)?.children.map((child) => isText(child) && child.data)).toEqual(['text']);
  expect(deep.truncated).toBe(false);
  const unclosed = parseTree(
    Buffer.from(Array.from({ length: 20_000 }, (_, i) => `<font><p>${i}</p>`).join('')),
    false,
  );
  expect([unclosed.truncated, extractReadableText(unclosed.root).text.split(/\s/).length]).toEqual([false, 20_000]);
  expect(parseTree(Buffer.from('<b>'.repeat(250_000)), false).truncated).toBe(true);
  const wide = parseTree(Buffer.from('<br>'.repeat(250_000)), false);
  expect([wide.elements.length, wide.truncated]).toEqual([200_001, true]);
  const full = parseTree(Buffer.from(`<b${' a'.repeat(600_000)}>text<i>`), false);
  expect(full.elements.map(({ attributeCount }) => attributeCount)).toEqual([500_000]);
  expect(full.truncated).toBe(true);
});
