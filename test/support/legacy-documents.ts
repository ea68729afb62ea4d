/** Small documents of Office 97 to 2003, written byte by byte: each has a title, an author, a date, words and a link. */
import { compoundFile } from './compound-file.js';
import { type DocumentFacts, FACTS } from './sample-documents.js';

const short = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => {
    bytes.writeUInt16LE(value & 0xffff, index * 2);
  });
  return bytes;
};
const int = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value >>> 0, index * 4);
  });
  return bytes;
};
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
const narrow = (text: string): Buffer => Buffer.from(text, 'latin1');

const FILETIME_EPOCH_OFFSET_MS = 11_644_473_600_000;
function fileTime(date: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(Date.parse(date) + FILETIME_EPOCH_OFFSET_MS) * 10_000n);
  return bytes;
}

/** The stream with the title, author and date. */
function summary({ title, author, date }: DocumentFacts): Record<string, Uint8Array> {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(`${value}\0`);
    return Buffer.concat([int(0x1e, bytes.length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  };
  const values: [number, Buffer][] = [
    [1, Buffer.concat([int(2), short(65001, 0)])],
    [2, text(title)],
    [4, text(author)],
    [12, Buffer.concat([int(0x40), fileTime(date)])],
    [13, Buffer.concat([int(0x40), Buffer.alloc(8)])],
  ];
  let at = 8 + values.length * 8;
  const offsets = values.map(([id, value]) => {
    const entry = int(id, at);
    at += value.length;
    return entry;
  });
  const set = Buffer.concat([int(at, values.length), ...offsets, ...values.map(([, value]) => value)]);
  const header = Buffer.concat([short(0xfffe, 0), int(0), Buffer.alloc(16), int(1), Buffer.alloc(16), int(48)]);
  return { '\u0005SummaryInformation': Buffer.concat([header, set]) };
}

const DELETED_FORMAT_AT = 100;

/** The main text is in two pieces, of which the second is in UTF-16, with deleted text between them; a footnote follows. */
export function doc({
  encrypted = false,
  repeatedPieces = 0,
  ...facts
}: DocumentFacts & { encrypted?: boolean; repeatedPieces?: number } = FACTS): Uint8Array {
  const head = narrow(facts.text.slice(0, 9));
  const deleted = narrow('deleted');
  const tail = `${facts.text.slice(9)}\r\u0013 HYPERLINK "${facts.link}" \u0014More\u0015\u0002\u0007cell\u0007\u0007\r`;
  const note = '\u0002 The footnote\r';
  const textStart = 0x600;
  const text = Buffer.concat([head, deleted, wide(tail + note)]);
  const formatPage = (textStart + text.length + 511) >> 9;
  const stream = Buffer.alloc((formatPage + 1) * 512);
  const wideStart = textStart + head.length + deleted.length;
  const lengths = [head.length, deleted.length, ...Array(repeatedPieces).fill(tail.length), tail.length + note.length];
  const characters = [0];
  for (const length of lengths) characters.push(characters.at(-1)! + length);
  const [first, second] = [textStart, textStart + head.length].map((position) => (position * 2) | 0x40000000);
  const pieces = Buffer.concat([
    Buffer.from(Uint32Array.from(characters).buffer),
    ...lengths
      .map((_, index) => [first, second][index] ?? wideStart)
      .map((position) => Buffer.concat([short(0), int(position), short(0)])),
  ]);
  const clx = Buffer.concat([Buffer.from([1, 2, 0, 0, 0, 2]), int(pieces.length), pieces]);
  const formats = int(textStart, textStart + text.length, formatPage);
  short(0xa5ec, 0xc1, 0, 0x0409, 0, encrypted ? 0x0300 : 0x0200).copy(stream);
  int(characters.at(-1)! - note.length, note.length).copy(stream, 0x4c);
  int(0, clx.length).copy(stream, 0x1a2);
  int(clx.length, formats.length).copy(stream, 0xfa);
  text.copy(stream, textStart);
  // A page of formats: two ranges, of which the first has none, and the second is deleted.
  const page = Buffer.alloc(512);
  int(textStart, textStart + head.length, wideStart).copy(page);
  Buffer.from([0, DELETED_FORMAT_AT]).copy(page, 12);
  Buffer.from([7, 0x43, 0x4a, 0x18, 0x00, 0x00, 0x08, 0x01]).copy(page, DELETED_FORMAT_AT * 2);
  page[511] = 2;
  page.copy(stream, formatPage * 512);
  return compoundFile({ WordDocument: stream, '1Table': Buffer.concat([clx, formats]), ...summary(facts) });
}

/** Operations of a paragraph format: its use of a list, and its level. */
export const inList = (use: number): Buffer => short(0x460b, use);
export const atLevel = (level: number): Buffer => Buffer.concat([short(0x260a), Buffer.of(level)]);

export const atOutlineLevel = (level: number): Buffer => Buffer.concat([short(0x2640), Buffer.of(level)]);

/**
 * A document of one piece whose paragraphs are in a list by their style or by themselves. Level 1 begins at 3, level 2
 * shows the number of both, in decimal digits although its own are letters; the second use of the list begins again at
 * 7 and has brackets. Style 2 is that of headings of level 2.
 */
export function numberedDoc(
  paragraphs: readonly (readonly [text: string, style: number, ...operations: Buffer[]])[],
): Uint8Array {
  const level = (start: number, format: number, flags: number, text: string): Buffer =>
    Buffer.concat([
      int(start),
      Buffer.of(format, flags),
      Buffer.alloc(18),
      // Two formats of 2 and 3 bytes precede the text.
      Buffer.of(2, 3, 0, 0),
      Buffer.alloc(5),
      short(text.length),
      wide(text),
    ]);
  const style = (builtIn: number, parent: number, ...operations: Buffer[]): Buffer => {
    const format = Buffer.concat([short(0), ...operations]);
    const bytes = Buffer.concat([
      short(builtIn, 1 | (parent << 4), 0, 0, 0, 1),
      wide('S\0'),
      short(format.length),
      format,
    ]);
    return Buffer.concat([short(bytes.length), bytes, Buffer.alloc(bytes.length % 2)]);
  };
  const none = 0xfff;
  const styles = Buffer.concat([short(4, 3, 10), style(0, none), style(0, none, inList(1)), style(2, 1)]);
  const head = Buffer.concat([int(99, 0), short(none, 2, ...Array(7).fill(none)), Buffer.of(0, 0)]);
  const unused = Array.from({ length: 7 }, () => level(1, 23, 0, '*'));
  const lists = Buffer.concat([short(1), head, level(3, 1, 0, '\0.'), level(1, 4, 4, '\0.\u0001'), ...unused]);
  const use = (changes: number): Buffer => Buffer.concat([int(99, 0, 0), Buffer.of(changes, 0, 0, 0)]);
  const change = Buffer.concat([int(7, 0x30), level(7, 0, 0, '(\0)')]);
  const uses = Buffer.concat([int(2), use(0), use(1), int(0), int(0), change]);

  const textStart = 0x600;
  // What ends with a hyphen is continued by the next one.
  const ended = (words: string): string => (words.endsWith('-') ? words : `${words}\r`);
  const text = narrow(paragraphs.map(([words]) => ended(words)).join(''));
  const page = Buffer.alloc(512);
  let [start, at] = [textStart, 511];
  paragraphs.forEach(([words, id, ...operations], index) => {
    const format = Buffer.concat([short(id), ...operations]);
    const isOdd = format.length % 2 === 1;
    const stored = Buffer.concat([
      isOdd ? Buffer.of((format.length + 1) / 2) : Buffer.of(0, format.length / 2),
      format,
    ]);
    at = (at - stored.length) & ~1;
    stored.copy(page, at);
    int(start).copy(page, index * 4);
    page[(paragraphs.length + 1) * 4 + index * 13] = at / 2;
    start += ended(words).length;
  });
  int(start).copy(page, paragraphs.length * 4);
  page[511] = paragraphs.length;
  const stream = Buffer.alloc(0xa00);
  short(0xa5ec, 0xc1, 0, 0x0409, 0, 0x0200).copy(stream);
  int(text.length).copy(stream, 0x4c);
  text.copy(stream, textStart);
  page.copy(stream, 0x800);
  const pieces = Buffer.concat([int(0, text.length), short(0), int((textStart * 2) | 0x40000000), short(0)]);
  const clx = Buffer.concat([Buffer.of(2), int(pieces.length), pieces]);
  const table = [clx, int(textStart, start, 4), styles, lists, uses];
  let position = 0;
  [0x1a2, 0x102, 0xa2, 0x2e2, 0x2ea].forEach((where, index) => {
    int(position, table[index]!.length).copy(stream, where);
    position += table[index]!.length;
  });
  return compoundFile({ WordDocument: stream, '1Table': Buffer.concat(table) });
}

const record = (type: number, ...data: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(data);
  return Buffer.concat([short(type, bytes.length), bytes]);
};

const HEADER = '&L&"Arial"Draft &P';
const URL_MONIKER = Buffer.from('e0c9ea79f9bace118c8200aa004ba90b', 'hex');

/** The shared string continues in a second record, whose characters are wide. */
export function xls(facts: DocumentFacts = FACTS): Uint8Array {
  const { text, link } = facts;
  const startOf = (kind: number): Buffer => record(0x0809, short(0x0600, kind, 0, 0), int(0, 0));
  const sheet = Buffer.concat([
    startOf(0x10),
    record(0x14, short(HEADER.length), Buffer.from([0]), narrow(HEADER)),
    record(0xfd, short(0, 0, 0), int(0)),
    record(0x203, short(0, 1, 0), double(42)),
    record(0x27e, short(0, 2, 1), int((45322 << 2) | 2)),
    record(0xbd, short(1, 0), short(0), int((1250 << 2) | 3), short(0), int((7 << 2) | 2), short(1)),
    record(0x06, short(1, 3, 0), Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), short(0), int(0), short(0)),
    record(0x207, short(6), Buffer.from([0]), narrow('result')),
    record(0x205, short(2, 0, 0), Buffer.from([1, 0])),
    record(0x1b6, short(0, 0, 0, 0, 0, 7, 16, 0, 0)),
    record(0x3c, Buffer.from([0]), narrow('comment')),
    record(0x3c, Buffer.alloc(16)),
    record(0x1b8, Buffer.alloc(24), int(2, 3), URL_MONIKER, int((link.length + 1) * 2), wide(`${link}\0`)),
    startOf(0x20),
    record(0x100d, short(0), Buffer.from([5, 0]), narrow('chart')),
    record(0x203, short(0, 0, 0), double(99)),
    record(0x204, short(0, 0, 0, 5), Buffer.from([0]), narrow('label')),
    record(0x0a),
    record(0x0a),
  ]);
  const half = text.length >> 1;
  const globals = (position: number): Buffer =>
    Buffer.concat([
      startOf(5),
      record(0x85, int(position), Buffer.from([0, 0, 5, 0]), narrow('Birds')),
      record(0x41e, short(164, 10), Buffer.from([0]), narrow('yyyy-mm-dd')),
      record(0xe0, short(0, 0), Buffer.alloc(16)),
      record(0xe0, short(0, 164), Buffer.alloc(16)),
      record(0xfc, int(1, 2), short(text.length), Buffer.from([0]), narrow(text.slice(0, half))),
      record(0x3c, Buffer.from([1]), wide(text.slice(half)), short(3), Buffer.from([0]), narrow('end')),
      record(0x0a),
    ]);
  const workbook = Buffer.concat([globals(globals(0).length), sheet]);
  return compoundFile({ Workbook: workbook, ...summary(facts) });
}

const pptRecord = (type: number, instance: number, ...data: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(data);
  return Buffer.concat([short(instance << 4, type), int(bytes.length), bytes]);
};
const pptContainer = (type: number, instance: number, ...data: Uint8Array[]): Buffer => {
  const bytes = pptRecord(type, instance, ...data);
  bytes.writeUInt16LE((instance << 4) | 0xf, 0);
  return bytes;
};

/** The first slide of the presentation is stored after the second one; its title is in the list of slides. */
export function ppt(facts: DocumentFacts = FACTS): Uint8Array {
  const { text, link } = facts;
  const shapes = (...records: Buffer[]): Buffer =>
    pptContainer(0x040c, 0, pptContainer(0xf002, 0, pptRecord(0xf00d, 0, ...records)));
  const slide = (...records: Buffer[]): Buffer => pptContainer(0x03ee, 0, shapes(...records));
  const second = slide(pptRecord(0x0fa8, 0, narrow('Second slide')));
  const first = slide(pptRecord(0x0f9e, 0, int(0)), pptRecord(0x0fa0, 0, wide(text)));
  const shape = (...records: Buffer[]): Buffer => pptContainer(0xf004, 0, ...records);
  const master = pptContainer(
    0x03f8,
    0,
    shape(
      pptContainer(0xf011, 0, pptRecord(0x0bc3, 0, int(0, 0))),
      pptRecord(0xf00d, 0, pptRecord(0x0fa8, 0, narrow('Click to edit'))),
    ),
    shape(pptRecord(0xf00d, 0, pptRecord(0x0fa8, 0, narrow('Heron Society')))),
  );
  const notes = pptContainer(0x03f0, 0, shapes(pptRecord(0x0fa8, 0, narrow('The notes'))));
  const listed = (number: number): Buffer => pptRecord(0x03f3, 0, int(number, 0, 0, 256, 0));
  const document = pptContainer(
    0x03e8,
    0,
    pptContainer(0x0409, 0, pptContainer(0x0fd7, 0, pptRecord(0x0fba, 1, wide(link)))),
    pptContainer(0x0ff0, 2, listed(4)),
    pptContainer(0x0ff0, 1, listed(5), listed(6)),
    pptContainer(
      0x0ff0,
      0,
      listed(3),
      pptRecord(0x0f9f, 0, int(0)),
      pptRecord(0x0fa8, 0, narrow('First title')),
      listed(2),
    ),
  );
  const objects = [document, second, first, notes, master, master];
  const positions = objects.map((_, index) => Buffer.concat(objects.slice(0, index)).length);
  const directoryAt = Buffer.concat(objects).length;
  const directory = pptRecord(0x1772, 0, int((objects.length << 20) | 1, ...positions));
  const edit = pptRecord(0x0ff5, 0, int(0, 0, 0, directoryAt, 1, 4, 0));
  return compoundFile({
    'PowerPoint Document': Buffer.concat([...objects, directory, edit]),
    'Current User': pptRecord(0x0ff6, 0, int(20, 0xe391c05f, directoryAt + directory.length), short(0, 0)),
    ...summary(facts),
  });
}

/** A message with an attachment; the body is in HTML, in the code page that a property names. */
export function msg({ title, author, text, link, date }: DocumentFacts = FACTS): Uint8Array {
  const html = `<html><body><p>${text}</p><p>\u010cl\u00e1nek <a href="${link}">More</a></p></body></html>`;
  const fixed = (id: number, type: number, value: Uint8Array): Buffer =>
    Buffer.concat([short(type, id), int(6), value, Buffer.alloc(8 - value.length)]);
  const properties = [fixed(0x0039, 0x40, fileTime(date)), fixed(0x3ffd, 3, int(1250)), fixed(0x3fde, 3, int(1250))];
  const inCentralEurope = Buffer.from(html.replace('\u010c', '\u00c8'), 'latin1');
  return compoundFile({
    '__properties_version1.0': Buffer.concat([Buffer.alloc(32), ...properties]),
    '__substg1.0_0037001F': wide(title),
    '__substg1.0_0C1A001E': narrow(author),
    '__substg1.0_0C1F001F': wide('/O=EXAMPLE/CN=ADA'),
    '__substg1.0_5D01001F': wide('ada@example.org'),
    '__substg1.0_10130102': inCentralEurope,
    '__recip_version1.0_#00000000/__substg1.0_3001001F': wide('Bob'),
    '__recip_version1.0_#00000000/__substg1.0_39FE001F': wide('bob@example.org'),
    '__attach_version1.0_#00000000/__substg1.0_3707001F': wide('notes.txt'),
    '__attach_version1.0_#00000000/__substg1.0_37010102': narrow('The attached notes mention a kingfisher.'),
  });
}
