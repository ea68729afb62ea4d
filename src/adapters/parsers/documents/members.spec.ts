import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compoundFile } from '../../../../test/support/compound-file.js';
import { hostileDocuments } from '../../../../test/support/hostile-documents.js';
import * as legacy from '../../../../test/support/legacy-documents.js';
import * as sample from '../../../../test/support/sample-documents.js';
import { tar } from '../../../../test/support/tar.js';
import { DOCUMENT_EXTENSIONS } from '../../../domain/content/document-types.js';
import type { Extraction } from '../../../engine/ports/content-extractor.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './document-processes.js';

/** The entry of the built program, where the process has its own permissions. */
const ENTRY = new URL('../../../../dist/program/documents.process.js', import.meta.url);
const MIB = 1024 * 1024;
const CONTEXT = { url: 'http://a/', contentType: undefined, maxLinks: 100, maxTextLength: 1_000_000 };
const type = (extension: string): string => DOCUMENT_EXTENSIONS.get(extension)!;
const zeros = (mebibytes: number): Uint8Array => new Uint8Array(mebibytes * MIB);

describe('the files within a document', () => {
  let reading: DocumentProcesses;
  let plain: DocumentProcesses;
  beforeAll(() => {
    reading = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, members: true }, ENTRY);
    plain = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, ENTRY);
  });
  afterAll(() => {
    reading.close();
    plain.close();
  });
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

  it('are the messages that are attached to messages, with their own attachments', async () => {
    const attached = '__attach_version1.0_#00000000';
    const message = `${attached}/__substg1.0_3701000D`;
    const outlook = compoundFile({
      '__properties_version1.0': Buffer.alloc(32),
      '__substg1.0_1000001F': Buffer.from('See below.', 'utf16le'),
      [`${attached}/__substg1.0_3001001F`]: Buffer.from('Offers 1/2', 'utf16le'),
      [`${message}/__properties_version1.0`]: Buffer.alloc(24),
      [`${message}/__substg1.0_0037001F`]: Buffer.from('Forwarded', 'utf16le'),
      [`${message}/__substg1.0_1000001F`]: Buffer.from('The attached text.', 'utf16le'),
      [`${message}/${attached}/__substg1.0_3707001F`]: Buffer.from('notes.txt', 'utf16le'),
      [`${message}/${attached}/__substg1.0_37010102`]: Buffer.from('The inner notes.'),
    });
    const texts = {
      'member=Offers 1-2.msg': 'The attached text.',
      'member=Offers 1-2.msg/notes.txt': 'The inner notes.',
    };
    expect((await partsOf(outlook, 'msg')).texts).toEqual(texts);
    const { text } = (await reading.extract(outlook, type('msg'), CONTEXT)) as Extraction;
    expect(text).toBe('See below.\nForwarded');
    expect((await partsOf(sample.zip({ 'a.msg': legacy.msg() }), 'zip')).texts).toMatchObject({
      'member=a.msg/notes.txt': 'The attached notes mention a kingfisher.',
    });
    const mail = ['From: a@b.c', 'Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'See below.', '--b'];
    const forwarded = ['Content-Type: message/rfc822', '', 'Subject: Forwarded', '', 'The attached text.', '--b--'];
    const body = Buffer.from([...mail, ...forwarded].join('\r\n'));
    expect((await partsOf(body, 'eml')).texts).toEqual({ 'member=attachment-1.eml': 'The attached text.' });
  });

  it('are the messages of a mailbox, with their attachments', async () => {
    const message = `From - Mon\n${Buffer.from(sample.eml()).toString()}\n`;
    expect(Object.keys((await partsOf(Buffer.from(message + message), 'mbox')).texts)).toEqual([
      'member=message-1.eml',
      'member=message-2.eml',
    ]);
    expect(await plain.extract(Buffer.from(message), type('mbox'), CONTEXT)).toMatchObject({
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
      'member=in.zip': 'a.txt\nz.zip',
      'member=in.zip/a.txt': 'Level 1',
      'member=in.zip/z.zip': 'a.txt\nz.zip',
    });
  });

  it('are the files of a tar archive, packed or not', async () => {
    const archive = tar([
      { name: './a.txt', data: 'One' },
      { name: 'folder/', type: '5' },
      { name: 'link', type: '2' },
      { name: 'reports/heron.docx', data: sample.docx() },
    ]);
    const texts = { 'member=a.txt': 'One', 'member=reports/heron.docx': expect.stringContaining(sample.FACTS.text) };
    for (const [extension, body] of [
      ['tar', archive],
      ['tgz', gzipSync(archive)],
      ['gz', gzipSync(archive)],
    ] as const)
      expect(await partsOf(body, extension)).toEqual({ texts, truncated: false });
    expect(await partsOf(gzipSync('Two'), 'gz')).toEqual({ texts: { 'member=content': 'Two' }, truncated: false });
    const refused = await reading.extract(gzipSync(zeros(129)), type('tgz'), CONTEXT);
    expect(refused).toMatchObject({ refused: 'extract-memory' });
  });

  it('are all the files of an archive, whose names differ in case, or in letters of the code page of DOS', async () => {
    const archive = sample.zip({ 'f1r.txt': 'One', 'f2r.txt': 'Two', 'A.txt': 'Three', 'a.txt': 'Four' });
    const names = Buffer.from(archive).toString('latin1').replaceAll('f1r', 'f\x81r').replaceAll('f2r', 'f\x84r');
    const texts = { 'für.txt': 'One', 'fär.txt': 'Two', 'A.txt': 'Three', 'a.txt': 'Four' };
    expect((await partsOf(Buffer.from(names, 'latin1'), 'zip')).texts).toEqual(
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [`member=${name}`, text])),
    );
  });

  it('have the names in UTF-8 that an archive gives beside those in a code page', async () => {
    const archive = Buffer.from(sample.zip({ 'f1r.txt': 'One' }));
    archive.write('\x81', archive.lastIndexOf('f1r') + 1, 'latin1');
    const name = Buffer.from('fűr.txt');
    const field = Buffer.concat([Buffer.from([0x75, 0x70, 5 + name.length, 0, 1, 0, 0, 0, 0]), name]);
    const header = archive.indexOf('PK\x01\x02');
    const end = archive.indexOf('PK\x05\x06');
    archive.writeUInt16LE(field.length, header + 30);
    archive.writeUInt32LE(archive.readUInt32LE(end + 12) + field.length, end + 12);
    const body = Buffer.concat([archive.subarray(0, header + 53), field, archive.subarray(header + 53)]);
    expect((await partsOf(body, 'zip')).texts).toEqual({ 'member=fűr.txt': 'One' });
  });

  it('are limited in number and size', async () => {
    const many = sample.zip(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${i}.txt`, `Text ${i}`])), 0);
    const { texts, truncated } = await partsOf(many, 'zip');
    expect([Object.keys(texts).length, truncated]).toEqual([500, true]);
    const names = Array.from({ length: 20_000 }, (_, i) => `${i}.txt`);
    const most = sample.zip(Object.fromEntries(names.map((name) => [name, 'Text'])), 0);
    const archive = (await reading.extract(most, type('zip'), CONTEXT)) as Extraction;
    expect([archive.parts?.length, archive.truncated, archive.text]).toEqual([500, true, names.join('\n')]);
    const large = sample.zip({ 'large.txt': zeros(65), 'a.txt': 'Small' }, 0);
    expect(await partsOf(large, 'zip')).toEqual({ texts: { 'member=a.txt': 'Small' }, truncated: true });
  });

  it('do no harm, whatever they are', async () => {
    for (const { name, mediaType, make, ends } of hostileDocuments(0, []).filter(
      ({ extension }) => extension === 'zip',
    )) {
      const result = await reading.extract(make(), mediaType, CONTEXT);
      expect(ends, name).toContain('refused' in result ? result.refused : 'read');
    }
  });

  it('are not read unless they are wanted', async () => {
    const archive = sample.zip({ 'a.txt': 'One' });
    const { text, parts } = (await plain.extract(archive, type('zip'), CONTEXT)) as Extraction;
    expect([text, parts]).toEqual(['a.txt', undefined]);
  });
});
