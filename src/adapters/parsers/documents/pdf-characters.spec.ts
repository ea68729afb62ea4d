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
    expect(await read(sample.pdf({ ...sample.FACTS, text }), 'pdf')).toMatchObject({ text: 'a b\nH2O and more' });
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
