import { Tokenizer } from 'htmlparser2';
import type { PushedDocument, PushedPart } from '../papi/documents.js';

/** The parts of a document that can be searched and shown. */
export interface ExtractedContent {
  readonly title: string;
  readonly text: string;
}

/** Maximum number of characters of text that are indexed for one document. */
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_TITLE_LENGTH = 1_000;

const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
const SILENT_ELEMENTS = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'select',
]);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function extractContent(document: PushedDocument): ExtractedContent {
  const content = document.master ? extractPart(document.master) : { title: '', text: '' };
  const titleMeta = document.metas.find((meta) => meta.name.toLowerCase() === 'title')?.value;
  return {
    title: normalizeText(titleMeta || content.title).slice(0, MAX_TITLE_LENGTH),
    text: normalizeText(document.text?.toString('utf8') || content.text).slice(0, MAX_TEXT_LENGTH),
  };
}

function extractPart(part: PushedPart): ExtractedContent {
  if (HTML_TYPES.has(part.mimeType)) return extractHtml(decodeText(part));
  if (part.mimeType.startsWith('text/')) return { title: '', text: decodeText(part) };
  return { title: '', text: '' };
}

function decodeText(part: PushedPart): string {
  try {
    return new TextDecoder(part.encoding || 'utf-8').decode(part.bytes);
  } catch {
    return new TextDecoder().decode(part.bytes); // The label is unknown; most web pages are UTF-8.
  }
}

/**
 * Uses a tokenizer instead of a parser: because of its stack of open elements, a parser takes time quadratic in their
 * depth, and some pages are 100,000 elements deep. A silent element (whose text is not read) ends with its closing tag.
 */
function extractHtml(html: string): ExtractedContent {
  const page = new PageText();
  const readName = (start: number, end: number): string => html.slice(start, end).toLowerCase();
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ...IGNORED_EVENTS,
      onopentagname: (start, end) => page.open(readName(start, end)),
      onselfclosingtag: () => page.selfClose(),
      onclosetag: (start, end) => page.close(readName(start, end)),
      ontext: (start, end) => page.addText(html.slice(start, end)),
      ontextentity: (codePoint) => page.addText(String.fromCodePoint(codePoint)),
      isInForeignContext: () => FOREIGN_ELEMENTS.has(page.silentElement),
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { title: page.title, text: page.text.join('') };
}

const FOREIGN_ELEMENTS = new Set(['svg', 'math']);

const ignore = (): void => undefined;
const IGNORED_EVENTS = {
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,
  onattribname: ignore,
  oncdata: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onprocessinginstruction: ignore,
};

class PageText {
  title = '';
  readonly text: string[] = [];
  /** Name of the silent element that is open; empty if none is. */
  silentElement = '';
  /** Number of open elements with that name. */
  private depth = 0;
  private inTitle = false;
  private hasTitle = false;
  private lastElement = '';

  open(name: string): void {
    this.lastElement = name;
    if (this.silentElement !== '') {
      if (name === this.silentElement) this.depth++;
    } else if (SILENT_ELEMENTS.has(name)) {
      this.silentElement = name;
      this.depth = 1;
    } else if (name === 'title') this.inTitle = !this.hasTitle;
    else this.addSeparator(name);
  }

  /** Closes the last element, but only in foreign content, where the syntax has this meaning. */
  selfClose(): void {
    if (FOREIGN_ELEMENTS.has(this.lastElement)) this.close(this.lastElement);
  }

  close(name: string): void {
    if (this.silentElement !== '') {
      if (name === this.silentElement && --this.depth === 0) this.silentElement = '';
    } else if (name === 'title') {
      this.hasTitle ||= this.inTitle;
      this.inTitle = false;
    } else this.addSeparator(name);
  }

  addText(data: string): void {
    if (this.silentElement !== '') return;
    if (this.inTitle) this.title += data;
    else this.text.push(data);
  }

  private addSeparator(name: string): void {
    if (!INLINE.has(name)) this.text.push(' ');
  }
}

/**
 * Returns one line without control characters, because the markers in snippets are control characters. Soft hyphens are
 * removed, because a search would not find a word that contains them.
 */
const normalizeText = (text: string): string =>
  text
    .replace(/\u00ad/g, '')
    .replace(/[\s\u0000-\u001f\u007f]+/gu, ' ')
    .trim();
