/** What the decisions of plug-ins mean for the outcome of a page. */

import type { PageOutcome } from '../ports/page-task.js';
import { PluginFailed } from '../ports/plugins.js';
import type { JudgedUrl } from './judged-url.js';
import { createExclusion, createFailure, type HttpAnswer } from './page-outcome.js';
import type { CrawlerPlugins } from './page-plugins.js';

/** Returns the URL with what plug-ins say about it, before its page is requested. */
export async function judgeByPlugins(page: JudgedUrl, plugins: CrawlerPlugins): Promise<JudgedUrl> {
  if (page.excluded) return page;
  try {
    const { exclude, headers } = await plugins.applyToUrl(page);
    return exclude === undefined
      ? { ...page, headers }
      : { ...page, excluded: createExclusion('excluded-by-plugin', exclude) };
  } catch (error) {
    return { ...page, excluded: toFailure(error) };
  }
}

/** Returns the response as changed by plug-ins, or the outcome if it is not to be read. */
export async function applyResponsePlugins(
  page: JudgedUrl,
  answer: HttpAnswer,
  plugins: CrawlerPlugins,
): Promise<HttpAnswer | PageOutcome> {
  try {
    const changed = await plugins.applyToResponse(page, answer);
    return 'exclude' in changed ? createExclusion('excluded-by-plugin', changed.exclude) : changed;
  } catch (error) {
    return toFailure(error);
  }
}

type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

/** Keeps the document out of the index; its links are followed. */
export function excludeFromIndex(outcome: DocumentOutcome, why: string | undefined): DocumentOutcome {
  if (why === undefined || !outcome.index) return outcome;
  return { ...outcome, index: false, reason: 'excluded-by-plugin', document: undefined, leftOut: why };
}

/** Throws anything but PluginFailed again, because `PluginCaller` throws nothing else. */
function toFailure(error: unknown): PageOutcome {
  if (!(error instanceof PluginFailed)) throw error;
  return createFailure('plugin-failed', error.message);
}
