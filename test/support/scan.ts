import { crc32, deflateSync } from 'node:zlib';
import { drawPage, loadPdfium, type Pdfium } from '../../src/adapters/parsers/documents/formats/pdfium.js';
import type { GrayPicture } from '../../src/adapters/parsers/documents/formats/text-recognizer.js';

const WORDS_PER_LINE = 9;
/** Of a page in points: small, because reading takes time by area. */
const WIDTH = 430;
const HEIGHT = 120;

/** A PDF of pages that are pictures of these texts, as a scanner makes it. */
export async function scanOf(...texts: string[]): Promise<Uint8Array> {
  const pdfium = await loadPdfium();
  const pages = texts.map((text, index) => {
    const { width, height, pixels } = takePicture(pdfium, text);
    const number = 3 + index * 3;
    const size = `/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8`;
    return [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents ${number + 1} 0 R/Resources<</XObject<</P ${number + 2} 0 R>>>>>>`,
      streamOf(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /P Do Q`),
      streamOf(deflateSync(pixels).toString('latin1'), `/Type/XObject/Subtype/Image${size}/Filter/FlateDecode`),
    ];
  });
  return toPdf(pages);
}

/** A picture of a page with this text. */
export const pictureOf = async (text: string): Promise<GrayPicture> => takePicture(await loadPdfium(), text);

/** The picture as a PNG file (RFC 2083), of which each row begins with the filter that it has: none. */
export function pngOf({ width, height, pixels }: GrayPicture): Buffer {
  const rows = Array.from({ length: height }, (_, row) => [
    Buffer.of(0),
    pixels.subarray(row * width, (row + 1) * width),
  ]);
  const head = Buffer.concat([Buffer.alloc(8), Buffer.of(8, 0, 0, 0, 0)]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The picture as a TIFF file without compression: a head, the pixels, and a list of facts. */
export function tiffOf({ width, height, pixels }: GrayPicture): Buffer {
  const start = 8;
  const end = start + pixels.length + (pixels.length % 2);
  const facts = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, start],
    [277, 1],
    [278, height],
    [279, pixels.length],
  ] as const;
  const file = Buffer.alloc(end + 2 + facts.length * 12 + 4);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(end, 4);
  file.set(pixels, start);
  file.writeUInt16LE(facts.length, end);
  for (const [index, [tag, value]] of facts.entries()) {
    const at = end + 2 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(4, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  return file;
}

/** The order of the frequencies in a block. */
const ZIGZAG = [...Array(64).keys()].sort((a, b) => {
  const [first, second] = [(a >> 3) + (a & 7), (b >> 3) + (b & 7)];
  return first - second || (first % 2 ? (a >> 3) - (b >> 3) : (b >> 3) - (a >> 3));
});
const STEP = 16;

/** The picture as a JPEG file (ITU-T T.81), of which every code has eight bits, so that it needs no table of lengths. */
export function jpegOf({ width, height, pixels }: GrayPicture): Buffer {
  const segment = (marker: number, ...bytes: number[]): Buffer =>
    Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 0xff, ...bytes]);
  const symbols = [0, 0xf0, ...Array.from({ length: 160 }, (_, index) => ((index / 10) << 4) | ((index % 10) + 1))];
  const codes = (kind: number, list: readonly number[]): Buffer =>
    segment(0xc4, kind, ...Array.from({ length: 16 }, (_, length) => (length === 7 ? list.length : 0)), ...list);
  const bits: string[] = [];
  const write = (code: number, value: number, size: number): void => {
    const amount = value < 0 ? value + 2 ** size - 1 : value;
    bits.push(code.toString(2).padStart(8, '0'), size === 0 ? '' : amount.toString(2).padStart(size, '0'));
  };
  const sizeOf = (value: number): number => 32 - Math.clz32(Math.abs(value));
  let last = 0;
  for (let top = 0; top < height; top += 8)
    for (let left = 0; left < width; left += 8) {
      const block = transform((row, column) => {
        const [y, x] = [Math.min(top + row, height - 1), Math.min(left + column, width - 1)];
        return pixels[y * width + x]! - 128;
      });
      const [mean = 0, ...others] = ZIGZAG.map((index) => Math.round(block[index]! / STEP));
      write(sizeOf(mean - last), mean - last, sizeOf(mean - last));
      last = mean;
      let zeros = 0;
      for (const value of others) {
        if (value === 0) zeros++;
        else {
          for (; zeros > 15; zeros -= 16) write(1, 0, 0);
          write(symbols.indexOf((zeros << 4) | sizeOf(value)), value, sizeOf(value));
          zeros = 0;
        }
      }
      if (zeros > 0) write(0, 0, 0);
    }
  const data = bits.join('');
  const bytes: number[] = [];
  for (let at = 0; at < data.length; at += 8) {
    const byte = Number.parseInt(data.slice(at, at + 8).padEnd(8, '1'), 2);
    bytes.push(byte);
    if (byte === 0xff) bytes.push(0);
  }
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xdb, 0, ...Array<number>(64).fill(STEP)),
    segment(0xc0, 8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0),
    codes(0, [...Array(12).keys()]),
    codes(0x10, symbols),
    segment(0xda, 1, 1, 0, 0, 63, 0),
    Buffer.from(bytes),
    Buffer.of(0xff, 0xd9),
  ]);
}

/** The frequencies of a block of eight by eight. */
function transform(read: (row: number, column: number) => number): Float64Array {
  const wave = (frequency: number, at: number): number =>
    (frequency === 0 ? Math.SQRT1_2 : 1) * WAVES[((2 * at + 1) * frequency) % 32]!;
  const rows = new Float64Array(64);
  const block = new Float64Array(64);
  for (let row = 0; row < 8; row++)
    for (let column = 0; column < 8; column++) {
      const value = read(row, column);
      for (let frequency = 0; frequency < 8; frequency++)
        rows[row * 8 + frequency]! += (value * wave(frequency, column)) / 2;
    }
  for (let row = 0; row < 8; row++)
    for (let frequency = 0; frequency < 8; frequency++)
      for (let column = 0; column < 8; column++)
        block[frequency * 8 + column]! += (rows[row * 8 + column]! * wave(frequency, row)) / 2;
  return block;
}

const WAVES = Array.from({ length: 32 }, (_, index) => Math.cos((index * Math.PI) / 16));

function takePicture(pdfium: Pdfium, text: string): GrayPicture {
  const words = text.split(' ');
  const lines = Array.from({ length: Math.ceil(words.length / WORDS_PER_LINE) }, (_, line) =>
    words.slice(line * WORDS_PER_LINE, (line + 1) * WORDS_PER_LINE).join(' '),
  );
  const font = '<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>';
  const file = toPdf([
    [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</Font<</F1 ${font}>>>>>>`,
      streamOf(`BT /F1 14 Tf 20 TL 30 90 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`),
    ],
  ]);
  const data = pdfium.wasmExports.malloc(file.length);
  pdfium.HEAPU8.set(file, data);
  const page = pdfium._FPDF_LoadPage(pdfium._FPDF_LoadMemDocument(data, file.length, 0), 0);
  return drawPage(pdfium, page).picture;
}

const streamOf = (data: string, facts = ''): string => `<<${facts}/Length ${data.length}>>stream\n${data}\nendstream `;

/** @param pages the objects of each page, the page itself first */
function toPdf(pages: readonly (readonly string[])[]): Buffer {
  const kids = pages.map((objects, index) => `${3 + index * objects.length} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    ...pages.flat(),
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1');
}
