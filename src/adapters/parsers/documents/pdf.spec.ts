import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as sample from '../../../../test/support/sample-documents.js';
import type { Extraction, Refusal } from '../../../engine/ports/content-extractor.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './document-processes.js';

/** The entry of the built program, where the process has its own permissions. */
const ENTRY = new URL('../../../../dist/program/documents.process.js', import.meta.url);

let processes: DocumentProcesses;
beforeAll(() => {
  processes = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, ENTRY);
});
afterAll(() => processes.close());

const CONTEXT = { url: 'http://a/', contentType: undefined, maxLinks: 100, maxTextLength: 1_000_000 };
const read = (body: Uint8Array, _extension = 'pdf'): Promise<Extraction | Refusal> =>
  processes.extract(body, 'application/pdf', CONTEXT);

describe('a PDF', () => {
  it('that prints accents separately has the words that readers see', async () => {
    // In the font's standard encoding, 0xc8 is the dieresis.
    const text = 'm\u00c8oglich, \u00c8Ubung, a \u00c8 b, \u00c8x';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({
      text: expect.stringMatching(/möglich, Übung, a ¨ b, ẍ/),
    });
  });
});

describe('the words of a PDF', () => {
  const textOf = async (text: string): Promise<string> => {
    const content = (await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')) as Extraction;
    return content.text;
  };

  it('are separate where the page has a narrow gap, or continues on a line close below', async () => {
    expect(await textOf(') Tj [(aliquet) -135 (magna ornare)] TJ (')).toBe('aliquet magna ornare');
    expect(await textOf('to) Tj 0 -7.8 Td (give due')).toBe('to give due');
    expect(await textOf('0) Tj 0 17 Td (1) Tj 0 17 Td (2')).toBe('0 1 2');
  });

  it('are separate from the number of a footnote before them', async () => {
    expect(await textOf(') Tj /F1 6 Tf 0 3 Td (1) Tj /F1 8 Tf 3.9 -3 Td (people who')).toBe('1 people who');
  });

  it('include their subscripts, also where a matrix scales the font', async () => {
    const at = (size: number, x: number, y: number) => `Tj ${size} 0 0 ${size} ${x} ${y} Tm`;
    const text = `) Tj /F1 1 Tf () ${at(12, 72, 700)} (H) ${at(8, 80.7, 695)} (2) ${at(12, 85.3, 700)} (O and more`;
    expect(await textOf(text)).toBe('H2O and more');
  });

  it('are whole where they are printed at an angle, and single where they are printed twice for a shadow', async () => {
    const letters = (written: string, place: (index: number) => string): string =>
      [...written].map((letter, index) => `) Tj ${place(index)} Tm (${letter}`).join('');
    // Letters of Helvetica are 5.56 points wide at 10 points.
    const turned = (index: number): string => `0 1 -1 0 300 ${300 + index * 5.56} `;
    expect(await textOf(`) Tj /F1 10 Tf (${letters('heonupda', turned)}`)).toBe('heonupda');
    const far = (index: number): string => `0 1 -1 0 300 ${300 + index * 20} `;
    expect(await textOf(`) Tj /F1 10 Tf (${letters('abc', far)}`)).toBe('a b c');
    const shadow = (index: number): string =>
      `10 0 0 10 ${72 + (index >> 1) * 5.56 + (index % 2)} ${300 - (index % 2)}`;
    expect(await textOf(`) Tj /F1 1 Tf (${letters('hheeoonnnnaa', shadow)}`)).toBe('heonna');
  });

  it('include those of annotations and form fields that are shown', async () => {
    const annotations = [
      '<</Type/Annot/Subtype/FreeText/Rect[10 10 90 30]/Contents(heron)>>',
      '<</Type/Annot/Subtype/FreeText/F 2/Rect[10 10 90 30]/Contents(hidden)>>',
      '<</Type/Annot/Subtype/Text/Rect[10 10 90 30]/Contents(closed)>>',
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(filled in)/Rect[10 10 90 30]>>',
      '<</Type/Annot/Subtype/Widget/FT/Btn/T(box)/V/Yes/Rect[10 10 90 30]>>',
    ];
    const plain = Buffer.from(sample.pdf({ ...sample.FACTS, text: 'The grey' })).toString('latin1');
    const body = Buffer.from(plain.replace('/Annots[6 0 R]', `/Annots[6 0 R${annotations.join('')}]`), 'latin1');
    expect(await read(body, 'pdf')).toMatchObject({ text: 'The grey\nheron\nfilled in' });
  });
});

describe('the paragraphs of a PDF', () => {
  /** Each line with its distance from the one before and its indent, in points. */
  const textOf = async (...lines: readonly (readonly [down: number, indent: number, text: string])[]) => {
    let last = 0;
    const operators = lines.map(([down, indent, text]) => {
      const right = indent - last;
      last = indent;
      return `) Tj ${right} ${-down} Td (${text}`;
    });
    return ((await read(sample.pdf({ ...sample.FACTS, text: operators.join('') }))) as Extraction).text.split('\n');
  };
  const FULL = 'The gate of the weir is moved by two motors that are older than the house';
  const LAST = 'and nobody has dared to replace them.';

  it('are lines when their lines are joined', async () => {
    expect(await textOf([0, 0, FULL], [14, 0, FULL], [14, 0, LAST])).toEqual([`${FULL} ${FULL} ${LAST}`]);
  });

  it.each<readonly [string, readonly (readonly [number, number, string])[]]>([
    ['a wider gap', [[24, 0, FULL]]],
    ['a last line in which the next word would have had room', [[14, 0, FULL]]],
    ['the mark of an item', [[14, 0, '\\267 The second gate is opened by hand']]],
    ['a column to the right', [[-28, 300, 'It closes in nine minutes']]],
  ])('end before %s', async (_, next) => {
    const before = [
      [0, 0, FULL],
      [14, 0, FULL],
      [14, 0, LAST],
    ] as const;
    const after = next.map(([, , text]) => text.replace('\\267', '•')).join(' ');
    expect(await textOf(...before, ...next)).toEqual([`${FULL} ${FULL} ${LAST}`, after]);
  });

  it('end before an indented line, and a full one before it', async () => {
    expect(await textOf([0, 0, FULL], [14, 0, FULL], [14, 12, FULL], [14, 0, LAST])).toEqual([
      `${FULL} ${FULL}`,
      `${FULL} ${LAST}`,
    ]);
  });

  it('go on below the mark of an item, in a column narrower than what is above, and in the next column', async () => {
    const item = '\\267 The second gate is opened by hand, and needs';
    expect(await textOf([0, 0, item], [14, 12, 'an hour'], [14, 0, item])).toHaveLength(2);
    const column = [
      [24, 0, 'The second gate is'],
      [14, 0, 'opened by hand, and'],
      [14, 0, 'needs an hour'],
    ] as const;
    expect((await textOf([0, 0, FULL], [14, 0, FULL], ...column)).slice(1)).toEqual([
      'The second gate is opened by hand, and needs an hour',
    ]);
    expect(await textOf([0, 0, FULL], [14, 0, FULL], [-14, 400, 'more often than before'])).toHaveLength(1);
  });

  it('are the rows of a table and the lines of a table of contents', async () => {
    const row = (a: string, b: string) => `${a}) Tj 300 0 Td (${b}) Tj -300 0 Td (`;
    expect(await textOf([0, 0, row('January', '120')], [14, 0, row('February', '64')])).toEqual([
      'January 120',
      'February 64',
    ]);
    const narrow = (a: string, b: string) => `${a}) Tj 63 0 Td (${b}) Tj -63 0 Td (`;
    const rows = [narrow('January', 'a hundred ships'), narrow('February', 'a dozen, by train')] as const;
    expect(await textOf([0, 0, rows[0]], [14, 0, rows[1]])).toEqual([
      'January a hundred ships',
      'February a dozen, by train',
    ]);
    const entry = (title: string) => `${title} ${'. '.repeat(30)} 12`;
    expect(await textOf([0, 0, entry('Gates')], [14, 0, entry('Pools')])).toHaveLength(2);
  });
});

/** A file without a table of its objects, which the reader makes itself. The first object is the catalog. */
const pdfOf = (objects: readonly string[]): Uint8Array => {
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1');
};
const streamOf = (data: string, facts = ''): string => `<</Length ${data.length}${facts}>>stream\n${data}\nendstream `;
const PAGES = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const pageOf = (more: string): string => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]${more}>>`;
const HELVETICA = '<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';

describe('the properties of a PDF', () => {
  const xmp = (title: string): string =>
    streamOf(
      `<?xpacket begin=""?><rdf:RDF><rdf:Description xmp:CreateDate="2024-01-31T10:00:00+01:00"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li><rdf:li xml:lang="de">Reiher</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF>`,
      '/Type/Metadata/Subtype/XML',
    );
  const metadataOf = async (catalog: string, ...objects: readonly string[]) => {
    const page = pageOf('/Contents 4 0 R');
    const body = pdfOf([`<</Type/Catalog/Pages 2 0 R${catalog}>>`, PAGES, page, streamOf(''), ...objects]);
    const { title, metas, fields } = (await read(body)) as Extraction;
    return { title, author: metas[0]?.value, date: fields?.find(({ name }) => name === 'date_created')?.value };
  };

  it('are read as XMP if there are no others: those of the document, not of a picture in it', async () => {
    const found = { title: 'Herons', author: 'Ann, Bob', date: '2024-01-31T09:00:00Z' };
    expect(await metadataOf('/Metadata 6 0 R', xmp('A picture'), xmp('Herons'), xmp('Another'))).toEqual(found);
    expect(await metadataOf('', xmp('Herons'))).toEqual(found);
    expect(await metadataOf('', xmp('One'), xmp('Two'))).toMatchObject({ title: '' });
    const escaped = '\\376\\377\\000H\\000e\\000r\\000o\\000n\\000\\(';
    expect(await metadataOf('', xmp(escaped))).toMatchObject({ title: 'Heron(' });
  });
});

describe('a PDF with attached files', () => {
  const wrapper = (name: string, facts = ''): Uint8Array =>
    pdfOf([
      `<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(${name})/EF<</F 5 0 R>>${facts}>>]>>>>>>`,
      PAGES,
      pageOf(`/Contents 4 0 R/Resources${HELVETICA}`),
      streamOf('BT /F1 12 Tf 72 200 Td (The cover) Tj ET'),
      streamOf('Notes on herons.', '/Type/EmbeddedFile'),
    ]);

  it('has them as files within the document', async () => {
    const reading = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, members: true }, ENTRY);
    const { text, parts } = (await reading.extract(wrapper('notes.txt'), 'application/pdf', CONTEXT)) as Extraction;
    reading.close();
    expect(text).toBe('The cover');
    expect(parts).toMatchObject([{ id: 'member=notes.txt', title: 'notes.txt', text: 'Notes on herons.' }]);
  });

  it('is encrypted if it only says that rights management protects the attached document', async () => {
    const refused = { refused: 'extract-encrypted' };
    expect(await read(wrapper('a.pdf', '/AFRelationship/EncryptedPayload'))).toMatchObject(refused);
    expect(await read(wrapper('MicrosoftIRMServices Protected PDF.pdf'))).toMatchObject(refused);
    expect(await read(wrapper('a.pdf'))).toMatchObject({ text: 'The cover' });
  });
});

describe('a dynamic form', () => {
  const template =
    '<template><desc><text>1.0</text></desc><subform><draw><value><text>Heron &amp; stork survey</text></value></draw><field name="n"><caption><value><exData contentType="text/html"><body><p>Your <b>name</b></p></body></exData></value></caption><items><text>A</text></items><event><script>x</script></event><validate><message><text>no</text></message></validate></field></subform></template>';
  const data = '<xfa:datasets><xfa:data><form1><n>Jane Roe</n><sum>12</sum></form1></xfa:data></xfa:datasets>';
  const formOf = (xfa: string, facts: string, ...streams: readonly string[]): Uint8Array =>
    pdfOf([
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]/XFA ${xfa}>>${facts}>>`,
      PAGES,
      pageOf(`/Contents 4 0 R/Resources${HELVETICA}`),
      streamOf('BT /F1 12 Tf 72 200 Td (Please wait...) Tj ET'),
      ...streams.map((stream) => streamOf(stream)),
    ]);

  it('has the text of its template and the data in it, in place of the page that says to wait', async () => {
    const text = 'Heron & stork survey\nYour name\nJane Roe\n12';
    const parts = '[(template) 5 0 R (datasets) 6 0 R (config) 7 0 R]';
    expect(await read(formOf(parts, '/NeedsRendering true', template, data, '<a>no</a>'))).toMatchObject({ text });
    const whole = `<xdp:xdp>${template}${data}</xdp:xdp>`;
    expect(await read(formOf('5 0 R', '/NeedsRendering true', whole))).toMatchObject({ text });
    // Other forms are on the pages, too.
    expect(await read(formOf('5 0 R', '', whole))).toMatchObject({ text: 'Please wait...' });
  });

  it('has the text of its pages, too, if there are several', async () => {
    const body = pdfOf([
      '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]/XFA 5 0 R>>/NeedsRendering true>>',
      '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>',
      pageOf(`/Contents 4 0 R/Resources${HELVETICA}`),
      streamOf('BT /F1 12 Tf 72 200 Td (Printed form) Tj ET'),
      streamOf(`<xdp:xdp>${data}</xdp:xdp>`),
      pageOf(`/Contents 4 0 R/Resources${HELVETICA}`),
    ]);
    expect(await read(body)).toMatchObject({ text: 'Jane Roe\n12\nPrinted form\nPrinted form' });
  });
});

describe('the form of a PDF', () => {
  const widget = (facts: string): string => `<</Type/Annot/Subtype/Widget/Rect[10 10 90 30]${facts}>>`;
  const readForm = async (fields: readonly string[], further: readonly string[] = []): Promise<string> => {
    const references = fields.map((_, index) => `${index + 5} 0 R`).join(' ');
    const body = pdfOf([
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${references}]>>>>`,
      PAGES,
      pageOf(`/Contents 4 0 R/Resources${HELVETICA}/Annots[${references}]`),
      streamOf('BT /F1 12 Tf 72 200 Td (Order) Tj ET'),
      ...fields,
      ...further,
    ]);
    return ((await read(body, 'pdf')) as Extraction).text.replaceAll('\n', ' ');
  };
  const OPTIONS = '/Opt[[(b)(Blue heron)][(g)(Grey heron)][(w)(White stork)]]';

  it('has the options that are chosen, as they are shown', async () => {
    expect(await readForm([widget(`/FT/Ch/Ff 131072/T(combo)/V(g)${OPTIONS}`)])).toBe('Order Grey heron');
    expect(await readForm([widget(`/FT/Ch/Ff 2097152/T(list)/V[(b)(w)]${OPTIONS}`)])).toBe(
      'Order Blue heron White stork',
    );
    expect(await readForm([widget(`/FT/Ch/Ff 393216/T(own)/V(Crane)${OPTIONS}`)])).toBe('Order Crane');
  });

  it('has values that a field inherits', async () => {
    const parent = '<</FT/Tx/T(name)/V(Ada Wing)/Kids[5 0 R]>>';
    expect(await readForm([widget('/Parent 6 0 R')], [parent])).toBe('Order Ada Wing');
  });

  const showing = (text: string): string => {
    const facts = `/Type/XObject/Subtype/Form/BBox[0 0 80 20]/Resources${HELVETICA}`;
    return streamOf(`BT /F1 8 Tf 2 5 Td (${text}) Tj ET`, facts);
  };

  it('has its values as they are shown, and as they are stored where they are not shown or in boxes', async () => {
    const field = (facts: string): string => widget(`/FT/Tx/T(a)${facts}/AP<</N 6 0 R>>`);
    expect(await readForm([field('/V(1123.5)')], [showing('1,123.50')])).toBe('Order 1,123.50');
    expect(await readForm([field('/V(white stork)')], [showing('whi')])).toBe('Order whi white stork');
    expect(await readForm([field('/V(grey heron)')], [streamOf('/Tx BMC EMC')])).toBe('Order grey heron');
    const boxes = [...'4711'].map((digit) => `(${digit}) Tj 15 0 Td `).join('');
    expect(await readForm([field('/V(4711)')], [showing(`) Tj ${boxes}(`)])).toBe('Order 4 7 1 1 4711');
    const button = widget('/FT/Btn/Ff 65536/T(b)/AP<</N 6 0 R>>');
    expect(await readForm([button], [showing('Send')])).toBe('Order Send');
    const box = widget('/FT/Btn/T(c)/AS/On/AP<</N<</On 6 0 R>>>>');
    expect(await readForm([box], [showing('x')])).toBe('Order');
  });

  it('has what a signature or a stamp shows, unless it is hidden', async () => {
    const appearance = showing('Signed by Ada');
    const signature = widget('/FT/Sig/T(sig)/F 4/AP<</N 6 0 R>>');
    expect(await readForm([signature], [appearance])).toBe('Order Signed by Ada');
    expect(await readForm([signature.replace('/F 4', '/F 2')], [appearance])).toBe('Order');
  });
});

describe('a PDF with less text than it shows', () => {
  it('says so if its pages are pictures', async () => {
    expect(await read(sample.scannedPdf(), 'pdf')).toMatchObject({
      text: '',
      shortfall: { reason: 'no-text-layer', detail: '1 of 1 pages have no text, only pictures' },
      fields: expect.arrayContaining([{ name: 'pages_without_text', value: '1' }]),
    });
    const blank = pdfOf(['<</Type/Catalog/Pages 2 0 R>>', PAGES, pageOf('/Contents 4 0 R'), streamOf('')]);
    expect(await read(blank, 'pdf')).not.toHaveProperty('shortfall');
    expect(await read(sample.pdf(), 'pdf')).not.toHaveProperty('shortfall');
  });

  it('says so if it does not name its letters', async () => {
    const descendant =
      '<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)>>/FontDescriptor<</Type/FontDescriptor/Flags 4>>>>';
    const font = `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[${descendant}]>>`;
    const text = 'grey) Tj /F2 12 Tf <9f009f019f02> Tj /F1 12 Tf (heron';
    const plain = Buffer.from(sample.pdf({ ...sample.FACTS, text })).toString('latin1');
    const body = Buffer.from(plain.replace('/Font<<', `/Font<</F2 ${font}`), 'latin1');
    expect(await read(body, 'pdf')).toMatchObject({
      text: 'grey heron',
      shortfall: { reason: 'text-incomplete', detail: 'for 25 % of the letters, the file does not say which they are' },
      fields: expect.arrayContaining([{ name: 'unknown_characters_percent', value: '25' }]),
    });
  });
});
