/** Submits a URL list of any length in slices. */

import { stripUserInfo } from '../../domain/url/crawl-url.js';
import { iterateUrlListEntries, type TextLine } from '../../domain/url/url-list.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { findLineFault, MAX_LISTED, sliceLines } from '../http/line-slices.js';
import type { SubmitOutcomeAnswer, UrlListOutcomeAnswer } from './root.schema.js';

/** Maximum number of characters of a rejected line that the response repeats. */
const MAX_SHOWN_LENGTH = 200;

export async function submitInSlices(engine: EngineApi, crawler: string, text: string): Promise<UrlListOutcomeAnswer> {
  const totals = { new: 0, known: 0, rejected: 0 };
  const rejections: SubmitOutcomeAnswer[] = [];
  const reject = (line: number, url: string, message: string, reason?: string): void => {
    totals.rejected++;
    if (rejections.length < MAX_LISTED)
      rejections.push({ url: url.slice(0, MAX_SHOWN_LENGTH), outcome: 'rejected', line, message, reason });
  };
  await engine.getCrawler(crawler);
  for await (const slice of sliceLines(iterateUrlListEntries(text))) {
    const usableEntries: TextLine[] = [];
    for (const entry of slice) {
      const fault = findLineFault(entry);
      if (!fault) usableEntries.push(entry);
      else reject(entry.line, stripUserInfo(entry.text.slice(0, MAX_SHOWN_LENGTH)), fault);
    }
    const outcomes = await engine.roots.submitList(
      crawler,
      usableEntries.map((entry) => entry.text),
    );
    outcomes.forEach((outcome, i) => {
      if (outcome.outcome !== 'rejected') totals[outcome.outcome]++;
      else reject(usableEntries[i]!.line, outcome.url, outcome.message, outcome.explanation?.verdict.reason);
    });
  }
  return { ...totals, rejections };
}
