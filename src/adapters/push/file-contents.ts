/**
 * Finds documents in the lines that a `file` sink has written to the current file and to earlier ones that are not
 * compressed. If a URI has several lines, the last one applies.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { KeptDocument } from '../../engine/ports/sink.js';
import type { OrderRecord } from './order-record.js';

/** Number of bytes at the beginning of a line in which its URI must end; kind, id and crawler come before it. */
const MAX_HEAD_BYTES = 16_384;
const URI_PATTERN =
  /^\{"kind":"(?:add|delete)","id":\d+,"crawler":"(?:[^"\\]|\\.)*","uri":("(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")/;
const LINE_BREAK = 0x0a;

const MISSING_FILE = { size: 0, ino: 0 };

interface Place {
  readonly file: string;
  readonly offset: number;
}

export class FileContents {
  /** Where the last line of each URI begins. The keys are digests of the URIs; an entry takes about 100 bytes. */
  private readonly places = new Map<bigint, Place>();
  /** Number of bytes of the current file that have been read. */
  private bytesRead = 0;
  /** Identifies the current file: another number means that it has been rotated or replaced. */
  private inode = MISSING_FILE.ino;
  /** The full files that have been read. */
  private readonly fullFiles = new Set<string>();

  constructor(private readonly path: string) {}

  /** Returns documents in the order of the files. */
  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    await this.readNewLines(signal);
    const places = uris.flatMap((uri) => this.places.get(digestUri(uri)) ?? []);
    const documents: KeptDocument[] = [];
    for (const [name, group] of Map.groupBy(places, ({ file }) => file)) {
      const file = await open(name, 'r');
      try {
        for (const { offset } of group.sort((a, b) => a.offset - b.offset)) {
          signal.throwIfAborted();
          const keptDocument = toKeptDocument(await readLineAt(file, offset));
          if (keptDocument && uris.includes(keptDocument.document.uri)) documents.push(keptDocument);
        }
      } finally {
        await file.close();
      }
    }
    return documents;
  }

  /** Lists the full files, oldest first: their names contain the time, so sorting the names is enough. */
  private async listFullFiles(): Promise<string[]> {
    const extension = extname(this.path);
    const prefix = `${basename(this.path, extension)}-`;
    const names = (await readdir(dirname(this.path))).filter(
      (name) =>
        name.startsWith(prefix) &&
        /^\d{17}$/.test(name.slice(prefix.length, -extension.length)) &&
        name.endsWith(extension),
    );
    return names.sort().map((name) => join(dirname(this.path), name));
  }

  /** Reads the complete lines that have been written since the last call. */
  private async readNewLines(signal: AbortSignal): Promise<void> {
    const { size, ino } = await stat(this.path).catch(() => MISSING_FILE);
    if (ino !== this.inode || size < this.bytesRead) this.forgetCurrentFile();
    this.inode = ino;
    for (const file of await this.listFullFiles()) {
      if (this.fullFiles.has(file)) continue;
      await this.readLines(file, 0, signal);
      this.fullFiles.add(file);
    }
    if (size > this.bytesRead) this.bytesRead = await this.readLines(this.path, this.bytesRead, signal);
  }

  /** The file has been rotated, so that its lines are now in a full file, or someone has replaced it. */
  private forgetCurrentFile(): void {
    this.bytesRead = 0;
    for (const [digest, { file }] of this.places) if (file === this.path) this.places.delete(digest);
  }

  /** Returns the offset after the last complete line. */
  private async readLines(file: string, from: number, signal: AbortSignal): Promise<number> {
    let position = from;
    let lineStart = position;
    let lineHead = '';
    for await (const chunk of createReadStream(file, { start: position, signal }) as AsyncIterable<Buffer>) {
      let consumed = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, consumed)) {
        lineHead += chunk.toString('latin1', consumed, Math.min(end, consumed + MAX_HEAD_BYTES - lineHead.length));
        this.recordPlace(lineHead, { file, offset: lineStart });
        lineHead = '';
        consumed = end + 1;
        lineStart = position + consumed;
      }
      if (lineHead.length < MAX_HEAD_BYTES)
        lineHead += chunk.toString('latin1', consumed, consumed + MAX_HEAD_BYTES - lineHead.length);
      position += chunk.length;
    }
    return lineStart;
  }

  private recordPlace(head: string, place: Place): void {
    const uri = URI_PATTERN.exec(Buffer.from(head, 'latin1').toString('utf8'))?.[1];
    if (uri !== undefined) this.places.set(digestUri(JSON.parse(uri) as string), place);
  }
}

const digestUri = (uri: string): bigint => createHash('sha256').update(uri).digest().readBigUInt64LE();

async function readLineAt(file: FileHandle, offset: number): Promise<string> {
  const chunks: Buffer[] = [];
  for (let position = offset; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 << 10), 0, 64 << 10, position);
    const end = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK);
    chunks.push(buffer.subarray(0, end >= 0 ? end : bytesRead));
    if (end >= 0 || bytesRead === 0) return Buffer.concat(chunks).toString('utf8');
    position += bytesRead;
  }
}

/** Returns undefined for a line that somebody has damaged: its page is visited instead. */
function toKeptDocument(line: string): KeptDocument | undefined {
  try {
    const { crawler, uri, document } = JSON.parse(line) as OrderRecord;
    if (!document) return undefined;
    const master = { ...document.master, bytes: Buffer.from(document.master.bytes, 'base64') };
    return { crawler, document: { ...document, uri, master } };
  } catch {
    return undefined;
  }
}
