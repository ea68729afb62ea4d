/**
 * The texts of documents that have changed, before and after each change, for crawlers that keep them (`cw:KeepTexts`).
 * The text before the first change is read back from a sink, so nothing is stored for documents that never change.
 */
import type { KeepTextsDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { before as earlierBy, type Instant, instant } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { KeptDocuments } from '../../delivery/kept-documents.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';

const PREFIX = 'text/';
const PAGE_SIZE = 200;
/** Changes are counted again once this many have been stored since. */
const PRUNE_AFTER = 100;

/** One change of a document's text. */
export interface TextChange {
  readonly at: Instant;
  /** Cut at the maximum length; see `isCut`. Absent if no sink could be asked. */
  readonly before?: string;
  readonly after: string;
  readonly isCut: boolean;
}

type StoredChange = Omit<TextChange, 'at'> & { readonly uri: string };

interface TextServices {
  readonly store: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly kept: Pick<KeptDocuments, 'find'>;
}

export class PageTexts {
  /** Numbers of changes stored since the last pruning, by crawler. */
  private readonly stored = new Map<string, number>();

  constructor(private readonly services: TextServices) {}

  /**
   * Returns the text of the document that is about to be replaced, or that the page had last; undefined if it is not known.
   * @param sinks those that may have it
   */
  async findBefore({ crawler, url }: UrlState, sinks: readonly string[]): Promise<string | undefined> {
    const [latest] = await this.read(crawler, url);
    if (latest) return latest.after;
    for (const sink of sinks) {
      const kept = await this.services.kept.find(sink, url).catch(() => undefined);
      if (kept) return kept.document.text;
    }
    return undefined;
  }

  /** Records a change; a failure costs only its record. */
  async note(
    { crawler, url }: UrlState,
    before: string | undefined,
    after: string,
    limits: KeepTextsDefinition,
  ): Promise<void> {
    const { store, clock, log } = this.services;
    const { maxCharacters } = limits;
    const cut = (text: string): string => text.slice(0, maxCharacters).toWellFormed();
    if (before !== undefined && cut(before) === cut(after)) return;
    const change: StoredChange = {
      uri: url,
      ...(before === undefined ? {} : { before: cut(before) }),
      after: cut(after),
      isCut: Math.max(before?.length ?? 0, after.length) > maxCharacters,
    };
    try {
      await store.putSetting(toName(crawler, url, clock.now()), JSON.stringify(change));
      const count = (this.stored.get(crawler) ?? PRUNE_AFTER) + 1;
      this.stored.set(crawler, count);
      if (count >= PRUNE_AFTER) await this.prune(() => limits, crawler);
    } catch (error) {
      log.warn('the text of a changed document could not be kept', { crawler, url, error: String(error) });
    }
  }

  /** The changes of a document's text, newest first. */
  async read(crawler: string, url: string): Promise<TextChange[]> {
    const stored = await this.services.store.listSettings(toPrefix(crawler, url));
    return [...stored]
      .map(([name, text]) => ({ at: parseTime(name), ...(JSON.parse(text) as StoredChange) }))
      .filter(({ uri }) => uri === url)
      .map(({ uri: _, ...change }) => change)
      .sort((a, b) => b.at - a.at);
  }

  /**
   * Forgets what is too old, and the oldest beyond the maximum number; everything of crawlers that keep no texts.
   * @param crawler only its texts; default: those of all crawlers, also of former ones
   */
  async prune(findLimits: (crawler: string) => KeepTextsDefinition | undefined, crawler?: string): Promise<void> {
    const { store, clock } = this.services;
    const names = await this.listNames(crawler === undefined ? PREFIX : `${PREFIX}${crawler}/`);
    for (const [owner, owned] of Map.groupBy(names, (name) => name.split('/')[1]!)) {
      this.stored.set(owner, 0);
      const limits = findLimits(owner);
      const oldest = limits ? earlierBy(clock.now(), limits.age) : clock.now();
      const newestFirst = owned.sort((a, b) => parseTime(b) - parseTime(a));
      for (const [index, name] of newestFirst.entries())
        if (!limits || index >= limits.maxChanges || parseTime(name) < oldest) await store.putSetting(name, undefined);
    }
  }

  private async listNames(prefix: string): Promise<string[]> {
    const names = new Set<string>();
    for (let from = prefix; ; from = [...names].at(-1)!) {
      const page = await this.services.store.listSettings(prefix, { from, limit: PAGE_SIZE });
      for (const name of page.keys()) names.add(name);
      if (page.size < PAGE_SIZE) return [...names];
    }
  }
}

const toPrefix = (crawler: string, url: string): string =>
  `${PREFIX}${crawler}/${BigInt.asUintN(64, computeUrlKey(url)).toString(16)}/`;

const toName = (crawler: string, url: string, at: Instant): string => toPrefix(crawler, url) + at;

const parseTime = (name: string): Instant => instant(Number(name.slice(name.lastIndexOf('/') + 1)));
