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

/** Time from one attempt to open a file again that could not be written, as on a full disk, to the next. */
const REOPEN_INTERVAL_MS = 10_000;

export class FetchLog {
  private droppedLines = 0;
  private isFailing = false;
  private nextReopening = 0;
  private stream: WriteStream;

  private constructor(
    stream: WriteStream,
    private readonly path: string,
    private readonly log: Log,
  ) {
    this.stream = this.watch(stream);
  }

  /** Appends to the file if it exists. @throws UsageError if the file cannot be written */
  static async open(path: string, log: Log): Promise<FetchLog> {
    const stream = openToAppend(path);
    await once(stream, 'open').catch((error) => {
      throw toFileError(path, 'written', error);
    });
    return new FetchLog(stream, path, log);
  }

  readonly write = (event: CrawlEvent): void => {
    if (event.type !== 'visit') return;
    if (this.stream.destroyed) this.reopen(event.at);
    if (this.stream.destroyed || this.stream.writableLength > MAX_BUFFERED_BYTES) {
      this.droppedLines++;
      return;
    }
    if (this.droppedLines > 0)
      this.log.warn('the disk was too slow for the fetch log, or full; lines are missing', {
        lines: this.droppedLines,
      });
    this.droppedLines = 0;
    const { at, crawler, url, outcome, status, durationMs, bytes, changed } = event;
    const time = new Date(at).toISOString();
    const line = JSON.stringify({ time, crawler, url, status, outcome, bytes, durationMs, changed });
    this.stream.write(`${line}\n`, (error) => {
      if (!error) this.isFailing = false;
    });
  };

  private reopen(now: number): void {
    if (now < this.nextReopening) return;
    this.nextReopening = now + REOPEN_INTERVAL_MS;
    this.stream = this.watch(openToAppend(this.path));
    // The last line before may have been cut.
    this.stream.write('\n');
  }

  /** One line in the server's log for each outage. */
  private watch(stream: WriteStream): WriteStream {
    return stream.on('error', (error) => {
      if (!this.isFailing) this.log.error('the fetch log cannot be written', { error });
      this.isFailing = true;
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.stream.end(resolve));
  }
}

const openToAppend = (path: string): WriteStream => createWriteStream(path, { flags: 'a', mode: 0o600 });
