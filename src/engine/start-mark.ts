import type { ServerDefinition } from '../domain/crawl/definition.js';
import { after, milliseconds } from '../domain/time/units.js';
import type { Hosts } from './crawl/hosts/hosts.js';
import type { Outcomes } from './crawl/outcome/outcomes.js';
import type { Settings } from './ports/frontier-store.js';
import type { Ports } from './ports/ports.js';

/** Name of a setting that exists while a process uses the store; a clean stop removes it. */
const RUNNING_SETTING = 'running';

export interface MarkServices extends Pick<Ports, 'clock' | 'partitions'> {
  readonly store: Settings;
  readonly hosts: Hosts;
  readonly outcomes: Pick<Outcomes, 'inDoubt' | 'close'>;
}

/** Tells the next process whether the last one ended cleanly. Several nodes on one store have leases instead. */
export class StartMark {
  private isSet = false;

  constructor(private readonly services: MarkServices) {}

  /**
   * After a crash, the politeness of the last second is lost: every host rests for one pause, whatever its state was.
   */
  async set(definition: ServerDefinition): Promise<void> {
    const { store, clock, hosts, partitions, outcomes } = this.services;
    if (!partitions.shared) {
      if ((await store.getSetting(RUNNING_SETTING)) !== undefined) {
        await outcomes.inDoubt.markAllInFlightInDoubt();
        const pauses = definition.crawlers.map((crawler) => (crawler.aggressive ? 0 : crawler.throttle));
        hosts.quietUntil = after(clock.now(), milliseconds(Math.max(0, ...pauses)));
      }
      await store.putSetting(RUNNING_SETTING, String(clock.now()));
    }
    this.isSet = true;
  }

  /** If there are orders that no sink has answered, the mark stays: the next start then proceeds as after a crash. */
  async clear(ordersInFlight: number): Promise<void> {
    const { store, partitions, outcomes } = this.services;
    if (!this.isSet || partitions.shared || ordersInFlight > 0) return;
    await outcomes.close();
    await store.putSetting(RUNNING_SETTING, undefined);
  }
}
