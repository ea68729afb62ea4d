import { expect, it } from 'vitest';
import { MAX_PAGE_BLOCKS } from '../../../domain/content/repeated-blocks.js';
import { extractReadableText } from './readable.js';
import { removeRepeated } from './repeated-elements.js';
import { parseTree } from './tree.js';

const TEXT = 'The heron stands in the water, waits, and then strikes: it eats fish, frogs and mice. '.repeat(2).trim();

/** Reads `html` when the blocks of `known` stand on most pages. */
function read(html: string, known: string): string {
  const { hashes } = removeRepeated(parseTree(Buffer.from(known), false).root, new Set());
  const { root } = parseTree(Buffer.from(html), false);
  removeRepeated(root, new Set(hashes));
  return extractReadableText(root).text;
}

it.each([
  ['a paragraph', '<p>Report a mistake</p>', ''],
  ['a block with marks in it', '<div>Report <b>a</b> <a href=/x>mistake</a></div>', ''],
  ['the text alone counts', '<div class=a><p>Report  a\nmistake</p></div>', ''],
  ['a heading with its section', '<h2>Mistakes</h2><p>Report a mistake</p>', ''],
  ['not a cell', '<table><tr><td>Report a mistake</td></tr></table>', '\nReport a mistake'],
  ['not a numbered item', '<ol><li>Report a mistake</li></ol>', '\nReport a mistake'],
  ['not code', '<pre>Report a mistake</pre>', '\nReport a mistake'],
  [
    'not a heading with content',
    '<h2>Mistakes</h2><p>None so far</p><p>Report a mistake</p>',
    '\nMistakes\nNone so far',
  ],
  ['not a heading with a subsection', '<h2>Mistakes</h2><h3>Of ours</h3><p>One</p>', '\nMistakes\nOf ours\nOne'],
  ['not a heading with a picture', '<h2>Mistakes</h2><img src=x>', '\nMistakes'],
])('%s', (_, html, left) => {
  expect(read(`<p>${TEXT}</p>${html}`, '<p>Report a mistake</p><h2>Mistakes</h2><p>Report a mistake</p>')).toBe(
    TEXT + left,
  );
});

it('takes nothing from a page of which too little would be left', () => {
  const page = '<p>Report a mistake</p><p>Words of its own</p>';
  expect(read(page, '<p>Report a mistake</p>')).toBe('Report a mistake\nWords of its own');
});

it('counts the first and the last blocks of a long page', () => {
  const html = Array.from({ length: 1_000 }, (_, index) => `<p>Block ${index}</p>`).join('');
  const { hashes } = removeRepeated(parseTree(Buffer.from(html), false).root, new Set());
  expect(hashes).toHaveLength(MAX_PAGE_BLOCKS);
  const ends = removeRepeated(parseTree(Buffer.from('<p>Block 0</p><p>Block 999</p>'), false).root, new Set());
  expect([...hashes]).toEqual(expect.arrayContaining([...ends.hashes]));
});
