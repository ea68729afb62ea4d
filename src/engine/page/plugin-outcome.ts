/** What the answers of plug-ins mean for the outcome of a page. */

import type { PageOutcome } from '../ports/page-task.js';
import { PluginFailed } from '../ports/plugins.js';
import type { JudgedUrl } from './judged-url.js';
import { excluded, failed, type HttpAnswer } from './page-outcome.js';
import type { CrawlerPlugins } from './page-plugins.js';

/** The URL with what plug-ins say about it, before its page is requested. */
export async function judgedByPlugins(page: JudgedUrl, plugins: CrawlerPlugins): Promise<JudgedUrl> {
  if (page.excluded) return page;
  try {
    const { exclude, headers } = await plugins.url(page);
    return exclude === undefined
      ? { ...page, headers }
      : { ...page, excluded: excluded('excluded-by-plugin', exclude) };
  } catch (error) {
    return { ...page, excluded: failure(error) };
  }
}

/** The answer as changed by plug-ins, or why it is not read. */
export async function answerOfPlugins(
  page: JudgedUrl,
  answer: HttpAnswer,
  plugins: CrawlerPlugins,
): Promise<HttpAnswer | PageOutcome> {
  try {
    const changed = await plugins.response(page, answer);
    return 'exclude' in changed ? excluded('excluded-by-plugin', changed.exclude) : changed;
  } catch (error) {
    return failure(error);
  }
}

type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

/** The document is not indexed, but its links are followed. */
export function leftOut(outcome: DocumentOutcome, why: string | undefined): DocumentOutcome {
  if (why === undefined || !outcome.index) return outcome;
  return { ...outcome, index: false, reason: 'excluded-by-plugin', document: undefined, leftOut: why };
}

/** `PluginCaller` throws nothing else. */
function failure(error: unknown): PageOutcome {
  if (!(error instanceof PluginFailed)) throw error;
  return failed('plugin-failed', error.message);
}
