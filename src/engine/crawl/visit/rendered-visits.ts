/** Visits whose pages are rendered: which ones, what is learned of them, and what they cost their hosts. */
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlOptions } from '../../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { RenderLearning } from '../../../domain/render/learning.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';

/** Visits that wait for the browser beside the pages that are being fetched; more take the place of fetches. */
const MOST_BESIDE = 32;
/** However much a page asks of its host, the next one waits no longer than for so many requests. */
const MOST_PAUSES = 10;

export class RenderedVisits {
  readonly learning = new RenderLearning();
  private waiting = 0;

  /** What the task of the page says of it; nothing where nothing is rendered. */
  task(
    state: UrlState,
    options: UrlOptions,
    { render }: CrawlerDefinition,
  ): Pick<PageTask, 'render' | 'renderFailures'> {
    const mode = options.renderMode ?? render;
    if (mode === 'never') return NOTHING;
    const renderFailures = state.reason.startsWith('render-') ? state.temporaryErrors : 0;
    if (mode === 'auto' && !this.learning.rendersFirst(state.hostKey, state.url)) return { renderFailures };
    return { render: 'always', renderFailures };
  }

  /** A page that waits for the browser keeps no other from being fetched. */
  async run<T>(task: Pick<PageTask, 'render'>, waits: () => void, work: () => Promise<T>): Promise<T> {
    if (task.render === undefined || this.waiting >= MOST_BESIDE) return work();
    this.waiting++;
    waits();
    try {
      return await work();
    } finally {
      this.waiting--;
    }
  }

  note(state: UrlState, { rendering }: PageResult): void {
    if (rendering) this.learning.note(state.hostKey, state.url, rendering);
  }

  /** A host earns a pause for each request that a page has made to it. */
  pause(pause: Duration, { rendering }: PageResult): Duration {
    return rendering ? milliseconds(pause * Math.min(MOST_PAUSES, 1 + rendering.ownRequests)) : pause;
  }
}

const NOTHING = {};
