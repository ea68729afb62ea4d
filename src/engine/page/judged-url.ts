/** The URL of a page task with its verdict, and what the crawl needs from its page. */
import { createVerdictExclusion } from '../../domain/crawl/exclusion.js';
import type { RenderMode } from '../../domain/crawl/policy-definition.js';
import type { Candidate, Verdict } from '../../domain/policy/verdict.js';
import { isTextReadFromBytes } from '../../domain/push/read-from-bytes.js';
import { recanonicalize } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Fetcher } from '../ports/fetcher.js';
import type { PageReader } from '../ports/page-reader.js';
import type { PageOutcome, PageTask } from '../ports/page-task.js';
import { isPage } from './content-hash.js';
import {
  type CompiledContent,
  type CrawlContext,
  compileContent,
  findContent,
  findRoot,
  toStoredCandidate,
} from './crawl-context.js';
import { holdThread, type ThreadTools } from './holding-thread.js';
import { createFailure } from './page-outcome.js';
import { findRenderMode } from './rendering.js';

export interface JudgedUrl {
  readonly task: PageTask;
  readonly context: CrawlContext;
  readonly url: CrawlUrl;
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  readonly mode: RenderMode;
  /** Why the page is not requested; absent if it is. */
  readonly exclusion?: PageOutcome;
  /** Headers that plug-ins add to the request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Queries DNS only if the verdict depends on the host's address. */
export async function judgeUrl(
  task: PageTask,
  context: CrawlContext,
  tools: ThreadTools & { readonly fetcher: Pick<Fetcher, 'resolve'> },
): Promise<JudgedUrl> {
  const url = toCrawlUrl(task.url);
  const candidate = toStoredCandidate(task, url, findRoot(context, task.root, url));
  let verdict = holdThread(tools, () => context.policy.judge(candidate));
  let address: string | null | undefined;
  if (verdict.needsAddress) {
    address = (await tools.fetcher.resolve(url.host)) ?? null;
    verdict = context.policy.judge({ ...candidate, address });
  }
  if (verdict.accepted) {
    return { task, context, url, candidate, verdict, mode: findRenderMode(context, verdict.effects.options, task) };
  }
  // A host unknown to DNS is not excluded, but must not receive requests either: a proxy might know it.
  const exclusion =
    address === null
      ? createFailure('dns-no-answer', describeMissingAddress(verdict))
      : createVerdictExclusion(verdict, address === undefined);
  return { task, context, url, candidate, verdict, mode: 'never', exclusion };
}

const describeMissingAddress = ({ detail }: Verdict): string =>
  `an address rule in the crawl space would have to allow the host, but DNS does not know its address: ${detail}`;

/** The definition of what is extracted from this page. */
export const findCompiledContent = ({ task, context, verdict }: JudgedUrl): CompiledContent | undefined =>
  task.trial?.content ? compileContent(task.trial.content) : findContent(context, verdict.effects.options);

/** Whether the page's links are needed even if it has not changed. */
export const needsLinks = ({ task }: JudgedUrl): boolean => task.rereadLinks || task.reportLinks === true;

export const detectsNearDuplicates = ({ context, verdict }: JudgedUrl): boolean =>
  verdict.effects.options.nearDuplicateDetector ?? context.definition.nearDuplicateDetector;

export const needsContentHash = (page: JudgedUrl, mediaType: string): boolean =>
  isPage(mediaType) && (findCompiledContent(page)?.definition.changeDetection ?? 'content') === 'content';

/** Whether text is needed because the receiver does not read such documents itself. */
export const needsDocumentText = (
  { context }: JudgedUrl,
  mediaType: string,
  reader: Pick<PageReader, 'findExtractor'>,
): boolean =>
  context.wantsDocumentText && !isTextReadFromBytes(mediaType) && reader.findExtractor(mediaType) !== undefined;

export function needsPageText(page: JudgedUrl): boolean {
  const { context, task, mode } = page;
  const { storeTextOnly, probeErrorPages } = context.definition;
  if (context.wantsText || context.softErrors !== undefined || storeTextOnly || probeErrorPages) return true;
  return detectsNearDuplicates(page) || task.wantsWords !== undefined || mode !== 'never' || task.inspect === true;
}

/**
 * Finds the current canonical form of a URL that was stored under different canonicalization steps or by an earlier
 * version. Its document stays until the new URL is in the index, as if the page had named that one as its canonical
 * URL.
 */
export function findCanonicalForm({ context, url }: JudgedUrl): CrawlUrl | undefined {
  const form = recanonicalize(url, context.canonicalize);
  return form && form.href !== url.href ? form : undefined;
}
