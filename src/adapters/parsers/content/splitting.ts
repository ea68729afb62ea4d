/** Removes the parts of a page that become documents of their own from its tree. */
import { createPartIds, MAX_PARTS } from '../../../domain/push/parts.js';
import { type ChildNode, Document, type Element, isElement, type ParentNode, walkElements } from './nodes.js';
import { extractElementText, getHeadingLevel } from './readable.js';

export interface TreePart {
  readonly id: string;
  /** The text of its first heading; empty if it has none. */
  readonly title: string;
  readonly root: Document;
}

/**
 * Changes the tree: what it returns is no longer in it. A heading includes what follows it, up to the next one of its level or
 * above. Of nested elements the outermost is one part; without text there is none. `idAttribute`: names the part.
 */
export function splitDocument(
  root: ParentNode,
  wanted: ReadonlySet<Element>,
  idAttribute: string,
): { readonly parts: readonly TreePart[]; readonly truncated: boolean } {
  const roots: { root: Document; name: string | undefined; title: string }[] = [];
  let truncated = false;
  const collectParts = (node: ParentNode): void => {
    const kept: ChildNode[] = [];
    const { children } = node;
    for (let at = 0; at < children.length; at++) {
      const child = children[at]!;
      if (!isElement(child)) kept.push(child);
      else if (!wanted.has(child)) {
        collectParts(child);
        kept.push(child);
      } else {
        const end = findSectionEnd(children, at, wanted);
        const nodes = children.slice(at, end);
        const part = new Document(nodes);
        const isFull = roots.length >= MAX_PARTS;
        truncated ||= isFull;
        if (isFull || extractElementText(part) === '') kept.push(...nodes);
        else roots.push({ root: part, name: findPartName(child, part, idAttribute), title: findTitle(part) });
        at = end - 1;
      }
    }
    node.children = kept;
  };
  collectParts(root);
  const ids = createPartIds(roots.map(({ name }) => name));
  return { parts: roots.map(({ root: part, title }, at) => ({ id: ids[at]!, title, root: part })), truncated };
}

function findSectionEnd(children: readonly ChildNode[], start: number, wanted: ReadonlySet<Element>): number {
  const level = getHeadingLevel(children[start] as Element);
  let end = start + 1;
  if (level === undefined) return end;
  for (; end < children.length; end++) {
    const next = children[end]!;
    if (isElement(next) && (wanted.has(next) || (getHeadingLevel(next) ?? 9) <= level)) break;
  }
  return end;
}

/** Its own name, otherwise the first one inside it, which is usually that of its heading. */
function findPartName(element: Element, part: Document, attribute: string): string | undefined {
  const own = element.getAttribute(attribute);
  if (own !== undefined && own.trim() !== '') return own;
  for (const one of walkElements(part)) {
    const inner =
      one.getAttribute(attribute) ?? (one.name === 'a' && attribute === 'id' ? one.getAttribute('name') : undefined);
    if (inner !== undefined && inner.trim() !== '') return inner;
  }
  return undefined;
}

function findTitle(part: Document): string {
  for (const element of walkElements(part)) {
    const title = getHeadingLevel(element) === undefined ? '' : extractElementText(element);
    if (title !== '') return title;
  }
  return '';
}
