import { ERROR_CODES } from '../../src/domain/fetch/error-codes.js';
import { REASONS, type Reason } from '../../src/domain/policy/reasons.js';
import type { OrderAnswer, PushDocument, PushOrder } from '../../src/domain/push/order.js';
import { milliseconds } from '../../src/domain/time/units.js';
import type { Clock } from '../../src/engine/ports/clock.js';
import { type Sink, SinkUnavailable } from '../../src/engine/ports/sink.js';
import type { Random } from './random.js';

const REASONS_GIVEN: ReadonlySet<string> = new Set([...Object.keys(REASONS), ...Object.keys(ERROR_CODES)]);

/** What the index holds, and how the sink in front of it fails. It outlives every crash of the crawler. */
export class SimulatedIndex {
  readonly documents = new Map<string, string>();
  /** What the documents say. */
  readonly texts = new Map<string, string>();
  readonly violations: string[] = [];
  faults = true;
  /** Told of each deletion of a document before it is carried out. */
  onDeletion: (order: PushOrder) => void = () => undefined;
  /** Told of each document before it replaces what the index holds. */
  onReplacement: (uri: string, before: string, after: string, reason: Reason) => void = () => undefined;
  isDown = false;
  /** Every request takes so many milliseconds more. */
  slowness = 0;
  private readonly taken = new Set<string>();
  private readonly lastOrder = new Map<string, number>();

  /** What it gives back; absent: nothing. */
  private readonly kept: Map<string, { crawler: string; document: PushDocument }> | undefined;

  /** Of two with different names each refuses other orders. */
  constructor(
    private readonly random: Random,
    private readonly name = '',
    givesBack = false,
  ) {
    this.kept = givesBack ? new Map() : undefined;
  }

  /** @param isCut the process that asks has died: what a slow index has not begun with ends with its connection */
  sink(clock: Clock, isCut: () => boolean = () => false): Sink {
    return {
      name: 'main',
      deliver: (batch) => this.deliver(batch, clock, isCut),
      listEntries: () => this.entries(),
      readDocuments: this.kept && ((uris) => this.giveBack(uris, clock)),
      close: async () => undefined,
    };
  }

  /** In pages, as a sink over a network would. */
  private async *entries(): AsyncIterable<{ uri: string; stamp: string }> {
    const entries = [...this.documents].map(([uri, stamp]) => ({ uri, stamp }));
    for (const entry of entries) {
      await Promise.resolve();
      yield entry;
    }
  }

  private async giveBack(uris: readonly string[], clock: Clock) {
    await clock.sleep(milliseconds(10));
    if (this.isDown) throw new SinkUnavailable('the sink is down');
    return uris.flatMap((uri) => this.kept!.get(uri) ?? []);
  }

  /** Was this document ever put into the index? */
  hasTaken(uri: string, stamp: string): boolean {
    return this.taken.has(`${uri} ${stamp}`);
  }

  private async deliver(batch: readonly PushOrder[], clock: Clock, isCut: () => boolean): Promise<OrderAnswer[]> {
    if (this.slowness > 0) await clock.sleep(milliseconds(this.slowness));
    if (isCut()) throw new SinkUnavailable('the connection has ended');
    await clock.sleep(milliseconds(this.faults ? this.random.integer(1, 5_000) : 10));
    if (this.isDown || (this.faults && this.random.chance(0.15))) throw new SinkUnavailable('the sink is down');
    const answers = batch.map((order) => this.take(order));
    // The worst moment to fail: the orders are carried out and nobody hears of it.
    if (this.faults && this.random.chance(0.1)) throw new SinkUnavailable('the answer was lost');
    return answers;
  }

  private take(order: PushOrder): OrderAnswer {
    const last = this.lastOrder.get(order.uri) ?? -1;
    if (order.id < last) this.violations.push(`order ${order.id} for ${order.uri} came after order ${last}`);
    if (!REASONS_GIVEN.has(order.reason)) this.violations.push(`order ${order.id} for ${order.uri} has no reason`);
    this.lastOrder.set(order.uri, order.id);
    if (this.faults && this.refuses(order)) return { state: 'refused', message: 'this one never' };
    if (order.kind === 'add') {
      const before = this.texts.get(order.uri);
      if (before !== undefined) this.onReplacement(order.uri, before, order.document.text, order.reason);
      this.documents.set(order.uri, order.document.stamp);
      this.texts.set(order.uri, order.document.text);
      this.taken.add(`${order.uri} ${order.document.stamp}`);
      this.kept?.set(order.uri, order);
    } else {
      if (this.documents.has(order.uri)) this.onDeletion(order);
      this.documents.delete(order.uri);
      this.texts.delete(order.uri);
      this.kept?.delete(order.uri);
    }
    return { state: 'acknowledged' };
  }

  /** For good means the same answer for the same order, however often it is sent. */
  private refuses(order: PushOrder): boolean {
    const what = order.kind === 'add' ? order.document.stamp : order.id;
    const text = `${order.uri} ${what}${this.name}`;
    let hash = 0;
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
    return (hash >>> 0) % (this.name === '' ? 50 : 12) === 0;
  }
}
