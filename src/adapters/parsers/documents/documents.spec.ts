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

it.each(['\r\n', '\ufeff', '<b>Warning</b>: a file in b.php on line 3<br />\n'])(
  'a document is read behind what its program has printed before it: %j',
  async (printed) => {
    for (const [extension, make] of GOOD.filter(([name]) => ['pdf', 'docx', 'rtf', 'xls'].includes(name))) {
      const content = (await read(Buffer.concat([Buffer.from(printed), make()]), extension)) as Extraction;
      expect(content.text).toContain(sample.FACTS.text);
    }
  },
);

it('invisible characters do not hide the words of a document', async () => {
  const document = sample.docx({ ...sample.FACTS, title: 'Har\u00adbour', text: '\u200fDampf\u00adschiff\u202c' });
  const content = (await read(document, 'docx')) as Extraction;
  expect(content).toMatchObject({ title: 'Harbour', text: expect.stringContaining('Dampfschiff') });
});

it('a message has the text of its HTML if that of its plain text is blank', async () => {
  const part = (type: string, text: string): string => `--x\r\nContent-Type: text/${type}\r\n\r\n${text}\r\n`;
  const head = 'From: a@b.example\r\nSubject: News\r\nContent-Type: multipart/alternative; boundary=x\r\n\r\n';
  const message = `${head}${part('plain', ' \r\n')}${part('html', '<p>The herons are back.</p>')}--x--\r\n`;
  expect(await read(Buffer.from(message), 'eml')).toMatchObject({ title: 'News', text: 'The herons are back.' });
});

it('all creators of a book are its author', async () => {
  const book = sample.epub({ ...sample.FACTS, author: 'Ada Wing</dc:creator><dc:creator>Bo Reed' });
  expect((await read(book, 'epub')) as Extraction).toMatchObject({
    metas: [{ name: 'author', value: 'Ada Wing, Bo Reed' }],
  });
});

it('a book may have the named references of XHTML', async () => {
  const book = sample.epub({ ...sample.FACTS, text: 'Caf&eacute;&nbsp;noir &LT;b&gt; &amp;eacute; &none; A&amp;B' });
  expect(((await read(book, 'epub')) as Extraction).text).toContain('Café noir <b> &eacute; &none; A&B');
});

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

describe('the process that reads documents', () => {
  it('respects the limits of text and links', async () => {
    const content = (await read(sample.docx(), 'docx', { ...CONTEXT, maxTextLength: 8, maxLinks: 0 })) as Extraction;
    expect(content).toMatchObject({ text: 'The grey', links: [], truncated: true });
  });

  it('ends when it is idle, and starts again with the next document', async () => {
    const brief = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, idleTime: 0 }, ENTRY);
    expect(brief.processIds).toEqual([]);
    await brief.extract(sample.rtf(), type('rtf'), CONTEXT);
    await expect.poll(() => brief.processIds).toEqual([]);
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
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // the limit of the clock is never reached
    onTestFinished(() => void vi.useRealTimers());
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

it('a document that keeps those of other hosts waiting says how long, so that its host pauses for it', async () => {
  const body = new TextEncoder().encode('{\\rtf1 some words}');
  const read = (url: string) =>
    processes.extract(body, 'application/rtf', { url, contentType: undefined, maxLinks: 10, maxTextLength: 1_000 });
  const readAll = async (urls: readonly string[]) => (await Promise.all(urls.map(read))).map(({ heldUp }) => heldUp);
  const own = ['http://a.test/1', 'http://a.test/2'];
  expect(await readAll([...own, 'http://b.test/1'])).toEqual([expect.any(Number), expect.any(Number), undefined]);
  expect(await readAll(own)).toEqual([undefined, undefined]);
});
