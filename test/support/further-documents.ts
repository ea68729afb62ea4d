/** Small documents of formats beside Office, OpenDocument and PDF: drawings, binary workbooks, flat files, web archives. */
import { type DocumentFacts, FACTS, zip } from './sample-documents.js';

const core = ({ title, author, date }: DocumentFacts): string =>
  `<cp:coreProperties><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator><dcterms:created>${date}</dcterms:created></cp:coreProperties>`;
const relations = (...list: (readonly [id: string, type: string, target: string, external?: boolean])[]): string =>
  `<Relationships>${list
    .map(
      ([id, type, target, external]) =>
        `<Relationship Id="${id}" Type="http://example.org/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

/** The second page of the file is the first of the drawing. */
export const vsdx = (facts: DocumentFacts = FACTS): Uint8Array =>
  zip({
    'docProps/core.xml': core(facts),
    'visio/document.xml': '<VisioDocument/>',
    'visio/_rels/document.xml.rels': relations(['rId1', 'pages', 'pages/pages.xml']),
    'visio/pages/pages.xml':
      '<Pages><Page ID="0" Name="Lake"><Rel r:id="rId2"/></Page><Page ID="1" Name="Shore"><Rel r:id="rId1"/></Page></Pages>',
    'visio/pages/_rels/pages.xml.rels': relations(['rId1', 'page', 'page1.xml'], ['rId2', 'page', 'page2.xml']),
    'visio/pages/page2.xml': `<PageContents><Shapes><Shape><Section N="Hyperlink"><Row><Cell N="Address" V="${facts.link}"/></Row></Section><Cell N="PinX" V="1"/><Text><cp IX="0"/>${facts.text}</Text></Shape></Shapes></PageContents>`,
    'visio/pages/page1.xml': '<PageContents><Shapes><Shape><Text>Reeds</Text></Shape></Shapes></PageContents>',
  });

const binaryRecord = (type: number, ...data: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(data);
  const kind = type < 128 ? [type] : [(type & 0x7f) | 0x80, type >> 7];
  return Buffer.concat([Buffer.from([...kind, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]), bytes]);
};
const numbers = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
const text = (value: string): Buffer => Buffer.concat([numbers(value.length), Buffer.from(value, 'utf16le')]);

export function xlsb(facts: DocumentFacts = FACTS): Uint8Array {
  const cell = (type: number, style: number, value: Uint8Array): Buffer => binaryRecord(type, numbers(0, style), value);
  return zip({
    'docProps/core.xml': core(facts),
    'xl/workbook.bin': binaryRecord(156, numbers(0, 1), text('rId1'), text('Birds')),
    'xl/_rels/workbook.bin.rels': relations(
      ['rId1', 'worksheet', 'worksheets/sheet1.bin'],
      ['rId2', 'styles', 'styles.bin'],
    ),
    'xl/styles.bin': Buffer.concat([
      binaryRecord(44, Buffer.from([164, 0]), text('yyyy-mm-dd')),
      binaryRecord(617, numbers(2)),
      binaryRecord(47, Buffer.alloc(16)),
      binaryRecord(47, Buffer.from([0, 0, 164, 0]), Buffer.alloc(12)),
      binaryRecord(618),
    ]),
    'xl/sharedStrings.bin': binaryRecord(19, Buffer.from([0]), text(facts.text)),
    'xl/worksheets/sheet1.bin': Buffer.concat([
      cell(7, 0, numbers(0)),
      cell(5, 1, Buffer.from(Float64Array.of(45322).buffer)),
      cell(2, 0, numbers((1250 << 2) | 3)),
      cell(8, 0, text('result')),
      cell(4, 0, Buffer.from([1])),
      binaryRecord(479, Buffer.alloc(2), text('&LDraft'), numbers(0xffffffff)),
    ]),
    'xl/worksheets/_rels/sheet1.bin.rels': relations(
      ['rId1', 'hyperlink', facts.link, true],
      ['rId2', 'comments', '../comments1.bin'],
    ),
    'xl/comments1.bin': binaryRecord(637, Buffer.from([0]), text('comment')),
  });
}

export const fodt = ({ title, author, text: words, link, date }: DocumentFacts = FACTS): Uint8Array =>
  Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"><office:meta><dc:title>${title}</dc:title><meta:initial-creator>${author}</meta:initial-creator><meta:creation-date>${date}</meta:creation-date></office:meta><office:styles><style:style style:name="Standard"/></office:styles><office:body><office:text><text:p>${words}</text:p><text:p><text:a xlink:href="${link}">More</text:a></text:p></office:text></office:body></office:document>`,
  );

/** As browsers save a page, and as Confluence exports one to Word. */
export const mht = ({ title, author, text: words, link, date }: DocumentFacts = FACTS): Uint8Array =>
  Buffer.from(
    [
      'From: <Saved by Browser>',
      `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; type="text/html"; boundary=b',
      '',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      'Content-Location: https://example.org/',
      '',
      `<html><head><title>${title}</title><meta name="author" content="${author}"></head><body><p>${words}</p><a href="${link}">More</a></body></html>`,
      '--b',
      'Content-Type: text/css',
      'Content-Location: https://example.org/style.css',
      '',
      'p { color: black }',
      '--b--',
      '',
    ].join('\r\n'),
  );
