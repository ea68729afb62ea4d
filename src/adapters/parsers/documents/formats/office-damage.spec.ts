import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as office from '../../../../../test/support/office-documents.js';
import { paragraph, run } from '../../../../../test/support/office-documents.js';
import * as sample from '../../../../../test/support/sample-documents.js';
import { DOCUMENT_EXTENSIONS } from '../../../../domain/content/document-types.js';
import type { Extraction } from '../../../../engine/ports/content-extractor.js';
import { type DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { readSheets, readSlides } from './office-open.js';
import { readOpenDocument } from './open-document.js';
import { readWord } from './word.js';

const request = (extension: string): DocumentRequest => ({
  mediaType: DOCUMENT_EXTENSIONS.get(extension)!,
  maxTextLength: 1_000_000,
  maxLinks: 100,
  timeLimit: 30_000,
});
const finish = (content: DocumentContent): Extraction => content.finish(() => undefined);
const word = async (body: Uint8Array): Promise<Extraction> => finish(await readWord(body, request('docx')));

const chart = (name: string): string =>
  `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${office.slideText(name)}</c:rich></c:tx></c:title><c:plotArea><c:ser><c:tx><c:strRef><c:f>Data!A1</c:f><c:strCache><c:pt><c:v>Herons</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt><c:v>May</c:v></c:pt><c:pt><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt><c:v>42</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>`;
const diagram = `<dgm:dataModel><dgm:pt><dgm:t>${office.slideText('Board')}</dgm:t></dgm:pt></dgm:dataModel>`;

describe('an archive that cannot be unpacked', () => {
  it.each([
    ['is encrypted', 'extract-encrypted', 8, 1],
    ['is compressed in another way', 'extract-unsupported', 10, 12],
  ] as const)('says that it %s', async (_, code, offset, value) => {
    const body = Buffer.from(office.wordDocument(paragraph(run('the grey heron'))));
    for (let at = body.indexOf('PK\x01\x02'); at >= 0; at = body.indexOf('PK\x01\x02', at + 1))
      body.writeUInt16LE(value, at + offset);
    await expect(word(body)).rejects.toMatchObject({ code });
  });
});

describe('a sheet that is too large when unpacked', () => {
  it('is read from its beginning, and says that it is not all', () => {
    const cell = (value: number): string => `<row><c><v>${value}</v></c></row>`;
    const body = office.workbook(cell(7) + ' '.repeat(70 * 1024 * 1024) + cell(8));
    expect(finish(readSheets(body, request('xlsx')))).toMatchObject({ text: 'Data 7', truncated: true });
  });
});

describe('a damaged archive', () => {
  const text = 'the grey heron '.repeat(40);
  const body = office.wordDocument(paragraph(run(text)));

  it('gives what is before the damage, and says that it is not all', async () => {
    const beforeDirectory = Buffer.from(body).indexOf('PK\x01\x02', 0, 'latin1');
    expect(await word(body.subarray(0, beforeDirectory))).toMatchObject({ text: text.trim(), truncated: true });
  });

  it('gives the beginning of the part that is cut', async () => {
    const words = Array.from({ length: 4_000 }, (_, index) => `bird${(index * 7919) % 10_007}`);
    const long = office.wordDocument(paragraph(words.map((each) => run(`${each} `)).join('')));
    const cut = await word(long.subarray(0, Math.floor(long.length * 0.6)));
    expect(cut.truncated).toBe(true);
    expect(cut.text.split(' ').slice(0, 1_000)).toEqual(words.slice(0, 1_000));
  });

  it('is read without a part that is damaged', async () => {
    const footnotes = {
      name: 'footnotes.xml',
      type: 'footnotes',
      xml: `<w:footnotes>${'x'.repeat(9_000)}</w:footnotes>`,
    };
    const damaged = Buffer.from(office.wordDocument(paragraph(run('heron')), { parts: [footnotes] }));
    // The size that the directory states for the footnotes is none, and much of them is stored.
    const entry = damaged.lastIndexOf('word/footnotes.xml') - 46;
    damaged.writeUInt32LE(0, entry + 24);
    damaged.writeUInt32LE(60_000, entry + 20);
    expect(await word(damaged)).toMatchObject({ text: 'heron', truncated: true });
  });

  it('is read where other data precedes it', async () => {
    const moved = Buffer.concat([Buffer.from('MZ a program that unpacks it'), body]);
    expect(await word(moved)).toMatchObject({ text: text.trim(), truncated: false });
  });
});

describe('an archive without a directory', () => {
  it('is refused where nothing is intact', () => {
    expect(() => readSheets(sample.zip({}), request('xlsx'))).toThrow(Unreadable);
  });
});

describe('documents with random changes of their parts', () => {
  const numbered = paragraph(`<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>${run('item')}`);
  const list =
    '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>';
  const makers: Readonly<Record<string, (change: (xml: string) => string) => Promise<DocumentContent>>> = {
    docx: async (change) =>
      readWord(
        office.wordDocument(change(`${numbered}<w:r><w:fldChar w:fldCharType="begin"/><c:chart r:id="c"/></w:r>`), {
          parts: [
            { name: 'numbering.xml', type: 'numbering', xml: change(list) },
            { name: 'chart.xml', type: 'chart', id: 'c', xml: change(chart('Sightings')) },
            { name: 'chunk.rtf', type: 'aFChunk', xml: change('{\\rtf1 heron}') },
          ],
        }),
        request('docx'),
      ),
    xlsx: async (change) =>
      readSheets(
        office.workbook(change('<c t="inlineStr"><is><t>heron</t></is></c><oddHeader>&amp;L&amp;P</oddHeader>'), {
          parts: [
            { name: 'sharedStrings.xml', type: 'sharedStrings', xml: change('<sst><si><t>heron</t></si></sst>') },
          ],
        }),
        request('xlsx'),
      ),
    pptx: async (change) =>
      readSlides(
        office.presentation(change(office.slideText('heron')), {
          parts: [
            { name: 'data.xml', type: 'diagramData', source: 'slides/slide1.xml', xml: change(diagram) },
            {
              name: 'layout.xml',
              type: 'slideLayout',
              source: 'slides/slide1.xml',
              xml: change('<p:sldLayout><p:sp><p:txBody><a:p><a:t>c</a:t></a:p></p:txBody></p:sp></p:sldLayout>'),
            },
            {
              name: 'comments.xml',
              type: 'comments',
              source: 'slides/slide1.xml',
              xml: change('<p:cm authorId="0"><p:text>d</p:text></p:cm>'),
            },
          ],
        }),
        request('pptx'),
      ),
    odt: async (change) =>
      readOpenDocument(
        office.openDocument(
          change('<text:p>a<text:note><text:p>b</text:p></text:note><draw:object xlink:href="o"/></text:p>'),
          {
            'styles.xml': change('<style:header><text:p>c</text:p></style:header>'),
            'o/content.xml': change('<text:p>d</text:p>'),
          },
        ),
        request('odt'),
      ),
  };

  const changes = fc.array(
    fc.tuple(
      fc.nat(400),
      fc.nat(40),
      fc.constantFrom('', '<', '>', '"', '/', '<w:p>', '</w:r>', '&#x110000;', '%9', '\\bin9', '\0'),
    ),
    { minLength: 1, maxLength: 8 },
  );
  const apply = (xml: string, list: readonly (readonly [number, number, string])[]): string =>
    list.reduce((text, [at, length, put]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put + text.slice(start + length);
    }, xml);

  it.each(Object.keys(makers))('%s are read or refused', async (extension) => {
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const outcome = await makers[extension]!((xml) => apply(xml, list)).then(finish, (error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Unreadable);
        else expect(outcome).toMatchObject({ text: expect.any(String) });
      }),
      { numRuns: 100 },
    );
  });

  it('are read or refused where bytes of the archive change, or are missing', async () => {
    const body = office.wordDocument(paragraph(run('the grey heron '.repeat(30))), {
      parts: [{ name: 'n.xml', type: 'numbering', xml: list }],
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }), fc.nat(), async (damages, end) => {
        const bytes = Uint8Array.from(body);
        for (const [at, byte] of damages) bytes[at % bytes.length] = byte;
        const outcome = await word(bytes.subarray(0, end % 3 === 0 ? end % bytes.length : bytes.length)).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Unreadable);
      }),
      { numRuns: 200 },
    );
  });
});
