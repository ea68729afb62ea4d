import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Instant } from '../../domain/time/units.js';
import type { CrawlContext } from '../page/crawl-context.js';
import { judgeUrl } from '../page/judge-url.js';
import { createEmptyResult } from '../page/page-outcome.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { PageResult, PageTask } from '../ports/page-task.js';

/** The id in the task of a page that is inspected, which belongs to no stored URL. */
const NO_URL = -1;

export type InspectedUrl = Pick<UrlState, 'url' | 'root' | 'discoveredVia' | 'hops'>;

/** Fetches and reads a page that someone inspects, unless the policy excludes its URL. Nothing is stored. */
export async function inspectPage(
  context: CrawlContext,
  processor: Pick<PageProcessor, 'process' | 'resolve'>,
  url: InspectedUrl,
  now: Instant,
  options: Pick<PageTask, 'render' | 'keepAnswer' | 'repeatedBlocks' | 'trial'> = {},
): Promise<PageResult> {
  const task = { id: NO_URL, crawler: context.definition.name, ...url };
  const { verdict, exclusion } = await judgeUrl(context, url, processor);
  if (exclusion) return createEmptyResult(task, exclusion);
  const { effects } = verdict;
  const inspection = { redirects: 0, rereadLinks: true, inheritedMetas: [], inspect: true } as const;
  return processor.process({ ...task, effects, now, ...inspection, ...options });
}
