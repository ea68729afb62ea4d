import { createAdoptionChanges, isAdopted } from '../../domain/crawl/commands.js';
import { POLICY_STATUSES, UNKNOWN_STAMP } from '../../domain/crawl/url-state.js';
import { getHostKey } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { createVerifyCommand } from '../crawl/outcome/owner-commands.js';
import { createLikelyLink } from '../page/crawl-context.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import type { Ports } from '../ports/ports.js';
import type { ForeignDocuments, Sink } from '../ports/sink.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import { IdSet } from '../support/id-set.js';
import type { PendingUrls } from './pending-urls.js';
import type { KnownUrl, Reconciliation } from './reconciliation.js';
import { renewNote } from './sink-switch.js';

interface AdoptionServices extends Pick<Ports, 'log' | 'clock' | 'store'> {
  readonly partitions: Pick<Partitions, 'owns'>;
  readonly nodes: Pick<Nodes, 'send'>;
  readonly crawlers: Pick<Crawlers, 'list'>;
  readonly pendingUrls: Pick<PendingUrls, 'import' | 'adopt'>;
  readonly reconciliation: Pick<Reconciliation, 'findOwner' | 'deleteFrom'>;
  readonly findSink: (name: string) => Sink | undefined;
}

/** What became of the documents of another program. */
export interface AdoptionReport {
  readonly sink: string;
  readonly found: number;
  /** Removed, because the sink has its own document of the URL. */
  readonly replaced: number;
  /** They stay until their pages have been visited and pushed. */
  readonly waiting: number;
  /** They stay: they have no URL, no crawler of the sink accepts it, or its page was visited and has no document. */
  readonly kept: { readonly count: number; readonly samples: readonly string[] };
}

interface ForeignDocument {
  readonly id: string;
  readonly uri: string;
}

const BATCH_SIZE = 500;
const MAX_SAMPLES = 20;

/**
 * Takes over an index that another program has filled: the pages of its documents are crawled, and each document is
 * removed once the sink has its own. Nothing is removed before that, so that no search misses a page meanwhile; the
 * call is repeated until nothing waits any more. A document whose id is the URI of its page counts as indexed from now
 * on: the first visit replaces it, or deletes it as any document whose page is gone.
 */
export class SinkAdoption {
  constructor(private readonly services: AdoptionServices) {}

  /**
   * @param field the field of the other program's documents with the URL; unused if their id is the URL
   * @throws NotFound, Unacceptable, SinkUnavailable
   */
  async run(name: string, field: string): Promise<AdoptionReport> {
    const { crawlers, findSink, log } = this.services;
    const sink = findSink(name);
    if (!sink) throw new NotFound(`there is no sink ${name}`);
    const owners = crawlers.list().filter(({ context }) => context.definition.pushTo.includes(name));
    const foreign = sink.foreign ?? (sink.listEntries && new ListedDocuments(this.services, sink, owners));
    if (!foreign) throw new Unacceptable(`the sink ${name} cannot list what it holds`);
    const counts = { found: 0, replaced: 0, waiting: 0 };
    const kept: string[] = [];
    let keptCount = 0;
    for await (const batch of readBatches(foreign, field)) {
      const { replaced, waiting, refused } = await this.adoptBatch(foreign, owners, batch);
      counts.found += batch.length;
      counts.replaced += replaced;
      counts.waiting += waiting;
      keptCount += refused.length;
      kept.push(...refused.slice(0, MAX_SAMPLES - kept.length));
    }
    await renewNote(sink);
    log.info("another program's documents are taken over", { sink: name, ...counts, kept: keptCount });
    return { sink: name, ...counts, kept: { count: keptCount, samples: kept } };
  }

  private async adoptBatch(foreign: ForeignDocuments, owners: readonly Crawler[], batch: readonly ForeignDocument[]) {
    const signal = new AbortController().signal;
    const canonical = new Map(batch.map(({ id, uri }) => [id, canonicalize(owners, uri)]));
    const uris = [...new Set(canonical.values())].filter((uri) => uri !== undefined);
    const own = uris.length === 0 ? new Set<string>() : await foreign.findOwn(uris, signal);
    const replaced = batch.filter(({ id }) => own.has(canonical.get(id) ?? ''));
    if (replaced.length > 0)
      await foreign.remove(
        replaced.map(({ id }) => id),
        signal,
      );
    const inPlace = new Set(batch.flatMap(({ id }) => (foreign.keyedByUri && canonical.get(id) === id ? id : [])));
    const missing = uris.filter((uri) => !own.has(uri));
    const accepted = await this.submit(owners, missing, inPlace);
    const remaining = batch.filter(({ id }) => !own.has(canonical.get(id) ?? ''));
    const refused = remaining.filter(({ id }) => !accepted.has(canonical.get(id) ?? ''));
    return {
      replaced: replaced.length,
      waiting: remaining.length - refused.length,
      refused: refused.map(({ id, uri }) => uri || id),
    };
  }

  /**
   * Offers URLs to each crawler; returns those that will be visited.
   * @param inPlace URLs whose document another program has put where the sink's own belongs
   */
  private async submit(
    owners: readonly Crawler[],
    uris: readonly string[],
    inPlace: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    let remaining = uris;
    const waiting = new Set<string>();
    for (const crawler of owners) {
      const { name, context } = crawler;
      const wanted = remaining.flatMap((uri) => {
        const url = context.canonicalize(uri);
        if (!url) return [];
        return context.policy.judge(createLikelyLink(context, url)).accepted ? [url] : [];
      });
      const known = await this.services.pendingUrls.adopt(
        crawler,
        wanted.filter(({ href }) => inPlace.has(href)),
      );
      const lines = wanted.flatMap(({ href }, line) =>
        inPlace.has(href) ? [] : [{ line, text: `${href} ${encodeURIComponent(name)} 0` }],
      );
      await this.services.pendingUrls.import(name, lines);
      const knownHrefs = new Set(known.map(({ href }) => href));
      for (const { href } of wanted) {
        const isNew = inPlace.has(href) && !knownHrefs.has(href);
        if (isNew || (await this.isToBeVisited(crawler, href, inPlace))) waiting.add(href);
      }
      const offered = new Set(wanted.map(({ href }) => href));
      remaining = remaining.filter((uri) => !offered.has(uri));
    }
    return waiting;
  }

  /** Has a known URL without a document visited if another program's document has its place. */
  private async isToBeVisited(crawler: Crawler, href: string, inPlace: ReadonlySet<string>): Promise<boolean> {
    const { store, clock, partitions, nodes } = this.services;
    const state = await store.find(crawler.name, href);
    if (!state || POLICY_STATUSES.has(state.status)) return false;
    if (state.stamp !== undefined) return true;
    const isDue = state.visits === 0 || (state.status === 'error' && state.source !== undefined);
    if (!inPlace.has(href)) return isDue;
    if (partitions.owns(state.hostKey)) await crawler.applyCorrection(state, createAdoptionChanges(clock.now()));
    else await nodes.send(createVerifyCommand(state));
    return true;
  }
}

/** Documents of another program in a sink that lists all it holds by URI: those that the store does not know as indexed. */
class ListedDocuments implements ForeignDocuments {
  readonly keyedByUri = true;
  /** URLs whose own document the sink has listed. */
  private readonly ownIds = new IdSet();

  constructor(
    private readonly services: Pick<AdoptionServices, 'reconciliation' | 'store'>,
    private readonly sink: Sink,
    private readonly owners: readonly Crawler[],
  ) {}

  /** Lists twice, so that every own document is known before the first one of another program is judged. */
  async *list(_field: string, signal: AbortSignal): AsyncGenerator<ForeignDocument> {
    for await (const { uri } of this.sink.listEntries!(signal)) {
      const owner = await this.findOwner(uri);
      if (owner && !owner.isPart && isOwn(owner) && owner.stamp !== UNKNOWN_STAMP) this.ownIds.add(owner.state.id);
    }
    for await (const { uri } of this.sink.listEntries!(signal))
      if (!isOwn(await this.findOwner(uri))) yield { id: uri, uri };
  }

  async findOwn(uris: readonly string[]): Promise<ReadonlySet<string>> {
    const own = new Set<string>();
    for (const uri of uris) {
      const owner = await this.findOwner(uri);
      if (owner && this.ownIds.has(owner.state.id)) own.add(uri);
    }
    return own;
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const uri of ids) {
      const url = this.owners[0]?.context.canonicalize(uri);
      const hostKey = url ? getHostKey(url) : '';
      const target = { crawler: this.owners[0]?.name ?? '', uri, hostKey };
      await this.services.reconciliation.deleteFrom(this.sink.name, target);
    }
  }

  private findOwner(uri: string): Promise<KnownUrl | undefined> {
    return this.services.reconciliation.findOwner(this.owners, uri);
  }
}

/** Until a URL that was taken over has been visited, its document is another program's. */
const isOwn = (owner: KnownUrl | undefined): boolean => owner?.stamp !== undefined && !isAdopted(owner.state);

function canonicalize(owners: readonly Crawler[], uri: string): string | undefined {
  for (const { context } of owners) {
    const url = context.canonicalize(uri);
    if (url) return url.href;
  }
  return undefined;
}

async function* readBatches(foreign: ForeignDocuments, field: string): AsyncGenerator<ForeignDocument[]> {
  let batch: ForeignDocument[] = [];
  for await (const document of foreign.list(field, new AbortController().signal)) {
    batch.push(document);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
