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
