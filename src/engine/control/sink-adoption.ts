import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Log } from '../ports/log.js';
import type { ForeignDocuments, Sink } from '../ports/sink.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import type { PendingUrls } from './pending-urls.js';
import { renewNote } from './sink-switch.js';

interface AdoptionServices {
  readonly log: Log;
  readonly crawlers: Pick<Crawlers, 'list'>;
  readonly pendingUrls: Pick<PendingUrls, 'import'>;
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
  /** They stay, because no crawler of the sink accepts their URL, or because they have none. */
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
 * call is repeated until nothing waits any more.
 */
export class SinkAdoption {
  constructor(private readonly services: AdoptionServices) {}

  /**
   * @param field the field of the other program's documents with the URL
   * @throws NotFound, Unacceptable, SinkUnavailable
   */
  async run(name: string, field: string): Promise<AdoptionReport> {
    const { crawlers, findSink, log } = this.services;
    const sink = findSink(name);
    if (!sink) throw new NotFound(`there is no sink ${name}`);
    const { foreign } = sink;
    if (!foreign) throw new Unacceptable(`the sink ${name} cannot tell documents of another program from its own`);
    const owners = crawlers.list().filter(({ context }) => context.definition.pushTo.includes(name));
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
    const missing = uris.filter((uri) => !own.has(uri));
    const accepted = await this.submit(owners, missing);
    const remaining = batch.filter(({ id }) => !own.has(canonical.get(id) ?? ''));
    const refused = remaining.filter(({ id }) => !accepted.has(canonical.get(id) ?? ''));
    return {
      replaced: replaced.length,
      waiting: remaining.length - refused.length,
      refused: refused.map(({ id, uri }) => uri || id),
    };
  }

  /** Offers URLs to each crawler; returns those that one accepts, or knows already. */
  private async submit(owners: readonly Crawler[], uris: readonly string[]): Promise<ReadonlySet<string>> {
    let remaining = uris;
    const accepted = new Set<string>();
    for (const { name, context } of owners) {
      const wanted = remaining.filter((uri) => {
        const url = context.canonicalize(uri);
        return url && context.policy.judge({ url, discoveredVia: 'link', hops: 1 }).accepted;
      });
      const lines = wanted.map((uri, line) => ({ line, text: `${uri} ${encodeURIComponent(name)} 0` }));
      await this.services.pendingUrls.import(name, lines);
      for (const uri of wanted) accepted.add(uri);
      remaining = remaining.filter((uri) => !accepted.has(uri));
    }
    return accepted;
  }
}

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
