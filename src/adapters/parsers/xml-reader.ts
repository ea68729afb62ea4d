/** Reads XML as a stream of tags and text: no tree, no memory of open elements, nothing that broken XML could make fail. */
import { Tokenizer } from 'htmlparser2';

export interface XmlHandler {
  /** Names come in lower case and without namespace prefix. */
  open(name: string): void;
  /** Comes between `open` and `opened` for each attribute, character references decoded. */
  attribute(name: string, value: string): void;
  opened(): void;
  /** Also called for an empty element `<a/>`. */
  close(name: string): void;
  /** A piece of text or CDATA, character references decoded; neighbouring pieces belong together. */
  text(piece: string): void;
  /** Checked after each element: nothing more is needed. */
  done(): boolean;
}

export function readXml(xml: string, handler: XmlHandler): void {
  let name = '';
  let attribute = '';
  let value = '';
  const opened = (empty: boolean): void => {
    handler.opened();
    if (empty) handler.close(name);
  };
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = localName(xml.slice(start, end));
        handler.open(name);
      },
      onattribname(start, end) {
        attribute = localName(xml.slice(start, end));
        value = '';
      },
      onattribdata(start, end) {
        value += xml.slice(start, end);
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        handler.attribute(attribute, value);
      },
      onopentagend: () => opened(false),
      onselfclosingtag: () => opened(true),
      onclosetag(start, end) {
        handler.close(localName(xml.slice(start, end)));
        if (handler.done()) tokenizer.pause();
      },
      ontext: (start, end) => handler.text(xml.slice(start, end)),
      ontextentity: (codePoint) => handler.text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, endOffset) => handler.text(xml.slice(start, end - endOffset)),
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(xml);
  if (!handler.done()) tokenizer.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
