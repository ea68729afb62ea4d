/** Decides which visits render their pages, what is learned from that, and what it costs the hosts. */
import type { RenderMode } from '../../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import {
  getChoice,
  type Learned,
  type NextPage,
  RenderLearning,
  toRenderPattern,
} from '../../../domain/render/learning.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import type { Attempt } from './attempt.js';
import { RenderOverrides } from './render-overrides.js';

/**
 * Maximum number of visits waiting for the browser in addition to the pages being fetched; further ones take the place
 * of fetches.
 */
const MOST_BESIDE = 32;
/** Maximum number of a host's patterns that are shown. */
const MOST_SHOWN = 500;
/** However many requests a page makes to its host, the pause that follows counts at most this many. */
const MOST_PAUSES = 10;

/** What `render="auto"` has learned about pages whose URLs look alike. */
export interface RenderPatternView {
  /** A path with numbers replaced by `N`, or a folder with `*`. */
  readonly pattern: string;
  readonly choice: 'browser' | 'plain' | 'trying';
  /** A person's decision, which takes precedence. */
  readonly override?: 'always' | 'never';
  /** Number of pages rendered since the start of the process. */
  readonly samples: number;
  /** Share of recently rendered pages whose rendering brought more content, from 0 to 1. */
  readonly worthwhile: number;
  /** Mean time to render a page, over recent ones. */
  readonly time: Duration;
  readonly failures: number;
}

type RenderTask = Pick<PageTask, 'render' | 'renderFailures'>;
type Work = (task: RenderTask) => Promise<PageResult>;
type Visit = (render: PageTask['render']) => Promise<PageResult>;
type Asked = Pick<Attempt, 'state' | 'options' | 'onWait'>;

export class RenderedVisits {
  readonly learning = new RenderLearning();
  readonly overrides: RenderOverrides;
  private waiting = 0;
  /** By host and pattern: pages that are waiting for one that is being tried. */
  private readonly untilTried = new Map<string, (() => void)[]>();

  constructor(store: Pick<FrontierStore, 'getSetting' | 'putSetting'>, clock: Pick<Clock, 'now'>) {
    this.overrides = new RenderOverrides(store, clock);
  }

  /**
   * @param work visits the page; it receives the rendering part of the page's task, which is empty if the crawler does
   * not render
   */
  async run({ state, options, onWait: waits }: Asked, render: RenderMode, work: Work): Promise<PageResult> {
    const mode = options.renderMode ?? render;
    if (mode === 'never') return work(NOTHING);
    const { hostKey, url } = state;
    const overrides = mode === 'auto' ? await this.overrides.get(hostKey) : undefined;
    const forced = overrides ? overrides[toRenderPattern(url)] : 'always';
    const renderFailures = state.reason.startsWith('render-') ? state.temporaryErrors : 0;
    const visit = async (render: PageTask['render']) => {
      const result = await work({ render, renderFailures });
      if (result.rendering) this.learning.recordRendering(hostKey, url, result.rendering);
      return result;
    };
    if (forced !== undefined)
      return forced === 'never' ? visit('never') : this.runAlongsideFetches(waits, () => visit('always'));
    const first = this.learning.decideNext(hostKey, url);
    return first === 'plain'
      ? visit(undefined)
      : this.runAlongsideFetches(waits, () => this.runAsLearned(state, first, visit));
  }

  /** Pages of a pattern that is being tried wait until the trial has ended. */
  private async runAsLearned({ hostKey, url }: UrlState, first: NextPage, visit: Visit): Promise<PageResult> {
    const pattern = `${hostKey} ${toRenderPattern(url)}`;
    let next = first;
    for (; next === 'wait'; next = this.learning.decideNext(hostKey, url))
      await new Promise<void>((resolve) =>
        this.untilTried.set(pattern, [...(this.untilTried.get(pattern) ?? []), resolve]),
      );
    if (next !== 'try') return visit(next === 'plain' ? undefined : 'always');
    let result: PageResult | undefined;
    try {
      result = await visit('always');
      return result;
    } finally {
      this.learning.endTrial(hostKey, url, result?.rendering?.rendered !== undefined);
      const waiting = this.untilTried.get(pattern) ?? [];
      this.untilTried.delete(pattern);
      for (const go of waiting) go();
    }
  }

  /** What this node knows about a host's patterns, and what a person has decided for them. */
  async listPatterns(hostKey: string): Promise<RenderPatternView[]> {
    const overrides = await this.overrides.get(hostKey);
    const learned = this.learning.listPatterns(hostKey).slice(0, MOST_SHOWN);
    const known = new Set(learned.map(({ pattern }) => pattern));
    const others = Object.entries(overrides).filter(([pattern]) => !known.has(pattern));
    return [
      ...learned.map((one) => ({ ...toView(one), override: overrides[one.pattern] })),
      ...others.map(([pattern, override]) => ({ ...UNKNOWN, pattern, override })),
    ];
  }

  /** The pause is extended for each request that a page has made to its host. */
  extendPause(pause: Duration, { rendering }: PageResult): Duration {
    return rendering ? milliseconds(pause * Math.min(MOST_PAUSES, 1 + rendering.ownRequests)) : pause;
  }

  /**
   * Runs the work beside other fetches: a page that is waiting for the browser keeps no other page from being fetched.
   */
  private async runAlongsideFetches<T>(waits: () => void, work: () => Promise<T>): Promise<T> {
    if (this.waiting >= MOST_BESIDE) return work();
    this.waiting++;
    waits();
    try {
      return await work();
    } finally {
      this.waiting--;
    }
  }
}

const toView = (learned: Learned): Omit<RenderPatternView, 'override'> => {
  const { pattern, samples, worthwhile, time, failures } = learned;
  return { pattern, choice: getChoice(learned), samples, worthwhile, time: milliseconds(Math.round(time)), failures };
};

const UNKNOWN = { choice: 'trying', samples: 0, worthwhile: 0, time: milliseconds(0), failures: 0 } as const;
const NOTHING: RenderTask = {};
