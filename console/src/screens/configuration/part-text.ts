/**
 * An element of the configuration that is edited separately, such as the server records of a crawler: it is cut out of
 * the text, edited, and put back, while everything else stays byte for byte the same.
 */
import type { Part } from './part.js';
import { blankComments, findCrawlerStart, unescapeXml } from './rule-text.js';

const TAG = `(?:[^>"']|"[^"]*"|'[^']*')*>`;

/** @param crawler absent for an element of the whole server */
export function findPart(xml: string, element: string, crawler?: string): Part | undefined {
  const visible = blankComments(xml);
  const from = crawler === undefined ? 0 : findCrawlerStart(visible, crawler);
  const end = crawler === undefined ? xml.length : findCrawlerEnd(visible, from).at;
  const opening = new RegExp(String.raw`<(?:[\w-]+:)?${element}\b${TAG}`, 'g');
  opening.lastIndex = from;
  const found = opening.exec(visible);
  if (!found || found.index >= end) return undefined;
  const to = found[0].endsWith('/>') ? opening.lastIndex : findElementEnd(visible, element, opening.lastIndex);
  const start = found.index - (/(?<=\n)[ \t]*$/.exec(xml.slice(0, found.index))?.[0].length ?? 0);
  return { before: xml.slice(0, start), text: xml.slice(start, to), after: xml.slice(to) };
}

/** Where a new element is inserted: at the end of the crawler, or of the configuration. */
export function createPart(xml: string, text: string, crawler?: string): Part {
  const visible = blankComments(xml);
  if (crawler === undefined) return splitPart(xml, visible.lastIndexOf('</'), text);
  const from = findCrawlerStart(visible, crawler);
  const { at, selfClosing } = findCrawlerEnd(visible, from);
  if (!selfClosing) return splitPart(xml, at, text);
  return {
    before: `${xml.slice(0, at - '/>'.length)}>\n`,
    text,
    after: `\n  </${readPrefix(xml, from)}Crawler>${xml.slice(at)}`,
  };
}

/** The place of the first rule in a crawler without rules. */
export function createFirstRulePart(xml: string, crawler: string): Part {
  const { before, after } = createPart(xml, '', crawler);
  const rules = `${readPrefix(xml, findCrawlerStart(blankComments(xml), crawler))}Rules`;
  return { before: `${before}    <${rules} group="default">\n      `, text: '', after: `\n    </${rules}>${after}` };
}

/** The prefix of a tag with its colon; empty if it has none. */
const readPrefix = (xml: string, at: number): string => /^<([\w-]+:)?/.exec(xml.slice(at))?.[1] ?? '';

/** The value of an attribute of the part's first tag. */
export function readPartAttribute({ text }: Part, name: string): string | undefined {
  const tag = new RegExp(`<${TAG}`).exec(text)?.[0] ?? '';
  const value = new RegExp(String.raw`\s${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return value ? unescapeXml(value[1] ?? value[2] ?? '') : undefined;
}

/** The file's prefix for Crawlway's own elements, and a declaration of it if the file has none. */
export function findOwnPrefix(xml: string): { readonly prefix: string; readonly declaration: string } {
  const declared = /xmlns:([\w-]+)\s*=\s*["']urn:crawlway:config:1["']/.exec(blankComments(xml))?.[1];
  return declared
    ? { prefix: declared, declaration: '' }
    : { prefix: 'cw', declaration: ' xmlns:cw="urn:crawlway:config:1"' };
}

function findCrawlerEnd(visible: string, from: number): { at: number; selfClosing: boolean } {
  const opening = new RegExp(`<${TAG}`, 'g');
  opening.lastIndex = from;
  const tag = opening.exec(visible);
  if (tag?.[0].endsWith('/>')) return { at: opening.lastIndex, selfClosing: true };
  const end = /<\/(?:[\w-]+:)?Crawler\s*>/g;
  end.lastIndex = from;
  return { at: end.exec(visible)?.index ?? visible.length, selfClosing: false };
}

function findElementEnd(visible: string, element: string, from: number): number {
  const end = new RegExp(String.raw`</(?:[\w-]+:)?${element}\s*>`, 'g');
  end.lastIndex = from;
  return end.exec(visible) ? end.lastIndex : visible.length;
}

/** Splits the text before the line of the end tag. */
function splitPart(xml: string, at: number, text: string): Part {
  const indent = /(?<![ \t])[ \t]*$/.exec(xml.slice(0, at))?.[0] ?? '';
  const from = at - indent.length;
  const before = xml.slice(0, from);
  return { before: before.endsWith('\n') ? before : `${before}\n`, text, after: `\n${xml.slice(from)}` };
}
