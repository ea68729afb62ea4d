/** Finds the encoding label that a page declares in `<meta>`, by the HTML standard's prescan (section 13.2.3.2). */
import { ATTRIBUTE, Attributes } from './attributes.js';
import { BANG, DASH, endsName, isLetter, LESS, matchesName, QUESTION, SLASH } from './bytes.js';
import { findBogusCommentEnd, findCommentEnd } from './raw-text.js';

/** `isKnown`: tells whether a label names an encoding; other labels are ignored. */
export function findMetaCharset(head: Buffer, isKnown: (label: string) => boolean): string | undefined {
  const attributes = new Attributes(head);
  for (let at = head.indexOf(LESS); at >= 0 && at < head.length; at = head.indexOf(LESS, at)) {
    const next = head[at + 1] ?? 0;
    const name = next === SLASH ? at + 2 : at + 1;
    if (next === BANG && head[at + 2] === DASH && head[at + 3] === DASH) at = findCommentEnd(head, at);
    else if (isLetter(head[name] ?? 0)) {
      at = attributes.read(findNameEnd(head, name));
      if (at < 0) return undefined;
      if (next !== SLASH && isMeta(head, name)) {
        const label = readMetaCharset(attributes);
        if (label !== undefined && isKnown(label)) return label;
      }
    } else if (next === BANG || next === SLASH || next === QUESTION) at = findBogusCommentEnd(head, at);
    else at++;
  }
  return undefined;
}

function findNameEnd(head: Buffer, from: number): number {
  let at = from;
  while (at < head.length && !endsName(head[at]!)) at++;
  return at;
}

function isMeta(head: Buffer, at: number): boolean {
  return matchesName(head, at, 'meta') && endsName(head[at + 4] ?? 0);
}

function readMetaCharset(attributes: Attributes): string | undefined {
  const charset = attributes.get(ATTRIBUTE.charset);
  if (charset !== undefined) return charset;
  if (attributes.get(ATTRIBUTE['http-equiv'])?.toLowerCase() !== 'content-type') return undefined;
  const content = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(attributes.get(ATTRIBUTE.content) ?? '');
  return content?.[1] ?? content?.[2] ?? content?.[3];
}
