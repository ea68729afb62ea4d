/**
 * Extracts what an XML document contains: its text in reading order, title, author, dates and links. Vocabularies are
 * not distinguished: feeds (RSS, Atom), DocBook, DITA, TEI, JATS and most private ones use similar names.
 */
import { Tokenizer } from 'htmlparser2';
import { DistinctLinks } from '../../domain/content/distinct-links.js';
import type { RawLink } from '../../engine/ports/page-content.js';
import type { TextBuffer } from './html/text-buffer.js';
import { readXml } from './xml-reader.js';

export interface XmlDocument {
  readonly title: string;
  readonly author?: string;
  readonly language?: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly links: readonly RawLink[];
  readonly cutLinks: DistinctLinks<RawLink>['cutLinks'];
}

/** Elements that occur within a sentence, from several vocabularies. */
const INLINE = new Set(
  (
    'a abbrev acronym application b bold citation citetitle classname cmdname code codeph command computeroutput constant del em emphasis ' +
    'envar ext-link filename firstterm foreign function guibutton guilabel hi i interfacename italic keycap link literal methodname ' +
    'monospace name-part option parameter phrase ph programname prompt property quote ref replaceable sc small span strike strong ' +
    'styled-content sub subscript sup superscript systemitem tspan tt type u uicontrol ulink underline uri userinput varname wordasword xref'
  ).split(' '),
);
/** Elements whose content is not for readers. */
const SILENT = new Set(['script', 'style']);
/** Elements that link to other documents, and the attributes that contain the URL. */
const LINKING = new Set('a link ulink xref ref ptr ext-link uri topicref mapref chapter externallink'.split(' '));
const ADDRESSES = new Set(['href', 'url', 'target']);
/** Elements whose text is a URL. */
const WRITTEN_ADDRESSES = new Set(['link', 'guid', 'comments']);
/** Relations of Atom links whose targets are not for readers. */
const NOT_FOLLOWED = new Set(['self', 'hub', 'edit', 'stylesheet', 'icon', 'license', 'search']);
/** Elements that may contain escaped HTML. */
const HOLDS_MARKUP = new Set(['description', 'encoded', 'summary', 'content', 'subtitle', 'tagline']);
/** Elements whose content describes only a part of the document. */
const PARTS = new Set('item entry section sect1 chapter article-part'.split(' '));
const AUTHORS = new Set(['author', 'creator', 'managingeditor']);
const DATES: ReadonlyMap<string, string> = new Map([
  ['pubdate', 'date_created'],
  ['created', 'date_created'],
  ['issued', 'date_created'],
  ['published', 'date_created'],
  ['lastbuilddate', 'date_modified'],
  ['modified', 'date_modified'],
  ['updated', 'date_modified'],
]);
/** Deeper in the document, these names mean something else. */
const FACTS_DEPTH = 6;
const LONGEST_FACT = 2_048;
const LONGEST_ADDRESS = 65_536;
const LONGEST_COLLECTED = 1_000_000;

const isDeferred = (name: string): boolean => HOLDS_MARKUP.has(name) || WRITTEN_ADDRESSES.has(name);

/**
 * Reads a document, whose text goes into the buffer. Time and memory are proportional to the document's size, however
 * deeply nested it is.
 */
export function readXmlDocument(xml: string, maxLinks: number, buffer: TextBuffer): XmlDocument {
  const reading = new XmlReading(maxLinks, buffer);
  readXml(xml, {
    onOpenTag: (name) => reading.onOpenTag(name),
    onAttribute: (name, value) => reading.onAttribute(name, value),
    onOpenTagEnd: () => reading.onOpenTagEnd(),
    onCloseTag: (name) => reading.onCloseTag(name),
    onText: (piece) => reading.onText(piece),
    isDone: () => false,
  });
  return reading.finish();
}

class XmlReading {
  private readonly links: DistinctLinks<RawLink>;
  private readonly facts = new Map<string, string>();
  private language: string | undefined;
  private depth = 0;
  private silent = 0;
  /** Depth at which the first part begins; anything deeper describes only that part. */
  private partDepth = Number.POSITIVE_INFINITY;
  private name = '';
  private attributes = new Map<string, string>();
  /** The element whose text is being collected in addition to the document's text. */
  private collected: { readonly name: string; readonly depth: number; text: string } | undefined;

  constructor(
    maxLinks: number,
    private readonly buffer: TextBuffer,
  ) {
    this.links = new DistinctLinks<RawLink>(maxLinks);
  }

  onOpenTag(name: string): void {
    this.depth++;
    this.name = name;
    this.attributes = new Map();
    if (SILENT.has(name)) this.silent++;
    if (PARTS.has(name)) this.partDepth = Math.min(this.partDepth, this.depth);
    this.separate(name);
  }

  onAttribute(name: string, value: string): void {
    if (this.attributes.size < 100) this.attributes.set(name, value);
  }

  onOpenTagEnd(): void {
    const { name, attributes, depth } = this;
    if (depth === 1) this.language = attributes.get('lang');
    if (LINKING.has(name) && !NOT_FOLLOWED.has(attributes.get('rel')?.toLowerCase() ?? ''))
      for (const attribute of ADDRESSES) this.addLink(attributes.get(attribute));
    // An element without a URL attribute may have the URL as its text.
    const isAddress =
      WRITTEN_ADDRESSES.has(name) && attributes.get('ispermalink') !== 'false' && !attributes.has('href');
    if (!this.collected && (isAddress || HOLDS_MARKUP.has(name) || this.isFact(name)))
      this.collected = { name, depth, text: '' };
  }

  onText(piece: string): void {
    if (this.silent > 0) return;
    const { collected } = this;
    if (collected) {
      collected.text += piece;
      if (collected.text.length >= LONGEST_COLLECTED) this.endCollecting();
    }
    // Only at the element's end is it known whether its text is markup or a URL.
    if (!collected || !isDeferred(collected.name)) this.buffer.append(piece);
  }

  onCloseTag(name: string): void {
    if (SILENT.has(name) && this.silent > 0) this.silent--;
    if (this.collected && this.collected.depth >= this.depth) this.endCollecting();
    this.separate(name);
    this.depth = Math.max(0, this.depth - 1);
    if (this.depth < this.partDepth) this.partDepth = Number.POSITIVE_INFINITY;
  }

  finish(): XmlDocument {
    this.endCollecting();
    const { facts } = this;
    const author = facts.get('author');
    const fields = [...facts].flatMap(([name, value]) => (name.startsWith('date_') ? { name, value } : []));
    return {
      title: facts.get('title') ?? '',
      fields,
      links: this.links.links,
      cutLinks: this.links.cutLinks,
      ...(author === undefined ? {} : { author }),
      ...(this.language ? { language: this.language } : {}),
    };
  }

  private isFact(name: string): boolean {
    if (this.depth > FACTS_DEPTH || this.partDepth < this.depth) return false;
    return name === 'title' || name === 'language' || AUTHORS.has(name) || DATES.has(name);
  }

  private separate(name: string): void {
    if (INLINE.has(name)) return;
    if (this.collected && isDeferred(this.collected.name)) this.collected.text += ' ';
    else this.buffer.startNewWord();
  }

  private endCollecting(): void {
    const { collected } = this;
    if (!collected) return;
    this.collected = undefined;
    const { name, text } = collected;
    if (HOLDS_MARKUP.has(name)) this.readEmbeddedHtml(text);
    else if (!WRITTEN_ADDRESSES.has(name)) this.setFact(name, text.slice(0, LONGEST_FACT).replace(/\s+/g, ' ').trim());
    else if (/^\s*https?:\/\//i.test(text)) this.addLink(text);
    else this.buffer.append(text);
  }

  /** Only the first fact of each kind counts. */
  private setFact(name: string, value: string): void {
    const known = AUTHORS.has(name) ? 'author' : (DATES.get(name) ?? name);
    if (value === '' || this.facts.has(known)) return;
    if (name === 'language') this.language ??= value;
    const time = known.startsWith('date_') ? Date.parse(value) : 0;
    if (Number.isNaN(time)) return;
    this.facts.set(known, known.startsWith('date_') ? `${new Date(time).toISOString().slice(0, 19)}Z` : value);
  }

  private addLink(href: string | undefined): void {
    const address = href?.trim() ?? '';
    if (address === '' || address.startsWith('#') || address.length > LONGEST_ADDRESS) return;
    this.links.add({ href: address, kind: 'a', nofollow: false });
  }

  /** Reads HTML that is embedded as text: feeds contain their articles in this form. */
  private readEmbeddedHtml(text: string): void {
    const { buffer } = this;
    if (!/[<&]/.test(text)) {
      buffer.append(text);
      return;
    }
    let name = '';
    let attribute = '';
    let value = '';
    let silent = false;
    const readTagName = (start: number, end: number): string => text.slice(start, end).toLowerCase();
    const separate = (tag: string): void => {
      silent = SILENT.has(tag) && name === tag;
      if (!INLINE.has(tag)) buffer.startNewWord();
    };
    const tokenizer = new Tokenizer(
      { decodeEntities: true },
      {
        onopentagname: (start, end) => {
          name = readTagName(start, end);
          separate(name);
        },
        onattribname: (start, end) => {
          attribute = readTagName(start, end);
          value = '';
        },
        onattribdata: (start, end) => {
          value += text.slice(start, end);
        },
        onattribentity: (codePoint) => {
          value += String.fromCodePoint(codePoint);
        },
        onattribend: () => {
          if (name === 'a' && attribute === 'href') this.addLink(value);
        },
        onopentagend() {},
        onselfclosingtag() {},
        onclosetag: (start, end) => {
          name = '';
          separate(readTagName(start, end));
        },
        ontext: (start, end) => {
          if (!silent) buffer.append(text.slice(start, end));
        },
        ontextentity: (codePoint) => buffer.append(String.fromCodePoint(codePoint)),
        oncdata() {},
        oncomment() {},
        ondeclaration() {},
        onprocessinginstruction() {},
        onend() {},
        isInForeignContext: () => false,
      },
    );
    tokenizer.write(text);
    tokenizer.end();
  }
}
