/** Documents that attack their reader: bombs, damage, nesting, cycles, wrong types, and random changes of valid ones. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { DOCUMENT_EXTENSIONS } from '../../src/domain/content/document-types.js';
import { compoundFile } from './compound-file.js';
import * as further from './further-documents.js';
import * as legacy from './legacy-documents.js';
import * as sample from './sample-documents.js';
import { archiveOf, type Entry } from './sample-documents.js';
import { tar } from './tar.js';

export interface HostileDocument {
  readonly name: string;
  readonly extension: string;
  readonly mediaType: string;
  /** Created on demand: together they are large. */
  readonly make: () => Uint8Array;
  /** Possible results: error codes, and `read` if it may have text. */
  readonly ends: readonly string[];
}

const MIB = 1024 * 1024;
const MAKERS = {
  pdf: sample.pdf,
  docx: sample.docx,
  xlsx: sample.xlsx,
  pptx: sample.pptx,
  odt: sample.odt,
  ods: sample.ods,
  odp: sample.odp,
  epub: sample.epub,
  rtf: sample.rtf,
  eml: sample.eml,
  doc: legacy.doc,
  xls: legacy.xls,
  ppt: legacy.ppt,
  msg: legacy.msg,
  vsdx: further.vsdx,
  xlsb: further.xlsb,
  fodt: further.fodt,
  mht: further.mht,
  odg: sample.odp,
  zip: archiveOfDocuments,
  tgz: () => gzipSync(tar(listDocuments().map(([name, data]) => ({ name, data })))),
  mbox: () => Buffer.concat([mail(), mail()]),
} as const;

const listDocuments = (): [string, Uint8Array][] => [
  ['plan.docx', sample.docx()],
  ['letter.msg', legacy.msg()],
  ['table.xls', legacy.xls()],
  ['in.zip', sample.zip({ 'notes.txt': 'Notes', 'mail.eml': sample.eml() })],
];

function archiveOfDocuments(): Uint8Array {
  return sample.zip(Object.fromEntries(listDocuments()));
}

const mail = (): Buffer => Buffer.concat([Buffer.from('From a\n'), sample.eml(), Buffer.from('\n')]);

type Format = keyof typeof MAKERS;
const FORMATS = Object.keys(MAKERS) as Format[];

/** The part of each archive that contains its text. */
const MAIN_PART: Partial<Record<Format, string>> = {
  docx: 'word/document.xml',
  xlsx: 'xl/worksheets/sheet1.xml',
  pptx: 'ppt/slides/slide1.xml',
  odt: 'content.xml',
  ods: 'content.xml',
  odp: 'content.xml',
  epub: 'OPS/one.xhtml',
};
const ARCHIVES = Object.keys(MAIN_PART) as Format[];

/** What the reader of a format reads before its text. */
const ENTRANCE: Partial<Record<Format, Record<string, string>>> = {
  xlsx: { 'xl/workbook.xml': '<workbook><sheets><sheet name="a"/></sheets></workbook>' },
  pptx: { 'ppt/presentation.xml': '<p:presentation/>' },
  epub: {
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf':
      '<package><manifest><item id="a" href="one.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
  },
};

const CORRUPT = ['extract-corrupt'];
const ENCRYPTED = ['extract-encrypted'];
const MEMORY = ['extract-memory'];
const READ = ['read'];
const ANY = [
  'read',
  'extract-corrupt',
  'extract-encrypted',
  'extract-memory',
  'extract-timeout',
  'extract-unsupported',
];
const DAMAGED = ['read', 'extract-corrupt'];

const document = (
  name: string,
  extension: string,
  make: () => Uint8Array,
  ends: readonly string[],
): HostileDocument => ({
  name: `${name}.${extension}`,
  extension,
  mediaType: DOCUMENT_EXTENSIONS.get(extension)!,
  make,
  ends,
});

const archive = (format: Format, part: string | Uint8Array, more: Record<string, string> = {}): Uint8Array =>
  sample.zip({ ...ENTRANCE[format], ...more, [MAIN_PART[format]!]: part });

const DOCTYPE = `<!DOCTYPE a [<!ENTITY l0 "laugh">${Array.from({ length: 20 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')}]>`;
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const LOCKED = Buffer.concat([OLE, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]);

let packedZeros: Buffer | undefined;
const BOMB_BYTES = 80 * MIB;

function bombOf(format: Format, tell?: (size: number) => number): Uint8Array {
  packedZeros ??= deflateRawSync(Buffer.alloc(BOMB_BYTES), { level: 1 });
  const entrance = Object.entries(ENTRANCE[format] ?? {}).map(
    ([name, text]): Entry => [name, deflateRawSync(text), text.length],
  );
  return archiveOf([...entrance, [MAIN_PART[format]!, packedZeros, BOMB_BYTES]], tell);
}

function manyEntries(format: Format): Uint8Array {
  const nothing = deflateRawSync('');
  return archiveOf(Array.from({ length: 25_000 }, (_, i): Entry => [`${MAIN_PART[format]}${i}`, nothing, 0]));
}

function ofArchives(formats: readonly Format[]): HostileDocument[] {
  return ARCHIVES.filter((format) => formats.includes(format)).flatMap((format) => [
    document('bomb', format, () => bombOf(format), format === 'xlsx' || format === 'ods' ? READ : MEMORY),
    document('bomb-that-lies', format, () => bombOf(format, () => 100), CORRUPT),
    document('many-entries', format, () => manyEntries(format), MEMORY),
    document('deep', format, () => archive(format, `${'<w:p>'.repeat(200_000)}deep`), DAMAGED),
    document('laughs', format, () => archive(format, `${DOCTYPE}<w:p>&l20;</w:p>`), DAMAGED),
    document(
      'other-file',
      format,
      () => archive(format, '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:p>&x;</w:p>'),
      DAMAGED,
    ),
    document(
      'paths',
      format,
      () => archive(format, '<w:p>x</w:p>', { '../../../../etc/cron.d/x': 'x', '/etc/x': 'x' }),
      DAMAGED,
    ),
    document('no-end-tag', format, () => archive(format, `<w:p a="${'x'.repeat(MIB)}`), DAMAGED),
    document(
      'attributes',
      format,
      () => archive(format, `<w:p ${Array.from({ length: 100_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`),
      DAMAGED,
    ),
    document('empty-archive', format, () => sample.zip({}), CORRUPT),
    document('other-archive', format, () => sample.zip({ 'x.txt': 'x' }), CORRUPT),
    document('locked', format, () => LOCKED, ENCRYPTED),
    document('old-format', format, () => Buffer.concat([OLE, Buffer.alloc(5_000)]), CORRUPT),
  ]);
}

function ofAll(formats: readonly Format[]): HostileDocument[] {
  return formats.flatMap((format) => {
    const make = MAKERS[format] as () => Uint8Array;
    const cutAt = (share: number) => () => make().subarray(0, Math.floor(make().length * share));
    const rest = format === 'rtf' || format === 'eml' ? READ : DAMAGED;
    return [
      document('nothing', format, () => new Uint8Array(0), CORRUPT),
      document('zeros', format, () => new Uint8Array(2 * MIB), CORRUPT),
      document('cut-early', format, cutAt(0.25), rest),
      document('cut', format, cutAt(0.5), rest),
      document('cut-late', format, cutAt(0.9), rest),
    ];
  });
}

function pdfOf(objects: readonly string[], trailer = '<</Root 1 0 R>>'): Uint8Array {
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer${trailer}\n%%EOF`, 'latin1');
}

const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';
const ONE_PAGE = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const page = (content: string, resources = '<<>>'): string =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents ${content}/Resources${resources}>>`;
const stream = (data: string, facts = ''): string => `<</Length ${data.length}${facts}>>stream\n${data}\nendstream `;

function pdfs(): HostileDocument[] {
  const bomb = (times: number): string => {
    let data = Buffer.alloc(64 * MIB, 'q ');
    for (let time = 0; time < times; time++) data = deflateSync(data);
    return stream(data.toString('latin1'), `/Filter[${'/FlateDecode'.repeat(times)}]`);
  };
  const made: Readonly<Record<string, () => Uint8Array>> = {
    'pages-in-a-circle': () => pdfOf([CATALOG, '<</Type/Pages/Kids[2 0 R 2 0 R 2 0 R]/Count 100000>>']),
    'parent-in-a-circle': () =>
      pdfOf([CATALOG, '<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count 1>>', page('4 0 R'), '4 0 R']),
    'reference-to-itself': () => pdfOf(['1 0 R'], '<</Root 1 0 R/Info 1 0 R>>'),
    'many-pages-that-are-none': () => pdfOf([CATALOG, '<</Type/Pages/Kids[]/Count 2000000000>>']),
    'outline-in-a-circle': () =>
      pdfOf([
        '<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>',
        ONE_PAGE,
        page('5 0 R'),
        '<</First 4 0 R/Next 4 0 R>>',
        stream(''),
      ]),
    'form-in-itself': () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        page('4 0 R', '<</XObject<</A 5 0 R>>>>'),
        stream('/A Do'),
        stream('/A Do /A Do', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A 5 0 R>>>>'),
      ]),
    'font-in-itself': () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        page('4 0 R', '<</Font<</F 5 0 R>>>>'),
        stream('BT /F 9 Tf (aaaa) Tj ET'),
        '<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a 4 0 R>>/Resources<</Font<</F 5 0 R>>>>>>',
      ]),
    'font-without-end': () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        page('4 0 R', '<</Font<</F 5 0 R>>>>'),
        stream('BT /F 9 Tf <0001> Tj ET'),
        '<</Type/Font/Subtype/Type0/Encoding 6 0 R/DescendantFonts[5 0 R]/ToUnicode 6 0 R>>',
        stream(
          `begincmap ${'1 beginbfrange <0000> <ffff> <0000> endbfrange '.repeat(20_000)}`,
          '/Type/CMap/UseCMap 6 0 R',
        ),
      ]),
    'bomb-in-a-stream': () => pdfOf([CATALOG, ONE_PAGE, page('4 0 R'), bomb(1)]),
    'bomb-in-bombs': () => pdfOf([CATALOG, ONE_PAGE, page('4 0 R'), bomb(3)]),
    'arrays-in-arrays': () => pdfOf([CATALOG, ONE_PAGE, page('4 0 R'), stream('['.repeat(500_000))]),
    'arrays-in-the-catalog': () =>
      pdfOf([`<</Type/Catalog/Pages 2 0 R/A ${'['.repeat(200_000)}>>`, ONE_PAGE, page('4 0 R'), stream('')]),
    'table-before-itself': () =>
      Buffer.from(
        '%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF',
      ),
    'large-numbers': () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        `<</Type/Page/Parent 2 0 R/MediaBox[-1e38 -1e38 1e38 1e38]/Rotate 99999999999/Contents 4 0 R>>`,
        stream('1e308 0 0 1e308 1e308 1e308 cm BT 1e38 Tc (x) Tj ET'),
      ]),
    'length-that-lies': () =>
      pdfOf([CATALOG, ONE_PAGE, page('4 0 R'), '<</Length 4000000000>>stream\nBT (x) Tj ET\nendstream ']),
    'endless-text': () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        page('4 0 R', '<</Font<</F 5 0 R>>>>'),
        stream(`BT /F 1 Tf ${'(heron) Tj 0 1 Td '.repeat(100_000)} ET`),
        '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      ]),
  };
  return [
    document('password', 'pdf', () => sample.pdf(sample.FACTS, true), ENCRYPTED),
    ...Object.entries(made).map(([name, make]) => document(name, 'pdf', make, ANY)),
  ];
}

/** Parts that office programs follow: each leads to the next, or back. */
function partsOfOffice(): HostileDocument[] {
  const relation = (id: string, kind: string, target: string): string =>
    `<Relationships><Relationship Id="${id}" Type="x/${kind}" Target="${target}"/></Relationships>`;
  const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0">${Array.from({ length: 9 }, (_, i) => `<w:lvl w:ilvl="${i}"><w:start w:val="999999999"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="${'%1%2%3%4%5%6%7%8%9'.repeat(20)}"/></w:lvl>`).join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
  const item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr></w:pPr></w:p>';
  const chain = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [
      [`word/h${i}.xml`, '<w:p><w:t>x</w:t></w:p>'],
      [`word/_rels/h${i}.xml.rels`, relation('a', 'header', `h${i + 1}.xml`)],
    ]).flat() as [string, string][],
  );
  const format = `${'0'.repeat(200)}.${'#'.repeat(40)}`;
  const cells = '<c s="0"><v>1e300</v></c>'.repeat(200_000);
  return [
    document(
      'numbers-of-many-levels',
      'docx',
      () => archive('docx', item.repeat(100_000), { 'word/numbering.xml': numbering }),
      READ,
    ),
    document(
      'styles-in-a-circle',
      'docx',
      () =>
        archive('docx', '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr></w:p>'.repeat(50_000), {
          'word/numbering.xml': numbering,
          'word/styles.xml':
            '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>',
        }),
      READ,
    ),
    document('boxes-in-boxes', 'docx', () => archive('docx', '<w:txbxContent><w:p>'.repeat(200_000)), READ),
    document(
      'parts-in-a-chain',
      'docx',
      () => archive('docx', '<w:p/>', { ...chain, 'word/_rels/document.xml.rels': relation('a', 'header', 'h0.xml') }),
      READ,
    ),
    document(
      'documents-in-documents',
      'docx',
      () => {
        let inner = archive('docx', '<w:p><w:t>x</w:t></w:p>');
        for (let depth = 0; depth < 20; depth++)
          inner = sample.zip({
            'word/document.xml': '<w:altChunk r:id="a"/><w:altChunk r:id="a"/>',
            'word/_rels/document.xml.rels': relation('a', 'aFChunk', 'a.docx'),
            'word/a.docx': inner,
          });
        return inner;
      },
      READ,
    ),
    document(
      'long-formats',
      'xlsx',
      () =>
        archive('xlsx', `<worksheet>${cells}</worksheet>`, {
          'xl/styles.xml': `<numFmts><numFmt numFmtId="200" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>`,
        }),
      READ,
    ),
    document('notes-in-notes', 'odt', () => archive('odt', `<text:p>${'<text:note><text:p>x'.repeat(100_000)}`), READ),
    document(
      'fonts-without-end',
      'rtf',
      () => Buffer.from(`{\\rtf1{\\fonttbl${'\\f1\\fcharset2 x;'.repeat(300_000)}`),
      READ,
    ),
  ];
}

function others(): HostileDocument[] {
  const sheet = deflateRawSync('<worksheet><c><v>1</v></c></worksheet>');
  const manySheets = Array.from({ length: 10_000 }, (_, i): Entry => [`xl/worksheets/sheet${i + 1}.xml`, sheet, 38]);
  const sheets = Array.from({ length: 10_000 }, (_, i) => `<sheet name="s${i}" sheetId="${i + 1}"/>`).join('');
  const workbook = `<workbook><sheets>${sheets}</sheets></workbook>`;
  const eml = (body: string): Uint8Array =>
    Buffer.from(`From: a@b.c\r\nSubject: x\r\nMIME-Version: 1.0\r\n${body}`, 'latin1');
  const parts = Array.from(
    { length: 2_000 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
  ).join('');
  const mails = 'Content-Type: message/rfc822\r\n\r\nFrom: a@b.c\r\n'.repeat(2_000);
  return [
    document(
      'ten-thousand-sheets',
      'xlsx',
      () => archiveOf([['xl/workbook.xml', deflateRawSync(workbook), workbook.length], ...manySheets]),
      READ,
    ),
    document(
      'cells-without-string',
      'xlsx',
      () => archive('xlsx', '<worksheet><c t="s"><v>999999999999</v></c><c t="s"><v>-1</v></c></worksheet>'),
      READ,
    ),
    document(
      'slides-in-a-circle',
      'pptx',
      () =>
        archive('pptx', '<p:sld/>', {
          'ppt/_rels/presentation.xml.rels':
            '<Relationships><Relationship Id="r" Target="presentation.xml"/></Relationships>',
          'ppt/presentation.xml': '<p:presentation><p:sldId r:id="r"/><p:sldId r:id="r"/></p:presentation>',
        }),
      DAMAGED,
    ),
    document(
      'spine-in-a-circle',
      'epub',
      () =>
        sample.zip({
          ...ENTRANCE.epub,
          'OPS/book.opf': `<package><manifest><item id="a" href="book.opf"/></manifest><spine>${'<itemref idref="a"/>'.repeat(10_000)}</spine></package>`,
        }),
      ANY,
    ),
    ...membersOfMembers(),
    document('sectors-in-a-circle', 'doc', () => circular(legacy.doc()), DAMAGED),
    document('pieces-that-repeat', 'doc', () => legacy.doc({ ...sample.FACTS, repeatedPieces: 200_000 }), READ),
    document('groups-without-end', 'rtf', () => Buffer.from(`{\\rtf1 ${'{'.repeat(200_000)}`), CORRUPT),
    document('ends-without-group', 'rtf', () => Buffer.from(`{\\rtf1 ${'}'.repeat(200_000)}x`), READ),
    document(
      'large-numbers',
      'rtf',
      () => Buffer.from(`{\\rtf1 ${'\\u99999999999 \\uc9999999 \\bin999999999 '.repeat(20_000)}x}`),
      READ,
    ),
    document(
      'field-without-end',
      'rtf',
      () => Buffer.from(`{\\rtf1 {\\field{\\*\\fldinst ${'HYPERLINK "'.repeat(100_000)}`),
      READ,
    ),
    document('parts-in-parts', 'eml', () => eml(parts), ANY),
    document('mails-in-mails', 'eml', () => eml(mails), ANY),
    document('large-head', 'eml', () => eml(`X: ${'x'.repeat(2 * MIB)}\r\n\r\nx`), ANY),
    document('many-heads', 'eml', () => eml(`${'To: a@b.c\r\n'.repeat(50_000)}\r\nx`), ANY),
    document('addresses', 'eml', () => eml(`To: ${'"a, '.repeat(100_000)}\r\n\r\nx`), ANY),
  ];
}

/** Files within documents: too many, too deep, and each of them a bomb. */
function membersOfMembers(): HostileDocument[] {
  const text = deflateRawSync('x');
  const bomb = (): Uint8Array => sample.zip({ 'word/document.xml': new Uint8Array(70 * MIB) });
  return [
    document(
      'most-members',
      'zip',
      () => archiveOf(Array.from({ length: 20_000 }, (_, i): Entry => [`${i}.txt`, text, 1])),
      READ,
    ),
    document(
      'archives-in-archives',
      'zip',
      () => Array.from({ length: 50 }).reduce<Uint8Array>((inner) => sample.zip({ 'a.zip': inner }), sample.docx()),
      READ,
    ),
    document(
      'bombs',
      'zip',
      () => {
        const one = bomb();
        return sample.zip(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.docx`, one])));
      },
      READ,
    ),
    document(
      'messages-in-messages',
      'msg',
      () => {
        const storage = '__attach_version1.0_#00000000/__substg1.0_3701000D/';
        const levels = Array.from({ length: 200 }, (_, level) => storage.repeat(level));
        return compoundFile(
          Object.fromEntries(levels.map((path) => [`${path}__properties_version1.0`, Buffer.alloc(32)])),
        );
      },
      READ,
    ),
  ];
}

/** Makes the sectors of a compound file follow each other in circles: its last sector says which one is next. */
function circular(body: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body);
  for (let at = bytes.length - 512; at < bytes.length; at += 4) bytes.writeUInt32LE((bytes.length - at) >> 4, at);
  return bytes;
}

/** Random changes, determined by the seed. */
function mutated(format: Format, seed: number): HostileDocument {
  const make = (): Uint8Array => {
    const next = numbers(seed * 31 + FORMATS.indexOf(format));
    let bytes = Buffer.from((MAKERS[format] as () => Uint8Array)());
    for (let change = next(12) + 1; change > 0; change--) {
      const at = next(bytes.length);
      const piece = bytes.subarray(at, at + next(200));
      const kind = next(4);
      if (kind === 0) bytes[at] = next(256);
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + piece.length)]);
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
      else bytes.fill(next(256), at, Math.min(at + next(16), bytes.length));
      if (bytes.length === 0) return bytes;
    }
    return bytes;
  };
  return document(`changed-${seed}`, format, make, ANY);
}

/** Random integers below a bound (xorshift, Marsaglia 2003). */
function numbers(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % Math.max(1, below);
  };
}

/** Every kind once, for each applicable format, and this number of random changes of each. */
export const hostileDocuments = (changes: number, formats: readonly Format[] = FORMATS): HostileDocument[] => [
  ...ofArchives(formats),
  ...ofAll(formats),
  ...pdfs(),
  ...others(),
  ...partsOfOffice(),
  ...formats.flatMap((format) => Array.from({ length: changes }, (_, seed) => mutated(format, seed + 1))),
];
