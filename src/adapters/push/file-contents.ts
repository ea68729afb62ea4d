/**
 * Finds documents in the lines that a `file` sink has written, in the current file and in earlier ones that are not
 * compressed: the last line of each URI counts.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { KeptDocument } from '../../engine/ports/sink.js';
import type { OrderRecord } from './order-record.js';

/** Number of characters at the start of a line that are searched for its URI: kind, id and crawler come before it. */
const HEAD = 16_384;
const URI = /^\{"kind":"(?:add|delete)","id":\d+,"crawler":"(?:[^"\\]|\\.)*","uri":("(?:[^"\\]|\\.)*")/;
const LINE_BREAK = 0x0a;

interface Place {
  readonly file: string;
  readonly offset: number;
}

export class FileContents {
  /** Where the last line of each URI begins, by a digest of the URI: takes about 100 bytes per document. */
  private readonly places = new Map<bigint, Place>();
  /** How many bytes of the current file have been read. */
  private read = 0;
  private readFull = false;

  constructor(private readonly path: string) {}

  /** Returns documents in the order of the files. */
  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    if (!this.readFull) for (const file of await this.listFullFiles()) await this.readLines(file, 0, signal);
    this.readFull = true;
    await this.readNewLines(signal);
    const places = uris.flatMap((uri) => this.places.get(digestUri(uri)) ?? []);
    const documents: KeptDocument[] = [];
    for (const [name, some] of Map.groupBy(places, ({ file }) => file)) {
      const file = await open(name, 'r');
      try {
        for (const { offset } of some.sort((one, other) => one.offset - other.offset)) {
          signal.throwIfAborted();
          documents.push(...toKeptDocuments(await readLineAt(file, offset)));
        }
      } finally {
        await file.close();
      }
    }
    return documents;
  }

  /** Oldest first, which is the order of the names because they contain the time. */
  private async listFullFiles(): Promise<string[]> {
    const ending = extname(this.path);
    const start = `${basename(this.path, ending)}-`;
    const names = (await readdir(dirname(this.path))).filter(
      (name) =>
        name.startsWith(start) && /^\d{17}$/.test(name.slice(start.length, -ending.length)) && name.endsWith(ending),
    );
    return names.sort().map((name) => join(dirname(this.path), name));
  }

  /** Reads the whole lines that have been written since the last call. */
  private async readNewLines(signal: AbortSignal): Promise<void> {
    const size = await stat(this.path).then(
      (found) => found.size,
      () => 0, // it has just been rotated
    );
    if (size < this.read) {
      this.places.clear(); // someone has replaced the file
      this.read = 0;
    }
    if (size > this.read) this.read = await this.readLines(this.path, this.read, signal);
  }

  /** Resolves with the position after the last whole line. */
  private async readLines(file: string, from: number, signal: AbortSignal): Promise<number> {
    let place = from;
    let start = place;
    let head = '';
    for await (const chunk of createReadStream(file, { start: place, signal }) as AsyncIterable<Buffer>) {
      let done = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, done)) {
        head += chunk.toString('latin1', done, Math.min(end, done + HEAD - head.length));
        this.recordPlace(head, { file, offset: start });
        head = '';
        done = end + 1;
        start = place + done;
      }
      if (head.length < HEAD) head += chunk.toString('latin1', done, done + HEAD - head.length);
      place += chunk.length;
    }
    return start;
  }

  private recordPlace(head: string, place: Place): void {
    const uri = URI.exec(Buffer.from(head, 'latin1').toString('utf8'))?.[1];
    if (uri !== undefined) this.places.set(digestUri(JSON.parse(uri) as string), place);
  }
}

const digestUri = (uri: string): bigint => createHash('sha256').update(uri).digest().readBigUInt64LE();

async function readLineAt(file: FileHandle, offset: number): Promise<string> {
  const pieces: Buffer[] = [];
  for (let place = offset; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 << 10), 0, 64 << 10, place);
    const end = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK);
    pieces.push(buffer.subarray(0, end >= 0 ? end : bytesRead));
    if (end >= 0 || bytesRead === 0) return Buffer.concat(pieces).toString('utf8');
    place += bytesRead;
  }
}

function toKeptDocuments(line: string): KeptDocument[] {
  const { crawler, uri, document } = JSON.parse(line) as OrderRecord;
  if (!document) return [];
  const { stamp, metas, master, text } = document;
  const part = { ...master, bytes: Buffer.from(master.bytes, 'base64') };
  return [{ crawler, document: { uri, stamp, metas, master: part, text } }];
}
