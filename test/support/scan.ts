import { deflateSync } from 'node:zlib';
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
