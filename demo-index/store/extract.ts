import { Tokenizer } from 'htmlparser2';
import type { PushedDocument, PushedPart } from '../papi/documents.js';

/** The parts of a document that can be searched and shown. */
export interface Extract {
  readonly title: string;
  readonly text: string;
}

/** Maximum number of characters of text that are indexed for one document. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_TITLE = 1_000;

const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'select']);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function extract(document: PushedDocument): Extract {
  const content = document.master ? extractPart(document.master) : { title: '', text: '' };
  const titleMeta = document.metas.find((meta) => meta.name.toLowerCase() === 'title')?.value;
  return {
    title: normalizeText(titleMeta || content.title).slice(0, LONGEST_TITLE),
    text: normalizeText(document.text?.toString('utf8') || content.text).slice(0, LONGEST_TEXT),
  };
}

function extractPart(part: PushedPart): Extract {
  if (HTML_TYPES.has(part.mimeType)) return extractHtml(decodeText(part));
  if (part.mimeType.startsWith('text/')) return { title: '', text: decodeText(part) };
  return { title: '', text: '' };
}

function decodeText(part: PushedPart): string {
  try {
    return new TextDecoder(part.encoding || 'utf-8').decode(part.bytes);
  } catch {
    return new TextDecoder().decode(part.bytes); // unknown label: most of the web is UTF-8
  }
}

/**
 * Uses a tokenizer, not a parser: because of its stack of open elements, a parser takes time quadratic in their depth,
 * and there are pages 100,000 elements deep. The content of a silent element ends with its own closing tag.
 */
function extractHtml(html: string): Extract {
  const page = new PageText();
  const readName = (start: number, end: number): string => html.slice(start, end).toLowerCase();
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ...NOTHING,
      onopentagname: (start, end) => page.open(readName(start, end)),
      onselfclosingtag: () => page.selfClose(),
      onclosetag: (start, end) => page.close(readName(start, end)),
      ontext: (start, end) => page.addText(html.slice(start, end)),
      ontextentity: (codePoint) => page.addText(String.fromCodePoint(codePoint)),
      isInForeignContext: () => FOREIGN.has(page.silent),
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { title: page.title, text: page.text.join('') };
}

const FOREIGN = new Set(['svg', 'math']);

const ignore = (): void => undefined;
const NOTHING = {
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
  silent = '';
  /** Number of open elements with that name. */
  private depth = 0;
  private inTitle = false;
  private hasTitle = false;
  private last = '';

  open(name: string): void {
    this.last = name;
    if (this.silent !== '') {
      if (name === this.silent) this.depth++;
    } else if (SILENT.has(name)) {
      this.silent = name;
      this.depth = 1;
    } else if (name === 'title') this.inTitle = !this.hasTitle;
    else this.addSeparator(name);
  }

  /** Only meaningful in foreign content. */
  selfClose(): void {
    if (FOREIGN.has(this.last)) this.close(this.last);
  }

  close(name: string): void {
    if (this.silent !== '') {
      if (name === this.silent && --this.depth === 0) this.silent = '';
    } else if (name === 'title') {
      this.hasTitle ||= this.inTitle;
      this.inTitle = false;
    } else this.addSeparator(name);
  }

  addText(data: string): void {
    if (this.silent !== '') return;
    if (this.inTitle) this.title += data;
    else this.text.push(data);
  }

  private addSeparator(name: string): void {
    if (!INLINE.has(name)) this.text.push(' ');
  }
}

/** One line without control characters: the snippet markers are control characters, which only the index may insert. */
/** Soft hyphens are removed, because a search would not find a word that contains them. */
const normalizeText = (text: string): string =>
  text
    .replace(/\u00ad/g, '')
    .replace(/[\s\u0000-\u001f\u007f]+/gu, ' ')
    .trim();
