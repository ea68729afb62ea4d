import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import type { Duration } from '../../domain/time/units.js';
import type { FetchRequest } from './fetcher.js';
import type { PageResult, PageTask } from './page-task.js';
import type { PluginFacts } from './plugins.js';

/** The work was lost because its thread ended, not because of the page. It may be requested again. */
export class WorkLost extends Error {
  override readonly name: string = 'WorkLost';
}

/** What a page may do that wants to request something from another site. */
export interface ScriptPermit {
  readonly refusal?: 'host-rests' | 'crawl-space';
  /** Time until the next such request to the host. */
  readonly pause?: Duration;
}

/**
 * Processes pages: fetches and reads them and judges their links. An implementation may use one thread or many; the
 * engine need not know. `process` and `fetch` never reject because of what their site does, but may reject with
 * WorkLost because of what another site did.
 */
export interface PageProcessor {
  /** Called before `configure`, which must not take long then, however long the definition is. */
  prepare?(definition: ServerDefinition): Promise<void>;
  /** Replaces the definition; pages in flight end under the one they began with. */
  configure(definition: ServerDefinition): Promise<void>;
  /** Announces a root under which URLs are judged; must be called before the first task that names it. */
  addRoot(crawler: string, root: RootContext): void;
  /** Sets the plug-ins to call from now on. */
  setPlugins?(facts: readonly PluginFacts[]): void;
  removeRoot(crawler: string, url: string): void;
  /** Sets who judges what scripts of rendered pages request from other sites; see ScriptRequests. */
  setScriptJudge?(judge: (url: string, isScript: boolean) => Promise<ScriptPermit>): void;
  /**
   * @param onReading called with true when reading the page begins and with false when it has ended; no other step can
   * block a thread
   */
  process(task: PageTask, onReading?: (isReading: boolean) => void): Promise<PageResult>;
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  resolve(hostname: string): Promise<string | undefined>;
  /** To be called when these URLs are no longer stored: a link to one of them is then treated as new again. */
  forget(crawler: string, urls: readonly string[]): void;
  close(): Promise<void>;
}
