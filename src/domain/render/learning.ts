/**
 * What `render="auto"` has learned: for which URL patterns of a host rendering adds content that the page as sent does
 * not have. As long as nothing is known about a pattern, its pages are rendered; then they are rendered only if
 * that is worthwhile, and samples are rechecked.
 */
import { BoundedMap } from '../bounded-map.js';
import { toUrlPattern } from '../url/url-pattern.js';
import type { Amount, RenderReport } from './report.js';

/** Number of pages of a pattern that are rendered before the pattern is known. */
const FIRST_SAMPLES = 3;
/** After this many pages of a host without any gain from rendering, one page of a new pattern is enough. */
const MIN_POOR_HOST_SAMPLES = 12;
/** One in this many pages is rendered although its pattern is known to need no rendering. */
const SAMPLE_INTERVAL = 50;
/** The weight of one page relative to those before it. */
const MIN_SAMPLE_WEIGHT = 0.2;
const MIN_WORTHWHILE_SHARE = 0.4;
const MAX_PATTERNS = 20_000;

export interface LearnedPattern {
  readonly host: string;
  readonly pattern: string;
  /** Number of pages rendered. */
  samples: number;
  /** 0…1: the share of recently rendered pages for which rendering was worthwhile. */
  worthwhileShare: number;
  /** Mean milliseconds per page, over recently rendered ones. */
  time: number;
  failures: number;
  /** Number of pages used as sent since the last one was rendered. */
  plainPagesSince: number;
  /** Number of trials in progress. */
  trialCount: number;
  /** Number of trials that could not be compared, because the result was not a page or the browser failed. */
  incomparableTrials: number;
}

/** What to do with a page; `wait`: ask again when a trial has ended. */
export type RenderDecision = 'render' | 'try' | 'plain' | 'wait';

export type RenderChoice = 'browser' | 'plain' | 'trying';

/** The pattern of URLs on one host whose pages are probably built in the same way: `/products/N`, `/articles/*`. */
export function toRenderPattern(href: string): string {
  const pattern = toUrlPattern(href);
  if (pattern !== undefined) return pattern;
  const path = href.slice(href.indexOf('/', href.indexOf('://') + 3));
  return path === '/' ? path : `${path.slice(0, path.lastIndexOf('/') + 1)}*`;
}

export const getRenderChoice = ({ samples, worthwhileShare }: LearnedPattern): RenderChoice =>
  samples < FIRST_SAMPLES ? 'trying' : worthwhileShare >= MIN_WORTHWHILE_SHARE ? 'browser' : 'plain';

/** Whether rendering added anything that a reader would miss. */
export const isWorthwhile = (plain: Amount, rendered: Amount): boolean =>
  rendered.text > plain.text * 1.2 + 80 || (rendered.links > plain.links * 1.1 + 1 && rendered.text >= plain.text);

/**
 * Whether the rendered page lacks most of the page as sent, because its scripts are broken or fetch what this crawl
 * cannot get.
 */
export const isLoss = (plain: Amount, rendered: Amount): boolean =>
  rendered.text < plain.text / 2 && rendered.links <= plain.links;

export class RenderLearning {
  private readonly patterns = new BoundedMap<string, LearnedPattern>(MAX_PATTERNS);
  /** By host: the number of pages rendered, and for how many of them it was worthwhile. */
  private readonly hosts = new BoundedMap<string, { samples: number; worthwhile: number }>(MAX_PATTERNS);

  /**
   * `try` and `render`: the page is rendered regardless of its content; `endTrial` must be called after `try`. A page
   * without content is rendered in any case. No more pages of a pattern are tried at the same time than are needed to
   * know it.
   */
  decideRendering(host: string, href: string): RenderDecision {
    const learned = this.findOrCreate(host, toRenderPattern(href));
    const missingSamples = this.countMissingSamples(learned);
    if (missingSamples > 0) {
      if (learned.trialCount >= missingSamples && learned.incomparableTrials < FIRST_SAMPLES) return 'wait';
      learned.trialCount++;
      return 'try';
    }
    if (getRenderChoice(learned) === 'browser') return 'render';
    learned.plainPagesSince++;
    if (learned.plainPagesSince < SAMPLE_INTERVAL) return 'plain';
    learned.plainPagesSince = 0;
    return 'render';
  }

  /** What has been learned so far; unlike a decision, asking changes nothing. */
  getChoice(host: string, href: string): RenderChoice {
    return getRenderChoice(this.findOrCreate(host, toRenderPattern(href)));
  }

  /** Call this when a trial has ended, after `recordRendering` if the page was rendered. */
  endTrial(host: string, href: string, isCompared: boolean): void {
    const learned = this.findOrCreate(host, toRenderPattern(href));
    learned.trialCount = Math.max(0, learned.trialCount - 1);
    if (!isCompared) learned.incomparableTrials++;
  }

  recordRendering(host: string, href: string, { plain, rendered, time, failure }: RenderReport): void {
    const learned = this.findOrCreate(host, toRenderPattern(href));
    if (failure !== undefined) learned.failures++;
    if (!plain || !rendered) return;
    const gain = isWorthwhile(plain, rendered) ? 1 : 0;
    const weight = Math.max(MIN_SAMPLE_WEIGHT, 1 / ++learned.samples);
    learned.worthwhileShare += (gain - learned.worthwhileShare) * weight;
    learned.time += (time - learned.time) * weight;
    learned.plainPagesSince = 0;
    const hostStats = this.hosts.get(host) ?? { samples: 0, worthwhile: 0 };
    hostStats.samples++;
    hostStats.worthwhile += gain;
    this.hosts.set(host, hostStats);
  }

  /** What is known about a host: its patterns, those with the most rendered pages first. */
  listPatterns(host: string): LearnedPattern[] {
    const found = [...this.patterns.values()].filter((learned) => learned.host === host);
    return found.sort((a, b) => b.samples - a.samples);
  }

  /** Returns the number of pages still to be rendered before the pattern is known. */
  private countMissingSamples({ host, samples, worthwhileShare }: LearnedPattern): number {
    const hostStats = this.hosts.get(host);
    const isPoor = hostStats !== undefined && hostStats.samples >= MIN_POOR_HOST_SAMPLES && hostStats.worthwhile === 0;
    return (isPoor && worthwhileShare === 0 ? 1 : FIRST_SAMPLES) - samples;
  }

  private findOrCreate(host: string, pattern: string): LearnedPattern {
    const key = `${host} ${pattern}`;
    const known = this.patterns.get(key);
    if (known) return known;
    const learned: LearnedPattern = {
      host,
      pattern,
      samples: 0,
      worthwhileShare: 0,
      time: 0,
      failures: 0,
      plainPagesSince: 0,
      trialCount: 0,
      incomparableTrials: 0,
    };
    this.patterns.set(key, learned);
    return learned;
  }
}
