/** Visits whose pages are rendered: which ones, what is learned from them, and what they cost their hosts. */
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlOptions } from '../../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { choiceOf, type Learned, RenderLearning, renderPattern } from '../../../domain/render/learning.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import { RenderOverrides } from './render-overrides.js';

/** Visits that may wait for the browser besides the pages being fetched; more take the place of fetches. */
const MOST_BESIDE = 32;
/** Patterns of a host. */
const MOST_SHOWN = 500;
/** However many requests a page makes to its host, the next page waits no longer than for this many. */
const MOST_PAUSES = 10;

/** What `render="auto"` has learned about pages whose URLs look alike. */
export interface RenderPatternView {
  /** A path with numbers replaced by `N`, or a folder with `*`. */
  readonly pattern: string;
  readonly choice: 'browser' | 'plain' | 'trying';
  /** What a person has decided instead. */
  readonly override?: 'always' | 'never';
  /** Pages that were rendered since the start of the process. */
  readonly samples: number;
  /** 0…1: the share of recently rendered pages that brought more. */
  readonly worthwhile: number;
  /** Time to render a page, mean of recent ones. */
  readonly time: Duration;
  readonly failures: number;
}

type RenderTask = Pick<PageTask, 'render' | 'renderFailures'>;

export class RenderedVisits {
  readonly learning = new RenderLearning();
  readonly overrides: RenderOverrides;
  private waiting = 0;

  constructor(store: Pick<FrontierStore, 'getSetting' | 'putSetting'>, clock: Pick<Clock, 'now'>) {
    this.overrides = new RenderOverrides(store, clock);
  }

  /** The part of the page's task about rendering; nothing where nothing is rendered. */
  task(state: UrlState, options: UrlOptions, { render }: CrawlerDefinition): RenderTask | Promise<RenderTask> {
    const mode = options.renderMode ?? render;
    if (mode === 'never') return NOTHING;
    const renderFailures = state.reason.startsWith('render-') ? state.temporaryErrors : 0;
    return mode === 'auto' ? this.learned(state, renderFailures) : { render: 'always', renderFailures };
  }

  private async learned({ hostKey, url }: UrlState, renderFailures: number): Promise<RenderTask> {
    const override = (await this.overrides.of(hostKey))[renderPattern(url)];
    if (override !== undefined) return { render: override, renderFailures };
    return this.learning.rendersFirst(hostKey, url) ? { render: 'always', renderFailures } : { renderFailures };
  }

  /** What is known about a host here, and what a person has decided for it. */
  async view(hostKey: string): Promise<RenderPatternView[]> {
    const overrides = await this.overrides.of(hostKey);
    const learned = this.learning.ofHost(hostKey).slice(0, MOST_SHOWN);
    const known = new Set(learned.map(({ pattern }) => pattern));
    const others = Object.entries(overrides).filter(([pattern]) => !known.has(pattern));
    return [
      ...learned.map((one) => ({ ...viewOf(one), override: overrides[one.pattern] })),
      ...others.map(([pattern, override]) => ({ ...UNKNOWN, pattern, override })),
    ];
  }

  /** A page that waits for the browser keeps no other page from being fetched. */
  async run<T>(task: Pick<PageTask, 'render'>, waits: () => void, work: () => Promise<T>): Promise<T> {
    if (task.render !== 'always' || this.waiting >= MOST_BESIDE) return work();
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

  /** A pause follows for each request that a page has made to the host. */
  pause(pause: Duration, { rendering }: PageResult): Duration {
    return rendering ? milliseconds(pause * Math.min(MOST_PAUSES, 1 + rendering.ownRequests)) : pause;
  }
}

const viewOf = (learned: Learned): Omit<RenderPatternView, 'override'> => {
  const { pattern, samples, worthwhile, time, failures } = learned;
  return { pattern, choice: choiceOf(learned), samples, worthwhile, time: milliseconds(Math.round(time)), failures };
};

const UNKNOWN = { choice: 'trying', samples: 0, worthwhile: 0, time: milliseconds(0), failures: 0 } as const;
const NOTHING: RenderTask = {};
