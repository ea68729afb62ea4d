import type { SinkDefinition } from '../../domain/crawl/definition.js';
import type { Sink } from '../../engine/ports/sink.js';
import { ElasticsearchSink } from './elasticsearch.js';
import { FileSink } from './file.js';
import { JsonSink } from './json.js';
import { PapiSink } from './papi/papi.js';
import { SolrSink } from './solr.js';

const SINKS: Readonly<Record<SinkDefinition['type'], new (definition: SinkDefinition) => Sink>> = {
  papi: PapiSink,
  json: JsonSink,
  elasticsearch: ElasticsearchSink,
  opensearch: ElasticsearchSink,
  solr: SolrSink,
  file: FileSink,
};

/** The sink that a definition asks for. Connects to nothing yet; throws TypeError when the URL is none. */
export const createSink = (definition: SinkDefinition): Sink => new SINKS[definition.type](definition);
