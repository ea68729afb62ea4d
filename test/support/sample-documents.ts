/** Small real documents, generated: each has a title, an author, a date, two words and a link. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface DocumentFacts {
  readonly title: string;
  readonly author: string;
  readonly text: string;
  readonly link: string;
  /** Date of creation, ISO 8601 in UTC. */
  readonly date: string;
}

export const FACTS: DocumentFacts = {
  title: 'Heron report',
  author: 'Ada Wing',
  text: 'The grey heron wades through the shallow water of the lake, and it is one of the birds that stand there for hours when they wait for fish.',
  link: 'https://example.org/linked',
  date: '2024-01-31T12:00:00Z',
};

const CORE_TYPE = 'http://schemas.openxmlformats.org/package/2006/metadata/core-properties';
const LINK_TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink';

export type Entry = readonly [name: string, packed: Uint8Array, size: number, checksum?: number];

/**
 * A handmade zip archive: a library in JavaScript would be slow for large ones, and would not write false sizes.
 *
 * @param method 8 for deflated files, 0 for stored ones
 */
export function archiveOf(
  entries: readonly Entry[],
  tell = (size: number): number => size,
  method: 0 | 8 = 8,
): Uint8Array {
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [text, packed, size, checksum = 0] of entries) {
    const name = Buffer.from(text);
    const flags = name.length > text.length ? NAMES_ARE_UTF8 : 0;
    const facts = entryFacts(name.length, packed.length, tell(size), { flags, method, checksum });
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    files.push(Buffer.from('PK\x03\x04'), facts, name, packed);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, rest, name);
    at += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, list, end]);
}

const NAMES_ARE_UTF8 = 0x800;
const SIZES_FOLLOW = 8;

/** What the header of an entry and the directory have in common. */
function entryFacts(
  nameLength: number,
  packedSize: number,
  size: number,
  { flags = 0, method = 0, checksum = 0 }: { flags?: number; method?: 0 | 8; checksum?: number },
): Buffer {
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(flags, 2);
  facts.writeUInt16LE(method, 4);
  facts.writeUInt32LE(checksum, 10);
  facts.writeUInt32LE(packedSize, 14);
  facts.writeUInt32LE(size, 18);
  facts.writeUInt16LE(nameLength, 22);
  return facts;
}

/** A stored entry, one character per byte; without its sizes if it was written to a stream. */
export function zipEntry(name: string, content = '', isStreamed = false): string {
  const size = isStreamed ? 0 : content.length;
  const facts = entryFacts(name.length, size, size, { flags: isStreamed ? SIZES_FOLLOW : 0 });
  return `PK\x03\x04${facts.toString('latin1')}${name}${content}`;
}

/** @param level 0 stores the files: compressing thousands of small ones, or large ones, takes seconds */
export function zip(files: Record<string, string | Uint8Array>, level: 0 | 6 = 6): Uint8Array {
  const entries = Object.entries(files).map(([name, content]): Entry => {
    const data = Buffer.from(content as string);
    return [name, level === 0 ? data : deflateRawSync(data), data.length, crc32(data)];
  });
  return archiveOf(entries, undefined, level === 0 ? 0 : 8);
}

const core = ({ title, author, date }: DocumentFacts): string =>
  `<cp:coreProperties xmlns:cp="${CORE_TYPE}"><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator>` +
  `<dcterms:created>${date}</dcterms:created></cp:coreProperties>`;

const relationships = (...targets: (readonly [id: string, target: string, external?: boolean])[]): string =>
  `<Relationships>${targets
    .map(
      ([id, target, external]) =>
        `<Relationship Id="${id}" Type="${external ? LINK_TYPE : 'part'}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

export const docx = (facts: DocumentFacts = FACTS): Uint8Array =>
  zip({
    '[Content_Types].xml': '<Types/>',
    'docProps/core.xml': core(facts),
    'word/document.xml': `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${facts.text.slice(0, 9)}</w:t></w:r><w:r><w:t>${facts.text.slice(9)}</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:hyperlink r:id="rId1"><w:r><w:t>More</w:t></w:r></w:hyperlink></w:p></w:body></w:document>`,
    'word/_rels/document.xml.rels': relationships(['rId1', facts.link, true]),
  });

export const xlsx = (facts: DocumentFacts = FACTS): Uint8Array =>
  zip({
    'docProps/core.xml': core(facts),
    'xl/workbook.xml': '<workbook><sheets><sheet name="Birds" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships(['rId1', 'worksheets/sheet1.xml']),
    'xl/sharedStrings.xml': `<sst><si><t>${facts.text}</t></si></sst>`,
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="B1"><v>42</v></c><c t="inlineStr"><is><t>inline</t></is></c></row></sheetData></worksheet>',
    'xl/worksheets/_rels/sheet1.xml.rels': relationships(['rId1', facts.link, true]),
  });

export const pptx = (facts: DocumentFacts = FACTS): Uint8Array =>
  zip({
    'docProps/core.xml': core(facts),
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId7"/><p:sldId id="257" r:id="rId6"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationships(['rId6', 'slides/slide1.xml'], ['rId7', 'slides/slide2.xml']),
    'ppt/slides/slide1.xml': '<p:sld><a:p><a:r><a:t>Second slide</a:t></a:r></a:p></p:sld>',
    'ppt/slides/slide2.xml': `<p:sld><a:p><a:r><a:t>${facts.text}</a:t></a:r></a:p></p:sld>`,
    'ppt/slides/_rels/slide2.xml.rels': relationships(['rId1', facts.link, true]),
  });

const odf = (facts: DocumentFacts, body: string): Uint8Array =>
  zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'meta.xml': `<office:document-meta><office:meta><dc:title>${facts.title}</dc:title><meta:initial-creator>${facts.author}</meta:initial-creator><meta:creation-date>${facts.date}</meta:creation-date></office:meta></office:document-meta>`,
    'content.xml': `<office:document-content><office:body>${body}</office:body></office:document-content>`,
  });

export const odt = (facts: DocumentFacts = FACTS): Uint8Array =>
  odf(
    facts,
    `<text:p>${facts.text.replace(' ', '<text:s/>')}</text:p><text:p><text:a xlink:href="${facts.link}">More</text:a></text:p>`,
  );

export const ods = (facts: DocumentFacts = FACTS): Uint8Array =>
  odf(
    facts,
    `<table:table table:name="Birds"><table:table-row><table:table-cell><text:p>${facts.text}</text:p></table:table-cell><table:table-cell><text:p><text:a xlink:href="${facts.link}">More</text:a></text:p></table:table-cell></table:table-row></table:table>`,
  );

export const odp = (facts: DocumentFacts = FACTS): Uint8Array =>
  odf(
    facts,
    `<draw:page><text:p>${facts.text}</text:p><text:p><text:a xlink:href="${facts.link}">More</text:a></text:p></draw:page>`,
  );

export const epub = (facts: DocumentFacts = FACTS): Uint8Array =>
  zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf': `<package><metadata><dc:title>${facts.title}</dc:title><dc:creator>${facts.author}</dc:creator><dc:language>en</dc:language><dc:date>${facts.date}</dc:date></metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="one%20.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
    'OPS/one .xhtml': `<html><head><title>not text</title></head><body><p>${facts.text}</p><a href="${facts.link}">More</a><a href="two.xhtml">On</a></body></html>`,
    'OPS/two.xhtml': '<html><body><h1>Second chapter</h1></body></html>',
  });

export const rtf = ({ title, author, text, link, date }: DocumentFacts = FACTS): Uint8Array =>
  Buffer.from(
    `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\info{\\title ${title}}{\\author ${author}}{\\creatim${rtfTime(date)}}{\\author ${author}}{\\revtim\\yr0\\mo0\\dy0\\hr0\\min0}}{\\*\\generator Some;}${text}\\par{\\field{\\*\\fldinst HYPERLINK "${link}"}{\\fldrslt Caf\\'e9 \\u8212?}}}`,
    'latin1',
  );

const rtfTime = (date: string): string => {
  const [year, month, day, hour, minute] = date.split(/\D/).map(Number);
  return `\\yr${year}\\mo${month}\\dy${day}\\hr${hour}\\min${minute}`;
};

export const eml = ({ title, author, text, link, date }: DocumentFacts = FACTS): Uint8Array =>
  Buffer.from(
    [
      `From: ${author} <ada@example.org>`,
      'To: Bob <bob@example.org>',
      `Subject: ${title}`,
      `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<p>${text}</p><a href="${link}">More</a>`,
      '--b',
      'Content-Type: application/pdf; name="plan.pdf"',
      'Content-Disposition: attachment; filename="plan.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0=',
      '--b--',
      '',
    ].join('\r\n'),
  );

/** `encrypted`: with the standard handler and an unknown password. */
export function pdf({ title, author, text, link, date }: DocumentFacts = FACTS, encrypted = false): Uint8Array {
  const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
  // A time zone an hour ahead of UTC.
  const clock = new Date(Date.parse(date) + 3_600_000).toISOString().replace(/\D/g, '').slice(0, 14);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[6 0 R]>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</Type/Annot/Subtype/Link/Rect[72 690 200 710]/A<</S/URI/URI(${link})>>>>`,
    `<</Title(${title})/Author(${author})/CreationDate(D:${clock}+01'00')>>`,
    ...(encrypted ? [`<</Filter/Standard/V 1/R 2/P -4/O<${'5a'.repeat(32)}>/U<${'a5'.repeat(32)}>>>`] : []),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj${object}endobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const secured = encrypted ? '/Encrypt 8 0 R/ID[<00112233><00112233>]' : '';
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return Buffer.from(
    `${file}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R/Info 7 0 R${secured}>>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}

/** A PDF with one page, which is a picture. It has no table of its objects: readers make one. */
export function scannedPdf(): Uint8Array {
  const image = 'q 99 0 0 99 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>',
    `<</Length ${image.length}>>stream\n${image}\nendstream `,
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1');
}
