import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { formatIsoTime } from '../../domain/time/http-date.js';
import type { SinkOrder } from '../../engine/ports/plugin-api.js';
import { type PluginCaller, PluginFailed } from '../../engine/ports/plugins.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';

/** Delivers orders to a plug-in, within its own time limit. If it throws an exception, it accepts nothing at the moment, so its orders wait. */
export class PluginSink implements Sink {
  readonly name: string;
  private readonly plugin: string;

  constructor(
    definition: SinkDefinitionOf<'plugin'>,
    private readonly plugins: PluginCaller,
  ) {
    this.name = definition.name;
    this.plugin = parsePluginName(definition.url);
  }

  async deliver(batch: readonly PushOrder[]): Promise<OrderAnswer[]> {
    const { plugin, plugins } = this;
    const answers = await withUnavailableErrors(plugins.call(plugin, 'deliver', batch.map(toSinkOrder)));
    if (answers.length !== batch.length)
      throw new SinkUnavailable(`plug-in ${plugin} returned ${answers.length} answers for ${batch.length} orders`);
    return answers.map((answer) =>
      answer === true ? { state: 'acknowledged' } : { state: 'refused', message: answer.refused },
    );
  }

  async close(): Promise<void> {
    // Nothing to close: the plug-in's process may have other uses.
  }
}

/** Parses `plugin:NAME`. */
const parsePluginName = (url: string): string => url.slice('plugin:'.length);

async function withUnavailableErrors<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof PluginFailed) throw new SinkUnavailable(error.message);
    throw error;
  }
}

function toSinkOrder(order: PushOrder): SinkOrder {
  const { id, crawler, uri, reason } = order;
  const commonFields = { id, crawler, uri, reason, decidedAt: formatIsoTime(order.decidedAt) };
  if (order.kind === 'delete') return { ...commonFields, kind: 'delete' };
  const { stamp, metas, text, master, headings, markdown, chunks } = order.document;
  return {
    ...commonFields,
    kind: 'add',
    stamp,
    metas,
    text,
    headings,
    markdown,
    chunks,
    mediaType: master.mimeType,
    encoding: master.encoding,
    fileName: master.fileName,
    body: master.bytes,
  };
}
