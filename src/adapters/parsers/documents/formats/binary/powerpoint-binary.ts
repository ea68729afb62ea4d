/**
 * Reads presentations of PowerPoint 97 to 2003 ([MS-PPT]): a stream of nested records. Slides are separate objects that
 * are found by number; their order, and the text of their placeholders, is in the document's lists.
 */
import { BLOCK_END, type DocumentContent, Unreadable } from '../../document-content.js';
import type { CompoundFile } from './compound-file.js';
import { readInt, readShort } from './little-endian.js';

const RECORD = {
  document: 0x03e8,
  slide: 0x03ee,
  notes: 0x03f0,
  slidePersist: 0x03f3,
  mainMaster: 0x03f8,
  externalHyperlink: 0x0fd7,
  outlineTextRef: 0x0f9e,
  textHeader: 0x0f9f,
  textChars: 0x0fa0,
  textBytes: 0x0fa8,
  string: 0x0fba,
  headersFooters: 0x0fd9,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  comment: 0x2ee0,
  shape: 0xf004,
} as const;

/** The record that makes a shape a placeholder, within the one of the shape's data. */
const PLACEHOLDER = [0xf011, 0x0bc3];
/** Instances of the lists of slides. */
const SLIDES = 0;
const MASTERS = 1;
const NOTES = 2;
const HEADER_SIZE = 8;
const MAX_DEPTH = 40;
const MAX_EDITS = 1_000;
const MAX_OBJECTS = 100_000;
/** The token of the current user's stream if the presentation is encrypted. */
const ENCRYPTED_TOKEN = 0xf3d1c4df;

interface PowerPointRecord {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly start: number;
  readonly end: number;
}

/** Lists the records between two positions. Those that are cut off end with their container. */
function* listRecords(stream: Buffer, start: number, end: number): Generator<PowerPointRecord> {
  let at = start;
  while (at + HEADER_SIZE <= end) {
    const flags = readShort(stream, at);
    const contentStart = at + HEADER_SIZE;
    const contentEnd = Math.min(contentStart + readInt(stream, at + 4), end);
    yield {
      type: readShort(stream, at + 2),
      instance: flags >> 4,
      isContainer: (flags & 0xf) === 0xf,
      start: contentStart,
      end: contentEnd,
    };
    at = contentEnd;
  }
}

/** A slide, or the notes of one, as the document lists it. */
interface ListedSlide {
  readonly objectNumber: number;
  /** The texts of its placeholders. */
  readonly texts: string[];
}

/** @throws Unreadable */
export function readPowerPointBinary(file: CompoundFile, content: DocumentContent): void {
  const currentUser = file.read(file.find('Current User'));
  if (readInt(currentUser, 12) === ENCRYPTED_TOKEN)
    throw new Unreadable('extract-encrypted', 'the presentation is encrypted');
  new PresentationReader(file.read(file.find('PowerPoint Document')), content).read(readInt(currentUser, 16));
}

class PresentationReader {
  /** Positions of objects, by their number. */
  private readonly positions = new Map<number, number>();
  /** Positions of objects that have been read, so that one that is listed many times is read once. */
  private readonly visitedPositions = new Set<number>();
  /** The texts of masters while they are read: often copies. Slides show what is no placeholder ("Click to edit"). */
  private backgrounds: Set<string> | undefined;

  constructor(
    private readonly stream: Buffer,
    private readonly content: DocumentContent,
  ) {}

  /** @param lastEdit the position of the last edit, where the numbers of objects are resolved */
  read(lastEdit: number): void {
    const { stream, content } = this;
    this.readPositions(lastEdit);
    const document = this.findDocument(lastEdit);
    if (!document) throw new Unreadable('extract-corrupt', 'the presentation has no document');
    const lists = [...listRecords(stream, document.start, document.end)];
    const slides = this.listSlides(lists, SLIDES);
    content.addField('slide_count', String(slides.length));
    for (const slide of slides) this.readSlide(slide, [RECORD.slide]);
    this.backgrounds = new Set();
    for (const { objectNumber } of this.listSlides(lists, MASTERS))
      this.readSlide({ objectNumber, texts: [] }, [RECORD.mainMaster, RECORD.slide]);
    this.backgrounds = undefined;
    this.readHeadersAndFooters(lists);
    for (const notes of this.listSlides(lists, NOTES)) this.readSlide(notes, [RECORD.notes]);
    for (const list of lists) if (list.isContainer) this.readHyperlinks(list, 0);
  }

  /** Each edit adds a directory of the objects that it changed; the last position of an object is valid. */
  private readPositions(lastEdit: number): void {
    const { stream } = this;
    let at = lastEdit;
    for (let edits = 0; at > 0 && edits < MAX_EDITS; edits++) {
      if (readShort(stream, at + 2) !== RECORD.userEdit) return;
      // The last field exists only in encrypted presentations, whose current user may not say so.
      if (readInt(stream, at + 4) >= 0x20 && readInt(stream, at + HEADER_SIZE + 28) !== 0)
        throw new Unreadable('extract-encrypted', 'the presentation is encrypted');
      this.readDirectory(readInt(stream, at + HEADER_SIZE + 12));
      const previous = readInt(stream, at + HEADER_SIZE + 8);
      if (previous >= at) return;
      at = previous;
    }
  }

  private readDirectory(position: number): void {
    const { stream, positions } = this;
    const [record] = listRecords(stream, position, stream.length);
    if (record?.type !== RECORD.persistDirectory) return;
    let at = record.start;
    while (at + 4 <= record.end) {
      const first = readInt(stream, at) & 0xfffff;
      const count = readInt(stream, at) >>> 20;
      for (let index = 0; index < count && at + 8 + index * 4 <= record.end; index++) {
        const number = first + index;
        if (!positions.has(number) && positions.size < MAX_OBJECTS)
          positions.set(number, readInt(stream, at + 4 + index * 4));
      }
      at += 4 + count * 4;
    }
  }

  private findDocument(lastEdit: number): PowerPointRecord | undefined {
    const byNumber = this.getObject(readInt(this.stream, lastEdit + HEADER_SIZE + 16));
    if (byNumber?.type === RECORD.document) return byNumber;
    return [...listRecords(this.stream, 0, this.stream.length)].findLast(({ type }) => type === RECORD.document);
  }

  private getObject(number: number): PowerPointRecord | undefined {
    const position = this.positions.get(number);
    if (position === undefined) return undefined;
    return listRecords(this.stream, position, this.stream.length).next().value ?? undefined;
  }

  private listSlides(lists: readonly PowerPointRecord[], instance: number): ListedSlide[] {
    const slides: ListedSlide[] = [];
    for (const list of lists) {
      if (list.type !== RECORD.slideList || list.instance !== instance) continue;
      for (const record of listRecords(this.stream, list.start, list.end)) {
        if (record.type === RECORD.slidePersist)
          slides.push({ objectNumber: readInt(this.stream, record.start), texts: [] });
        else if (record.type === RECORD.textHeader) slides.at(-1)?.texts.push('');
        else if (isText(record)) {
          const texts = slides.at(-1)?.texts;
          if (texts?.at(-1) === '') texts[texts.length - 1] = readText(this.stream, record);
        }
      }
    }
    return slides;
  }

  private contains({ start, end }: PowerPointRecord, [type, ...inner]: readonly number[]): boolean {
    for (const record of listRecords(this.stream, start, end))
      if (record.type === type && (inner.length === 0 || this.contains(record, inner))) return true;
    return false;
  }

  /** Reads a slide's shapes; the text of placeholders is in the list, to which they refer by number. */
  private readSlide({ objectNumber, texts }: ListedSlide, expectedTypes: readonly number[]): void {
    if (this.content.isFull) return;
    const slide = this.getObject(objectNumber);
    const used = new Set<number>();
    if (slide && expectedTypes.includes(slide.type) && !this.visitedPositions.has(slide.start)) {
      this.visitedPositions.add(slide.start);
      this.readShapes(slide, texts, used, 0);
    }
    for (const [index, text] of texts.entries()) if (!used.has(index)) this.addText(text);
  }

  private readShapes(container: PowerPointRecord, texts: readonly string[], used: Set<number>, depth: number): void {
    for (const record of listRecords(this.stream, container.start, container.end)) {
      if (this.content.isFull) return;
      if (this.backgrounds && record.type === RECORD.shape && this.contains(record, PLACEHOLDER)) continue;
      if (isText(record)) this.addText(readText(this.stream, record));
      else if (record.type === RECORD.outlineTextRef) {
        const index = readInt(this.stream, record.start);
        if (!used.has(index)) this.addText(texts[index] ?? '');
        used.add(index);
      } else if (record.type === RECORD.comment) this.readStrings(record, [0, 1]);
      else if (record.type === RECORD.headersFooters) this.readStrings(record, [0, 1, 2]);
      else if (canContainText(record) && depth < MAX_DEPTH) this.readShapes(record, texts, used, depth + 1);
    }
  }

  private readHeadersAndFooters(lists: readonly PowerPointRecord[]): void {
    for (const list of lists) if (list.type === RECORD.headersFooters) this.readStrings(list, [0, 1, 2]);
  }

  /** Reads the strings with the given instances. */
  private readStrings(container: PowerPointRecord, instances: readonly number[]): void {
    for (const record of listRecords(this.stream, container.start, container.end))
      if (record.type === RECORD.string && instances.includes(record.instance))
        this.addText(this.stream.toString('utf16le', record.start, record.end));
  }

  private readHyperlinks(container: PowerPointRecord, depth: number): void {
    for (const record of listRecords(this.stream, container.start, container.end)) {
      if (record.type === RECORD.externalHyperlink) {
        for (const string of listRecords(this.stream, record.start, record.end))
          if (string.type === RECORD.string && string.instance === 1)
            this.content.addLink(this.stream.toString('utf16le', string.start, string.end));
      } else if (record.isContainer && depth < 3) this.readHyperlinks(record, depth + 1);
    }
  }

  private addText(text: string): void {
    if (this.backgrounds?.has(text)) return;
    this.backgrounds?.add(text);
    this.content.addText(text.replaceAll('\r', BLOCK_END).replace(/[\u0000-\u001f]+/g, ' '));
    this.content.endBlock();
  }
}

const isText = ({ type }: PowerPointRecord): boolean => type === RECORD.textChars || type === RECORD.textBytes;

/** Characters of a text of bytes are the first 256 of Unicode. */
const readText = (stream: Buffer, { type, start, end }: PowerPointRecord): string =>
  stream.toString(type === RECORD.textBytes ? 'latin1' : 'utf16le', start, end);

/** The text box of a shape contains records of the presentation, but is no container itself. */
const CLIENT_TEXT_BOX = 0xf00d;
const BINARY_TAG_DATA = 0x138b;

const canContainText = ({ type, isContainer }: PowerPointRecord): boolean =>
  isContainer || type === CLIENT_TEXT_BOX || type === BINARY_TAG_DATA;
