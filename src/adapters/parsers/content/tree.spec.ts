/** The tree against htmlparser2's, of whose tree construction it follows what people rely on; and where the two mean to differ. */
import { type ChildNode as AnyNode, type ParentNode as AnyParent, isText as isAnyText, isTag } from 'domhandler';
import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
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

const shapeOfTheirs = ({ children }: AnyParent): Shape[] =>
  joinTexts(
    (children as AnyNode[]).flatMap((child): Shape[] => {
      if (isAnyText(child)) return [child.data];
      if (isTag(child)) return [[child.name.toLowerCase(), child.attribs, shapeOfTheirs(child)]];
      return 'children' in child ? shapeOfTheirs(child) : [];
    }),
  );

const ours = (html: string, xml = false) => shape(parseTree(Buffer.from(html), xml).root);
const theirs = (html: string, xml = false) =>
  shapeOfTheirs(parseDocument(html, { recognizeSelfClosing: xml, recognizeCDATA: xml }));

const NAMES =
  'a b p div ul li table tr td th tbody thead dl dt dd h1 h2 form input select option title script style ' +
  'textarea br img image pre P SPAN x-y noframes';
/** It takes an empty `<mi/>` and what follows a `<foreignObject>` in MathML differently. */
const DRAWING = 'svg math g path text a p div title desc mi mtext';
const attribute = fc.constantFrom(
  ...' a| a=1| a="1 &amp; 2"| a=\'"\'| A=2| b = "ü"| c=&uuml;d| a="x>y"| href=?a=1&copy=2'.split('|'),
);
const WORDS = ['word', ' ', 'ä&auml;', '&amp;', 'a < b', '<!--c-->', '<!-- > -->', '<!doctype html>', '\n', '日本'];

function pieces(names: string, ends: readonly string[]) {
  const name = fc.constantFrom(...names.split(' '));
  const piece = fc.oneof(
    fc
      .tuple(name, fc.array(attribute, { maxLength: 3 }), fc.constantFrom(...ends))
      .map(([tag, written, end]) => `<${tag}${written.join('')}${end}`),
    name.map((tag) => `</${tag}>`),
    fc.constantFrom(...WORDS),
  );
  return fc.array(piece, { maxLength: 30 }).map((list) => list.join(''));
}

it.each([
  ['pages', NAMES, ['>', '>', ' />']],
  ['drawings', DRAWING, ['>']],
] as const)('is the same as that of htmlparser2 for any markup of %s', (_, names, ends) => {
  fc.assert(
    fc.property(pieces(names, ends), (html) => {
      expect(ours(html)).toEqual(theirs(html));
    }),
    { numRuns: 5_000 },
  );
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
