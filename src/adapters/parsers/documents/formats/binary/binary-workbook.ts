/** Reads binary workbooks of Excel ([MS-XLSB]): a package whose parts are streams of records instead of XML. */
import type { DocumentContent, DocumentRequest } from '../../document-content.js';
import { NumberFormats } from '../number-formats.js';
import { type OfficePackage, openPackage } from '../office-package.js';
import { decodeCompactNumber, removeHeaderCodes } from './excel-binary.js';
import { readByte, readDouble, readInt, readShort } from './little-endian.js';

const RECORD = {
  compactNumber: 2,
  boolean: 4,
  number: 5,
  string: 6,
  sharedString: 7,
  formulaString: 8,
  formulaNumber: 9,
  formulaBoolean: 10,
  sharedItem: 19,
  numberFormat: 44,
  cellFormat: 47,
  workbookProperties: 153,
  sheet: 156,
  headersAndFooters: 479,
  startOfCellFormats: 617,
  endOfCellFormats: 618,
  commentText: 637,
} as const;

const MAX_STRINGS = 1_000_000;
const MAX_SHEETS = 10_000;
const MAX_VALUE_LENGTH = 100_000;
const NO_STRING = 0xffffffff;
/** Where the value of a cell begins: after its column and style. */
const VALUE_AT = 8;

/** Lists the records of a part; the last one may be cut off. */
export function* readBinaryRecords(bytes: Buffer): Generator<{ type: number; data: Buffer }> {
  let at = 0;
  /** Numbers have seven bits in each byte; the eighth says that another one follows. */
  const readNumber = (maxBytes: number): number => {
    let value = 0;
    for (let index = 0; index < maxBytes; index++) {
      const byte = readByte(bytes, at++);
      value |= (byte & 0x7f) << (7 * index);
      if (!(byte & 0x80)) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const type = readNumber(2);
    const size = readNumber(4);
    yield { type, data: bytes.subarray(at, at + size) };
    at += size;
  }
}

/** A string is preceded by its length in characters. */
function readString(data: Buffer, at: number): { text: string; end: number } {
  const length = readInt(data, at);
  if (length === NO_STRING) return { text: '', end: at + 4 };
  const end = Math.min(at + 4 + length * 2, data.length);
  return { text: data.toString('utf16le', at + 4, Math.min(end, at + 4 + MAX_VALUE_LENGTH * 2)), end };
}

export function readBinaryWorkbook(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const office = openPackage(body, request, 'xl/workbook.bin');
  return new BinaryWorkbookReader(office).read();
}

class BinaryWorkbookReader {
  private readonly content: DocumentContent;
  private strings: readonly string[] = [];
  private readonly styles: number[] = [];
  private formats = new NumberFormats(false);

  constructor(private readonly office: OfficePackage) {
    this.content = office.content;
  }

  read(): DocumentContent {
    const { office, content } = this;
    const sheets = this.readWorkbook();
    this.readStyles(office.findPart('styles') ?? 'xl/styles.bin');
    this.strings = this.readStrings(office.findPart('sharedstrings') ?? 'xl/sharedStrings.bin');
    content.addField('sheet_count', String(sheets.length));
    for (const { name, part } of sheets) {
      if (content.isFull) content.markTruncated();
      if (content.isFull) break;
      this.addValue(name);
      for (const { type, data } of this.listRecords(part)) {
        if (content.isFull) break;
        this.readCell(type, data);
      }
      this.readComments(part);
    }
    return content;
  }

  private readWorkbook(): { name: string; part: string }[] {
    const { office } = this;
    const relations = office.readRelations(office.mainPart);
    const sheets: { name: string; part: string }[] = [];
    for (const { type, data } of this.listRecords(office.mainPart)) {
      if (type === RECORD.workbookProperties) this.formats = new NumberFormats((readInt(data, 0) & 1) === 1);
      if (type !== RECORD.sheet || sheets.length >= MAX_SHEETS) continue;
      const { text: id, end } = readString(data, 8);
      const relation = relations.get(id);
      if (relation && !relation.isExternal) sheets.push({ name: readString(data, end).text, part: relation.target });
    }
    return sheets;
  }

  private readStyles(part: string): void {
    let isInCellFormats = false;
    for (const { type, data } of this.listRecords(part)) {
      if (type === RECORD.numberFormat) this.formats.define(readShort(data, 0), readString(data, 2).text);
      else if (type === RECORD.startOfCellFormats) isInCellFormats = true;
      else if (type === RECORD.endOfCellFormats) isInCellFormats = false;
      else if (type === RECORD.cellFormat && isInCellFormats) this.styles.push(readShort(data, 2));
    }
  }

  private readStrings(part: string): string[] {
    const strings: string[] = [];
    for (const { type, data } of this.listRecords(part))
      if (type === RECORD.sharedItem && strings.length < MAX_STRINGS) strings.push(readString(data, 1).text);
    return strings;
  }

  private readCell(type: number, data: Buffer): void {
    const style = readInt(data, 4) & 0xffffff;
    if (type === RECORD.sharedString) this.addValue(this.strings[readInt(data, VALUE_AT)] ?? '');
    else if (type === RECORD.string || type === RECORD.formulaString) this.addValue(readString(data, VALUE_AT).text);
    else if (type === RECORD.number || type === RECORD.formulaNumber) this.addNumber(readDouble(data, VALUE_AT), style);
    else if (type === RECORD.compactNumber) this.addNumber(decodeCompactNumber(readInt(data, VALUE_AT)), style);
    else if (type === RECORD.boolean || type === RECORD.formulaBoolean)
      this.addValue(readByte(data, VALUE_AT) === 0 ? 'FALSE' : 'TRUE');
    else if (type === RECORD.headersAndFooters) this.addHeaders(data);
  }

  /** Headers and footers of odd, even and first pages, one after the other. */
  private addHeaders(data: Buffer): void {
    for (let at = 2; at + 4 <= data.length; ) {
      const { text, end } = readString(data, at);
      this.addValue(removeHeaderCodes(text));
      at = end;
    }
  }

  /** Adds links, text boxes and charts, which are in XML, and comments, which are not. */
  private readComments(sheet: string): void {
    const relations = this.office.readRelations(sheet);
    for (const { type, target } of relations.values())
      if (type === 'comments')
        for (const record of this.listRecords(target))
          if (record.type === RECORD.commentText) this.addValue(readString(record.data, 1).text);
    this.office.followAll(new Map([...relations].filter(([, { type }]) => type !== 'comments')));
  }

  private listRecords(part: string): Iterable<{ type: number; data: Buffer }> {
    const bytes = this.office.archive.read(part);
    return bytes ? readBinaryRecords(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : [];
  }

  private addNumber(value: number, style: number): void {
    this.addValue(this.formats.format(this.styles[style] ?? 0, value));
  }

  private addValue(text: string): void {
    this.content.addText(text);
    this.content.endWord();
  }
}
