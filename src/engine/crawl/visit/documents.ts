/**
 * Compares a document with the other documents of its crawler to decide whether it is a near duplicate of an indexed
 * one and whether it gives way to its canonical URL.
 */
import { isSameAddress } from '../../../domain/content/exact-duplicates.js';
import { NearDuplicates } from '../../../domain/content/near-duplicates.js';
import { type CanonicalVerdict, judgeCanonical } from '../../../domain/crawl/canonical.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { CANONICAL_ELSEWHERE, EXACT_DUPLICATE } from '../../../domain/crawl/disposition.js';
import { isRedirecting } from '../../../domain/crawl/redirects.js';
import { type VisitOutcome } from '../../../domain/crawl/state-changes.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { PageOutcome } from '../../ports/page-task.js';
import type { Strangers } from '../hosts/strangers.js';
import type { Quotas } from '../load/quotas.js';
import { readTexts } from './same-texts.js';

const MAX_NEAR_DUPLICATES = 1_000_000;

type DuplicateSettings = Pick<CrawlerDefinition, 'nearDuplicateDetector' | 'nearDuplicateScope' | 'acl'>;

type Document = Extract<VisitOutcome, { kind: 'document' }>;

export class Documents {
  private nearDuplicates: NearDuplicates | undefined;
  private loading: Promise<void> | undefined;
  private readonly sites = new Map<string, number>();
  /** Pages that give way and are not settled yet: if two name each other, one has to stay. */
  private readonly urlsGivingWay = new Set<string>();
  /** Pages that duplicate no indexed document, are entering the index and are not settled yet. */
  private readonly enteringIds = new Set<UrlId>();

  constructor(
    private readonly crawler: string,
    private readonly store: Pick<UrlCatalog, 'find' | 'get' | 'listTexts'>,
    private readonly getSettings: () => DuplicateSettings,
    private readonly strangers: Pick<Strangers, 'load' | 'getDomain' | 'rank'>,
    private readonly quotas: Pick<Quotas, 'admitDocument' | 'noteVisitEnd'>,
  ) {}

  /**
   * Decides the outcome of a visit, considering the other documents; `endVisit` must be called when it is settled.
   * @param original the document of the same site with the same text, if there is one
   */
  async decideOutcome(state: UrlState, page: PageOutcome, original?: UrlState): Promise<VisitOutcome> {
    const decided = this.decideAmongDocuments(state, page, original);
    const outcome = decided instanceof Promise ? await decided : decided;
    const isNew = outcome.kind === 'document' && outcome.index && state.stamp === undefined;
    const quota = isNew ? this.quotas.admitDocument(this.crawler, state.id) : undefined;
    if (!isNew || quota === undefined) return outcome;
    this.noteFailure(state);
    // Without validators, its next visit reads it again, changed or not: there may be room by then.
    const withoutValidators = { etag: undefined, lastModified: undefined };
    return { ...outcome, ...withoutValidators, index: false, reason: 'quota-documents' };
  }

  private decideAmongDocuments(
    state: UrlState,
    page: PageOutcome,
    original: UrlState | undefined,
  ): VisitOutcome | Promise<VisitOutcome> {
    if (original && page.kind === 'unchanged') return giveWay(toIndexedDocument(state), original);
    if (page.kind === 'unchanged')
      return this.getSettings().nearDuplicateDetector
        ? this.findOriginal(state, state.simhash).then((nearest): VisitOutcome | Promise<VisitOutcome> =>
            nearest === undefined ? page : this.markAsDuplicate(toIndexedDocument(state), nearest),
          )
        : page;
    if (page.kind !== 'document') return page;
    const { facts, index, reason, canonical } = page;
    const document: Document = { kind: 'document', index, reason, ...facts };
    if (original) return giveWay(document, original);
    if (index && canonical !== undefined) return this.decideAgainstCanonical(state, document, canonical);
    return this.decideUnlessDuplicate(state, document);
  }

  /** To be called when the visit is settled or has failed. */
  endVisit({ id, url }: UrlState, isSettled: boolean): void {
    this.urlsGivingWay.delete(url);
    this.quotas.noteVisitEnd(this.crawler, id, isSettled);
  }

  /** To be called when the visit could not be settled: what was known about the URL before still holds. */
  noteFailure(state: UrlState): void {
    const { id, stamp, simhash } = state;
    if (!this.enteringIds.delete(id)) return;
    if (stamp !== undefined && simhash !== undefined) this.addIndexed(state, simhash);
    else this.nearDuplicates?.remove(id);
  }

  /**
   * Records what the index holds for a URL.
   * @param simhash null if it no longer has text there, undefined if nothing has changed
   */
  noteSettled(state: UrlState, simhash: bigint | null | undefined): void {
    if (simhash === undefined) this.noteFailure(state);
    this.enteringIds.delete(state.id);
    if (simhash === null) this.nearDuplicates?.remove(state.id);
    else if (simhash !== undefined) this.addIndexed(state, simhash);
  }

  private async decideAgainstCanonical(state: UrlState, document: Document, canonical: string): Promise<Document> {
    const verdict = await this.judgeCanonical(state, canonical);
    if (verdict === 'gives-way') return { ...document, index: false, reason: CANONICAL_ELSEWHERE, related: canonical };
    // Without validators, the next visit reads the page again, changed or not: its canonical URL may be in the index by
    // then.
    const documentWithoutValidators = { ...document, etag: undefined, lastModified: undefined };
    // Without a hash, it cannot keep its canonical URL, which has the same text, out of the index either.
    return verdict === 'waits'
      ? { ...documentWithoutValidators, simhash: undefined }
      : this.decideUnlessDuplicate(state, documentWithoutValidators);
  }

  private async judgeCanonical(state: UrlState, canonical: string): Promise<CanonicalVerdict> {
    const wasGivingWay = this.urlsGivingWay.has(canonical);
    const canonicalState = await this.store.find(this.crawler, canonical);
    if (wasGivingWay || this.urlsGivingWay.has(canonical)) return 'stays';
    const verdict = judgeCanonical(state, canonicalState);
    if (verdict === 'gives-way') this.urlsGivingWay.add(state.url);
    return verdict;
  }

  private decideUnlessDuplicate(state: UrlState, document: Document): Document | Promise<Document> {
    if (!document.index || document.simhash === undefined) return document;
    return this.findOriginal(state, document.simhash, 'enters').then((original) =>
      original === undefined ? document : this.markAsDuplicate(document, original),
    );
  }

  private async markAsDuplicate(document: Document, original: UrlId): Promise<Document> {
    const [state] = await this.store.get([original]);
    return { ...document, index: false, reason: 'near-duplicate', related: state?.url };
  }

  /**
   * Finds the indexed document that this one duplicates. If two duplicates are both in the index, the one found first
   * stays.
   */
  private async findOriginal(
    state: UrlState,
    simhash: bigint | undefined,
    enters?: 'enters',
  ): Promise<UrlId | undefined> {
    if (simhash === undefined) return undefined;
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    await this.loading;
    const { id, stamp } = state;
    const site = this.getSite(state);
    // What another site says never takes a document out of the index.
    const mayBeElsewhere = stamp === undefined && this.getSettings().nearDuplicateScope === 'crawler';
    const canBeOriginal = (other: UrlId, otherSite: number): boolean =>
      (stamp === undefined ? other !== id : other < id) && (otherSite === site || mayBeElsewhere);
    const nearest = this.nearDuplicates?.findNearest(simhash, canBeOriginal);
    const original = nearest !== undefined && (await this.mayGiveWay(nearest, state)) ? undefined : nearest;
    if (original === undefined && enters) {
      // Added in the same step as the look-up: a duplicate may come before this one is settled.
      this.addIndexed(state, simhash);
      this.enteringIds.add(id);
    }
    return original;
  }

  /**
   * Whether the other URL redirects, may be seen by other people, or is one of the same site that strangers may have made
   * up, and this one is not.
   */
  private async mayGiveWay(id: UrlId, state: UrlState): Promise<boolean> {
    const [other] = await this.store.get([id]);
    if (other && isRedirecting(other)) return true;
    if (this.getSettings().acl && !(other && isSameAddress(other.url, state.url))) return true;
    const isOfSite = other !== undefined && this.getSite(other) === this.getSite(state);
    return isOfSite && (await this.strangers.rank(other)) > (await this.strangers.rank(state));
  }

  private addIndexed(state: Pick<UrlState, 'id' | 'hostKey'>, simhash: bigint): void {
    this.nearDuplicates?.add(state.id, simhash, this.nearDuplicates && this.getSite(state));
  }

  /** The number of the registrable domain. */
  private getSite({ hostKey }: Pick<UrlState, 'hostKey'>): number {
    const domain = this.strangers.getDomain(`http://${hostKey}/`);
    const site = this.sites.get(domain) ?? this.sites.size;
    this.sites.set(domain, site);
    return site;
  }

  /** Loads the hashes of indexed documents; only crawlers that look for near duplicates have them. */
  private async load(): Promise<void> {
    await this.strangers.load();
    const nearDuplicates = new NearDuplicates(MAX_NEAR_DUPLICATES);
    this.nearDuplicates = nearDuplicates; // URLs settled in the meantime are added to it
    await readTexts(this.store, this.crawler, (text) => {
      if (text.simhash !== undefined) this.addIndexed(text, text.simhash);
      return true;
    });
  }
}

const giveWay = (document: Document, { url }: UrlState): Document => ({
  ...document,
  index: false,
  reason: EXACT_DUPLICATE,
  related: url,
});

const toIndexedDocument = ({
  stamp = '',
  simhash,
  contentType = '',
  title = '',
  etag,
  lastModified,
}: UrlState): Document => ({
  kind: 'document',
  index: true,
  reason: 'indexed',
  stamp,
  simhash,
  contentType,
  title,
  etag,
  lastModified,
});
