import { selectAll } from 'css-select';
import type { Element as AnyElement, AnyNode } from 'domhandler';
import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { expect, it } from 'vitest';
import { compileMatcher, SelectorSet } from './selectors.js';
import { parseTree } from './tree.js';

const PAGE = `<main id=m class="a b"><DIV data-x=1><p class=a>1<b>2</b></p><p>3</p></DIV><nav role=navigation></nav>
  <svg viewBox="0 0 1 1"><foreignObject><i hidden>4</i></foreignObject></svg></main><footer>5</footer>`;
const SELECTORS =
  'main|div p|p.a|.a, footer|#m > div|[data-x!="1"]|[role=navigation]|p + p|p ~ p|*|:not(p)|:is(b, i)|P|[HIDDEN]|p:first-child|div:has(> p)|[viewBox]';

it.each(SELECTORS.split('|'))('matches the selector %s', (selector) => {
  const { elements } = parseTree(Buffer.from(PAGE), false);
  const plain = compileMatcher([selector])!;
  expect(new SelectorSet([[], [selector]]).find(elements)).toEqual([[], elements.filter(plain)]);
});

const name = fc.constantFrom('div', 'p', 'A', 'svg', 'foreignObject', 'li', 'title');
const attribute = fc.constantFrom('class', 'id', 'data-x', 'REL', 'hidden');
const value = fc.constantFrom('a', 'b', 'a b', 'A', '', 'a-b');
const attributes = fc.array(
  fc.tuple(attribute, value).map(([key, text]) => ` ${key}="${text}"`),
  { maxLength: 3 },
);
const piece = fc.oneof(
  fc.tuple(name, attributes).map(([tag, written]) => `<${tag}${written.join('')}>`),
  name.map((tag) => `</${tag}>`),
  fc.constantFrom('word', ' ', '<!--c-->'),
);
const simple = fc.oneof(
  attribute.map((key) => `[${key}]`),
  fc
    .tuple(attribute, fc.constantFrom('=', '!=', '!=', '~=', '|=', '^=', '$=', '*='), value, fc.constantFrom('', ' i'))
    .map(([key, operator, text, flag]) => `[${key}${operator}"${text}"${flag}]`),
  fc.constantFrom('.a', '#b', ':not(.a)', ':first-child', ':is(p, .b)', ':has(p)', ':empty', ':not([id])'),
  fc.constantFrom(':nth-child(2n+1)', ':nth-last-child(-n+2)', ':nth-of-type(odd)', ':nth-last-of-type(2)'),
  fc.constantFrom(
    ':last-child',
    ':only-child',
    ':first-of-type',
    ':last-of-type',
    ':only-of-type',
    ':nth-child(1 of .a)',
  ),
  fc.constantFrom(
    ':contains("word")',
    ':icontains("WORD")',
    ':has(+ p)',
    ':has(~ p .a)',
    ':has(> div p)',
    ':has(:scope > p)',
  ),
  fc.constantFrom(
    ':is(div p, .a > li)',
    ':not(div p)',
    ':not(div ~ p)',
    ':is(p + p)',
    ':nth-child( +3N - 2 )',
    ':nth-child(EVEN)',
  ),
);
const compound = fc
  .tuple(fc.oneof(name, fc.constantFrom('*', '')), fc.array(simple, { maxLength: 2 }))
  .map(([tag, parts]) => `${tag}${parts.join('')}` || '*');
const selector = fc
  .array(fc.tuple(compound, fc.constantFrom(' ', ' > ', ' + ', ' ~ ', ', ')), { minLength: 1, maxLength: 2 })
  .map((parts) => parts.map(([one, combinator], at) => one + (at < parts.length - 1 ? combinator : '')).join(''));

it('matches as selectors do on any page', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 25 }),
      fc.array(selector, { minLength: 1, maxLength: 2 }),
      (pieces, written) => {
        const { elements } = parseTree(Buffer.from(pieces.join('')), false);
        const plain = compileMatcher(written)!;
        const [all, first] = new SelectorSet([written, written.slice(0, 1)]).find(elements);
        expect(all!.length).toBe(elements.filter(plain).length);
        for (const [at, element] of elements.filter(plain).entries()) expect(all![at]).toBe(element);
        const one = compileMatcher(written.slice(0, 1))!;
        expect(first!.length).toBe(elements.filter(one).length);
      },
    ),
    { numRuns: 5_000 },
  );
});

/** Positions among all elements of the page. */
function findPositions(html: string, written: string): { ours: number[]; theirs: number[] } | undefined {
  const { elements } = parseTree(Buffer.from(html), false);
  const document = parseDocument(html);
  const all = selectAll<AnyNode, AnyElement>('*', document);
  // Where the trees differ, so do the results.
  const shape = (nodes: readonly { name: string; parent: unknown }[]): string =>
    nodes.map(({ name: tag, parent }) => `${tag} ${nodes.indexOf(parent as (typeof nodes)[number])}`).join();
  if (shape(all as never) !== shape(elements)) return undefined;
  const test = compileMatcher([written])!;
  const found = new Set(selectAll<AnyNode, AnyElement>(written, document));
  const positions = [...all.keys()];
  return {
    ours: positions.filter((at) => test(elements[at]!)),
    theirs: positions.filter((at) => found.has(all[at]!)),
  };
}

it('finds the elements that css-select finds in the tree of htmlparser2', () => {
  let compared = 0;
  fc.assert(
    // The two trees differ in where a `foreignObject` ends whose end tag is misplaced.
    fc.property(
      fc.array(
        piece.filter((one) => !one.includes('foreignObject')),
        { maxLength: 25 },
      ),
      selector,
      (pieces, written) => {
        const positions = findPositions(pieces.join(''), written);
        if (!positions) return;
        compared++;
        expect(positions.ours).toEqual(positions.theirs);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(compared).toBeGreaterThan(2_000);
  const texts = '<p>a<br>b</p><p></p><p><i>c</i> d</p><p title=x title=y>e</p>';
  for (const written of [
    'p:contains("b")',
    'p:contains("c d")',
    'p:empty',
    '[title=y]',
    '[title=x]',
    'p + p',
    'p ~ p',
  ]) {
    const { ours, theirs } = findPositions(texts, written)!;
    expect([written, ours]).toEqual([written, theirs]);
  }
});
