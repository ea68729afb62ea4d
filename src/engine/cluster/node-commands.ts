/** Carries out the commands that other nodes send for this node's hosts. */
import { createVerificationChanges } from '../../domain/crawl/commands.js';
import { NEVER } from '../../domain/time/units.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Explanations } from '../control/explanations.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import type { Logins } from '../crawl/logins/logins.js';
import { ABANDONED, parseCommand } from '../crawl/outcome/owner-commands.js';
import { toUnlinkedUrl } from '../crawl/outcome/unlinked-urls.js';
import type { OwnerCommand } from '../ports/nodes.js';
import type { Ports } from '../ports/ports.js';
import { SinkUnavailable } from '../ports/sink.js';

export interface CommandServices extends Pick<Ports, 'store' | 'clock'> {
  readonly hosts: Hosts;
}

export class NodeCommands {
  constructor(
    private readonly services: CommandServices,
    private readonly crawlers: Pick<Crawlers, 'findStored'>,
    private readonly explanations: Pick<Explanations, 'viewPage'>,
    private readonly logins: Pick<Logins, 'test'>,
  ) {}

  /**
   * Resolves to false if the URL is in flight or this release does not know the command; the command is then offered
   * again later.
   */
  async run({ hostKey: host, text }: OwnerCommand): Promise<boolean> {
    const command = parseCommand(text);
    if (!command) return false;
    if (command.do === 'pause') {
      const { hosts } = this.services;
      await hosts.setPaused({ key: host }, command.paused);
      await hosts.save();
      return true;
    }
    if (command.do === 'login') {
      void this.answer(command.answer, async () => ({ login: await this.logins.test(command.login) }));
      return true;
    }
    const crawler = this.crawlers.findStored(command.crawler);
    if (!crawler) return true;
    switch (command.do) {
      case 'page':
        void this.answer(command.answer, async () => ({
          page: await this.explanations.viewPage(command.crawler, command.url, command.render),
        }));
        return true;
      case 'verify':
        return this.requestVerification(crawler, command.url);
      case 'decide': {
        const state = await this.services.store.find(crawler.name, command.url);
        return state ? crawler.decide(state, command.word).catch(postponeIfSinkUnavailable) : true;
      }
      case 'try': {
        const state = await this.services.store.find(crawler.name, command.url);
        if (state) crawler.visitNowIfOwned(state);
        return true;
      }
      default:
        return assertNever(command);
    }
  }

  /** Not awaited: other commands must not wait for a slow page. */
  private async answer(name: string, find: () => Promise<object>): Promise<void> {
    const response = await find().catch((error: unknown) => ({ error: String(error) }));
    // Hashes are 64-bit integers, which JSON cannot represent; the receiver does not need them.
    const text = JSON.stringify(response, (_, value: unknown) => (typeof value === 'bigint' ? undefined : value));
    await this.putAnswer(name, text).catch(() => undefined);
  }

  /** If the asking node has given up, no one would remove the answer. */
  private async putAnswer(name: string, text: string): Promise<void> {
    const { store } = this.services;
    const isAbandoned = (await store.getSetting(name)) === ABANDONED;
    await store.putSetting(name, isAbandoned ? undefined : text);
  }

  /**
   * Requests a visit, which finds out whether the document differs from the one in the index or is gone, and orders
   * accordingly.
   */
  private async requestVerification(crawler: Crawler, url: string): Promise<boolean> {
    const state = (await this.services.store.find(crawler.name, url)) ?? (await this.restoreUrl(crawler, url));
    if (!state) return true;
    return crawler.applyCorrection(state, createVerificationChanges(this.services.clock.now()));
  }

  private async restoreUrl(crawler: Crawler, href: string) {
    const [state] = await this.services.store.discover([
      toUnlinkedUrl(crawler.context, toCrawlUrl(href), NEVER, 'reconciled'),
    ]);
    return state;
  }
}

/** If the order's sink is slow or down, the command is offered again later. */
function postponeIfSinkUnavailable(error: unknown): false {
  if (error instanceof SinkUnavailable) return false;
  throw error;
}

function assertNever(command: never): never {
  throw new Error(`unknown command: ${JSON.stringify(command)}`);
}
