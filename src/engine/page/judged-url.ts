/** The URL of a page task with what the policy grants it, and what the crawl needs from its page. */
import type { RenderMode } from '../../domain/crawl/policy-definition.js';
import type { Effects, RootContext } from '../../domain/policy/verdict.js';
import { isTextReadFromBytes } from '../../domain/push/read-from-bytes.js';
import { recanonicalize } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { PageReader } from '../ports/page-reader.js';
import type { PageOutcome, PageTask } from '../ports/page-task.js';
import { isPage } from './content-hash.js';
import { type CompiledContent, type CrawlContext, compileContent, findContent, findRoot } from './crawl-context.js';
import { findRenderMode } from './rendering.js';

export interface JudgedUrl {
  readonly task: PageTask;
  readonly context: CrawlContext;
  readonly url: CrawlUrl;
  readonly root: RootContext | undefined;
  readonly effects: Effects;
  readonly mode: RenderMode;
  /** Why a plug-in excludes the URL, or has failed; the page is then not requested. */
  readonly exclusion?: PageOutcome;
  /** Headers that plug-ins add to the request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function toJudgedUrl(task: PageTask, context: CrawlContext): JudgedUrl {
  const url = toCrawlUrl(task.url);
  const { effects } = task;
  const mode = findRenderMode(context, effects.options, task);
  return { task, context, url, root: findRoot(context, task.root, url), effects, mode };
}

/** The definition of what is extracted from this page. */
export const findCompiledContent = ({ task, context, effects }: JudgedUrl): CompiledContent | undefined =>
  task.trial?.content ? compileContent(task.trial.content) : findContent(context, effects.options);

/** Whether the page's links are needed even if it has not changed. */
export const needsLinks = ({ task }: JudgedUrl): boolean => task.rereadLinks || task.reportLinks === true;

export const detectsNearDuplicates = ({ context, effects }: JudgedUrl): boolean =>
  effects.options.nearDuplicateDetector ?? context.definition.nearDuplicateDetector;

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
