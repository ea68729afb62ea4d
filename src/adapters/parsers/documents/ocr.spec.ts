import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jpegOf, pictureOf, pngOf, scanOf, tiffOf } from '../../../../test/support/scan.js';
import type { Extraction } from '../../../engine/ports/content-extractor.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './document-processes.js';
import type { GrayPicture } from './formats/text-recognizer.js';

/** The entry of the built program, where the process has its own permissions. */
const ENTRY = new URL('../../../../dist/program/documents.process.js', import.meta.url);

const PAGES = [
  'The grey heron wades through the shallow water of the lake, and waits there for hours until a fish comes near.',
  'A second page tells of kingfishers.',
] as const;

let processes: DocumentProcesses;
let scan: Uint8Array;
let picture: GrayPicture;
beforeAll(async () => {
  processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, ocrLanguages: ['eng'] }, ENTRY);
  scan = await scanOf(...PAGES);
  picture = await pictureOf(PAGES[0]);
});
afterAll(() => processes.close());

const CONTEXT = { url: 'http://a/', contentType: undefined, maxLinks: 100, maxTextLength: 1_000_000 };
const read = (from: DocumentProcesses, maxOcrPages?: number): Promise<Extraction> =>
  from.extract(scan, 'application/pdf', { ...CONTEXT, maxOcrPages }) as Promise<Extraction>;

describe('a scanned PDF', () => {
  it('has the text of its pages if they may be read by OCR', async () => {
    expect(await read(processes, 10)).toMatchObject({
      text: PAGES.join(' '),
      language: 'en',
      ocrPages: 2,
      shortfall: { reason: 'text-by-ocr', detail: '2 of 2 pages were read by character recognition' },
      fields: expect.arrayContaining([{ name: 'pages_read_by_ocr', value: '2' }]),
      truncated: false,
    });
  });

  it('is read up to a number of pages, and says so', async () => {
    expect(await read(processes, 1)).toMatchObject({
      text: PAGES[0],
      ocrPages: 1,
      shortfall: { reason: 'text-by-ocr', detail: '1 of 2 pages were read by character recognition' },
      truncated: true,
    });
  });

  it('has no text unless OCR is wanted', async () => {
    const content = await read(processes);
    expect(content).toMatchObject({ text: '', shortfall: { reason: 'no-text-layer' } });
    expect(content).not.toHaveProperty('ocrPages');
  });

  it('may be a picture itself, which is read by OCR only', async () => {
    const readPicture = (maxOcrPages?: number) =>
      processes.extract(pngOf(picture), 'image/png', { ...CONTEXT, maxOcrPages }) as Promise<Extraction>;
    expect(processes.mediaTypes).toContain('image/png');
    expect(await readPicture()).toMatchObject({ text: '', shortfall: { reason: 'no-text-layer' } });
    expect(await readPicture(10)).toMatchObject({
      text: PAGES[0],
      ocrPages: 1,
      shortfall: { reason: 'text-by-ocr' },
    });
    expect(new DocumentProcesses().mediaTypes).not.toContain('image/png');
  });

  it.each([
    ['image/jpeg', jpegOf],
    ['image/tiff', tiffOf],
  ])('may be a picture of another format: %s', async (mediaType, toFile) => {
    const file = toFile(await pictureOf('The heron waits.'));
    const content = await processes.extract(file, mediaType, { ...CONTEXT, maxOcrPages: 1 });
    expect(content).toMatchObject({ text: 'The heron waits.', ocrPages: 1 });
    const damaged = await processes.extract(file.subarray(0, 12), mediaType, { ...CONTEXT, maxOcrPages: 1 });
    expect(damaged).toMatchObject({
      text: '',
      shortfall: { detail: expect.stringContaining('character recognition failed: the picture is damaged') },
    });
  });

  it('says which package is missing', async () => {
    const limits = { ...DEFAULT_DOCUMENT_LIMITS, ocrLanguages: ['eng', 'xyz'] };
    const incomplete = new DocumentProcesses(limits, ENTRY);
    expect(await read(incomplete, 10)).toMatchObject({
      text: '',
      shortfall: {
        reason: 'no-text-layer',
        detail: expect.stringContaining(
          'the package @tesseract.js-data/xyz is not installed: run `npm install @tesseract.js-data/xyz`',
        ),
      },
    });
    incomplete.close();
  });
});
