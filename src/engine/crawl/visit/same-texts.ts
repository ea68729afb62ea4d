/**
 * Finds the document of the same site whose text a page repeats, and ends subtrees of pages that repeat texts: what is
 * found on such a page, and is another one, brings nothing new.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import {
  type ComparedDocument,
  DocumentsByText,
  hasSameText,
  isDuplicate,
  isSameAddress,
  MAX_TEXTS,
  toSiteName,
} from '../../../domain/content/exact-duplicates.js';
import type { TextSample } from '../../../domain/content/text-sample.js';
import { hasSameSketch } from '../../../domain/content/text-sketch.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { EXACT_DUPLICATE } from '../../../domain/crawl/disposition.js';
import { isRedirecting } from '../../../domain/crawl/redirects.js';
import { type IndexedText, UNKNOWN_STAMP, type UrlId, type UrlState } from '../../../domain/crawl/url-state.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { PageOutcome } from '../../ports/page-task.js';
import { isSampled } from '../evidence/endless-links.js';
import type { Strangers } from '../hosts/strangers.js';
import type { SettledUrl } from '../outcome/decision.js';

const PAGE_SIZE = 5_000;
const MAX_SITES = 10_000;
const MAX_FORMER = 20_000;
/** Maximum number of documents of a host that are compared one by one. */
const MAX_COMPARED = 500;

export const REPEATED_TEXT = 'trap-repeated-text' as const;

/** Number of pages in a row that repeat a text and were found on such pages, after which their links lead nowhere. */
export const MAX_REPEATED_PAGES = 20;

export class SameTexts {
  private readonly documents = new DocumentsByText();
  private loading: Promise<void> | undefined;
  /** Texts of pages that have not become documents, for example because a sink has refused them. */
  private readonly refused = new DocumentsByText();
  /** Stamps that documents had before their texts changed last. */
  private readonly former = new BoundedMap<UrlId, string>(MAX_FORMER);
  /** Pages that repeat no text, are entering the index and are not settled yet. */
  private readonly entering = new Map<UrlId, ComparedDocument>();
  /** URLs of pages that repeat a text and are not settled yet: their links may be visited before that. */
  private readonly repeating = new Set<string>();
  /** Pages in the index that name a canonical URL. */
  private readonly yielding = new Set<UrlId>();
  /** By site: the number of pages in a row that repeat a text and were found on such pages. */
  private readonly runs = new BoundedMap<string, number>(MAX_SITES);

  constructor(
    private readonly crawler: string,
    private readonly store: Pick<UrlCatalog, 'find' | 'get' | 'list' | 'listTexts'>,
    private readonly getSettings: () => Pick<CrawlerDefinition, 'leaveOut' | 'acl'>,
    private readonly strangers: Pick<Strangers, 'rank'>,
  ) {}

  /** Returns the document to which a visited page gives way; otherwise, it counts as indexed until it is settled. */
  async findOriginal(state: UrlState, outcome: PageOutcome): Promise<UrlState | undefined> {
    this.noteCanonical(state, outcome);
    const page = this.getSettings().leaveOut.exactDuplicates ? toCompared(state, outcome) : undefined;
    if (!page) return undefined;
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    await this.loading;
    const compared = [state.id];
    for (;;) {
      const ids = this.documents.find(page).filter((id) => !compared.includes(id));
      if (ids.length === 0) break;
      const others = await this.store.get(ids);
      compared.push(...ids);
      const rank = await this.strangers.rank(state);
      for (const other of others)
        if (this.isOriginal(other, state, page, (await this.strangers.rank(other)) - rank)) {
          this.repeating.add(state.url);
          return other;
        }
    }
    // In the same step as the last look-up: a page with the same text may come before this one is settled.
    if (outcome.kind === 'document') {
      this.documents.add(page);
      this.entering.set(state.id, page);
    }
    return undefined;
  }

  /** A page that names a canonical URL will give way to it, so it must not keep that URL out of the index. */
  private noteCanonical(state: UrlState, outcome: PageOutcome): void {
    if (outcome.kind !== 'document') return;
    if (outcome.canonical === undefined) this.yielding.delete(state.id);
    else {
      this.yielding.add(state.id);
      if (state.stamp) this.documents.remove({ id: state.id, hostKey: state.hostKey, stamp: state.stamp });
    }
  }

  /** @param rank that of the other one, from that of this page: the lower one is preferred */
  private isOriginal(other: UrlState, state: UrlState, page: ComparedDocument, rank: number): boolean {
    const { stamp, title = '' } = other;
    if (rank > 0) return false;
    // Its deletion is decided, although it may be held.
    if (other.pendingDeletion !== undefined) return false;
    // The page may be its new address.
    if (isRedirecting(other)) return false;
    const isIndexed = state.stamp !== undefined;
    const document = this.entering.get(other.id) ?? (stamp === undefined ? undefined : { ...other, stamp, title });
    if (document === undefined || !isDuplicate(page, document)) return false;
    // A document that is indexed, or may be seen by others than the other one, is not given up for its text alone.
    if (!isIndexed && this.getSettings().acl === undefined) return true;
    const isPreferred = rank < 0 || other.id < state.id;
    return isSameAddress(page.url, other.url) && (!isIndexed || (stamp !== undefined && isPreferred));
  }

  /**
   * Whether it is the text of a document of the host that had it already when the page was last visited, and had its own.
   * A drastic change is also compared with texts that others have changed to since then, unless they had the page's own
   * text before, as a print version has: then both have changed together.
   */
  async isTextOfAnother(
    page: UrlState,
    stamp: string,
    { isDrastic, sketch }: Pick<TextSample, 'isDrastic' | 'sketch'>,
  ): Promise<boolean> {
    const { id, hostKey, lastVisitAt } = page;
    if (lastVisitAt === undefined) return false;
    if (isDrastic && this.refused.find({ stamp, hostKey }).some((other) => other !== id)) return true;
    if (isDrastic && (await this.isSketchOfUnknown(page, sketch))) return true;
    const ids = this.documents.find({ stamp, hostKey }).filter((other) => other !== id);
    const others = ids.length === 0 ? [] : await this.store.get(ids);
    return others.some(
      (other) =>
        other.hostKey === hostKey &&
        !isSameAddress(other.url, page.url) &&
        other.stamp !== undefined &&
        hasSameText(other.stamp, stamp) &&
        ((other.lastChangeAt ?? other.firstSeenAt) <= lastVisitAt ||
          (isDrastic && other.firstSeenAt <= lastVisitAt && !this.hadTextOf(other.id, page))),
    );
  }

  /** Of a document that may not have been delivered before a crash, only the sketch is known. */
  private async isSketchOfUnknown({ id, hostKey }: UrlState, sketch: bigint): Promise<boolean> {
    const documents = await this.store.list({ crawler: this.crawler, hostKey, indexed: true }, 0, MAX_COMPARED);
    return documents.some(
      ({ id: other, stamp, textSketch }) =>
        other !== id && stamp === UNKNOWN_STAMP && textSketch !== undefined && hasSameSketch(textSketch, sketch),
    );
  }

  private hadTextOf(id: UrlId, { stamp }: UrlState): boolean {
    const former = this.former.get(id);
    return former !== undefined && stamp !== undefined && hasSameText(former, stamp);
  }

  readonly isEntering = (id: UrlId): boolean => this.entering.has(id);

  /** Records what the index holds for a URL; to be called without `settled` if its visit could not be settled. */
  noteSettled(state: UrlState, settled?: Pick<SettledUrl, 'document'>): void {
    const entered = this.entering.get(state.id);
    this.entering.delete(state.id);
    this.repeating.delete(state.url);
    const document = settled?.document;
    if (document === undefined) {
      if (!state.stamp) this.yielding.delete(state.id);
      if (entered && state.stamp !== entered.stamp) {
        this.documents.remove(entered);
        this.refused.add(entered);
      }
      return;
    }
    if (entered) this.refused.remove(entered);
    if (entered && entered.stamp !== document?.stamp) this.documents.remove(entered);
    if (state.stamp) {
      this.documents.remove({ ...state, stamp: state.stamp });
      if (document && !hasSameText(document.stamp, state.stamp)) this.former.set(state.id, state.stamp);
    }
    if (document && this.loading && !this.yielding.has(state.id))
      this.documents.add({ id: state.id, hostKey: state.hostKey, ...document });
  }

  /**
   * Records a visited page; returns true if its links are not to be followed.
   * @param original the document whose text it repeats
   */
  recordPage(state: UrlState, original: UrlState | undefined, outcome: PageOutcome): false | Promise<boolean> {
    const site = toSiteName(state.hostKey);
    if (outcome.kind !== 'document' || (original === undefined && !this.runs.has(site))) return false;
    return this.recordRun(site, state, original);
  }

  private async recordRun(site: string, state: UrlState, original: UrlState | undefined): Promise<boolean> {
    if (!(await this.isBelowRepeated(state, original))) return false;
    if (original === undefined) {
      this.runs.delete(site);
      return false;
    }
    const run = (this.runs.get(site) ?? 0) + 1;
    this.runs.set(site, run);
    return run >= MAX_REPEATED_PAGES;
  }

  /** Whether the site has a subtree of pages that repeat texts, and the URL may be in it; a sample is visited anyway. */
  isInTrap({ id, visits, discoveredVia, hostKey }: UrlState): boolean {
    if (this.runs.size === 0 || visits > 0 || discoveredVia !== 'link' || isSampled(id)) return false;
    return (this.runs.get(toSiteName(hostKey)) ?? 0) >= MAX_REPEATED_PAGES;
  }

  /** Whether the page that links to it repeats a text, or is the one whose text it repeats. */
  async isBelowRepeated({ foundOn }: UrlState, original?: UrlState): Promise<boolean> {
    if (foundOn === undefined) return false;
    if (foundOn === original?.url || this.repeating.has(foundOn)) return true;
    return (await this.store.find(this.crawler, foundOn))?.reason === EXACT_DUPLICATE;
  }

  private async load(): Promise<void> {
    let left = MAX_TEXTS;
    await readTexts(this.store, this.crawler, (text) => {
      if (text.stamp) this.documents.add(text);
      return --left > 0;
    });
  }
}

/** Hands out the texts of all indexed documents until it is told that they are enough. */
export async function readTexts(
  store: Pick<UrlCatalog, 'listTexts'>,
  crawler: string,
  take: (text: IndexedText) => boolean,
): Promise<void> {
  for (let lastId = 0; ; ) {
    const texts = await store.listTexts(crawler, lastId, PAGE_SIZE);
    if (!texts.every(take) || texts.length < PAGE_SIZE) return;
    lastId = texts.at(-1)!.id;
  }
}

/** What is compared of a page that may be a document; undefined if its text is not its content. */
function toCompared(state: UrlState, outcome: PageOutcome): ComparedDocument | undefined {
  const { id, url, hostKey, stamp, title = '' } = state;
  if (outcome.kind === 'unchanged') return stamp ? { id, url, hostKey, stamp, title } : undefined;
  if (outcome.kind !== 'document' || !outcome.index || outcome.canonical !== undefined) return undefined;
  if (outcome.needsRendering !== undefined || outcome.renderFailure || outcome.unread) return undefined;
  const { facts } = outcome;
  return facts.hasText ? { id, url, hostKey, stamp: facts.stamp, title: facts.title } : undefined;
}
