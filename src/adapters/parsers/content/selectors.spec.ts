import { compile } from 'css-select';
import type { Element, ParentNode } from 'domhandler';
import { expect, it } from 'vitest';
import { testOf } from './selectors.js';
import { treeOf } from './tree.js';

const PAGE = `<main id=m class="a b"><DIV data-x=1><p class=a>1<b>2</b></p><p>3</p></DIV><nav role=navigation></nav>
  <svg viewBox="0 0 1 1"><foreignObject><i hidden>4</i></foreignObject></svg></main><footer>5</footer>`;
const SELECTORS =
  'main|div p|p.a|.a, footer|#m > div|[data-x!="1"]|[role=navigation]|p + p|p ~ p|*|:not(p)|:is(b, i)|P|[HIDDEN]|p:first-child|div:has(> p)|[viewBox]';

it.each(SELECTORS.split('|'))('matches as the selector does: %s', (selector) => {
  const { elements } = treeOf(PAGE, false);
  const plain = compile<ParentNode | Element, Element>(selector);
  const test = testOf([selector])!;
  expect(elements.map((element) => test(element))).toEqual(elements.map((element) => plain(element)));
});
