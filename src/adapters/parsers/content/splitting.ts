/** Splits the parts that become documents of their own off a page's tree. */
import { createPartIds, MAX_PARTS } from '../../../domain/push/parts.js';
import { type ChildNode, Document, type Element, isElement, type ParentNode, walkElements } from './nodes.js';
import { extractElementText, extractReadableText, getHeadingLevel } from './readable.js';

export interface TreePart {
  readonly id: string;
  /** The text of the part's first heading; empty if it has none. */
  readonly title: string;
  readonly root: Document;
}

/**
 * Removes the parts from the tree and returns them. A heading's part includes what follows it, up to the next part or
 * the next heading of the same or a higher level. Of nested elements, only the outermost becomes a part; elements
 * without text do not. `idAttribute` is the attribute that names a part.
 */
export function splitDocument(
  root: ParentNode,
  partElements: ReadonlySet<Element>,
  idAttribute: string,
): { readonly parts: readonly TreePart[]; readonly truncated: boolean } {
  const roots: { root: Document; name: string | undefined; title: string }[] = [];
  let truncated = false;
  const collectParts = (node: ParentNode): void => {
    const remaining: ChildNode[] = [];
    const { children } = node;
    for (let index = 0; index < children.length; index++) {
      const child = children[index]!;
      if (!isElement(child)) remaining.push(child);
      else if (!partElements.has(child)) {
        collectParts(child);
        remaining.push(child);
      } else {
        const end = findSectionEnd(children, index, partElements);
        const nodes = children.slice(index, end);
        const part = new Document(nodes);
        const isFull = roots.length >= MAX_PARTS;
        truncated ||= isFull;
        if (isFull || extractElementText(part) === '') for (const node of nodes) remaining.push(node);
        else roots.push({ root: part, name: findPartName(child, part, idAttribute), title: findTitle(part) });
        index = end - 1;
      }
    }
    node.children = remaining;
  };
  collectParts(root);
  const ids = createPartIds(roots.map(({ name }) => name));
  return { parts: roots.map(({ root: part, title }, index) => ({ id: ids[index]!, title, root: part })), truncated };
}

function findSectionEnd(children: readonly ChildNode[], start: number, partElements: ReadonlySet<Element>): number {
  const level = getHeadingLevel(children[start] as Element);
  let end = start + 1;
  if (level === undefined) return end;
  for (; end < children.length; end++) {
    const next = children[end]!;
    if (isElement(next) && (partElements.has(next) || (getHeadingLevel(next) ?? 9) <= level)) break;
  }
  return end;
}

/** Returns the element's own name, otherwise the first one inside it, which is usually that of its heading. */
function findPartName(element: Element, part: Document, attribute: string): string | undefined {
  const ownName = element.getAttribute(attribute);
  if (ownName !== undefined && ownName.trim() !== '') return ownName;
  for (const descendant of walkElements(part)) {
    const innerName =
      descendant.getAttribute(attribute) ??
      (descendant.name === 'a' && attribute === 'id' ? descendant.getAttribute('name') : undefined);
    if (innerName !== undefined && innerName.trim() !== '') return innerName;
  }
  return undefined;
}

const findTitle = (part: Document): string => extractReadableText(part).headings[0]?.text ?? '';
