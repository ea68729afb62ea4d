/**
 * Lists roots page by page: first those of the configuration, then submitted ones, each group sorted by URL. Positions
 * can be compared even if the root that a position denotes is gone when the next page is requested.
 */
import { createHash } from 'node:crypto';
import { stripUserInfo } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Settings, UrlCatalog } from '../ports/frontier-store.js';
import type { RootSubmission, RootView } from '../views/crawler-views.js';

/** A crawler's submitted roots are stored as settings whose names are this prefix followed by the URL. */
export const getRootSettingsPrefix = (crawler: string): string => `root/${crawler}/`;

type UnpositionedRoot = Omit<RootView, 'position' | 'state'>;

/** Maximum number of submitted roots read in one call. */
const PAGE_SIZE = 500;
/** Positions must be short: beyond this length, URLs with the same beginning are ordered by their digest. */
const POSITION_LENGTH = 500;

export class RootList {
  constructor(private readonly store: Settings & Pick<UrlCatalog, 'find'>) {}

  /** Reads at most `limit` roots after a position, or from the beginning if it is empty. */
  async readPage(crawler: Crawler, after: string, limit: number): Promise<RootView[]> {
    const roots: Omit<RootView, 'state'>[] = [];
    for await (const root of this.listRootsAfter(crawler, after)) {
      if (root.position <= after) continue;
      roots.push(root);
      if (roots.length >= limit) break;
    }
    return Promise.all(
      roots.map(async (root) => {
        const url = crawler.context.canonicalize(root.url);
        return { ...root, state: url && (await this.store.find(crawler.name, url.href)) };
      }),
    );
  }

  private async *listRootsAfter(crawler: Crawler, after: string): AsyncGenerator<Omit<RootView, 'state'>> {
    const configured = crawler.context.definition.roots.map(
      (root): UnpositionedRoot => ({ ...root, url: stripUserInfo(root.url), origin: 'configuration' }),
    );
    yield* sortByUrl(configured);
    const [, origin, beginning = ''] = /^(\w+) (\S*)/.exec(after) ?? [];
    let samePrefix: UnpositionedRoot[] = [];
    for await (const root of this.readSubmitted(crawler.name, origin === 'submitted' ? beginning : '')) {
      if (samePrefix[0] && getUrlPrefix(samePrefix[0].url) !== getUrlPrefix(root.url)) {
        yield* sortByUrl(samePrefix);
        samePrefix = [];
      }
      samePrefix.push({ ...root, origin: 'submitted' });
    }
    yield* sortByUrl(samePrefix);
  }

  /** Submitted roots sorted by URL, from the first one that is not before `from`. */
  async *readSubmitted(crawler: string, from = ''): AsyncGenerator<RootSubmission> {
    const prefix = getRootSettingsPrefix(crawler);
    for (let start = prefix + from, last: string | undefined; ; ) {
      const page = [...(await this.store.listSettings(prefix, { from: start, limit: PAGE_SIZE }))];
      for (const [name, json] of page) if (name !== last) yield JSON.parse(json) as RootSubmission;
      if (page.length < PAGE_SIZE) return;
      last = page.at(-1)![0];
      start = last;
    }
  }
}

const sortByUrl = (roots: readonly UnpositionedRoot[]): Omit<RootView, 'state'>[] =>
  roots
    .map((root) => ({ ...root, position: getPosition(root) }))
    .sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0));

const getUrlPrefix = (url: string): string => url.slice(0, POSITION_LENGTH).toWellFormed();

function getPosition({ origin, url }: UnpositionedRoot): string {
  const digest = url.length > POSITION_LENGTH ? createHash('sha256').update(url).digest('hex') : '';
  return `${origin} ${getUrlPrefix(url)} ${digest}`;
}
