/**
 * Reads workbooks of Excel 97 to 2003 ([MS-XLS], BIFF8), and of Excel 5 and 95 (BIFF5): a stream of records, first those
 * of the workbook, then those of each sheet.
 */
import { type DocumentContent, Unreadable } from '../../document-content.js';
import { NumberFormats } from '../number-formats.js';
import type { CompoundFile } from './compound-file.js';
import { decryptWorkbook } from './excel-encryption.js';
import { readCountedString, readHyperlink, readStringTable } from './excel-strings.js';
import { readByte, readDouble, readInt, readShort } from './little-endian.js';

const RECORD = {
  formula: 0x0006,
  endOfFile: 0x000a,
  header: 0x0014,
  footer: 0x0015,
  note: 0x001c,
  dateMode: 0x0022,
  password: 0x002f,
  continuation: 0x003c,
  codePage: 0x0042,
  sheet: 0x0085,
  multipleNumbers: 0x00bd,
  richString: 0x00d6,
  cellFormat: 0x00e0,
  sharedStrings: 0x00fc,
  sharedString: 0x00fd,
  textObject: 0x01b6,
  hyperlink: 0x01b8,
  number: 0x0203,
  string: 0x0204,
  booleanOrError: 0x0205,
  formulaString: 0x0207,
  compactNumber: 0x027e,
  numberFormat: 0x041e,
  startOfFile: 0x0809,
  chartText: 0x100d,
} as const;

const BIFF8 = 0x0600;
const VISUAL_BASIC_MODULE = 6;
const CHART = 0x0020;
const MAX_SHEETS = 10_000;
const MAX_STYLES = 65_536;
const DEFAULT_CODE_PAGE = 1252;
const MAX_VALUE_LENGTH = 100_000;

interface BiffRecord {
  readonly type: number;
  readonly data: Buffer;
  /** The records that continue this one. */
  readonly continuations: readonly Buffer[];
  /** The size of them all in bytes. */
  readonly size: number;
}

function* listRecords(stream: Buffer, start: number): Generator<BiffRecord> {
  let at = start;
  const next = (): Buffer => {
    const data = stream.subarray(at + 4, at + 4 + readShort(stream, at + 2));
    at += 4 + data.length;
    return data;
  };
  while (at + 4 <= stream.length) {
    const type = readShort(stream, at);
    const recordStart = at;
    const data = next();
    const continuations: Buffer[] = [];
    while (at + 4 <= stream.length && readShort(stream, at) === RECORD.continuation) continuations.push(next());
    yield { type, data, continuations, size: at - recordStart };
  }
}

interface Sheet {
  readonly name: string;
  readonly position: number;
}

/** @throws Unreadable */
export function readExcelBinary(file: CompoundFile, content: DocumentContent): void {
  const stream = openStream(file.read(file.find('Workbook') ?? file.find('Book')));
  const workbook = new WorkbookReader(stream, content);
  const sheets = workbook.readGlobals();
  content.addField('sheet_count', String(sheets.length));
  for (const { name, position } of sheets) {
    if (content.isFull) {
      content.markTruncated();
      return;
    }
    workbook.addValue(name);
    workbook.readSheet(position);
  }
}

/** @throws Unreadable */
function openStream(stream: Buffer): Buffer {
  for (const { type, data } of listRecords(stream, 0)) {
    if (type === RECORD.endOfFile) break;
    if (type !== RECORD.password) continue;
    const plain = decryptWorkbook(stream, data);
    if (!plain) throw new Unreadable('extract-encrypted', 'the workbook is encrypted');
    return plain;
  }
  return stream;
}

class WorkbookReader {
  /** Undefined if strings have no code page, as since Excel 97. */
  private codePage: number | undefined;
  private sharedStrings: readonly string[] = [];
  private formats = new NumberFormats(false);
  /** The number format of each style of cells. */
  private readonly styles: number[] = [];
  /** The bytes of sheets that may still be read: sheets may overlap. */
  private remainingBytes: number;

  constructor(
    private readonly stream: Buffer,
    private readonly content: DocumentContent,
  ) {
    this.remainingBytes = stream.length * 4;
  }

  /** Reads the records of the workbook, and returns its sheets. */
  readGlobals(): Sheet[] {
    const sheets: Sheet[] = [];
    const { stream } = this;
    if (readShort(stream, 0) !== RECORD.startOfFile)
      throw new Unreadable('extract-corrupt', 'the workbook does not begin with its version');
    if (readShort(stream, 4) !== BIFF8) this.codePage = DEFAULT_CODE_PAGE;
    for (const { type, data, continuations } of listRecords(stream, 0)) {
      if (type === RECORD.endOfFile) break;
      else if (type === RECORD.codePage && this.codePage !== undefined) this.codePage = readShort(data, 0);
      else if (type === RECORD.dateMode) this.formats = new NumberFormats(readShort(data, 0) === 1);
      else if (type === RECORD.numberFormat)
        this.formats.define(readShort(data, 0), this.readString([data], 2, this.codePage === undefined ? 2 : 1));
      else if (type === RECORD.cellFormat && this.styles.length < MAX_STYLES) this.styles.push(readShort(data, 2));
      else if (type === RECORD.sharedStrings) this.sharedStrings = readStringTable([data, ...continuations]);
      else if (type === RECORD.sheet && readByte(data, 5) !== VISUAL_BASIC_MODULE && sheets.length < MAX_SHEETS)
        sheets.push({ name: readCountedString([data], 6, 1, this.codePage), position: readInt(data, 0) });
    }
    return sheets;
  }

  /** Reads a sheet with the charts on it, which are nested. */
  readSheet(position: number): void {
    /** The kinds of what is nested, the innermost last. */
    const kinds: number[] = [];
    for (const record of listRecords(this.stream, position)) {
      this.remainingBytes -= record.size;
      if (this.remainingBytes < 0 || this.content.isFull) {
        this.content.markTruncated();
        return;
      }
      if (record.type === RECORD.startOfFile) kinds.push(readShort(record.data, 2));
      else if (record.type === RECORD.endOfFile) {
        kinds.pop();
        if (kinds.length === 0) return;
      } else if (kinds.length === 0) return;
      else if (kinds.at(-1) === CHART) this.readChartRecord(record);
      else this.readRecord(record);
    }
  }

  addValue(text: string): void {
    this.content.addText(text.slice(0, MAX_VALUE_LENGTH));
    this.content.endWord();
  }

  /** A chart repeats the numbers that it shows: only its titles, names and labels are read. */
  private readChartRecord({ type, data, continuations }: BiffRecord): void {
    if (type === RECORD.chartText) this.addValue(this.readString([data, ...continuations], 2, 1));
    else if (type === RECORD.string) this.addValue(this.readString([data, ...continuations], 6, 2));
    else if (type === RECORD.textObject) this.readTextObject(data, continuations);
  }

  private readRecord({ type, data, continuations }: BiffRecord): void {
    const segments = [data, ...continuations];
    if (type === RECORD.sharedString) this.addValue(this.sharedStrings[readInt(data, 6)] ?? '');
    else if (type === RECORD.string || type === RECORD.richString) this.addValue(this.readString(segments, 6, 2));
    else if (type === RECORD.formulaString) this.addValue(this.readString(segments, 0, 2));
    else if (type === RECORD.formula) this.addFormulaResult(data);
    else if (type === RECORD.number) this.addNumber(readDouble(data, 6), readShort(data, 4));
    else if (type === RECORD.compactNumber) this.addNumber(decodeCompactNumber(readInt(data, 6)), readShort(data, 4));
    else if (type === RECORD.multipleNumbers) this.addNumbers(data);
    else if (type === RECORD.booleanOrError && readByte(data, 7) === 0) this.addBoolean(readByte(data, 6));
    else if (type === RECORD.header || type === RECORD.footer) this.addHeader(data, continuations);
    else if (type === RECORD.note && this.codePage !== undefined) this.addValue(this.readString(segments, 4, 2));
    else if (type === RECORD.textObject) this.readTextObject(data, continuations);
    else if (type === RECORD.hyperlink) this.content.addLink(readHyperlink(data.subarray(24)) ?? '');
  }

  /** The lengths of headers have two bytes since Excel 97. */
  private addHeader(data: Buffer, continuations: readonly Buffer[]): void {
    if (data.length === 0) return;
    const lengthSize = this.codePage === undefined ? 2 : 1;
    this.addValue(removeHeaderCodes(this.readString([data, ...continuations], 0, lengthSize)));
  }

  private addNumbers(data: Buffer): void {
    for (let at = 4; at + 6 < data.length; at += 6)
      this.addNumber(decodeCompactNumber(readInt(data, at + 2)), readShort(data, at));
  }

  private readString(segments: readonly Buffer[], at: number, lengthSize: 1 | 2): string {
    return readCountedString(segments, at, lengthSize, this.codePage);
  }

  /** The text of a text box or comment is in the first record after its own. */
  private readTextObject(data: Buffer, continuations: readonly Buffer[]): void {
    if (this.codePage !== undefined || !continuations[0]) return;
    const length = Buffer.alloc(2);
    length.writeUInt16LE(readShort(data, 10));
    const [first, ...rest] = continuations;
    this.addValue(readCountedString([Buffer.concat([length, first]), ...rest], 0, 2, undefined));
  }

  private addFormulaResult(data: Buffer): void {
    if (readShort(data, 12) !== 0xffff) this.addNumber(readDouble(data, 6), readShort(data, 4));
    // A result that is a string is in the record after the formula.
    else if (readByte(data, 6) === 1) this.addBoolean(readByte(data, 8));
  }

  private addBoolean(value: number): void {
    this.addValue(value === 0 ? 'FALSE' : 'TRUE');
  }

  private addNumber(value: number, style: number): void {
    this.addValue(this.formats.format(this.styles[style] ?? 0, value));
  }
}

/** Decodes a number that is stored in four bytes (`RkNumber`). */
export function decodeCompactNumber(bits: number): number {
  const isInteger = (bits & 2) !== 0;
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, bits & 0xfffffffc);
  const value = isInteger ? (bits | 0) >> 2 : view.getFloat64(0);
  return bits & 1 ? value / 100 : value;
}

/** Removes the codes of headers and footers: their sections, fonts, and fields like the page's number. */
export const removeHeaderCodes = (text: string): string =>
  text.replace(/&(?:"[^"]*"|\d+|K[0-9A-F]{6}|(&)|.)/gis, (_, ampersand: string | undefined) => ampersand ?? ' ');
