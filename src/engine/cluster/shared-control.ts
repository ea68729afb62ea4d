import type { CrawlerRunState } from '../../domain/crawl/run-state.js';
import type { UrlId } from '../../domain/crawl/url-state.js';
import type { Backfills } from '../control/backfills.js';
import { adoptStoredRereading } from '../control/rereading.js';
import type { Roots } from '../control/roots.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { CrawlEvent } from '../events.js';
import type { Settings } from '../ports/frontier-store.js';
import type { Nodes, NodesListener, OwnerCommand } from '../ports/nodes.js';
import type { CrawlEvents } from '../support/crawl-events.js';

interface ControlServices {
  readonly store: Settings;
  readonly nodes: Nodes;
  readonly events: CrawlEvents;
  readonly roots: Roots;
  readonly backfills: Pick<Backfills, 'startOrResume'>;
  readonly crawlers: Pick<Crawlers, 'list'>;
  readonly runCommand: (command: OwnerCommand) => Promise<boolean>;
  readonly sweepSoon: (partitions: readonly number[]) => void;
  readonly answerQuestion: (question: string) => Promise<string>;
}

/**
 * Shares settings that are changed on one node and apply to all, such as crawler states and roots, and passes every
 * node's events to the others.
 */
export class SharedControl implements NodesListener {
  /** Called first after every change, to check for a newer configuration. */
  onChange: () => Promise<void> = () => Promise.resolve();

  constructor(private readonly services: ControlServices) {}

  onDue(partitions: readonly number[]): void {
    this.services.sweepSoon(partitions);
  }

  onRequested(ids: readonly UrlId[]): void {
    for (const crawler of this.services.crawlers.list()) crawler.noteRequestedElsewhere(ids);
  }

  onCommand(command: OwnerCommand): Promise<boolean> {
    return this.services.runCommand(command);
  }

  onQuestion(text: string): Promise<string> {
    return this.services.answerQuestion(text);
  }

  onEvent(text: string): void {
    this.services.events.relay(JSON.parse(text) as CrawlEvent);
  }

  async onControlChanged(): Promise<void> {
    await this.onChange();
    for (const crawler of this.services.crawlers.list()) {
      await crawler.setState(await this.getStoredState(crawler.name));
      await this.services.roots.syncWithStore(crawler);
      await adoptStoredRereading(crawler, this.services.store);
      await this.services.backfills.startOrResume(crawler);
    }
  }

  async setState(crawler: Crawler, state: CrawlerRunState): Promise<void> {
    await this.services.store.putSetting(`state/${crawler.name}`, state);
    await crawler.setState(state);
    await this.services.nodes.notifyControlChanged();
  }

  async getStoredState(name: string): Promise<CrawlerRunState> {
    const state = await this.services.store.getSetting(`state/${name}`);
    return state === 'paused' || state === 'stopped' ? state : 'running';
  }

  /** Starts to report this node's events to the others; an event is sent only while someone is watching. */
  startRelayingEvents(): void {
    const { nodes, events } = this.services;
    events.tap((event) => {
      if (nodes.isWatched) nodes.sendEvent(JSON.stringify(event));
    });
  }
}
