/** Applies the decisions of plug-ins to the outcome of a page. */
import { createExclusion } from '../../domain/crawl/exclusion.js';
import type { PageOutcome } from '../ports/page-task.js';
import { PluginFailed } from '../ports/plugins.js';
import type { JudgedUrl } from './judged-url.js';
import { createFailure, type HttpResponse } from './page-outcome.js';
import type { CrawlerPlugins } from './page-plugins.js';

/** Adds the decisions of plug-ins to a URL before its page is requested. */
export async function judgeByPlugins(page: JudgedUrl, plugins: CrawlerPlugins): Promise<JudgedUrl> {
  if (page.exclusion) return page;
  try {
    const { exclude, headers } = await plugins.applyToUrl(page);
    return exclude === undefined
      ? { ...page, headers }
      : { ...page, exclusion: createExclusion('excluded-by-plugin', exclude) };
  } catch (error) {
    return { ...page, exclusion: toFailure(error) };
  }
}

/** Returns the response as changed by plug-ins, or the outcome if it is not to be read. */
export async function applyResponsePlugins(
  page: JudgedUrl,
  response: HttpResponse,
  plugins: CrawlerPlugins,
): Promise<HttpResponse | PageOutcome> {
  try {
    const result = await plugins.applyToResponse(page, response);
    return 'exclude' in result ? createExclusion('excluded-by-plugin', result.exclude) : result;
  } catch (error) {
    return toFailure(error);
  }
}

type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

/** Keeps the document out of the index; its links are followed. */
export function excludeFromIndex(outcome: DocumentOutcome, reason: string | undefined): DocumentOutcome {
  if (reason === undefined || !outcome.index) return outcome;
  return { ...outcome, index: false, reason: 'excluded-by-plugin', document: undefined, leftOut: reason };
}

/** Rethrows any error but PluginFailed, because `PluginCaller` throws nothing else. */
function toFailure(error: unknown): PageOutcome {
  if (!(error instanceof PluginFailed)) throw error;
  return createFailure('plugin-failed', error.message);
}
