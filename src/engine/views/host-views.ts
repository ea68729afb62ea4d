import type { HostPause } from '../../domain/politeness/server-pace.js';
import { type RobotsPolicy } from '../../domain/robots/robots-policy.js';
import { type Duration, type Instant } from '../../domain/time/units.js';
import type { HostHealth } from '../crawl/hosts/site-health.js';

export interface HostRobots {
  readonly state: RobotsPolicy['state'];
  readonly fetchedAt: Instant;
  /** The outcome of the last fetch; if it failed, the previously fetched rules remain in force. */
  readonly status: string;
  readonly text: string;
}

export interface HostView extends HostHealth {
  readonly hostKey: string;
  readonly urls: number;
  readonly indexed: number;
  readonly errors: number;
  readonly queued: number;
  readonly nextRequestAt?: Instant;
  readonly backOffUntil?: Instant;
  /** The pause after the last request, and what determined it; absent before the first. */
  readonly crawlDelay?: Duration;
  readonly pauseCause?: HostPause['cause'];
  /** What a refresh visit must be worth; 0 or absent before a visit has set it. */
  readonly visitPrice?: Duration;
  readonly robots?: HostRobots;
  readonly paused: boolean;
  /** Number of pages that blocked their thread for longer than a second since the node first used the host. */
  readonly slowPages?: number;
  /** Only for a single host: documents in the index with less text than they show, by reason. */
  readonly shortTexts?: Readonly<Record<string, number>>;
  /** Only for a single host: documents in the index that lack the content their scripts would create. */
  readonly needRendering?: { readonly documents: number; readonly sample?: string };
}
