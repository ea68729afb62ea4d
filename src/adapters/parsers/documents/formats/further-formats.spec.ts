import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as further from '../../../../../test/support/further-documents.js';
import { FACTS } from '../../../../../test/support/sample-documents.js';
import { DOCUMENT_EXTENSIONS } from '../../../../domain/content/document-types.js';
import type { Extraction } from '../../../../engine/ports/content-extractor.js';
import { detectMediaType } from '../../media-type.js';
import { type DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { readBinaryWorkbook } from './binary/binary-workbook.js';
import { readOpenDocument } from './open-document.js';
import { readVisio } from './visio.js';
import { readWebArchive } from './web-archive.js';

type Reader = (body: Uint8Array, request: DocumentRequest) => DocumentContent | Promise<DocumentContent>;

const read = async (reader: Reader, body: Uint8Array, extension: string): Promise<Extraction> => {
  const mediaType = DOCUMENT_EXTENSIONS.get(extension)!;
  const content = await reader(body, { mediaType, maxTextLength: 100_000, maxLinks: 100, timeLimit: 1_000 });
  return content.finish(() => undefined);
};

describe('a drawing of Visio', () => {
  it('has its pages in the order of the drawing, with their names, texts and links', async () => {
    expect(await read(readVisio, further.vsdx(), 'vsdx')).toMatchObject({
      title: FACTS.title,
      text: `Lake\n${FACTS.text}\nShore\nReeds`,
      links: [{ href: FACTS.link }],
    });
  });
});

describe('a binary workbook', () => {
  it('has its cells as they are shown, headers, comments and links', async () => {
    expect(await read(readBinaryWorkbook, further.xlsb(), 'xlsb')).toMatchObject({
      title: FACTS.title,
      text: `Birds ${FACTS.text} 2024-01-31 12.5 result TRUE Draft comment`,
      links: [{ href: FACTS.link }],
    });
  });
});

it('a binary workbook is one, whatever the server and its name call it', () => {
  for (const name of ['/a.xlsb', '/a.xls', '/download'])
    for (const type of ['application/octet-stream', 'application/vnd.ms-excel', undefined])
      expect(detectMediaType(further.xlsb(), type, name)).toBe(DOCUMENT_EXTENSIONS.get('xlsb'));
});

describe('a flat OpenDocument file', () => {
  it('has its properties and text', async () => {
    expect(await read(readOpenDocument, further.fodt(), 'fodt')).toMatchObject({
      title: FACTS.title,
      text: `${FACTS.text}\nMore`,
    });
    await expect(read(readOpenDocument, Buffer.from('<html>'), 'fodt')).rejects.toThrow(Unreadable);
  });
});

describe('a web archive', () => {
  it('is read like the page in it, also if it is called a Word document', async () => {
    expect(await read(readWebArchive, further.mht(), 'mht')).toMatchObject({
      title: FACTS.title,
      text: `${FACTS.text}\nMore`,
      metas: [{ name: 'author', value: FACTS.author }],
    });
    expect(detectMediaType(further.mht(), 'application/msword', '/page.doc')).toBe('multipart/related');
    expect(detectMediaType(further.mht(), 'application/octet-stream', '/page.mht')).toBe('multipart/related');
    expect(detectMediaType(Buffer.from('Date: today\n'), 'application/msword', '/page.doc')).toBe('text/plain');
  });
});

describe('documents with random damage', () => {
  it('have a content or an error code', async () => {
    const readers: readonly (readonly [string, Reader, () => Uint8Array])[] = [
      ['vsdx', readVisio, further.vsdx],
      ['xlsb', readBinaryWorkbook, further.xlsb],
      ['fodt', readOpenDocument, further.fodt],
      ['mht', readWebArchive, further.mht],
    ];
    const damage = fc.tuple(fc.nat(5_000), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...readers),
        fc.array(damage, { minLength: 1, maxLength: 20 }),
        async ([extension, reader, make], damages) => {
          const body = Uint8Array.from(make());
          for (const [at, byte] of damages) body[at % body.length] = byte;
          const end = await read(reader, body, extension).catch((error: unknown) => error);
          if (end instanceof Error) expect(end).toBeInstanceOf(Unreadable);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('in the records of a workbook have a content', async () => {
    const { readBinaryRecords } = await import('./binary/binary-workbook.js');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        let size = 0;
        for (const { data } of readBinaryRecords(Buffer.from(bytes))) size += data.length;
        expect(size).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});
