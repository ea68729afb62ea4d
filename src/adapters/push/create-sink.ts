import type { SinkDefinition, SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { SinkType } from '../../domain/push/sink-types.js';
import { type PluginCaller, PluginFailed, type Plugins } from '../../engine/ports/plugins.js';
import type { Sink } from '../../engine/ports/sink.js';
import { DiscreetSink } from './discreet-sink.js';
import { ElasticsearchSink } from './elasticsearch.js';
import { FileSink } from './file.js';
import { JsonSink } from './json.js';
import { KafkaSink } from './kafka.js';
import { MappedSink } from './map-document.js';
import { PapiSink } from './papi/papi.js';
import { PluginOrders } from './plugin-orders.js';
import { PluginSink } from './plugin-sink.js';
import { PostgresqlSink } from './postgresql/postgresql.js';
import { SolrSink } from './solr.js';
import { WarcSink } from './warc.js';

const SINKS: {
  readonly [T in SinkType]: new (
    definition: SinkDefinitionOf<T>,
    plugins: PluginCaller,
  ) => Sink;
} = {
  papi: PapiSink,
  json: JsonSink,
  elasticsearch: ElasticsearchSink,
  opensearch: ElasticsearchSink,
  solr: SolrSink,
  file: FileSink,
  kafka: KafkaSink,
  postgresql: PostgresqlSink,
  warc: WarcSink,
  plugin: PluginSink,
};

const NO_PLUGINS: Pick<Plugins, 'facts' | 'call'> = {
  facts: [],
  call: (name) => Promise.reject(new PluginFailed(`${name}: plug-ins are not available here`)),
};

/** Creates the sink for a definition without connecting to it. Throws TypeError if the URL is invalid. */
export function createSink(definition: SinkDefinition, plugins: Pick<Plugins, 'facts' | 'call'> = NO_PLUGINS): Sink {
  const SinkClass = SINKS[definition.type] as new (definition: SinkDefinition, plugins: PluginCaller) => Sink;
  const sink = new SinkClass(definition, plugins);
  const discreetSink = new DiscreetSink(definition.map ? new MappedSink(sink, definition.map) : sink, definition);
  return plugins === NO_PLUGINS ? discreetSink : new PluginOrders(discreetSink, plugins);
}
