/**
 * Cuts an element that is edited separately, such as the server records of a crawler, out of the text of the
 * configuration and puts it back, while everything else stays byte for byte the same.
 */
import type { Part } from './part.js';
import { blankComments, findCrawlerStart, unescapeXml } from './rule-text.js';

const TAG_REST = `(?:[^>"']|"[^"]*"|'[^']*')*>`;

/** @param crawler absent for an element that belongs to no crawler */
export function findPart(xml: string, element: string, crawler?: string): Part | undefined {
  const blankedXml = blankComments(xml);
  const from = crawler === undefined ? 0 : findCrawlerStart(blankedXml, crawler);
  const end = crawler === undefined ? xml.length : findCrawlerEnd(blankedXml, from).position;
  const startTag = new RegExp(String.raw`<(?:[\w-]+:)?${element}\b${TAG_REST}`, 'g');
  startTag.lastIndex = from;
  const found = startTag.exec(blankedXml);
  if (!found || found.index >= end) return undefined;
  const to = found[0].endsWith('/>') ? startTag.lastIndex : findElementEnd(blankedXml, element, startTag.lastIndex);
  const start = found.index - (/(?<=\n)[ \t]*$/.exec(xml.slice(0, found.index))?.[0].length ?? 0);
  return { before: xml.slice(0, start), text: xml.slice(start, to), after: xml.slice(to) };
}

/** Creates a part for a new element at the end of the crawler, or of the configuration if no crawler is given. */
export function createPart(xml: string, text: string, crawler?: string): Part {
  const blankedXml = blankComments(xml);
  if (crawler === undefined) return splitPart(xml, blankedXml.lastIndexOf('</'), text);
  const from = findCrawlerStart(blankedXml, crawler);
  const { position, selfClosing } = findCrawlerEnd(blankedXml, from);
  if (!selfClosing) return splitPart(xml, position, text);
  return {
    before: `${xml.slice(0, position - '/>'.length)}>\n`,
    text,
    after: `\n  </${readPrefix(xml, from)}Crawler>${xml.slice(position)}`,
  };
}

/** Creates a part for the first rule of a crawler without rules. */
export function createFirstRulePart(xml: string, crawler: string): Part {
  const { before, after } = createPart(xml, '', crawler);
  const rulesTag = `${readPrefix(xml, findCrawlerStart(blankComments(xml), crawler))}Rules`;
  return {
    before: `${before}    <${rulesTag} group="default">\n      `,
    text: '',
    after: `\n    </${rulesTag}>${after}`,
  };
}

/** The prefix of the tag with its colon, or an empty string if it has none. */
const readPrefix = (xml: string, position: number): string => /^<([\w-]+:)?/.exec(xml.slice(position))?.[1] ?? '';

/** The value of an attribute of the part's first tag. */
export function readPartAttribute({ text }: Part, name: string): string | undefined {
  const tag = new RegExp(`<${TAG_REST}`).exec(text)?.[0] ?? '';
  const match = new RegExp(String.raw`\s${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return match ? unescapeXml(match[1] ?? match[2] ?? '') : undefined;
}

/** The file's prefix for Crawlway's own elements, and its declaration if the file does not contain one. */
export function findOwnPrefix(xml: string): { readonly prefix: string; readonly declaration: string } {
  const declaredPrefix = /xmlns:([\w-]+)\s*=\s*["']urn:crawlway:config:1["']/.exec(blankComments(xml))?.[1];
  return declaredPrefix
    ? { prefix: declaredPrefix, declaration: '' }
    : { prefix: 'cw', declaration: ' xmlns:cw="urn:crawlway:config:1"' };
}

function findCrawlerEnd(blankedXml: string, from: number): { position: number; selfClosing: boolean } {
  const startTag = new RegExp(`<${TAG_REST}`, 'g');
  startTag.lastIndex = from;
  const tag = startTag.exec(blankedXml);
  if (tag?.[0].endsWith('/>')) return { position: startTag.lastIndex, selfClosing: true };
  const endTag = /<\/(?:[\w-]+:)?Crawler\s*>/g;
  endTag.lastIndex = from;
  return { position: endTag.exec(blankedXml)?.index ?? blankedXml.length, selfClosing: false };
}

function findElementEnd(blankedXml: string, element: string, from: number): number {
  const endTag = new RegExp(String.raw`</(?:[\w-]+:)?${element}\s*>`, 'g');
  endTag.lastIndex = from;
  return endTag.exec(blankedXml) ? endTag.lastIndex : blankedXml.length;
}

/** Splits the configuration before the line of the end tag at this position. */
function splitPart(xml: string, position: number, text: string): Part {
  const indent = /(?<![ \t])[ \t]*$/.exec(xml.slice(0, position))?.[0] ?? '';
  const from = position - indent.length;
  const before = xml.slice(0, from);
  return { before: before.endsWith('\n') ? before : `${before}\n`, text, after: `\n${xml.slice(from)}` };
}
