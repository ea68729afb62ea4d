import type { WriteStream } from 'node:tty';
import type { CrawlerView } from '../engine/views/crawler-views.js';

/** Prints results for a user or, with `--json`, for a program. */

export interface JsonOption {
  readonly json?: boolean;
}

/** Prints one JSON document, indented for readability. JSON leaves DEL and C1 controls as they are; terminals obey them. */
export const printJson = (value: unknown): void =>
  void process.stdout.write(`${JSON.stringify(value, undefined, 2).replace(/[\x7f-\x9f]/g, escapeCharacter)}\n`);

const escapeCharacter = (character: string): string => `\\u00${character.charCodeAt(0).toString(16)}`;

/** Formats a count like `1 crawler` or `2 crawlers`. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const BAR_WIDTH = 24;
const LINE_INTERVAL_MS = 5_000;

/** Shows the progress of a crawl: a bar on a terminal, otherwise an occasional plain line. */
export class CrawlProgress {
  private lastLineAt = 0;
  private text = '';

  constructor(private readonly stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  show(view: CrawlerView, pages: number): void {
    const { waiting, error, indexed } = view.counts.byStatus;
    const knownUrls = Object.values(view.counts.byStatus).reduce((sum, count) => sum + count, 0);
    const share = knownUrls === 0 ? 0 : (knownUrls - waiting) / knownUrls;
    const numbers = `${pluralize(pages, 'page')}, ${pluralize(indexed, 'document')}, ${waiting} waiting, ${pluralize(error, 'error')}, ${view.pagesPerSecond.toFixed(1)} pages/s`;
    this.text = this.stream.isTTY ? `[${formatBar(share)}] ${Math.floor(share * 100)} %  ${numbers}` : numbers;
    if (this.stream.isTTY) this.stream.write(`\r\u001b[K${this.text.slice(0, this.stream.columns - 1)}`);
    else if (Date.now() - this.lastLineAt >= LINE_INTERVAL_MS) this.writeLine();
  }

  /** Ends the display and leaves the last state visible. */
  end(): void {
    if (this.stream.isTTY) this.stream.write('\n');
    else this.writeLine();
  }

  private writeLine(): void {
    this.lastLineAt = Date.now();
    this.stream.write(`${this.text}\n`);
  }
}

function formatBar(share: number): string {
  const filledWidth = Math.round(share * BAR_WIDTH);
  return '#'.repeat(filledWidth) + '.'.repeat(BAR_WIDTH - filledWidth);
}
