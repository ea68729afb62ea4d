/** Decides which visits render their pages, what is learned from that, and what it costs the hosts. */
import type { RenderMode } from '../../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import {
  getRenderChoice,
  type LearnedPattern,
  type RenderDecision,
  RenderLearning,
  toRenderPattern,
} from '../../../domain/render/learning.js';
import { after, type Duration, type Instant, milliseconds, seconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import { Unacceptable } from '../../support/api-errors.js';
import { WeighedCache } from '../../support/weighed-cache.js';
import type { Attempt } from './attempt.js';

/**
 * Maximum number of visits waiting for the browser in addition to the pages being fetched; any more take the place of
 * fetches.
 */
const MAX_EXTRA_VISITS = 32;
/** Maximum number of a host's patterns that are shown. */
const MAX_SHOWN = 500;
/** Maximum factor by which the pause that follows a page is extended for the requests that it makes to its host. */
const MAX_PAUSE_FACTOR = 10;

/** What `render="auto"` has learned about pages whose URLs look alike. */
export interface RenderPatternView {
  /** A path with numbers replaced by `N`, or a folder with `*`. */
  readonly pattern: string;
  readonly choice: 'browser' | 'plain' | 'trying';
  /** An operator's decision, which takes precedence. */
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
type RenderAttempt = Pick<Attempt, 'state' | 'effects' | 'onWait'>;

export class RenderedVisits {
  readonly learning = new RenderLearning();
  readonly overrides: RenderOverrides;
  private waitingCount = 0;
  /** By host and pattern: pages that are waiting for a trial to end. */
  private readonly waitingForTrial = new Map<string, (() => void)[]>();

  constructor(store: Pick<FrontierStore, 'getSetting' | 'putSetting'>, clock: Pick<Clock, 'now'>) {
    this.overrides = new RenderOverrides(store, clock);
  }

  /**
   * @param work visits the page; it receives the rendering part of the page's task, which is empty if the crawler does
   * not render
   */
  run(attempt: RenderAttempt, render: RenderMode, work: Work): Promise<PageResult> {
    const mode = attempt.effects.options.renderMode ?? render;
    return mode === 'never' ? work(NO_RENDERING) : this.runIfWorthwhile(attempt, mode, work);
  }

  private async runIfWorthwhile({ state, onWait }: RenderAttempt, mode: RenderMode, work: Work): Promise<PageResult> {
    const { hostKey, url } = state;
    const overrides = mode === 'auto' ? await this.overrides.get(hostKey) : undefined;
    const forcedMode = overrides ? overrides[toRenderPattern(url)] : 'always';
    const renderFailures = state.reason.startsWith('render-') ? state.temporaryErrors : 0;
    const visit = async (render: PageTask['render']) => {
      const result = await work({ render, renderFailures });
      if (result.rendering) this.learning.recordRendering(hostKey, url, result.rendering);
      return result;
    };
    if (forcedMode !== undefined)
      return forcedMode === 'never' ? visit('never') : this.runAlongsideFetches(onWait, () => visit('always'));
    const firstDecision = this.learning.decideRendering(hostKey, url);
    return firstDecision === 'plain'
      ? visit(undefined)
      : this.runAlongsideFetches(onWait, () => this.runAsLearned(state, firstDecision, visit));
  }

  /** Whether a visit would need the browser, as far as is known before the page is fetched. */
  async needsBrowser(
    { state, effects }: Pick<RenderAttempt, 'state' | 'effects'>,
    render: RenderMode,
  ): Promise<boolean> {
    const mode = effects.options.renderMode ?? render;
    if (mode !== 'auto') return mode === 'always';
    const forcedMode = (await this.overrides.get(state.hostKey))[toRenderPattern(state.url)];
    return forcedMode === undefined
      ? this.learning.getChoice(state.hostKey, state.url) !== 'plain'
      : forcedMode === 'always';
  }

  /** Pages of a pattern that is being tried wait until the trial has ended. */
  private async runAsLearned(
    { hostKey, url }: UrlState,
    firstDecision: RenderDecision,
    visit: Visit,
  ): Promise<PageResult> {
    const pattern = `${hostKey} ${toRenderPattern(url)}`;
    let decision = firstDecision;
    for (; decision === 'wait'; decision = this.learning.decideRendering(hostKey, url))
      await new Promise<void>((resolve) =>
        this.waitingForTrial.set(pattern, [...(this.waitingForTrial.get(pattern) ?? []), resolve]),
      );
    if (decision !== 'try') return visit(decision === 'plain' ? undefined : 'always');
    let result: PageResult | undefined;
    try {
      result = await visit('always');
      return result;
    } finally {
      this.learning.endTrial(hostKey, url, result?.rendering?.rendered !== undefined);
      const resumers = this.waitingForTrial.get(pattern) ?? [];
      this.waitingForTrial.delete(pattern);
      for (const resume of resumers) resume();
    }
  }

  /** Lists what this node knows about a host's patterns, and what an operator has decided for them. */
  async listPatterns(hostKey: string): Promise<RenderPatternView[]> {
    const overrides = await this.overrides.get(hostKey);
    const learned = this.learning.listPatterns(hostKey).slice(0, MAX_SHOWN);
    const learnedNames = new Set(learned.map(({ pattern }) => pattern));
    const others = Object.entries(overrides).filter(([pattern]) => !learnedNames.has(pattern));
    return [
      ...learned.map((entry) => ({ ...toView(entry), override: overrides[entry.pattern] })),
      ...others.map(([pattern, override]) => ({ ...UNKNOWN_PATTERN, pattern, override })),
    ];
  }

  /** Extends the pause for each request that a page has made to its host. */
  extendPause(pause: Duration, { rendering }: PageResult): Duration {
    return rendering ? milliseconds(pause * Math.min(MAX_PAUSE_FACTOR, 1 + rendering.ownRequests)) : pause;
  }

  /**
   * Runs the work alongside other fetches, so that a page waiting for the browser does not keep other pages from being
   * fetched.
   */
  private async runAlongsideFetches<T>(onWait: () => void, work: () => Promise<T>): Promise<T> {
    if (this.waitingCount >= MAX_EXTRA_VISITS) return work();
    this.waitingCount++;
    onWait();
    try {
      return await work();
    } finally {
      this.waitingCount--;
    }
  }
}

const toView = (learned: LearnedPattern): Omit<RenderPatternView, 'override'> => {
  const { pattern, samples, worthwhileShare: worthwhile, time, failures } = learned;
  return {
    pattern,
    choice: getRenderChoice(learned),
    samples,
    worthwhile,
    time: milliseconds(Math.round(time)),
    failures,
  };
};

const UNKNOWN_PATTERN = { choice: 'trying', samples: 0, worthwhile: 0, time: milliseconds(0), failures: 0 } as const;
const NO_RENDERING: RenderTask = {};

export type Override = 'always' | 'never';

type Overrides = Readonly<Record<string, Override>>;

const CACHE_LIFETIME = seconds(60);
const MAX_CACHED_HOSTS = 10_000;
/** Maximum number of patterns for one host; beyond that, a rule is better. */
const MAX_PATTERNS = 100;

/**
 * Operators' decisions about the pages of a URL pattern, which override what `render="auto"` has learned. They are kept
 * in the store, by host, and read again every minute: a decision may be made on any node, and another one may crawl the
 * host.
 */
export class RenderOverrides {
  private readonly cache = new WeighedCache<string, { readonly until: Instant; readonly overrides: Overrides }>(
    MAX_CACHED_HOSTS,
    MAX_CACHED_HOSTS,
  );

  constructor(
    private readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async get(hostKey: string): Promise<Overrides> {
    const now = this.clock.now();
    const cached = this.cache.get(hostKey);
    if (cached && cached.until > now) return cached.overrides;
    const text = await this.store.getSetting(getSettingName(hostKey));
    return this.cacheOverrides(hostKey, text === undefined ? {} : (JSON.parse(text) as Overrides));
  }

  /**
   * @param override `undefined` restores what has been learned for the pattern
   * @throws Unacceptable
   */
  async set(hostKey: string, pattern: string, override: Override | undefined): Promise<void> {
    this.cache.set(hostKey, { until: this.clock.now(), overrides: {} }, 1);
    const { [pattern]: _, ...others } = await this.get(hostKey);
    const overrides = override === undefined ? others : { ...others, [pattern]: override };
    const count = Object.keys(overrides).length;
    if (count > MAX_PATTERNS)
      throw new Unacceptable(
        `${MAX_PATTERNS} patterns of ${hostKey} are already overridden; write a rule with Render instead`,
      );
    await this.store.putSetting(getSettingName(hostKey), count === 0 ? undefined : JSON.stringify(overrides));
    this.cacheOverrides(hostKey, overrides);
  }

  private cacheOverrides(hostKey: string, overrides: Overrides): Overrides {
    this.cache.set(hostKey, { until: after(this.clock.now(), CACHE_LIFETIME), overrides }, 1);
    return overrides;
  }
}

const getSettingName = (hostKey: string): string => `rendering/${hostKey}`;
