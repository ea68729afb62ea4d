import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as further from '../../../../test/support/further-documents.js';
import * as legacy from '../../../../test/support/legacy-documents.js';
import * as sample from '../../../../test/support/sample-documents.js';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { DOCUMENT_EXTENSIONS } from '../../../domain/content/document-types.js';
import {
  type Extraction,
  ExtractorUnavailable,
  isRefusal,
  type Refusal,
} from '../../../engine/ports/content-extractor.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './document-processes.js';

/** The entry of the built program, where the process has its own permissions. */
const ENTRY = new URL('../../../../dist/program/documents.process.js', import.meta.url);
const MIB = 1024 * 1024;

let processes: DocumentProcesses;
beforeAll(() => {
  processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, timeLimit: 5_000, memoryLimit: 300 * MIB }, ENTRY);
});
afterAll(() => processes.close());

const type = (extension: string): string => DOCUMENT_EXTENSIONS.get(extension)!;
const CONTEXT = { url: 'http://a/', contentType: undefined, maxLinks: 100, maxTextLength: 1_000_000 };
const read = (body: Uint8Array, extension: string, context = CONTEXT): Promise<Extraction | Refusal> =>
  processes.extract(body, type(extension), context);

const GOOD: readonly (readonly [string, () => Uint8Array])[] = [
  ['pdf', sample.pdf],
  ['docx', sample.docx],
  ['xlsx', sample.xlsx],
  ['pptx', sample.pptx],
  ['odt', sample.odt],
  ['ods', sample.ods],
  ['odp', sample.odp],
  ['epub', sample.epub],
  ['rtf', sample.rtf],
  ['eml', sample.eml],
  ['doc', legacy.doc],
  ['xls', legacy.xls],
  ['ppt', legacy.ppt],
  ['msg', legacy.msg],
  ['vsdx', further.vsdx],
  ['xlsb', further.xlsb],
  ['fodt', further.fodt],
  ['mht', further.mht],
];

describe('a document', () => {
  it.each(GOOD)('%s is read with its text, title, author, date and links', async (extension, make) => {
    const content = (await read(make(), extension)) as Extraction;
    const { title, author, text, link } = sample.FACTS;
    expect(content).toMatchObject({ title: expect.stringContaining(title), language: 'en', truncated: false });
    expect(content.text).toContain(text);
    expect(content.text).not.toContain('deleted');
    expect(content.metas[0]).toEqual({ name: 'author', value: expect.stringContaining(author) });
    expect(content.links.map(({ href }) => href)).toContain(link);
    expect(content.metas[0]?.value).not.toMatch(/Wing.*Wing/);
    expect(content.fields?.map(({ name }) => name)).not.toContain('date_modified');
    expect(content.fields).toContainEqual({ name: 'date_created', value: sample.FACTS.date });
  });
});

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
    expect(await read(body, 'pdf')).toMatchObject({ text: 'The grey heron filled in' });
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
    return ((await read(body, 'pdf')) as Extraction).text;
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

  it('has what a signature or a stamp shows, unless it is hidden', async () => {
    const facts = `/Type/XObject/Subtype/Form/BBox[0 0 80 20]/Resources${HELVETICA}`;
    const appearance = streamOf('BT /F1 8 Tf 2 5 Td (Signed by Ada) Tj ET', facts);
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

describe('the characters of a PDF', () => {
  it('that are unknown separate words, and are not replaced by others', async () => {
    const descriptor =
      '/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)>>/FontDescriptor<</Type/FontDescriptor/Flags 4>>';
    const descendant = `<</Type/Font/Subtype/CIDFontType0/BaseFont/Any${descriptor}>>`;
    const font = `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[${descendant}]>>`;
    // The first code stands for a character, the second for none.
    const text = 'grey) Tj /F2 12 Tf <08a69f00> Tj /F1 12 Tf (heron';
    const plain = Buffer.from(sample.pdf({ ...sample.FACTS, text })).toString('latin1');
    const body = Buffer.from(plain.replace('/Font<<', `/Font<</F2 ${font}`), 'latin1');
    expect(await read(body, 'pdf')).toMatchObject({ text: 'grey\u79f8 heron' });
  });

  it('after an unknown one are complete and stay together', async () => {
    const text = 'a\\000b) Tj 0 -30 Td (H) Tj /F1 8 Tf 8.7 -5 Td (2) Tj /F1 12 Tf 4.6 5 Td (O and more';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({ text: 'a b H2O and more' });
  });
});

describe('a PDF of TeX', () => {
  it('has subscripts beside their letters', async () => {
    const text = 'H) Tj /F1 8 Tf 8.7 -5 Td (2) Tj /F1 12 Tf 4.6 5 Td (O and more';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({
      text: expect.stringMatching(/^H2O and more/),
    });
  });

  it('joins raised numbers to variables and units, but not to words, whose footnotes they are', async () => {
    const raised = (number: number) => `) Tj /F1 8 Tf 8.7 5 Td (${number}) Tj /F1 12 Tf`;
    const text = `R${raised(2)} 60 -5 Td (s) Tj 6 0 Td (o${raised(3)} 6 -5 Td (end`;
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({
      text: expect.stringMatching(/^R2 so 3 end/),
    });
  });

  it('has whole words where a hyphen ends their line, however close the next line is', async () => {
    const text = 'are quite dis-) Tj 0 -8 Td (tinct well- known';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({
      text: expect.stringMatching(/quite distinct well- known/),
    });
  });

  it('keeps a hyphen at the end of a line only after a number or before a capital letter', async () => {
    const text = 'dis-) Tj 0 -14 Td (tinct, Addison-) Tj 0 -14 Td (Wesley, pre-) Tj 0 -14 Td (1990';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({
      text: 'distinct, Addison-Wesley, pre-1990',
    });
  });

  it('has whole words where the accent of another word is printed after the hyphen', async () => {
    const text = ') Tj [(fur alle dis-) 4500 (\u00c8)] TJ 0 -14 Td (tinct';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({ text: 'für alle distinct' });
  });

  it('has the letters of accents that are printed over them', async () => {
    // The dieresis is printed after the word, moved back above the middle of its `u`: 0.389 from the start of the word,
    // which is 1.167 wide.
    const text = 'fur) Tj [778 (\u00c8) -445 ( alle)] TJ (';
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({
      text: expect.stringMatching(/^für alle/),
    });
  });

  it('has the letters of ligatures that its fonts name', async () => {
    const text = 'De\\033ning re\\034ects, a \\035';
    const plain = Buffer.from(sample.pdf({ ...sample.FACTS, text })).toString('latin1');
    const named = plain.replace(
      '/BaseFont/Helvetica',
      '/BaseFont/Helvetica/Encoding<</Differences[27/f_i/f_l/summation]>>',
    );
    expect(await read(Buffer.from(named, 'latin1'), 'pdf')).toMatchObject({
      text: expect.stringMatching(/^Defining reflects, a/),
    });
    expect(await read(Buffer.from(plain, 'latin1'), 'pdf')).toMatchObject({
      text: expect.not.stringContaining('Defining'),
    });
  });
});

/** A large text that compresses to next to nothing. */
const zeros = (mebibytes: number): Uint8Array => new Uint8Array(mebibytes * MIB);

const HOSTILE: readonly (readonly [string, string, () => Uint8Array, string])[] = [
  ['a zip bomb', 'docx', () => sample.zip({ 'word/document.xml': zeros(80) }), 'extract-memory'],
  ['a PDF that is cut short', 'pdf', () => sample.pdf().subarray(0, 60), 'extract-corrupt'],
  ['a document that is cut short', 'docx', () => sample.docx().subarray(0, 300), 'extract-corrupt'],
  ['a PDF with a password', 'pdf', () => sample.pdf(sample.FACTS, true), 'extract-encrypted'],
  [
    'an office document with a password',
    'xlsx',
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'extract-encrypted',
  ],
  ['an archive of something else', 'pptx', sample.docx, 'extract-corrupt'],
  ['a page', 'pdf', () => Buffer.from('<html><body>not found</body></html>'), 'extract-corrupt'],
  ['groups without end', 'rtf', () => Buffer.from(`{\\rtf1 ${'{'.repeat(100_000)}`), 'extract-corrupt'],
  ['nothing', 'odt', () => Buffer.alloc(0), 'extract-corrupt'],
];

describe('a document that cannot be read', () => {
  it.each(HOSTILE)('%s (%s) is reported with its error code', async (_, extension, make, code) => {
    expect(await read(make(), extension)).toMatchObject({ refused: code });
  });

  it('is reported at its time limit, and does not harm the next document', async () => {
    const limits = { ...DEFAULT_DOCUMENT_LIMITS, timeLimit: 250 };
    const quick = new DocumentProcesses(limits, ENTRY);
    try {
      const kids = Array.from({ length: 400 }, (_, i) => `${i + 3} 0 R`).join(' ');
      const stream = `BT /F1 1 Tf ${'(heron) Tj 0 1 Td '.repeat(400_000)} ET`;
      const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 1000 0 R/Resources<<>>>>';
      const objects = Array.from({ length: 400 }, (_, i) => `${i + 3} 0 obj${page}endobj\n`).join('');
      const body = Buffer.from(
        `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[${kids}]/Count 400>>endobj\n${objects}1000 0 obj<</Length ${stream.length}>>stream\n${stream}\nendstream endobj\ntrailer<</Root 1 0 R>>`,
      );
      expect(await quick.extract(body, type('pdf'), CONTEXT)).toMatchObject({ refused: 'extract-timeout' });
      // A busy machine may take longer than the limit of the first document.
      limits.timeLimit = DEFAULT_DOCUMENT_LIMITS.timeLimit;
      expect(await quick.extract(sample.pdf(), type('pdf'), CONTEXT)).toMatchObject({ title: sample.FACTS.title });
    } finally {
      quick.close();
    }
  });

  it('is aborted at its memory limit', async () => {
    const small = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, memoryLimit: 96 * MIB }, ENTRY);
    try {
      const rows = '<c><v>1</v></c>'.repeat(4_000_000);
      const body = sample.zip({ 'xl/workbook.xml': '<sheet/>', 'xl/worksheets/sheet1.xml': rows });
      expect(await small.extract(body, type('xlsx'), CONTEXT)).toMatchObject({ refused: 'extract-memory' });
    } finally {
      small.close();
    }
  });

  it('is not tried again while it stays the same', async () => {
    const body = sample.docx().subarray(0, 200);
    const first = await read(body, 'docx');
    expect(await read(body, 'docx')).toBe(first);
  });

  it('with random damage gives a content or an error code', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...GOOD),
        fc.array(fc.tuple(fc.nat(5_000), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        async ([extension, make], damages) => {
          const body = Uint8Array.from(make());
          for (const [at, byte] of damages) body[at % body.length] = byte;
          const end = await read(body, extension);
          expect(isRefusal(end) ? end.refused : typeof end.text).toMatch(/^(?:string|extract-\w+)$/);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe('the files within a document', () => {
  let reading: DocumentProcesses;
  beforeAll(() => {
    reading = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, members: true }, ENTRY);
  });
  afterAll(() => reading.close());
  const partsOf = async (body: Uint8Array, extension: string) => {
    const { parts = [], truncated } = (await reading.extract(body, type(extension), CONTEXT)) as Extraction;
    return { texts: Object.fromEntries(parts.map(({ id, text }) => [decodeURIComponent(id), text])), truncated };
  };

  it('are the attachments of messages, whatever program saved them', async () => {
    const attached = Buffer.from(sample.eml())
      .toString()
      .replace('JVBERi0=', Buffer.from(sample.pdf()).toString('base64'));
    expect((await partsOf(Buffer.from(attached), 'eml')).texts).toEqual({
      'member=plan.pdf': expect.stringContaining(sample.FACTS.text),
    });
    expect((await partsOf(legacy.msg(), 'msg')).texts).toEqual({
      'member=notes.txt': 'The attached notes mention a kingfisher.',
    });
  });

  it('are the messages of a mailbox, with their attachments', async () => {
    const message = `From - Mon\n${Buffer.from(sample.eml()).toString()}\n`;
    expect(Object.keys((await partsOf(Buffer.from(message + message), 'mbox')).texts)).toEqual([
      'member=message-1.eml',
      'member=message-2.eml',
    ]);
    expect(await read(Buffer.from(message), 'mbox')).toMatchObject({
      text: expect.stringContaining(sample.FACTS.text),
    });
  });

  it('are read two levels deep, and those that cannot be read do not harm the others', async () => {
    const inner = (level: number): Uint8Array =>
      sample.zip({ 'a.txt': `Level ${level}`, ...(level < 4 ? { 'z.zip': inner(level + 1) } : {}) });
    const body = sample.zip({
      'locked.pdf': sample.pdf(sample.FACTS, true),
      'damaged.docx': sample.docx().subarray(0, 200),
      'bomb.docx': sample.zip({ 'word/document.xml': zeros(80) }),
      'in.zip': inner(1),
    });
    const { texts } = await partsOf(body, 'zip');
    expect(texts).toEqual({
      'member=in.zip': 'a.txt z.zip',
      'member=in.zip/a.txt': 'Level 1',
      'member=in.zip/z.zip': 'a.txt z.zip',
    });
  });

  it('are limited in number and size', async () => {
    const many = sample.zip(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${i}.txt`, `Text ${i}`])));
    const { texts, truncated } = await partsOf(many, 'zip');
    expect([Object.keys(texts).length, truncated]).toEqual([500, true]);
    const large = sample.zip({ 'large.txt': zeros(65), 'a.txt': 'Small' });
    expect(await partsOf(large, 'zip')).toEqual({ texts: { 'member=a.txt': 'Small' }, truncated: true });
  });

  it('are not read unless they are wanted', async () => {
    const archive = sample.zip({ 'a.txt': 'One' });
    expect(await read(archive, 'zip')).toMatchObject({ text: 'a.txt' });
    expect(((await read(archive, 'zip')) as Extraction).parts).toBeUndefined();
  });
});

describe('the process that reads documents', () => {
  it('respects the limits of text and links', async () => {
    const content = (await read(sample.docx(), 'docx', { ...CONTEXT, maxTextLength: 8, maxLinks: 0 })) as Extraction;
    expect(content).toMatchObject({ text: 'The grey', links: [], truncated: true });
  });

  it('ends when it is idle, and starts again with the next document', async () => {
    const brief = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, idleTime: 0 }, ENTRY);
    expect(brief.processIds).toEqual([]);
    await brief.extract(sample.rtf(), type('rtf'), CONTEXT);
    await vi.waitFor(() => expect(brief.processIds).toEqual([]), { timeout: 10_000 });
    expect(await brief.extract(sample.docx(), type('docx'), CONTEXT)).toMatchObject({ title: sample.FACTS.title });
    brief.close();
  });

  it('gets no further document after the one with which it said that it would end, even before it has ended', async () => {
    const folder = temporaryDirectory();
    // Beside this file, it is a program of its own. It answers every document with its process id, and stays.
    writeFileSync(join(folder, 'pdfium.wasm'), '');
    writeFileSync(
      join(folder, 'stays.process.mjs'),
      `process.stdin.on('data', () => {
        const json = JSON.stringify({ result: { title: String(process.pid) }, isLast: true });
        const head = Buffer.alloc(8);
        head.writeUInt32LE(json.length);
        process.stdout.write(Buffer.concat([head, Buffer.from(json)]));
      });`,
    );
    const staying = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, pathToFileURL(join(folder, 'stays.process.mjs')));
    const ask = async (): Promise<number> => {
      const { title } = (await staying.extract(sample.rtf(), type('rtf'), CONTEXT)) as Extraction;
      const pid = Number(title);
      onTestFinished(() => void process.kill(pid, 'SIGKILL'));
      return pid;
    };
    const first = await ask();
    expect(staying.processIds).toEqual([]);
    expect(await ask()).not.toBe(first);
    staying.close();
  });

  /** A program of its own, beside which a file stands that says so. */
  const createProgram = (source: string): URL => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'pdfium.wasm'), '');
    writeFileSync(join(folder, 'own.process.mjs'), source);
    return pathToFileURL(join(folder, 'own.process.mjs'));
  };

  it('has a limit of processor time', async () => {
    const spinning = new DocumentProcesses(
      { ...DEFAULT_DOCUMENT_LIMITS, timeLimit: 200 },
      createProgram("process.stdin.on('data', () => { for (;;); });"),
    );
    expect(await spinning.extract(sample.rtf(), type('rtf'), CONTEXT)).toEqual({
      refused: 'extract-timeout',
      detail: 'reading the document took longer than 0.2 s of processor time',
    });
    spinning.close();
  });

  it('has more time on the clock, and the document is tried again when that was not enough', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const timeLimit = 10_000;
    const waiting = new DocumentProcesses(
      { ...DEFAULT_DOCUMENT_LIMITS, timeLimit },
      createProgram('process.stdin.resume();'),
    );
    for (let attempt = 0; attempt < 2; attempt++) {
      let end: Extraction | Refusal | undefined;
      const asked = waiting.extract(sample.rtf(), type('rtf'), CONTEXT).then((result) => {
        end = result;
      });
      await vi.advanceTimersByTimeAsync(timeLimit * 4);
      expect(end).toBeUndefined();
      await vi.advanceTimersByTimeAsync(timeLimit);
      await asked;
      expect(end).toMatchObject({ refused: 'extract-timeout', isPassing: true });
    }
    waiting.close();
  });

  it('is to blame when it does not start, not the document', async () => {
    const broken = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, new URL('missing.process.js', ENTRY));
    const asked = () => broken.extract(sample.rtf(), type('rtf'), CONTEXT);
    await expect(asked()).rejects.toThrow(ExtractorUnavailable);
    await expect(asked()).rejects.toThrow('the process that reads documents could not be started (code 1)');
    broken.close();
  });

  it('leaves documents in flight to a later visit when the server stops', async () => {
    const ending = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, ENTRY);
    const asked = [sample.rtf(), sample.rtf()].map((body) => ending.extract(body, type('rtf'), CONTEXT));
    const ends = Promise.allSettled(asked);
    ending.close();
    for (const end of await ends)
      expect(end).toMatchObject({ reason: new ExtractorUnavailable('the server is stopping') });
  });
});
