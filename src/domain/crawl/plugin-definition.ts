import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type Place } from './place.js';

/** A user's module that takes part in the crawl (docs/plugins.md). */
export interface PluginDefinition {
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly place: Place;
  /** Crawlers whose URLs, pages and orders it gets; default: all. */
  readonly crawlers?: readonly string[];
  /** Time limit for one call. */
  readonly timeLimit: Duration;
  /** Memory limit of its process, in bytes. */
  readonly memoryLimit: number;
  /**
   * What happens to a page when the plug-in fails: it is visited again later, or read as if the plug-in did not exist.
   */
  readonly onFailure: 'fail' | 'skip';
  readonly settings: readonly { readonly name: string; readonly value: string | Secret }[];
}
