/**
 * Decides which visits may read pictures of pages by OCR, which takes seconds for a page: only those to documents that
 * are in the index, so that no new document waits; one at a time; and up to a number of pages a day.
 */
import { findScanReason } from '../../../domain/content/exact-duplicates.js';
import type { ExtractorDefinition } from '../../../domain/crawl/fetcher-definition.js';
import { formatIsoTime } from '../../../domain/time/http-date.js';
import type { Clock } from '../../ports/clock.js';
import type { OcrTask, PageResult } from '../../ports/page-task.js';
import type { Attempt } from './attempt.js';

/** Maximum number of pages of a document: always the same, so that a document with the same bytes has the same text. */
const MAX_PAGES_PER_DOCUMENT = 100;

type Work = (task: OcrTask | undefined) => Promise<PageResult>;

export class OcrVisits {
  private pagesPerDay = 0;
  private day = '';
  private pagesRead = 0;
  private isBusy = false;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  configure(extractors: readonly ExtractorDefinition[] = []): void {
    const definition = extractors.find((extractor) => extractor.type === 'documents');
    this.pagesPerDay = definition?.ocr?.pagesPerDay ?? 0;
  }

  /** @param work visits the page */
  run({ state, onWait }: Pick<Attempt, 'state' | 'onWait'>, work: Work): Promise<PageResult> {
    const reason = this.pagesPerDay === 0 || state.stamp === undefined ? undefined : findScanReason(state.stamp);
    if (reason === undefined) return work(undefined);
    const wasRead = reason === 'text-by-ocr';
    if (this.isBusy || !this.hasPagesLeft()) return work(wasRead ? { maxPages: 0, wasRead } : undefined);
    return this.readPages(onWait, work, wasRead);
  }

  private async readPages(onWait: Attempt['onWait'], work: Work, wasRead: boolean): Promise<PageResult> {
    this.isBusy = true;
    try {
      // Other visits of the host go on meanwhile, without OCR: one of them may begin at once.
      onWait();
      const result = await work({ maxPages: MAX_PAGES_PER_DOCUMENT, wasRead });
      if (result.outcome.kind === 'document') this.pagesRead += result.outcome.ocrPages ?? 0;
      return result;
    } finally {
      this.isBusy = false;
    }
  }

  private hasPagesLeft(): boolean {
    const today = formatIsoTime(this.clock.now()).slice(0, 10);
    if (today !== this.day) this.pagesRead = 0;
    this.day = today;
    return this.pagesRead < this.pagesPerDay;
  }
}
