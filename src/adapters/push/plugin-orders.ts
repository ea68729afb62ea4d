import { toTypedMeta } from '../../domain/content/meta-types.js';
import type { Meta, OrderAnswer, PushDocument, PushOrder } from '../../domain/push/order.js';
import { formatIsoTime } from '../../domain/time/http-date.js';
import type { OrderChange, PluginOrder } from '../../engine/ports/plugin-api.js';
import { findPluginsWith, type PluginFacts, PluginFailed, type Plugins } from '../../engine/ports/plugins.js';
import { type Sink, WrappedSink } from '../../engine/ports/sink.js';

type AddOrder = Extract<PushOrder, { kind: 'add' }>;

const NO_BYTES = new Uint8Array(0);

/**
 * Lets the plug-ins of the order's crawler inspect and change each order (`onOrder`) before it is delivered. If a
 * plug-in fails that is not optional, the document is refused. Deletions are delivered in any case, because otherwise
 * the sink would keep the document forever.
 */
export class PluginOrders extends WrappedSink {
  override readonly readDocuments: Sink['readDocuments'];

  constructor(
    sink: Sink,
    private readonly plugins: Pick<Plugins, 'facts' | 'call'>,
  ) {
    super(sink);
    this.readDocuments =
      sink.readDocuments && (async (uris, signal) => (this.hasOrderHooks ? [] : sink.readDocuments!(uris, signal)));
  }

  /** Whether plug-ins may change orders. If so, what the sink holds may differ from what was indexed. */
  private get hasOrderHooks(): boolean {
    return this.plugins.facts.some(({ hooks }) => hooks.includes('onOrder'));
  }

  override async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const { facts } = this.plugins;
    if (!this.hasOrderHooks) return this.sink.deliver(batch, signal);
    const results = await Promise.all(batch.map((order) => this.runHooks(order, facts)));
    const orders = results.filter((order) => 'id' in order);
    const answers = orders.length === 0 ? [] : await this.sink.deliver(orders, signal);
    let nextIndex = 0;
    return results.map((order) => ('id' in order ? answers[nextIndex++]! : order));
  }

  private async runHooks(original: PushOrder, facts: readonly PluginFacts[]): Promise<PushOrder | OrderAnswer> {
    let order = original;
    for (const { name, isOptional } of findPluginsWith(facts, 'onOrder', original.crawler)) {
      try {
        const change = await this.plugins.call(name, 'onOrder', this.toPluginOrder(order));
        if (!change || order.kind === 'delete') continue;
        if (change.refuse !== undefined)
          return { state: 'refused', message: `plug-in ${name}: ${change.refuse}`, unsendable: true };
        order = applyChange(order, change);
      } catch (error) {
        if (!(error instanceof PluginFailed)) throw error;
        if (order.kind === 'add' && !isOptional)
          return { state: 'refused', message: `plugin-failed: ${error.message}` };
      }
    }
    return order;
  }

  private toPluginOrder(order: PushOrder): PluginOrder {
    const { crawler, uri, reason } = order;
    const commonFields = { sink: this.name, crawler, uri, reason, decidedAt: formatIsoTime(order.decidedAt) };
    if (order.kind === 'delete') return { ...commonFields, kind: 'delete' };
    const { stamp, metas, text, master } = order.document;
    const size = master.bytes.byteLength;
    return { ...commonFields, kind: 'add', stamp, metas: groupMetas(metas), text, mediaType: master.mimeType, size };
  }
}

function applyChange(order: AddOrder, { metas, text, bytes }: OrderChange): AddOrder {
  const { document } = order;
  const changedDocument: PushDocument = {
    ...(text === undefined || text === document.text ? document : replaceText(document, text, bytes === true)),
    ...(metas ? { metas: applyMetaChanges(document.metas, metas) } : {}),
  };
  if (bytes !== false) return { ...order, document: changedDocument };
  return { ...order, document: { ...changedDocument, master: { ...changedDocument.master, bytes: NO_BYTES } } };
}

/** Leaves out what was derived from the former text. */
function replaceText(document: PushDocument, text: string, keepsBytes: boolean): PushDocument {
  const { headings: _headings, markdown: _markdown, chunks: _chunks, ...rest } = document;
  const { master } = document;
  if (keepsBytes || master.bytes.byteLength === 0) return { ...rest, text };
  const bytes = new TextEncoder().encode(text);
  return { ...rest, text, master: { ...master, bytes, mimeType: 'text/plain', encoding: 'utf-8' } };
}

function applyMetaChanges(metas: readonly Meta[], changes: NonNullable<OrderChange['metas']>): Meta[] {
  const unchangedMetas = metas.filter(({ name }) => !Object.hasOwn(changes, name));
  const addedMetas = Object.entries(changes).flatMap(([name, values]) =>
    values === null ? [] : (typeof values === 'string' ? [values] : values).map((value) => toTypedMeta(name, value)),
  );
  return [...unchangedMetas, ...addedMetas];
}

function groupMetas(metas: readonly Meta[]): Record<string, string[]> {
  const groups = Object.create(null) as Record<string, string[]>;
  for (const { name, value } of metas) {
    groups[name] ??= [];
    groups[name].push(value);
  }
  return groups;
}
