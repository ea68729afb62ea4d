/**
 * Writes every visit to a file as one line of JSON, for operators who need to prove or find out what was requested from
 * a site.
 */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { CrawlEvent } from '../../engine/events.js';
import type { Log } from '../../engine/ports/log.js';
import { toFileError } from '../fail.js';

/** Maximum number of bytes waiting to be written; beyond it, lines are dropped and counted. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

export class FetchLog {
  private droppedLines = 0;

  private constructor(
    private readonly stream: WriteStream,
    private readonly log: Log,
  ) {
    stream.on('error', (error) => log.error('the fetch log cannot be written', { error }));
  }

  /** Appends to the file if it exists. @throws UsageError if the file cannot be written */
  static async open(path: string, log: Log): Promise<FetchLog> {
    const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    await once(stream, 'open').catch((error) => {
      throw toFileError(path, 'written', error);
    });
    return new FetchLog(stream, log);
  }

  readonly write = (event: CrawlEvent): void => {
    if (event.type !== 'visit') return;
    if (this.stream.writableLength > MAX_BUFFERED_BYTES) {
      this.droppedLines++;
      return;
    }
    if (this.droppedLines > 0)
      this.log.warn('the disk was too slow for the fetch log; lines are missing', { lines: this.droppedLines });
    this.droppedLines = 0;
    const { at, crawler, url, outcome, status, durationMs, bytes, changed } = event;
    const time = new Date(at).toISOString();
    this.stream.write(`${JSON.stringify({ time, crawler, url, status, outcome, bytes, durationMs, changed })}\n`);
  };

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.stream.end(resolve));
  }
}
