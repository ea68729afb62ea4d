/**
 * Extracts what an XML document contains: its text in reading order, title, author, dates and links. Vocabularies are
 * not distinguished: feeds (RSS, Atom), DocBook, DITA, TEI, JATS and most private ones use similar names.
 */
import { Tokenizer } from 'htmlparser2';
import { DistinctLinks } from '../../domain/content/distinct-links.js';
import { formatIsoTime } from '../../domain/time/http-date.js';
import { parseDateOrYear } from '../../domain/time/written-date.js';
import type { RawLink } from '../../engine/ports/page-content.js';
import type { TextBuffer } from './html/text-buffer.js';
import { BASE, readXml, resolveInBase } from './xml-reader.js';

export interface XmlDocument {
  readonly title: string;
  readonly author?: string;
  readonly language?: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly links: readonly RawLink[];
  readonly cutLinks: DistinctLinks<RawLink>['cutLinks'];
}

/** Elements that occur within a sentence, from several vocabularies. */
const INLINE_ELEMENTS = new Set(
  (
    'a abbrev acronym application b bold citation citetitle classname cmdname code codeph command computeroutput constant del em emphasis ' +
    'envar ext-link filename firstterm foreign function guibutton guilabel hi i interfacename italic keycap link literal methodname ' +
    'monospace name-part option parameter phrase ph programname prompt property quote ref replaceable sc small span strike strong ' +
    'styled-content sub subscript sup superscript systemitem tspan tt type u uicontrol ulink underline uri userinput varname wordasword xref'
  ).split(' '),
);
/** Elements whose content is not displayed. */
const HIDDEN_ELEMENTS = new Set(['script', 'style']);
/** Elements that link to other documents, and the attributes that contain the URL. */
const LINKING_ELEMENTS = new Set(
  'a link ulink xref ref ptr ext-link uri topicref mapref chapter externallink enclosure'.split(' '),
);
const URL_ATTRIBUTES = new Set(['href', 'url', 'target']);
/** Elements whose text is a URL. */
const URL_TEXT_ELEMENTS = new Set(['link', 'guid', 'comments']);
/** Relations of Atom links whose targets are not documents. */
const NON_DOCUMENT_RELATIONS = new Set(['self', 'hub', 'edit', 'stylesheet', 'icon', 'license', 'search']);
/** Elements that may contain escaped HTML: not if they contain elements, or say so (RFC 4287, 3.1.1). */
const MARKUP_ELEMENTS = new Set(['description', 'encoded', 'summary', 'content', 'subtitle', 'tagline']);
const PLAIN_TYPE = /^\s*(?:text|text\/plain|xhtml)\s*$/i;
/** What only HTML has, unlike `a < b`. */
const HTML = /<[a-z!/][^<>]*>|&#?\w+;/i;
/** Elements whose content describes only a part of the document. */
const PART_ELEMENTS = new Set('item entry section sect1 chapter article-part'.split(' '));
const AUTHOR_ELEMENTS = new Set(['author', 'creator', 'managingeditor']);
const DATE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['pubdate', 'date_created'],
  ['created', 'date_created'],
  ['issued', 'date_created'],
  ['published', 'date_created'],
  ['lastbuilddate', 'date_modified'],
  ['modified', 'date_modified'],
  ['updated', 'date_modified'],
]);
/** Maximum depth of facts; deeper in the document, their names mean something else. */
const MAX_FACT_DEPTH = 6;
const MAX_FACT_LENGTH = 2_048;
const MAX_URL_LENGTH = 65_536;
const MAX_COLLECTED_LENGTH = 1_000_000;
/** Each link becomes as long as its base. */
const MAX_BASE_LENGTH = 2_048;
const MAX_BASES = 100;

const isDeferred = (name: string): boolean => MARKUP_ELEMENTS.has(name) || URL_TEXT_ELEMENTS.has(name);

/**
 * Reads a document and adds its text to the buffer. Time and memory are proportional to the document's size, however
 * deeply nested it is.
 */
export function readXmlDocument(xml: string, maxLinks: number, buffer: TextBuffer): XmlDocument {
  const reader = new XmlDocumentReader(maxLinks, buffer);
  readXml(xml, {
    onOpenTag: (name) => reader.onOpenTag(name),
    onAttribute: (name, value) => reader.onAttribute(name, value),
    onOpenTagEnd: () => reader.onOpenTagEnd(),
    onCloseTag: (name) => reader.onCloseTag(name),
    onText: (text) => reader.onText(text),
    isDone: () => false,
  });
  return reader.finish();
}

class XmlDocumentReader {
  private readonly links: DistinctLinks<RawLink>;
  private readonly facts = new Map<string, string>();
  private language: string | undefined;
  private depth = 0;
  private hiddenDepth = 0;
  /** Depth at which the first part begins; anything deeper describes only that part. */
  private partDepth = Number.POSITIVE_INFINITY;
  private name = '';
  private attributes = new Map<string, string>();
  /** `xml:base` of the open elements that have one. */
  private readonly bases: { readonly depth: number; readonly base: string }[] = [];
  /** The element whose text is being collected in addition to the document's text. */
  private collectedElement: { readonly name: string; readonly depth: number; plain: boolean; text: string } | undefined;

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
    if (HIDDEN_ELEMENTS.has(name)) this.hiddenDepth++;
    if (PART_ELEMENTS.has(name)) this.partDepth = Math.min(this.partDepth, this.depth);
    this.endWord(name);
  }

  onAttribute(name: string, value: string): void {
    if (this.attributes.size < 100) this.attributes.set(name, value);
    if (name === BASE && value.length <= MAX_BASE_LENGTH && this.bases.length < MAX_BASES)
      this.bases.push({ depth: this.depth, base: resolveInBase(this.bases.at(-1)?.base, value.trim()) });
  }

  onOpenTagEnd(): void {
    const { name, attributes, depth } = this;
    if (depth === 1) this.language = attributes.get('lang');
    if (LINKING_ELEMENTS.has(name) && !NON_DOCUMENT_RELATIONS.has(attributes.get('rel')?.toLowerCase() ?? ''))
      for (const attribute of URL_ATTRIBUTES) this.addLink(attributes.get(attribute));
    // An element without a URL attribute may have the URL as its text.
    const hasUrlText =
      URL_TEXT_ELEMENTS.has(name) && attributes.get('ispermalink') !== 'false' && !attributes.has('href');
    if (this.collectedElement) this.collectedElement.plain = true;
    else if (hasUrlText || MARKUP_ELEMENTS.has(name) || this.isFact(name))
      this.collectedElement = { name, depth, plain: PLAIN_TYPE.test(attributes.get('type') ?? ''), text: '' };
  }

  onText(text: string): void {
    if (this.hiddenDepth > 0) return;
    const { collectedElement } = this;
    if (collectedElement) {
      collectedElement.text += text;
      if (collectedElement.text.length >= MAX_COLLECTED_LENGTH) this.endCollecting();
    }
    // Only at the element's end is it known whether its text is markup or a URL.
    if (!collectedElement || !isDeferred(collectedElement.name)) this.buffer.append(text);
  }

  onCloseTag(name: string): void {
    if (HIDDEN_ELEMENTS.has(name) && this.hiddenDepth > 0) this.hiddenDepth--;
    if (this.collectedElement && this.collectedElement.depth >= this.depth) this.endCollecting();
    this.endWord(name);
    while ((this.bases.at(-1)?.depth ?? -1) >= this.depth) this.bases.pop();
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
    if (this.depth > MAX_FACT_DEPTH || this.partDepth < this.depth) return false;
    return name === 'title' || name === 'language' || AUTHOR_ELEMENTS.has(name) || DATE_FIELDS.has(name);
  }

  private endWord(name: string): void {
    if (INLINE_ELEMENTS.has(name)) return;
    if (this.collectedElement && isDeferred(this.collectedElement.name)) this.collectedElement.text += ' ';
    else this.buffer.startNewWord();
  }

  private endCollecting(): void {
    const { collectedElement } = this;
    if (!collectedElement) return;
    this.collectedElement = undefined;
    const { name, plain, text } = collectedElement;
    if (MARKUP_ELEMENTS.has(name) && !plain && HTML.test(text)) this.readEmbeddedHtml(text);
    else if (MARKUP_ELEMENTS.has(name)) this.buffer.append(text);
    else if (!URL_TEXT_ELEMENTS.has(name))
      this.setFact(name, text.slice(0, MAX_FACT_LENGTH).replace(/\s+/g, ' ').trim());
    else if (/^\s*https?:\/\//i.test(text)) this.addLink(text);
    else this.buffer.append(text);
  }

  /** Stores a fact; only the first one of each kind is used. */
  private setFact(name: string, value: string): void {
    const key = AUTHOR_ELEMENTS.has(name) ? 'author' : (DATE_FIELDS.get(name) ?? name);
    if (value === '' || this.facts.has(key)) return;
    if (name === 'language') this.language ??= value;
    const time = key.startsWith('date_') ? parseDateOrYear(value) : undefined;
    if (time !== undefined) this.facts.set(key, `${formatIsoTime(time).slice(0, 19)}Z`);
    else if (!key.startsWith('date_')) this.facts.set(key, value);
  }

  private addLink(href: string | undefined): void {
    const url = href?.trim() ?? '';
    if (url === '' || url.startsWith('#') || url.length > MAX_URL_LENGTH) return;
    this.links.add({ href: resolveInBase(this.bases.at(-1)?.base, url), kind: 'a', nofollow: false });
  }

  /** Reads HTML that is embedded as text: feeds contain their articles in this form. */
  private readEmbeddedHtml(text: string): void {
    const { buffer } = this;
    let name = '';
    let attribute = '';
    let value = '';
    let isHidden = false;
    const readTagName = (start: number, end: number): string => text.slice(start, end).toLowerCase();
    const endWord = (tag: string): void => {
      isHidden = HIDDEN_ELEMENTS.has(tag) && name === tag;
      if (!INLINE_ELEMENTS.has(tag)) buffer.startNewWord();
    };
    const tokenizer = new Tokenizer(
      { decodeEntities: true },
      {
        onopentagname: (start, end) => {
          name = readTagName(start, end);
          endWord(name);
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
          endWord(readTagName(start, end));
        },
        ontext: (start, end) => {
          if (!isHidden) buffer.append(text.slice(start, end));
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
