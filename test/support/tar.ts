/** Writes tar archives as POSIX describes them, for what the reader has to understand. */

export interface TarEntry {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** `0` is a file, `5` a folder, `2` a link, `x` attributes of the next file, `L` its name. */
  readonly type?: string;
  readonly prefix?: string;
}

export const tar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.flatMap(toBlocks), Buffer.alloc(1024)]);

function toBlocks({ name, data = '', type = '0', prefix = '' }: TarEntry): Buffer[] {
  const bytes = Buffer.from(data as string);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(bytes.length.toString(8).padStart(11, '0'), 124);
  header.write(`${' '.repeat(8)}${type}`, 148);
  header.write('ustar\x0000', 257, 'latin1');
  header.write(prefix, 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}
