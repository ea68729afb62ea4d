import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import type { FetchRequest } from './fetcher.js';
import type { PageResult, PageTask } from './page-task.js';
import type { PluginFacts } from './plugins.js';

/** The work ended unanswered, and not for what it asked for: the thread that did it is gone. It may be asked for again. */
export class WorkLost extends Error {
  override readonly name: string = 'WorkLost';
}

/**
 * Carries pages from URL to result: fetch, read, judge the links. In one thread or in many; the engine does not see which.
 * `process` and `fetch` never reject for what a site did, and reject with WorkLost for what another did.
 */
export interface PageProcessor {
  /** Replaces the definition; pages in flight end under the one they began with. */
  configure(definition: ServerDefinition): Promise<void>;
  /** Makes the root known under which URLs are judged; sent before the first task that names it. */
  addRoot(crawler: string, root: RootContext): void;
  /** The plug-ins that pages meet from now on. */
  setPlugins?(facts: readonly PluginFacts[]): void;
  removeRoot(crawler: string, url: string): void;
  /** `reading` is told when the page begins to be read and when that has ended: the one step that can hang a thread. */
  process(task: PageTask, reading?: (isRead: boolean) => void): Promise<PageResult>;
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  resolve(hostname: string): Promise<string | undefined>;
  /** These URLs are no longer stored: a link to one of them counts as new again. */
  forget(crawler: string, urls: readonly string[]): void;
  close(): Promise<void>;
}
