import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SinkDefinition } from '../../domain/crawl/definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { orderRecord } from './order-record.js';
import { allAcknowledged } from './splitting.js';

/** Every line of ours begins like this. */
const LINE_START = '{"kind":';

/** Appends orders to a file as JSON lines; they are on the disk before they are acknowledged. */
export class FileSink implements Sink {
  readonly name: string;
  private readonly path: string;
  private file: FileHandle | undefined;
  /** Deliveries write one after the other: their lines must not mix. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(definition: SinkDefinition) {
    this.name = definition.name;
    this.path = definition.url;
  }

  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const delivery = this.last.then(() => this.append(batch, signal));
    this.last = delivery.catch(() => undefined);
    return delivery;
  }

  async close(): Promise<void> {
    await this.last;
    await this.file?.close();
    this.file = undefined;
  }

  private async append(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    try {
      signal.throwIfAborted();
      this.file ??= await openAtLineStart(this.path);
      await this.write(this.file, batch.map((order) => `${JSON.stringify(orderRecord(order))}\n`).join(''));
      return allAcknowledged(batch);
    } catch (error) {
      throw new SinkUnavailable(`sink ${this.name} at ${this.path}: ${(error as Error).message}`);
    }
  }

  private async write(file: FileHandle, text: string): Promise<void> {
    const { size } = await file.stat();
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (error) {
      await file.truncate(size); // the batch comes again as a whole; half of it must not stay
      throw error;
    }
  }
}

/** Opens for appending. A line that a crash cut short was never acknowledged: it is taken off. */
async function openAtLineStart(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o640);
  try {
    const { size } = await file.stat();
    const start = await lastLineStart(file, size);
    if (start < size) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_START.length), 0, LINE_START.length, start);
      if (!LINE_START.startsWith(buffer.toString('latin1', 0, bytesRead)))
        throw new Error('the file does not end with a line break and its last line is none of ours; give another file');
      await file.truncate(start);
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Offset behind the last line break, read backwards in pieces: a torn line may be as long as the largest document. */
async function lastLineStart(file: FileHandle, size: number): Promise<number> {
  const piece = Buffer.alloc(64 << 10);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - piece.length);
    const { bytesRead } = await file.read(piece, 0, end - start, start);
    const lineBreak = piece.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (lineBreak >= 0) return start + lineBreak + 1;
    end = start;
  }
  return 0;
}
