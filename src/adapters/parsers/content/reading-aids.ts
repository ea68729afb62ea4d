/** What programs add to a text to help reading it: links to its own headings, and numbers of lines of code. */
import type { ChildNode, Element } from './nodes.js';
import { extractElementText } from './readable.js';

/** ¶, #, § or a character of a font for icons behind a heading; ↩ and ^ at a footnote. */
const PERMALINK = /^(?:[\s¶⁋#§∞◆⚓⛓🔗↩⤴^\p{Co}]|\ufe0e|\ufe0f){1,6}$/u;
const LINE_NUMBERS = /(?:^|[\s_-])(?:lineno|linenos|line-?numbers?|gutter)(?:$|[\s_-])/i;
const MAX_NUMBERS_LENGTH = 50_000;
const NUMBERED_ELEMENTS = new Set('td th div pre span'.split(' '));

/** Whether nobody would call it a part of the text. */
export function isReadingAid(element: Element): boolean {
  if (element.name === 'a')
    return (
      (element.getAttribute('href')?.includes('#') ?? false) &&
      PERMALINK.test(extractElementText(element, { maxLength: 12 }))
    );
  return (
    NUMBERED_ELEMENTS.has(element.name) &&
    LINE_NUMBERS.test((element.getAttribute('class') ?? '').slice(0, 200)) &&
    isNumbersOnly(element)
  );
}

/** Links stay as what they lead to, because only they may have the id of their heading. */
export function removeReadingAids(aids: readonly Element[]): void {
  const removed = new Set<ChildNode>();
  for (const aid of aids) {
    aid.children = [];
    if (aid.name !== 'a') removed.add(aid);
  }
  for (const parent of new Set(aids.map((aid) => aid.parent)))
    parent.children = parent.children.filter((child) => !removed.has(child));
}

/** Numbers of lines, each on a line of its own or before its line. */
export const isNumbersOnly = (element: Element): boolean =>
  /^[\d\s]+$/.test(extractElementText(element, { maxLength: MAX_NUMBERS_LENGTH }));
