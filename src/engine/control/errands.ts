/**
 * Decisions that any node may take and only the owner of the host may carry out: sent as errands, read by the owner with
 * the URL as it stands by then.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import { NEVER } from '../../domain/time/units.js';
import { crawlUrl, hostKey } from '../../domain/url/crawl-url.js';
import { urlKey } from '../../domain/url/url-key.js';
import type { Word } from '../crawl/conclusion.js';
import type { Crawler } from '../crawl/crawler.js';
import { toVerify } from '../crawl/doubts.js';
import type { CrawlServices } from '../crawl/services.js';
import type { PageView } from '../engine-api.js';
import type { Errand } from '../ports/nodes.js';

type Task =
  | { readonly do: 'decide'; readonly crawler: string; readonly url: string; readonly word: Word }
  /** An order for the document may have come out of turn: whatever the sinks hold, it is to be replaced. */
  | { readonly do: 'verify'; readonly crawler: string; readonly url: string }
  | { readonly do: 'pause'; readonly paused: boolean }
  /** Fetched for a person who looks at it through another node; the answer goes into a setting of this name. */
  | { readonly do: 'page'; readonly crawler: string; readonly url: string; readonly answer: string };

type UrlOfHost = Pick<UrlState, 'hostKey' | 'crawler' | 'url'>;

export const decisionErrand = ({ hostKey: host, crawler, url }: UrlOfHost, word: Word): Errand =>
  errand(host, { do: 'decide', crawler, url, word });

export const verifyErrand = ({ hostKey: host, crawler, url }: UrlOfHost): Errand =>
  errand(host, { do: 'verify', crawler, url });

export const pauseErrand = (host: string, paused: boolean): Errand => errand(host, { do: 'pause', paused });

export const pageErrand = (host: string, page: { crawler: string; url: string; answer: string }): Errand =>
  errand(host, { do: 'page', ...page });

const errand = (host: string, task: Task): Errand => ({ hostKey: host, text: JSON.stringify(task) });

export class Errands {
  constructor(
    private readonly services: Pick<CrawlServices, 'store' | 'hosts' | 'clock'>,
    private readonly crawler: (name: string) => Crawler | undefined,
    private readonly page: (crawler: Crawler, url: string) => Promise<PageView>,
  ) {}

  /** False: the URL is under way; to be brought again. */
  async run({ hostKey: host, text }: Errand): Promise<boolean> {
    const task = JSON.parse(text) as Task;
    if (task.do === 'pause') {
      const { hosts } = this.services;
      hosts.pause(hosts.get(host), task.paused);
      await hosts.save();
      return true;
    }
    const crawler = this.crawler(task.crawler);
    if (!crawler) return true;
    if (task.do === 'page') {
      void this.show(crawler, task);
      return true;
    }
    if (task.do === 'verify') return this.verify(crawler, task.url);
    const state = await this.services.store.find(crawler.name, task.url);
    return state ? crawler.decide(state, task.word) : true;
  }

  /** Not waited for: other errands need not wait for a slow page. */
  private async show(crawler: Crawler, { url, answer }: Extract<Task, { do: 'page' }>): Promise<void> {
    const said = await this.page(crawler, url).then(
      (page) => ({ page }),
      (error: unknown) => ({ error: String(error) }),
    );
    // Hashes are 64-bit integers, which JSON does not have; nobody looks at them.
    const text = JSON.stringify(said, (_, value: unknown) => (typeof value === 'bigint' ? undefined : value));
    await this.services.store.putSetting(answer, text).catch(() => undefined);
  }

  /** A visit finds a document that is not the one in the index, or none, and orders accordingly. */
  private async verify(crawler: Crawler, url: string): Promise<boolean> {
    const known = (await this.services.store.find(crawler.name, url)) ?? (await this.restored(crawler, url));
    if (!known) return true;
    return crawler.correct(known, toVerify(this.services.clock.now()));
  }

  private async restored(crawler: Crawler, href: string) {
    const url = crawlUrl(href);
    const [state] = await this.services.store.discover([
      {
        crawler: crawler.name,
        url: href,
        key: urlKey(href),
        hostKey: hostKey(url),
        status: 'waiting',
        source: 0,
        reason: 'reconciled',
        hops: 0,
        redirects: 0,
        arrival: 'link',
        dueAt: NEVER,
      },
    ]);
    return state;
  }
}
