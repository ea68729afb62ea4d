/** Turns the characters of a Word document into text: control characters are separators, marks and fields. */
import { BLOCK_END, type DocumentContent } from '../../document-content.js';
import { findGuidedText } from '../word-codes.js';
import type { NumberedParagraphs } from './word-lists.js';

const FIELD_BEGIN = '\u0013';
const FIELD_SEPARATOR = '\u0014';
const FIELD_END = '\u0015';
const MAX_DEPTH = 100;
const MAX_INSTRUCTION_LENGTH = 20_000;

/** Paragraphs, cells, lines, pages and columns end words. */
const SEPARATORS = /[\t\n\u0007\u000b\u000c\u000e]+/g;
/** After these characters, or at the start of a text, a paragraph starts. */
const PARAGRAPH_ENDS = new Set(['', '\r', '\u0007', '\u000c']);
const PARAGRAPH_END = /[\r\u0007\u000c]/;
/** Pictures, numbers of notes and other marks, which have no text. */
const MARKS = /[\u0000-\u0006\u0008\u000f-\u0012\u0016-\u001d]+/g;
/** Marks of notes and comments separate words, as they are printed between them. */
const NOTE_MARKS = /[\u0002\u0005]/g;

export class WordTextWriter {
  /** The fields that are open, with the instruction of each and whether its result has begun. */
  private fields: { instruction: string; hasResult: boolean }[] = [];
  private lastCharacter = '';
  private isInHeading = false;

  constructor(
    private readonly content: DocumentContent,
    private readonly paragraphs?: NumberedParagraphs,
  ) {}

  get isFull(): boolean {
    return this.content.isFull;
  }

  /** Adds the number of the list item, or begins the heading, that starts at a byte of the document; returns where the next one may start. */
  beginAt(byte: number): number {
    if (!this.paragraphs) return Number.POSITIVE_INFINITY;
    const { items, headings, numbers, starts } = this.paragraphs;
    const startsParagraph = PARAGRAPH_ENDS.has(this.lastCharacter);
    if (startsParagraph) this.beginHeading(headings.get(byte));
    const item = startsParagraph ? items.get(byte) : undefined;
    const number = item ? numbers.next(item) : '';
    if (number !== '') this.content.addText(`${number} `);
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= byte) low = middle + 1;
      else high = middle;
    }
    return starts[low] ?? Number.POSITIVE_INFINITY;
  }

  add(text: string): void {
    this.lastCharacter = text.at(-1) ?? this.lastCharacter;
    for (const token of text.split(/([\u0013-\u0015])/)) {
      if (token === FIELD_BEGIN) this.beginField();
      else if (token === FIELD_SEPARATOR) this.beginResult();
      else if (token === FIELD_END) this.endField();
      else if (token !== '') this.addCharacters(token);
    }
  }

  /** Ends the main text, or the notes, comments or headers: fields do not continue from one to the next. */
  endStory(): void {
    this.fields = [];
    this.lastCharacter = '';
    this.endHeading();
    this.content.endBlock();
    this.content.addHeading(1, this.content.position, '');
  }

  private beginHeading(level: number | undefined): void {
    this.isInHeading = level !== undefined;
    this.content.beginHeading(level);
  }

  private endHeading(): void {
    if (this.isInHeading) this.content.endHeading();
    this.isInHeading = false;
  }

  private beginField(): void {
    if (this.fields.length < MAX_DEPTH) this.fields.push({ instruction: '', hasResult: false });
  }

  private beginResult(): void {
    const field = this.fields.at(-1);
    if (!field) return;
    field.hasResult = true;
    const href = /^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)"/i.exec(field.instruction)?.[1];
    if (href !== undefined) this.content.addLink(href);
  }

  private endField(): void {
    const field = this.fields.pop();
    if (field && !field.hasResult) this.content.addText(findGuidedText(field.instruction));
  }

  private addCharacters(characters: string): void {
    const field = this.fields.find(({ hasResult }) => !hasResult);
    if (field) {
      if (field.instruction.length < MAX_INSTRUCTION_LENGTH) field.instruction += characters;
      return;
    }
    const end = this.isInHeading ? characters.search(PARAGRAPH_END) + 1 : 0;
    if (end > 0) {
      this.addText(characters.slice(0, end));
      this.endHeading();
    }
    this.addText(characters.slice(end));
  }

  private addText(characters: string): void {
    this.content.addText(
      characters
        .replaceAll('\r', BLOCK_END)
        .replace(SEPARATORS, ' ')
        .replace(NOTE_MARKS, ' ')
        .replace(MARKS, '')
        .replaceAll('\u001e', '-')
        .replaceAll('\u001f', ''),
    );
  }
}
