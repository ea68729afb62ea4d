import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compoundFile } from '../../../../../../test/support/compound-file.js';
import * as legacy from '../../../../../../test/support/legacy-documents.js';
import { encryptAgile } from '../../../../../../test/support/office-encryption.js';
import { FACTS, xlsx } from '../../../../../../test/support/sample-documents.js';
import type { Extraction } from '../../../../../engine/ports/content-extractor.js';
import { type DocumentContent, Unreadable } from '../../document-content.js';
import { readCompoundDocument } from './compound-document.js';

const REQUEST = { mediaType: 'application/x-ole-storage', maxTextLength: 100_000, maxLinks: 100, timeLimit: 1_000 };
const read = (body: Uint8Array): Extraction =>
  (readCompoundDocument(body, REQUEST) as DocumentContent).finish(() => undefined);

const failureOf = (body: Uint8Array): string => {
  try {
    read(body);
    return 'read';
  } catch (error) {
    if (error instanceof Unreadable) return error.code;
    throw error;
  }
};

describe('a document of Office 97 to 2003', () => {
  it('of Word has its pieces in order, without deleted text and field instructions, and its notes', () => {
    expect(read(legacy.doc()).text).toBe(`${FACTS.text}\nMore cell\nThe footnote`);
  });

  it('of Word has the numbers of its lists, which its paragraphs or their styles name', () => {
    const { inList, atLevel } = legacy;
    const body = legacy.numberedDoc([
      ['Scope', 1],
      ['Terms', 2],
      ['Plain', 1, inList(0)],
      ['Rates', 0, atLevel(1), inList(1)],
      ['Remedies', 1],
      ['Pay-', 2],
      ['ment', 2],
      ['Annex', 0, inList(2)],
      ['Bullet', 0, atLevel(2), inList(1)],
      ['End', 0],
    ]);
    expect(read(body).text).toBe(
      'III. Scope\n3.1 Terms\nPlain\n3.2 Rates\nIV. Remedies\n4.1 Pay-ment\n(7) Annex\nBullet\nEnd',
    );
  });

  it('of Excel has headers, strings of several records, numbers of every kind, comments and charts', () => {
    expect(read(legacy.xls())).toMatchObject({
      text: `Birds Draft ${FACTS.text} 42 2024-01-31 12.5 7 result TRUE comment chart label`,
      fields: expect.arrayContaining([{ name: 'sheet_count', value: '1' }]),
    });
  });

  it('of PowerPoint has its slides in the order of the presentation, and then the notes', () => {
    expect(read(legacy.ppt())).toMatchObject({
      text: `First title\n${FACTS.text}\nSecond slide\nHeron Society\nThe notes`,
      fields: expect.arrayContaining([{ name: 'slide_count', value: '2' }]),
    });
  });

  it('has title, author and date from its properties, and no time that is not set', () => {
    for (const make of [legacy.doc, legacy.xls, legacy.ppt]) {
      const { title, metas, fields } = read(make());
      expect(title).toBe(FACTS.title);
      expect(metas).toEqual([{ name: 'author', value: FACTS.author }]);
      expect(fields).toContainEqual({ name: 'date_created', value: FACTS.date });
      expect(fields?.map(({ name }) => name)).not.toContain('date_modified');
    }
  });

  it('of Word 6 is in the code page of a font if its letters are not Western', () => {
    const word6 = (text: Buffer, charset: number): Uint8Array => {
      const stream = Buffer.alloc(1_024);
      stream.writeUInt16LE(0xa5dc, 0);
      stream.writeUInt16LE(101, 2);
      stream.writeUInt32LE(512, 0x18);
      stream.writeUInt32LE(512 + text.length, 0x1c);
      stream.writeUInt32LE(text.length, 0x34);
      stream.writeUInt32LE(900, 0xd0);
      stream.writeUInt32LE(8, 0xd4);
      text.copy(stream, 512);
      Buffer.of(8, 0, 5, 0, 0, 0, charset, 0).copy(stream, 900);
      return compoundFile({ WordDocument: stream });
    };
    const russian = Buffer.from(
      '[Params] CmdLine = acmsetup /T setup.stf /S, Require31 = \xd3\xf1\xf2\xe0\xed\xee\xe2\xea\xe0',
      'latin1',
    );
    expect(read(word6(russian, 204)).text).toBe(
      '[Params] CmdLine = acmsetup /T setup.stf /S, Require31 = \u0423\u0441\u0442\u0430\u043d\u043e\u0432\u043a\u0430',
    );
    expect(read(word6(Buffer.from('setup.exe: Gr\xfc\xdfe', 'latin1'), 204)).text).toBe('setup.exe: Gr\u00fc\u00dfe');
  });

  it('is read whatever the sizes of its streams', () => {
    const texts = ['word', `${'word '.repeat(3_000)}x`, `${'w\u00f6rd '.repeat(300_000)}x`];
    for (const text of texts) {
      const result = readCompoundDocument(legacy.doc({ ...FACTS, text }), { ...REQUEST, maxTextLength: 4_000_000 });
      expect((result as DocumentContent).finish(() => undefined).text).toBe(`${text}\nMore cell\nThe footnote`);
    }
  });

  it('is refused if it is encrypted, or if nothing here reads it', () => {
    expect(failureOf(legacy.doc({ ...FACTS, encrypted: true }))).toBe('extract-encrypted');
    expect(failureOf(compoundFile({ EncryptedPackage: Buffer.alloc(10) }))).toBe('extract-encrypted');
    const text = Buffer.alloc(10);
    expect(failureOf(compoundFile({ '\u0009DRMContent': text, WordDocument: text }))).toBe('extract-encrypted');
    expect(failureOf(compoundFile({ Other: Buffer.alloc(10) }))).toBe('extract-unsupported');
    expect(failureOf(compoundFile({ WordDocument: Buffer.alloc(10) }))).toBe('extract-corrupt');
  });
});

describe('an encrypted document of the present formats', () => {
  it('is read if it opens with the password that Excel tries by itself', () => {
    const { info, encrypted } = encryptAgile(Buffer.from(xlsx()), 'VelvetSweatshop');
    expect(read(compoundFile({ EncryptionInfo: info, EncryptedPackage: encrypted })).text).toContain(FACTS.text);
    const locked = encryptAgile(Buffer.from(xlsx()), 'secret');
    expect(failureOf(compoundFile({ EncryptionInfo: locked.info, EncryptedPackage: locked.encrypted }))).toBe(
      'extract-encrypted',
    );
  });
});

describe('a message of Outlook', () => {
  it('has its subject, sender, recipients, time, attachments and text', () => {
    expect(read(legacy.msg())).toMatchObject({
      title: FACTS.title,
      text: `${FACTS.text}\n\u010cl\u00e1nek More`,
      metas: [{ name: 'author', value: `${FACTS.author} <ada@example.org>` }],
      fields: [
        { name: 'recipient', value: 'Bob <bob@example.org>' },
        { name: 'date_created', value: FACTS.date },
        { name: 'attachment', value: 'notes.txt' },
      ],
      links: [expect.objectContaining({ href: FACTS.link })],
    });
  });

  it('has all recipients: of very many, those after the first hundred share values', () => {
    const recipients = Array.from({ length: 300 }, (_, index) => [
      `__recip_version1.0_#${index.toString(16).padStart(8, '0')}/__substg1.0_3001001F`,
      Buffer.from(`Wing ${index}`, 'utf16le'),
    ]);
    const fields = read(
      compoundFile({ '__properties_version1.0': Buffer.alloc(32), ...Object.fromEntries(recipients) }),
    ).fields!.map(({ value }) => value);
    expect(fields).toHaveLength(101);
    expect(fields[99]).toBe('Wing 99');
    expect(fields[100]).toMatch(/^Wing 100; Wing 101; .*; Wing 299$/);
  });

  it('has the text of messages that are attached to it, and is right where it claims to be in UTF-8', () => {
    const attached = '__attach_version1.0_#00000000/__substg1.0_3701000D';
    const body = compoundFile({
      '__properties_version1.0': Buffer.concat([
        Buffer.alloc(32),
        Buffer.from('0300de3f06000000e9fd000000000000', 'hex'),
      ]),
      '__substg1.0_0037001E': Buffer.from('Gr\u00fc\u00dfe', 'latin1'),
      '__substg1.0_1000001F': Buffer.from('See below.', 'utf16le'),
      [`${attached}/__properties_version1.0`]: Buffer.alloc(24),
      [`${attached}/__substg1.0_0037001F`]: Buffer.from('Forwarded', 'utf16le'),
      [`${attached}/__substg1.0_1000001F`]: Buffer.from('The attached text.', 'utf16le'),
    });
    expect(read(body)).toMatchObject({ title: 'Gr\u00fc\u00dfe', text: 'See below.\nForwarded\nThe attached text.' });
  });

  it('is read from its compressed RTF if it has no other text', () => {
    // The example of the specification ([MS-OXRTFCP] 3.1.1), which contains "hello world".
    const packed =
      '2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af3 2068656c090020627705b06c647d0a800fa0'.replaceAll(
        ' ',
        '',
      );
    const body = compoundFile({
      '__properties_version1.0': Buffer.alloc(32),
      '__substg1.0_10090102': Buffer.from(packed, 'hex'),
    });
    expect(read(body).text).toBe('hello world');
  });

  it('whose streams share their sectors is not read many times over', () => {
    const body = Buffer.from(legacy.msg({ ...FACTS, text: 'word '.repeat(100_000) }));
    const streams = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [
        `__recip_${String(index).padStart(2)}/__substg1.0_3001001F`,
        Buffer.alloc(5_000),
      ]),
    );
    const shared = compoundFile({ '__properties_version1.0': Buffer.alloc(2_000_000), ...streams });
    // Every stream begins where the first one does, and is as large as the file.
    for (
      let at = shared.indexOf('_\x003\x000\x000\x001\x00', 0, 'latin1');
      at >= 0;
      at = shared.indexOf('_\x003\x000\x000\x001\x00', at + 1, 'latin1')
    ) {
      const entry = at - (at % 128);
      shared.writeUInt32LE(0, entry + 116);
      shared.writeUInt32LE(2_000_000, entry + 120);
    }
    expect(failureOf(shared)).toBe('extract-corrupt');
    expect(failureOf(body)).toBe('read');
  });
});

describe('a hostile compound file', () => {
  it('whose sectors are a cycle ends', () => {
    const body = Buffer.from(legacy.doc());
    const table = body.subarray(body.length - 512);
    for (let at = 0; at < 512; at += 4) table.writeUInt32LE(at >> 3, at);
    expect(failureOf(body)).toMatch(/^(?:read|extract-corrupt|extract-unsupported)$/);
  });

  it('that was cut short is damaged, not of an unknown kind', () => {
    for (const make of [legacy.doc, legacy.xls, legacy.ppt, legacy.msg])
      expect(failureOf(make().subarray(0, make().length / 2))).toBe('extract-corrupt');
  });

  it('with random damage has a content or an error code', () => {
    const makers = [legacy.doc, legacy.xls, legacy.ppt, legacy.msg] as const;
    const damage = fc.tuple(fc.nat(20_000), fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)));
    fc.assert(
      fc.property(
        fc.constantFrom(...makers),
        fc.array(damage, { minLength: 1, maxLength: 30 }),
        fc.option(fc.nat(20_000)),
        (make, damages, end) => {
          const body = Uint8Array.from(make());
          for (const [at, byte] of damages) body[at % body.length] = byte;
          expect(failureOf(end === null ? body : body.subarray(0, end))).toMatch(
            /^(?:read|extract-(?:corrupt|encrypted|unsupported))$/,
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
