import type { Clock, CronSchedule } from './clock.js';
import type { FrontierStore } from './frontier-store.js';
import type { Log } from './log.js';
import type { Nodes } from './nodes.js';
import type { PageProcessor } from './page-processor.js';
import type { Partitions } from './partitions.js';
import type { Tracing } from './tracing.js';

/** The ports that many parts of the engine use; each part says which of them it needs. */
export interface Ports {
  readonly store: FrontierStore;
  readonly processor: PageProcessor;
  readonly clock: Clock;
  readonly log: Log;
  readonly cron: CronSchedule;
  readonly tracing: Tracing;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
}
