import { once } from 'node:events';
import { constants, createReadStream, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { FileContents } from './file-contents.js';
import { toOrderRecord } from './order-record.js';
import { acknowledgeAll } from './splitting.js';

/** Symbolic links are not followed, because a link in place of the file could lead out of the permitted folder. */
const OPEN_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Number of times that a batch is written to a file that seems to be moved each time, before it is taken for the same. */
const MAX_WRITES = 3;
/** The beginning of every line that the sink writes. */
const LINE_START = '{"kind":';

/** Appends orders to a file as JSON lines, which are on disk before the orders are acknowledged. */
export class FileSink implements Sink {
  readonly name: string;
  private readonly path: string;
  private readonly options: SinkDefinitionOf<'file'>['options'];
  private file: FileHandle | undefined;
  /** False on a file system that numbers a file anew each time it is looked up. */
  private isRecognizable = true;
  /** Created only when documents are requested. */
  private contents: FileContents | undefined;
  /** The last delivery. Deliveries run one after another, because their lines must not be interleaved. */
  private lastDelivery: Promise<unknown> = Promise.resolve();

  constructor(definition: SinkDefinitionOf<'file'>) {
    this.name = definition.name;
    this.path = definition.url;
    this.options = definition.options;
  }

  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const delivery = this.lastDelivery.then(() => this.append(batch, signal));
    this.lastDelivery = delivery.catch(() => undefined);
    return delivery;
  }

  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    this.contents ??= new FileContents(this.path);
    try {
      return await this.contents.readDocuments(uris, signal);
    } catch (error) {
      this.contents = undefined;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new SinkUnavailable(`sink ${this.name} at ${this.path}: ${(error as Error).message}`);
    }
  }

  async close(): Promise<void> {
    await this.lastDelivery;
    await this.closeFile();
  }

  private async hasMoved(file: FileHandle): Promise<boolean> {
    return this.isRecognizable && !(await isStillAt(file, this.path));
  }

  private async closeFile(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.close();
  }

  private async append(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const lines = batch.map((order) => `${JSON.stringify(toOrderRecord(order))}\n`).join('');
    try {
      let file: FileHandle;
      let writes = 0;
      do {
        signal.throwIfAborted();
        if (this.file && (await this.hasMoved(this.file))) await this.closeFile();
        file = this.file ??= await openAtLineStart(this.path);
        await this.write(file, lines);
        this.isRecognizable &&= ++writes < MAX_WRITES;
      } while (await this.hasMoved(file));
      await this.rotateIfFull(file);
      return acknowledgeAll(batch);
    } catch (error) {
      throw new SinkUnavailable(`sink ${this.name} at ${this.path}: ${(error as Error).message}`);
    }
  }

  /** Ignores errors: the orders have been written, and a failed rotation is tried again after the next batch. */
  private async rotateIfFull(file: FileHandle): Promise<void> {
    const { rotateBytes, compress } = this.options;
    if (rotateBytes === undefined || (await file.stat()).size < rotateBytes) return;
    const rotatedPath = this.findFreePath();
    try {
      await rename(this.path, rotatedPath);
    } catch {
      return;
    }
    await this.closeFile();
    if (compress === 'gzip') await compressFile(rotatedPath).catch(() => undefined); // the file stays uncompressed
  }

  /** The name contains the time. Two files that are full in the same millisecond get different ones. */
  private findFreePath(): string {
    for (let time = Date.now(); ; time++) {
      const timestamp = new Date(time).toISOString().replace(/\D/g, '');
      const path = this.path.replace(/(\.[^.]+)$/, `-${timestamp}$1`);
      if (!existsSync(path) && !existsSync(`${path}.gz`)) return path;
    }
  }

  private async write(file: FileHandle, text: string): Promise<void> {
    const { size } = await file.stat();
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (error) {
      await file.truncate(size); // the whole batch will be sent again, so no part of it may remain
      throw error;
    }
  }
}

/** Whether an open file is still the one at the path: what is written to it after it was moved or deleted is lost. */
export async function isStillAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, found] = await Promise.all([file.stat(), lstat(path)]).catch(() => []);
  return found !== undefined && found.ino === opened?.ino && found.dev === opened.dev;
}

/** Compresses a file. The original is removed once the compressed file is on disk. */
async function compressFile(path: string): Promise<void> {
  const target = await open(`${path}.gz`, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await pipeline(createReadStream(path), createGzip(), target.createWriteStream({ flush: true }));
  } finally {
    await target.close().catch(() => undefined);
  }
  await unlink(path);
}

/** Opens the file for appending. Removes a last line that a crash cut short, because it was never acknowledged. */
async function openAtLineStart(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, OPEN_FLAGS, 0o600);
  try {
    const { size } = await file.stat();
    const lineStart = await findLastLineStart(file, size);
    if (lineStart < size) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_START.length), 0, LINE_START.length, lineStart);
      if (!LINE_START.startsWith(buffer.toString('latin1', 0, bytesRead)))
        throw new Error(
          'the file does not end with a line break, and Crawlway did not write its last line; specify a different file',
        );
      await file.truncate(lineStart);
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Finds the offset after the last line break. Reads backwards in pieces, because an incomplete line may be as long as
 * the largest document.
 */
async function findLastLineStart(file: FileHandle, size: number): Promise<number> {
  const buffer = Buffer.alloc(64 << 10);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - buffer.length);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const lineBreak = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (lineBreak >= 0) return start + lineBreak + 1;
    end = start;
  }
  return 0;
}

/**
 * Writes orders as JSON lines to a stream, for a crawl whose output is piped to another program. A slow reader slows
 * down the deliveries.
 */
export class StreamSink implements Sink {
  constructor(
    readonly name: string,
    private readonly stream: Writable,
  ) {}

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    for (const order of batch) {
      if (this.stream.destroyed) throw new SinkUnavailable('the output is closed: no program reads it any longer');
      if (!this.stream.write(`${JSON.stringify(toOrderRecord(order))}\n`)) await once(this.stream, 'drain', { signal });
    }
    return acknowledgeAll(batch);
  }

  async close(): Promise<void> {}
}
