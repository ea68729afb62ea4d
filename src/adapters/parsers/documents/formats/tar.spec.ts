import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TarEntry, tar } from '../../../../../test/support/tar.js';
import { type DocumentMember, Unreadable } from '../document-content.js';
import { readTar } from './tar.js';

const REQUEST = {
  mediaType: 'application/x-tar',
  maxTextLength: 1_000_000,
  maxLinks: 100,
  timeLimit: 30_000,
  members: true,
};

const bytesOf = (member: DocumentMember): Buffer => Buffer.from(member.open() as Uint8Array);

function list(body: Uint8Array): { files: Record<string, string>; truncated: boolean } {
  const content = readTar(body, REQUEST);
  const { truncated } = content.finish(() => undefined);
  const files = content.members.map((member) => [member.path, bytesOf(member).toString()]);
  return { files: Object.fromEntries(files), truncated };
}
/** The length that a record begins with counts its own digits. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  return `${length + String(length + 1).length}${rest}`;
}

describe('a tar archive', () => {
  const long = `${'folder/'.repeat(30)}a.txt`;
  it.each<readonly [string, TarEntry[], Record<string, string>]>([
    ['with prefixes of names', [{ name: 'a.txt', prefix: 'x/y', data: '1' }], { 'x/y/a.txt': '1' }],
    [
      'of GNU with long names',
      [
        { name: '././@LongLink', type: 'L', data: `${long}\0` },
        { name: '././@LongLink', type: 'K', data: 'target of a link\0' },
        { name: 'cut', data: '1' },
        { name: 'b.txt', data: '2' },
      ],
      { [long]: '1', 'b.txt': '2' },
    ],
    [
      'with names of pax',
      [
        { name: 'pax', type: 'x', data: record('mtime', '1.5') + record('path', 'öl.txt') },
        { name: 'cut', data: '1' },
      ],
      { 'öl.txt': '1' },
    ],
    [
      'with what macOS adds',
      [
        { name: 'x/._a.txt', data: '?' },
        { name: 'x/a.txt', data: '1' },
      ],
      { 'x/a.txt': '1' },
    ],
  ])('%s has its files', (_case, entries, files) => {
    expect(list(tar(entries))).toEqual({ files, truncated: false });
  });

  it('that is cut short, packed or not, has its files up to there', () => {
    const archive = tar([
      { name: 'a.txt', data: 'whole' },
      { name: 'b.txt', data: 'herons '.repeat(400) },
    ]);
    const cut = list(archive.subarray(0, 2_600));
    expect(cut).toEqual({ files: { 'a.txt': 'whole', 'b.txt': expect.stringMatching(/^herons/) }, truncated: true });
    const packed = gzipSync(archive, { level: 0 });
    expect(list(packed.subarray(0, 2_600))).toMatchObject({ files: { 'a.txt': 'whole' }, truncated: true });
    expect(list(Buffer.concat([archive.subarray(0, 1024), Buffer.alloc(600, 'x')]))).toEqual({
      files: { 'a.txt': 'whole' },
      truncated: true,
    });
  });

  it('that is none is refused', () => {
    expect(() => list(Buffer.alloc(600, 'x'))).toThrow(Unreadable);
    expect(() => list(Buffer.from('1f8b0800ffff', 'hex'))).toThrow(Unreadable);
  });

  it('that begins with the name of its file has it', () => {
    const named = gzipSync('Two');
    named[3] = 8;
    const body = Buffer.concat([named.subarray(0, 10), Buffer.from('two.txt\0'), named.subarray(10)]);
    expect(list(body)).toEqual({ files: { 'two.txt': 'Two' }, truncated: false });
  });

  it('with random changes is read or refused', () => {
    const archive = tar([
      { name: 'pax', type: 'x', data: record('path', 'a/b/c/d/e/f.txt') + record('size', '000000000005') },
      { name: 'a.txt', data: 'whole' },
      { name: 'n', type: 'L', data: 'b.txt\0' },
      { name: 'b', data: 'half' },
    ]);
    const changes = fc.array(fc.tuple(fc.nat(archive.length - 1), fc.nat(255)), { maxLength: 12 });
    const sizes = fc.constantFrom(
      '00000000005',
      '77777777777',
      '\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff',
      '\xff',
      ' -1',
    );
    fc.assert(
      fc.property(changes, sizes, fc.nat(), fc.boolean(), (list, size, end, packed) => {
        const bytes = Buffer.from(archive);
        for (const [at, byte] of list) bytes[at] = byte;
        bytes.write(size, 1024 + 124, 'latin1');
        repairChecksums(bytes);
        const body = packed ? gzipSync(bytes) : bytes;
        try {
          const content = readTar(body.subarray(0, end % 2 ? end % body.length : body.length), REQUEST);
          for (const member of content.members) expect(bytesOf(member).byteLength).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Otherwise a change would be noticed by the checksum alone. */
function repairChecksums(bytes: Buffer): void {
  for (let start = 0; start + 512 <= bytes.length; start += 1024) {
    bytes.fill(' ', start + 148, start + 156);
    const sum = bytes.subarray(start, start + 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, start + 148);
  }
}
