/** Submits a URL list of any length in slices. */

import { stripUserInfo } from '../../domain/url/crawl-url.js';
import { iterateUrlListEntries, type TextLine } from '../../domain/url/url-list.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { findLineFault, MAX_LISTED, sliceLines } from '../http/line-slices.js';
import { toRejectionDto, type UrlListOutcomeDto } from './root.dto.js';

/** Maximum number of characters of a rejected line that the response repeats. */
const MAX_SHOWN_LENGTH = 200;

export async function submitInSlices(engine: EngineApi, crawler: string, text: string): Promise<UrlListOutcomeDto> {
  const totals: UrlListOutcomeDto = { new: 0, known: 0, rejected: 0, rejections: [] };
  const reject = (line: number, rejection: UrlListOutcomeDto['rejections'][number]): void => {
    totals.rejected++;
    if (totals.rejections.length < MAX_LISTED)
      totals.rejections.push({ ...rejection, line, url: rejection.url.slice(0, MAX_SHOWN_LENGTH) });
  };
  await engine.getCrawler(crawler);
  for await (const slice of sliceLines(iterateUrlListEntries(text))) {
    const usableEntries: TextLine[] = [];
    for (const entry of slice) {
      const fault = findLineFault(entry);
      if (!fault) usableEntries.push(entry);
      else
        reject(entry.line, {
          url: stripUserInfo(entry.text.slice(0, MAX_SHOWN_LENGTH)),
          outcome: 'rejected',
          message: fault,
        });
    }
    const outcomes = await engine.roots.submitList(
      crawler,
      usableEntries.map((entry) => entry.text),
    );
    outcomes.forEach((outcome, i) => {
      if (outcome.outcome === 'rejected') reject(usableEntries[i]!.line, toRejectionDto(outcome));
      else totals[outcome.outcome]++;
    });
  }
  return totals;
}
