/** Reads Word documents (ECMA-376, WordprocessingML). */
import PostalMime from 'postal-mime';
import { findEncoding, toUtf8 } from '../../charset.js';
import type { DocumentContent, DocumentRequest } from '../document-content.js';
import { ListNumbers, type Numbering, toLevelIndex } from './list-numbers.js';
import { readHtmlPart } from './mail.js';
import type { Attributes, ElementHooks } from './markup.js';
import { type OfficePackage, openPackage, PART_READERS, type PartReader, TEXT_RULES } from './office-package.js';
import { readRtfText } from './rtf.js';
import { findFieldLink, findGuidedText, symbolToText } from './word-codes.js';

const MAX_INSTRUCTION_LENGTH = 20_000;
const MAX_OPEN_FIELDS = 100;
/** Documents that are parts of others may have parts themselves. */
const MAX_NESTED_DOCUMENTS = 3;
const MESSAGE_PART = /\.(?:mht|mhtml|eml)$/i;

export function readWord(body: Uint8Array, request: DocumentRequest): DocumentContent | Promise<DocumentContent> {
  const reader = new WordReader(request);
  const office = reader.open(body);
  const messages = [...office.readRelations(office.mainPart).values()].flatMap(({ type, target }) =>
    type === 'afchunk' && MESSAGE_PART.test(target) ? target : [],
  );
  if (messages.length === 0) return reader.read(office);
  // Only such parts take a reader that cannot be interrupted.
  return Promise.all(messages.map((part) => reader.readMessage(office, part))).then(() => reader.read(office));
}

class WordReader {
  /** The HTML of parts that are messages. */
  private readonly messages = new Map<string, string>();
  private nestedDocuments = 0;

  constructor(private readonly request: DocumentRequest) {}

  open(body: Uint8Array, content?: DocumentContent): OfficePackage {
    return openPackage(body, this.request, 'word/document.xml', this.readers, content);
  }

  read(office: OfficePackage): DocumentContent {
    const numbers = new ListNumbers(
      office.archive.readXml(office.findPart('numbering') ?? 'word/numbering.xml'),
      office.archive.readXml(office.findPart('styles') ?? 'word/styles.xml'),
      this.request.headings,
    );
    office.readText(office.mainPart, TEXT_RULES, new WordText(office.content, numbers, this.nestedDocuments > 0));
    return office.content;
  }

  async readMessage(office: OfficePackage, part: string): Promise<void> {
    const bytes = office.archive.read(part);
    const message = bytes && (await PostalMime.parse(bytes, { maxNestingDepth: 10 }).catch(() => undefined));
    this.messages.set(part, message?.html ?? message?.text ?? '');
  }

  private readonly readTextPart: PartReader = (office, part) =>
    office.readText(part, TEXT_RULES, new WordText(office.content));

  /** Reads a part in another format, which Word would import when it opens the document. */
  private readonly readChunk: PartReader = ({ archive, content }, part) => {
    const message = this.messages.get(part);
    const bytes = message === undefined ? archive.read(part) : Buffer.from(message);
    if (!bytes) return;
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const head = body.toString('latin1', 0, 10).trimStart();
    if (head.startsWith('PK')) this.readNestedDocument(body, content);
    else if (head.startsWith('{\\rtf')) readRtfText(body, content);
    else if (message === undefined && /\.txt$/i.test(part))
      content.addBlocks(toUtf8(body, findEncoding(body, undefined, 'text')).toString(), '\n');
    else readHtmlPart(toUtf8(body, findEncoding(body, undefined, 'html')).toString(), content, this.request);
  };

  private readNestedDocument(body: Buffer, content: DocumentContent): void {
    if (this.nestedDocuments >= MAX_NESTED_DOCUMENTS) return;
    this.nestedDocuments++;
    this.read(this.open(body, content));
  }

  private readonly readers: ReadonlyMap<string, PartReader> = new Map([
    ...[...PART_READERS].map(([type, reader]) => [type, WORD_PARTS.has(type) ? this.readTextPart : reader] as const),
    ['afchunk', this.readChunk] as const,
  ]);
}

/** Parts whose text is that of a Word document. */
const WORD_PARTS = new Set(['footnotes', 'endnotes', 'comments', 'header', 'footer']);

/** What the text of a part contains beside its letters: symbols, fields that are links, and numbers of list items. */
class WordText implements ElementHooks {
  /** The instructions of the fields that are open. */
  private readonly instructions: string[] = [];
  private isInInstruction = false;
  private numbering: Numbering = { style: undefined, useId: undefined, level: undefined };
  private outlineLevel: string | undefined;

  constructor(
    private readonly content: DocumentContent,
    private readonly numbers?: ListNumbers,
    private readonly isNested = true,
  ) {}

  onElement(name: string, attributes: Attributes): boolean {
    const value = attributes.get('val');
    if (name === 'nobreakhyphen') this.content.addText('-');
    else if (name === 'sym')
      this.content.addText(
        symbolToText(attributes.get('font') ?? '', Number.parseInt(attributes.get('char') ?? '', 16)),
      );
    else if (name === 'fldchar') this.readFieldMark(attributes.get('fldchartype'));
    else if (name === 'comment') this.content.addText(`${attributes.get('author') ?? ''} `);
    else if (name === 'fldsimple') this.addLink(attributes.get('instr') ?? '');
    else if (name === 'instrtext') this.isInInstruction = true;
    else if (name === 'ppr') {
      this.numbering = { style: undefined, useId: undefined, level: undefined };
      this.outlineLevel = undefined;
    } else if (name === 'outlinelvl') this.outlineLevel = value;
    else if (name === 'pstyle') this.numbering.style = value;
    else if (name === 'numid') this.numbering.useId = value;
    else if (name === 'ilvl') this.numbering.level = toLevelIndex(value);
    return true;
  }

  onElementEnd(name: string): void {
    if (name === 'instrtext') this.isInInstruction = false;
    else if (name === 'p') this.content.endHeading();
    // Notes, headers and footers follow.
    else if (name === 'body' && !this.isNested) this.content.addHeading(1, this.content.position, '');
    else if (name === 'ppr' && this.numbers) {
      if (this.content.position !== undefined)
        this.content.beginHeading(this.numbers.findHeadingLevel(this.numbering.style, this.outlineLevel));
      const number = this.numbers.next(this.numbering);
      if (number !== '') this.content.addText(`${number} `);
    }
  }

  onOtherText(text: string): void {
    const last = this.instructions.length - 1;
    if (!this.isInInstruction || last < 0) return;
    this.instructions[last] = `${this.instructions[last]}${text}`.slice(0, MAX_INSTRUCTION_LENGTH);
  }

  private readFieldMark(type: string | undefined): void {
    if (type === 'begin' && this.instructions.length < MAX_OPEN_FIELDS) this.instructions.push('');
    else if (type === 'end') {
      const instruction = this.instructions.pop() ?? '';
      this.content.addText(findGuidedText(instruction));
      this.addLink(instruction);
    }
  }

  private addLink(instruction: string): void {
    const href = findFieldLink(instruction);
    if (href !== undefined) this.content.addLink(href);
  }
}
