import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type Place } from './place.js';

/** A module of the user's that takes part in the crawl (docs/PLUGINS.md). */
export interface PluginDefinition {
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly place: Place;
  /** Crawlers whose URLs, pages and orders it gets; absent: all. */
  readonly crawlers?: readonly string[];
  /** For one call. */
  readonly timeLimit: Duration;
  /** Bytes that its process may hold. */
  readonly memoryLimit: number;
  /** What happens to a page when the plug-in fails: visited again later, or read as if the plug-in did not exist. */
  readonly onFailure: 'fail' | 'skip';
  readonly settings: readonly { readonly name: string; readonly value: string | Secret }[];
}
