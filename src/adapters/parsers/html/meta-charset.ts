/** Finds the encoding label that a page declares in `<meta>`, by the HTML standard's prescan (section 13.2.3.2). */
import { ATTRIBUTE, Attributes } from './attributes.js';
import { BANG, DASH, endsName, isLetter, LESS, matchesName, QUESTION, SLASH } from './bytes.js';
import { findBogusCommentEnd, findCommentEnd } from './raw-text.js';

/** `isKnown` returns whether a label names an encoding; other labels are ignored. */
export function findMetaCharset(head: Buffer, isKnown: (label: string) => boolean): string | undefined {
  const attributes = new Attributes(head);
  for (
    let position = head.indexOf(LESS);
    position >= 0 && position < head.length;
    position = head.indexOf(LESS, position)
  ) {
    const next = head[position + 1] ?? 0;
    const nameStart = next === SLASH ? position + 2 : position + 1;
    if (next === BANG && head[position + 2] === DASH && head[position + 3] === DASH)
      position = findCommentEnd(head, position);
    else if (isLetter(head[nameStart] ?? 0)) {
      position = attributes.read(findNameEnd(head, nameStart));
      if (position < 0) return undefined;
      if (next !== SLASH && isMeta(head, nameStart)) {
        const label = readMetaCharset(attributes);
        if (label !== undefined && isKnown(label)) return label;
      }
    } else if (next === BANG || next === SLASH || next === QUESTION) position = findBogusCommentEnd(head, position);
    else position++;
  }
  return undefined;
}

function findNameEnd(head: Buffer, from: number): number {
  let position = from;
  while (position < head.length && !endsName(head[position]!)) position++;
  return position;
}

function isMeta(head: Buffer, position: number): boolean {
  return matchesName(head, position, 'meta') && endsName(head[position + 4] ?? 0);
}

function readMetaCharset(attributes: Attributes): string | undefined {
  const charset = attributes.get(ATTRIBUTE.charset);
  if (charset !== undefined) return charset;
  if (attributes.get(ATTRIBUTE['http-equiv'])?.toLowerCase() !== 'content-type') return undefined;
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(attributes.get(ATTRIBUTE.content) ?? '');
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
