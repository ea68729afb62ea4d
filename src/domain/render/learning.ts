/**
 * What `render="auto"` has learned: for which URL patterns of a host rendering adds content that the page as sent does
 * not have. As long as nothing is known, it renders; then it does what is cheaper and as good, and rechecks by
 * sampling.
 */
import { toUrlPattern } from '../url/url-pattern.js';
import type { Amount, RenderReport } from './report.js';

/** Pages of a pattern that are rendered before the pattern is known. */
const FIRST_SAMPLES = 3;
/** After this many pages of a host without any gain from rendering, one page of a new pattern is enough. */
const POOR_HOST = 12;
/** One in this many pages is rendered although its pattern is known to need no rendering. */
const SAMPLE_EVERY = 50;
/** The weight of one page relative to those before it. */
const WEIGHT = 0.2;
const WORTHWHILE = 0.4;
const MOST_PATTERNS = 20_000;

export interface Learned {
  readonly host: string;
  readonly pattern: string;
  /** Number of pages rendered. */
  samples: number;
  /** 0…1: the share of recently rendered pages for which rendering was worthwhile. */
  worthwhile: number;
  /** Mean milliseconds per page, over recently rendered ones. */
  time: number;
  failures: number;
  /** Pages used as sent since the last one that was rendered. */
  plainSince: number;
  /** Number of trials in progress. */
  trying: number;
  /** Trials that could not be compared: the result was no page, or the browser failed. */
  incomparable: number;
}

/** What to do with a page: `wait` means until a trial has ended, and then to ask again. */
export type NextPage = 'render' | 'try' | 'plain' | 'wait';

export type Choice = 'browser' | 'plain' | 'trying';

/** The pattern of URLs on one host whose pages are probably built in the same way: `/products/N`, `/articles/*`. */
export function toRenderPattern(href: string): string {
  const pattern = toUrlPattern(href);
  if (pattern !== undefined) return pattern;
  const path = href.slice(href.indexOf('/', href.indexOf('://') + 3));
  return path === '/' ? path : `${path.slice(0, path.lastIndexOf('/') + 1)}*`;
}

export const getChoice = ({ samples, worthwhile }: Learned): Choice =>
  samples < FIRST_SAMPLES ? 'trying' : worthwhile >= WORTHWHILE ? 'browser' : 'plain';

/** Did rendering add anything that a reader would miss? */
export const isWorthwhile = (plain: Amount, rendered: Amount): boolean =>
  rendered.text > plain.text * 1.2 + 80 || (rendered.links > plain.links * 1.1 + 1 && rendered.text >= plain.text);

/**
 * Would a reader of the rendered page miss most of the page as sent? Its scripts are broken, or fetch what this crawl
 * cannot get.
 */
export const isLoss = (plain: Amount, rendered: Amount): boolean =>
  rendered.text < plain.text / 2 && rendered.links <= plain.links;

export class RenderLearning {
  private readonly patterns = new Map<string, Learned>();
  /** By host: the number of pages rendered, and for how many of them it was worthwhile. */
  private readonly hosts = new Map<string, { samples: number; worthwhile: number }>();

  /**
   * `try` and `render`: the page is rendered whatever it contains; `endTrial` must be called after `try`. A page without content is
   * rendered in any case. No more pages of a pattern are tried at the same time than are needed to know it.
   */
  decideNext(host: string, href: string): NextPage {
    const learned = this.findOrCreate(host, toRenderPattern(href));
    const missing = this.countMissingSamples(learned);
    if (missing > 0) {
      if (learned.trying >= missing && learned.incomparable < FIRST_SAMPLES) return 'wait';
      learned.trying++;
      return 'try';
    }
    if (getChoice(learned) === 'browser') return 'render';
    learned.plainSince++;
    if (learned.plainSince < SAMPLE_EVERY) return 'plain';
    learned.plainSince = 0;
    return 'render';
  }

  /** Call this when a trial has ended, after `recordRendering` if the page was rendered. */
  endTrial(host: string, href: string, isCompared: boolean): void {
    const learned = this.findOrCreate(host, toRenderPattern(href));
    learned.trying = Math.max(0, learned.trying - 1);
    if (!isCompared) learned.incomparable++;
  }

  recordRendering(host: string, href: string, { plain, rendered, time, failure }: RenderReport): void {
    const learned = this.findOrCreate(host, toRenderPattern(href));
    if (failure !== undefined) learned.failures++;
    if (!plain || !rendered) return;
    const worth = isWorthwhile(plain, rendered) ? 1 : 0;
    const weight = Math.max(WEIGHT, 1 / ++learned.samples);
    learned.worthwhile += (worth - learned.worthwhile) * weight;
    learned.time += (time - learned.time) * weight;
    learned.plainSince = 0;
    const of = this.hosts.get(host) ?? { samples: 0, worthwhile: 0 };
    of.samples++;
    of.worthwhile += worth;
    this.hosts.set(host, of);
  }

  /** What is known about a host: its patterns, those with the most rendered pages first. */
  listPatterns(host: string): Learned[] {
    const found = [...this.patterns.values()].filter((learned) => learned.host === host);
    return found.sort((a, b) => b.samples - a.samples);
  }

  /** Pages still to be rendered before the pattern is known. */
  private countMissingSamples({ host, samples, worthwhile }: Learned): number {
    const known = this.hosts.get(host);
    const isPoor = known !== undefined && known.samples >= POOR_HOST && known.worthwhile === 0;
    return (isPoor && worthwhile === 0 ? 1 : FIRST_SAMPLES) - samples;
  }

  private findOrCreate(host: string, pattern: string): Learned {
    const key = `${host} ${pattern}`;
    let learned = this.patterns.get(key);
    if (learned) return learned;
    learned = {
      host,
      pattern,
      samples: 0,
      worthwhile: 0,
      time: 0,
      failures: 0,
      plainSince: 0,
      trying: 0,
      incomparable: 0,
    };
    if (this.patterns.size >= MOST_PATTERNS) {
      const [oldest] = this.patterns.keys();
      this.patterns.delete(oldest!);
    }
    if (this.hosts.size >= MOST_PATTERNS) this.hosts.clear();
    this.patterns.set(key, learned);
    return learned;
  }
}
