import type { SinkDefinitionOf, SinkSettings } from '../../src/domain/crawl/sink-definition.js';
import type { OrderHeader, PushDocument, PushOrder } from '../../src/domain/push/order.js';
import { getSinkOptions, type SinkOptions, type SinkType } from '../../src/domain/push/sink-types.js';
import { instant, milliseconds, seconds } from '../../src/domain/time/units.js';
import type { Sink } from '../../src/engine/ports/sink.js';

interface Wanted<T extends SinkType> extends Partial<SinkSettings> {
  readonly type: T;
  readonly url: string;
  /** Omitted options have their defaults; required ones may be omitted if they do not matter. */
  readonly options?: Partial<SinkOptions[T]>;
}

export function sinkDefinition<T extends SinkType>({ type, options, ...settings }: Wanted<T>): SinkDefinitionOf<T> {
  const definition: SinkSettings & { type: T; options: SinkOptions[T] } = {
    type,
    options: { ...getDefaults(type), ...options } as SinkOptions[T],
    name: 'main',
    place: { file: 'CrawlConfig.xml', line: 1, column: 1 },
    batchDocuments: 100,
    batchBytes: 4_000_000,
    batchAge: milliseconds(100),
    timeout: seconds(20),
    concurrency: 2,
    allowedAddresses: [],
    ...settings,
  };
  return definition as SinkDefinitionOf<T>;
}

const getDefaults = (type: SinkType) =>
  Object.fromEntries(
    Object.entries(getSinkOptions(type)).flatMap(([name, option]) => (option.default ? [[name, option.default]] : [])),
  );

let lastId = 0;

const header = (uri: string): OrderHeader => ({
  id: ++lastId,
  crawler: 'docs',
  uri,
  hostKey: 'http://site.example',
  reason: 'indexed',
  decidedAt: instant(1_790_000_000_000),
});

export function pushDocument(uri: string, overrides: Partial<PushDocument> = {}): PushDocument {
  const html = `<!doctype html><title>Page ${uri}</title><p>Some words about herons.</p>`;
  return {
    uri,
    stamp: 'a1b2c3',
    metas: [{ name: 'title', value: `Title of ${uri}` }],
    master: { bytes: Buffer.from(html), mimeType: 'text/html', encoding: 'utf-8', fileName: 'page.html' },
    text: 'Some words about herons.',
    ...overrides,
  };
}

export const addOrder = (uri: string, overrides: Partial<PushDocument> = {}): PushOrder => ({
  ...header(uri),
  kind: 'add',
  document: pushDocument(uri, overrides),
});

export const deleteOrder = (uri: string): PushOrder => ({ ...header(uri), kind: 'delete' });

export const stillWanted = (): AbortSignal => new AbortController().signal;

/** The documents that a sink lists, as sorted lines `URI stamp`. */
export async function heldBy(sink: Sink): Promise<string[]> {
  const held: string[] = [];
  for await (const { uri, stamp } of sink.listEntries?.(stillWanted()) ?? []) held.push(`${uri} ${stamp}`);
  return held.sort();
}
