import type { OrderAnswer, PushDocument, PushOrder } from '../../domain/push/order.js';

/** The store's setting with the default connector name of its sinks. */
export const CONNECTOR_SETTING = 'connector';
/** The connector of a sink that names none, in a store that names none either. */
export const DEFAULT_CONNECTOR = 'crawlway';

/**
 * One destination of orders. `deliver` resolves when every order of the batch is durable at the sink or refused for
 * good; its answers are in the order of the batch. The caller makes sure that orders for one URI are never in two
 * batches in flight at once. `deliver` throws SinkUnavailable for anything that may pass (down, slow, overloaded, wrong
 * credentials): the caller keeps the batch and tries again later; no part of it is considered delivered. Any other
 * exception speaks of an order, not of the sink: the caller delivers the orders of the batch apart from each other.
 */
export interface Sink {
  readonly name: string;
  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]>;
  /**
   * Lists everything that the sink holds, in no particular order, for reconciliation; absent if the sink cannot list
   * it.
   */
  listEntries?(signal: AbortSignal): AsyncIterable<{ readonly uri: string; readonly stamp: string }>;
  /**
   * Returns the documents of these URIs as they were delivered, in any order; those that the sink does not hold, or
   * cannot return in full, are left out. Absent if the sink keeps nothing that could be sent to another one.
   */
  readDocuments?(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]>;
  /** Checks without an order whether the sink would accept one; throws SinkUnavailable. Absent if there is no such request. */
  probe?(signal: AbortSignal): Promise<void>;
  /**
   * Returns the ids that the server gave to what the sink writes to (index, table, topic) when it was created; none if
   * it does not exist, undefined if the server does not say. Absent if there are no such ids.
   */
  identify?(signal: AbortSignal): Promise<readonly string[] | undefined>;
  /**
   * Whether searches find no document of this program in it, in one small request; what has just been delivered may not
   * be found yet. Absent if there is no such request.
   */
  isEmpty?(signal: AbortSignal): Promise<boolean>;
  /** The number of documents of this program that searches find. Absent if the sink cannot count them cheaply. */
  countDocuments?(signal: AbortSignal): Promise<number>;
  /**
   * Checks whether what the sink writes to can hold its documents; returns what is worth knowing about it otherwise.
   * Absent if any document fits.
   * @throws SinkUnsuitable naming the fields that cannot
   */
  checkSchema?(signal: AbortSignal): Promise<string | undefined>;
  /** Absent if the sink has no name that searches use and that can be moved. */
  readonly alias?: SinkAlias | undefined;
  /** Absent if only the store can tell documents of other programs from the sink's own, or if the sink lists nothing. */
  readonly foreign?: ForeignDocuments | undefined;
  close(): Promise<void>;
}

/** Passes everything on to another sink; subclasses change what they have to. */
export class WrappedSink implements Sink {
  readonly name: string;
  readonly listEntries: Sink['listEntries'];
  readonly readDocuments: Sink['readDocuments'];
  readonly probe: Sink['probe'];
  readonly identify: Sink['identify'];
  readonly isEmpty: Sink['isEmpty'];
  readonly countDocuments: Sink['countDocuments'];
  readonly checkSchema: Sink['checkSchema'];
  readonly alias: Sink['alias'];
  readonly foreign: Sink['foreign'];

  constructor(protected readonly sink: Sink) {
    this.name = sink.name;
    this.listEntries = sink.listEntries?.bind(sink);
    this.readDocuments = sink.readDocuments?.bind(sink);
    this.probe = sink.probe?.bind(sink);
    this.identify = sink.identify?.bind(sink);
    this.isEmpty = sink.isEmpty?.bind(sink);
    this.countDocuments = sink.countDocuments?.bind(sink);
    this.checkSchema = sink.checkSchema?.bind(sink);
    this.alias = sink.alias;
    this.foreign = sink.foreign;
  }

  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    return this.sink.deliver(batch, signal);
  }

  close(): Promise<void> {
    return this.sink.close();
  }
}

/** Documents that another program has put into what the sink writes to. */
export interface ForeignDocuments {
  /** Whether ids are URIs, so that a pushed page takes the place of the document that has its URI as id. */
  readonly keyedByUri: boolean;
  /** @param field name of the field with a document's URI; documents without it have an empty one */
  list(field: string, signal: AbortSignal): AsyncIterable<{ readonly id: string; readonly uri: string }>;
  /** Returns which of these URIs have a document of the sink itself. */
  findOwn(uris: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  remove(ids: readonly string[], signal: AbortSignal): Promise<void>;
}

/** A name that searches use, and that one step moves from one index to another. */
export interface SinkAlias {
  readonly name: string;
  /** The index that the sink writes to. */
  readonly index: string;
  /** Returns the indexes that have the name. */
  read(signal: AbortSignal): Promise<readonly string[]>;
  /** Gives the name to these indexes alone. */
  move(indexes: readonly string[], signal: AbortSignal): Promise<void>;
}

/** A document that a sink returns. */
export interface KeptDocument {
  /** The crawler that pushed it. */
  readonly crawler: string;
  /** `master.bytes` is empty if the sink does not keep bytes. */
  readonly document: PushDocument;
}

/** The whole sink is unavailable for now. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable';
  constructor(
    message: string,
    /** The wait that the sink requested, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** What the sink writes to is not as it has to be, which does not change by waiting. */
export class SinkUnsuitable extends SinkUnavailable {}
