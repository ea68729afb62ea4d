/**
 * Reads XML as a stream of tags and text: it builds no tree, does not remember open elements, and cannot fail on
 * malformed XML.
 */
import { Tokenizer } from 'htmlparser2';

export interface XmlHandler {
  /** Names are in lower case and without namespace prefix. */
  onOpenTag(name: string): void;
  /** Called for each attribute between `onOpenTag` and `onOpenTagEnd`; character references are decoded. */
  onAttribute(name: string, value: string): void;
  onOpenTagEnd(): void;
  /** Also called for an empty element `<a/>`. */
  onCloseTag(name: string): void;
  /** A piece of text or CDATA with character references decoded; adjacent pieces belong together. */
  onText(text: string): void;
  /** Checked after each element; true if nothing more is needed. */
  isDone(): boolean;
}

export function readXml(xml: string, handler: XmlHandler): void {
  let name = '';
  let attribute = '';
  let value = '';
  const finishOpenTag = (isEmpty: boolean): void => {
    handler.onOpenTagEnd();
    if (isEmpty) handler.onCloseTag(name);
  };
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = getLocalName(xml.slice(start, end));
        handler.onOpenTag(name);
      },
      onattribname(start, end) {
        attribute = getLocalName(xml.slice(start, end));
        value = '';
      },
      onattribdata(start, end) {
        value += xml.slice(start, end);
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        handler.onAttribute(attribute, value);
      },
      onopentagend: () => finishOpenTag(false),
      onselfclosingtag: () => finishOpenTag(true),
      onclosetag(start, end) {
        handler.onCloseTag(getLocalName(xml.slice(start, end)));
        if (handler.isDone()) tokenizer.pause();
      },
      // Before the outermost element, only the end of a document type with entities looks like text.
      ontext: (start, end) =>
        (name === '' && xml.slice(start, end).trim() === ']>') || handler.onText(xml.slice(start, end)),
      ontextentity: (codePoint) => handler.onText(String.fromCodePoint(codePoint)),
      oncdata: (start, end, endOffset) => handler.onText(xml.slice(start, end - endOffset)),
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(xml);
  if (!handler.isDone()) tokenizer.end();
}

/** The attribute that states the base of the URLs in its element (XML Base). */
export const BASE = 'xml:base';
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i;

/** Resolves a URL against `xml:base`, which may itself be relative to the document, as the result is then. */
export function resolveInBase(base: string | undefined, url: string): string {
  if (base === undefined || ABSOLUTE.test(url)) return url;
  if (ABSOLUTE.test(base)) return URL.parse(url, base)?.href ?? url;
  return url.startsWith('/') ? url : base.slice(0, base.lastIndexOf('/') + 1) + url;
}

/** The base keeps its prefix, because other vocabularies have bases of another kind. */
function getLocalName(name: string): string {
  return name === BASE ? BASE : name.slice(name.indexOf(':') + 1).toLowerCase();
}
