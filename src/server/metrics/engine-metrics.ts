/** The engine's counters as Prometheus metrics. They are read only on request, so they cost the crawl nothing. */
import { statfs } from 'node:fs/promises';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import type { EngineMetrics } from '../../engine/crawl/load/metrics.js';
import type { LoginView } from '../../engine/crawl/logins/logins.js';
import type { SinkView } from '../../engine/delivery/sink-view.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { OwedCount } from '../../engine/ports/owed-orders.js';
import type { PluginView } from '../../engine/ports/plugins.js';
import type { CrawlerView } from '../../engine/views/crawler-views.js';

interface Snapshot {
  readonly metrics: EngineMetrics;
  readonly crawlers: readonly CrawlerView[];
  readonly sinks: readonly SinkView[];
  readonly owedCounts: readonly OwedCount[];
  readonly logins: readonly LoginView[];
  readonly plugins: readonly PluginView[];
  /** Calls refused since the start, by status. */
  readonly refusedCounts: ReadonlyMap<number, number>;
  /** Absent if the operating system does not say. */
  readonly diskFreeBytes: number | undefined;
}

type Row = readonly [labels: Readonly<Record<string, string>>, value: number];

interface MetricSpec {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly rows: (snapshot: Snapshot) => readonly Row[];
}

const REGULAR_OUTCOMES = new Set(['document', 'unchanged', 'redirect', 'sitemap', 'no-sitemap']);

/** All reasons for which a page is left out are reported as one outcome, `excluded`; other names are kept. */
const toOutcome = (name: string): string => (REGULAR_OUTCOMES.has(name) || name in ERROR_CODES ? name : 'excluded');

/**
 * Creates rows with which counters used by alerts begin at zero. If a counter only appeared with its first count,
 * Prometheus would see no increase.
 */
const createZeroRows = (crawlers: Snapshot['crawlers'], series: readonly Row[0][]): Row[] =>
  crawlers.flatMap(({ name }) => series.map((labels): Row => [{ crawler: name, ...labels }, 0]));

const ZERO_ORDERS = ['add', 'delete'].flatMap((kind) => ['acknowledged', 'refused'].map((state) => ({ kind, state })));

type CrawlerCount = { readonly crawler: string; readonly count: number };

const define =
  (type: MetricSpec['type']) =>
  (name: string, help: string, labels: MetricSpec['labels'], rows: MetricSpec['rows']): MetricSpec => ({
    type,
    name,
    help,
    labels,
    rows,
  });
const counter = define('counter');
const gauge = define('gauge');

const countByCrawler = (
  name: string,
  help: string,
  select: (metrics: EngineMetrics) => readonly CrawlerCount[],
): MetricSpec =>
  counter(name, help, ['crawler'], ({ metrics }) => select(metrics).map(({ crawler, count }) => [{ crawler }, count]));

const measure = (name: string, help: string, read: (snapshot: Snapshot) => number): MetricSpec =>
  gauge(name, help, [], (snapshot) => [[{}, read(snapshot)]]);

const SPECS: readonly MetricSpec[] = [
  counter(
    'crawlway_api_refused_calls_total',
    'API calls that were refused: 401 missing or wrong key, 403 insufficient role, 429 too many calls.',
    ['status'],
    ({ refusedCounts }) => [...refusedCounts].map(([status, count]): Row => [{ status: String(status) }, count]),
  ),
  counter(
    'crawlway_pages_total',
    'Visits by crawler and outcome: document, unchanged, redirect, sitemap, no-sitemap (none at the usual location), excluded or an error code.',
    ['crawler', 'outcome'],
    ({ metrics, crawlers }) => [
      ...createZeroRows(crawlers, [{ outcome: 'document' }]),
      ...metrics.pages.map(({ crawler, outcome, count }): Row => [{ crawler, outcome: toOutcome(outcome) }, count]),
    ],
  ),
  counter(
    'crawlway_documents_without_text_total',
    'Documents whose text could not be extracted, or only a part of it, by reason code (extract-…, no-text-layer, text-by-ocr, text-incomplete, text-cut).',
    ['crawler', 'reason'],
    ({ metrics }) => metrics.unread.map(({ crawler, reason, count }): Row => [{ crawler, reason }, count]),
  ),
  countByCrawler(
    'crawlway_pages_needing_rendering_total',
    'Pages read that have no content without their scripts (needs-rendering).',
    (metrics) => metrics.needRendering,
  ),
  countByCrawler(
    'crawlway_pages_mostly_cut_total',
    'Pages read whose main content (main="true") has less than half of their text outside links.',
    (metrics) => metrics.mostlyCut,
  ),
  counter(
    'crawlway_rendered_pages_total',
    'Attempts to render a page in the browser, by outcome: rendered, render-timeout, render-memory or render-crash.',
    ['crawler', 'outcome'],
    ({ metrics }) =>
      metrics.rendering.flatMap(({ crawler, pages }) =>
        Object.entries(pages).map(([outcome, count]): Row => [{ crawler, outcome }, count]),
      ),
  ),
  countByCrawler(
    'crawlway_rendering_seconds_total',
    'Time taken to render pages, from the request to the browser until its response.',
    ({ rendering }) => rendering.map(({ crawler, seconds }) => ({ crawler, count: seconds })),
  ),
  counter(
    'crawlway_rendering_refused_requests_total',
    'Requests by rendered pages that were not made, by reason: kind, scheme, method, blocked-host, robots, other-origin, address, limit, host-rests, crawl-space, navigation, failed.',
    ['crawler', 'reason'],
    ({ metrics }) =>
      metrics.rendering.flatMap(({ crawler, refused }) =>
        Object.entries(refused).map(([reason, count]): Row => [{ crawler, reason }, count]),
      ),
  ),
  countByCrawler('crawlway_fetched_bytes_total', 'Bytes received from web sites.', (metrics) => metrics.bytes),
  countByCrawler('crawlway_links_discovered_total', 'Links found on pages.', ({ links }) =>
    links.map(({ crawler, discovered }) => ({ crawler, count: discovered })),
  ),
  countByCrawler('crawlway_links_refused_total', 'Links that the crawl policy rejected.', ({ links }) =>
    links.map(({ crawler, refused }) => ({ crawler, count: refused })),
  ),
  counter(
    'crawlway_orders_total',
    'Push orders by kind (add, delete) and state.',
    ['crawler', 'kind', 'state'],
    ({ metrics, crawlers }) => [
      ...createZeroRows(crawlers, ZERO_ORDERS),
      ...metrics.orders.map(({ crawler, kind, state, count }): Row => [{ crawler, kind, state }, count]),
    ],
  ),
  gauge(
    'crawlway_visit_price_seconds',
    'How much time one page must gain in freshness for a refresh visit to be worthwhile, mean over the last refresh visits.',
    ['crawler'],
    ({ metrics }) => metrics.visitPrices.map(({ crawler, price }) => [{ crawler }, price / 1000]),
  ),
  measure('crawlway_active_fetches', 'Pages currently being fetched.', ({ metrics }) => metrics.activeFetches),
  measure(
    'crawlway_held_deletions',
    'Deletions and changes that the guards withhold: held for an operator, or until the host is well.',
    ({ metrics }) => metrics.heldDeletions,
  ),
  gauge('crawlway_held_changes', 'Changes that the change guard holds, by cause.', ['cause'], ({ metrics }) =>
    metrics.heldChanges.map(({ cause, count }) => [{ cause }, count]),
  ),
  gauge(
    'crawlway_quota_used_ratio',
    'Share of a quota that is used, by limit (urls, documents, bytes, rendering): 1 or more if nothing is left.',
    ['quota', 'limit'],
    ({ metrics }) => metrics.quotas.map(({ quota, limit, used, max }) => [{ quota, limit }, used / max]),
  ),
  measure(
    'crawlway_database_bytes',
    'Size of the database: tables and indexes, with what is free in them.',
    ({ metrics }) => metrics.databaseBytes,
  ),
  gauge('crawlway_disk_free_bytes', 'Free space on the disk with the data directory.', [], ({ diskFreeBytes }) =>
    diskFreeBytes === undefined ? [] : [[{}, diskFreeBytes]],
  ),
  measure(
    'crawlway_commands_set_aside',
    'Commands between nodes that failed too often, on all nodes.',
    ({ metrics }) => metrics.commandsSetAside,
  ),
  gauge(
    'crawlway_login_up',
    '1 unless the login fails or was refused and will not be retried.',
    ['login'],
    ({ logins }) =>
      logins.map(({ name, state }) => [{ login: name }, state === 'failing' || state === 'stopped' ? 0 : 1]),
  ),
  gauge(
    'crawlway_plugin_up',
    '1 unless the plug-in cannot be loaded or its process keeps exiting.',
    ['plugin'],
    ({ plugins }) => plugins.map(({ name, state }) => [{ plugin: name }, state === 'failed' ? 0 : 1]),
  ),
  counter(
    'crawlway_plugin_calls_total',
    'Calls to plug-ins by function and result: answered or failed (plugin-failed).',
    ['plugin', 'hook', 'result'],
    ({ plugins }) =>
      plugins.flatMap(({ name, calls }) =>
        calls.flatMap(({ hook, answered, failed }): Row[] => [
          [{ plugin: name, hook, result: 'answered' }, answered],
          [{ plugin: name, hook, result: 'failed' }, failed],
        ]),
      ),
  ),
  counter(
    'crawlway_plugin_seconds_total',
    'Duration of calls to plug-ins, including waiting time.',
    ['plugin', 'hook'],
    ({ plugins }) =>
      plugins.flatMap(({ name, calls }) =>
        calls.map(({ hook, milliseconds }): Row => [{ plugin: name, hook }, milliseconds / 1000]),
      ),
  ),
  counter(
    'crawlway_plugin_restarts_total',
    'Plug-in processes that ended or had to be stopped.',
    ['plugin'],
    ({ plugins }) => plugins.map(({ name, restarts }) => [{ plugin: name }, restarts]),
  ),
  gauge('crawlway_sink_up', '1 if the sink accepts orders.', ['sink'], ({ sinks }) =>
    sinks.map(({ name, state }) => [{ sink: name }, state === 'ready' ? 1 : 0]),
  ),
  gauge(
    'crawlway_sink_owed_documents',
    'Documents that the sink has yet to receive because it was slow or down while others kept up.',
    ['sink'],
    ({ sinks, owedCounts }) =>
      sinks.map(({ name }) => [
        { sink: name },
        owedCounts.filter(({ sink }) => sink === name).reduce((sum, { documents }) => sum + documents, 0),
      ]),
  ),
  gauge('crawlway_sink_pending_orders', 'Orders on the way to the sink.', ['sink'], ({ sinks }) =>
    sinks.map(({ name, pending }) => [{ sink: name }, pending]),
  ),
  counter(
    'crawlway_sink_superseded_orders_total',
    'Orders for which the sink keeps a newer version of the document (external versions).',
    ['sink'],
    ({ sinks }) => sinks.map(({ name, superseded }) => [{ sink: name }, superseded]),
  ),
  gauge('crawlway_crawler_running', '1 if the crawler is fetching.', ['crawler'], ({ crawlers }) =>
    crawlers.map(({ name, state }) => [{ crawler: name }, state === 'running' ? 1 : 0]),
  ),
  gauge('crawlway_documents', 'Documents in the index.', ['crawler'], ({ crawlers }) =>
    crawlers.map(({ name, counts }) => [{ crawler: name }, counts.indexed]),
  ),
  gauge('crawlway_urls', 'Stored URLs by status.', ['crawler', 'status'], ({ crawlers }) =>
    crawlers.flatMap(({ name, counts }) =>
      Object.entries(counts.byStatus).map(([status, count]): Row => [{ crawler: name, status }, count]),
    ),
  ),
  gauge('crawlway_queue_depth', 'Queued URLs by source.', ['crawler', 'source'], ({ crawlers }) =>
    crawlers.flatMap(({ name, sources }) =>
      sources.map((source): Row => [{ crawler: name, source: source.name }, source.depth]),
    ),
  ),
];

/** Gauges of prom-client with names of counters, which are sums of others, too. */
const MISNAMED_GAUGES = ['handles', 'requests', 'resources'].map((what) => `crawlway_nodejs_active_${what}_total`);

async function measureFreeDisk(folder: string): Promise<number | undefined> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk && disk.bavail * disk.bsize;
}

export class EngineMetricsExporter {
  private readonly registry = new Registry();
  private readonly updaters: readonly ((snapshot: Snapshot) => void)[];
  private fetchSeconds: EngineMetrics['fetchSeconds'] = { sum: 0, count: 0, buckets: [] };

  constructor(
    private readonly engine: EngineApi,
    private readonly refusedCounts: Snapshot['refusedCounts'],
    private readonly dataDirectory: string,
  ) {
    collectDefaultMetrics({ register: this.registry, prefix: 'crawlway_' });
    for (const name of MISNAMED_GAUGES) this.registry.removeSingleMetric(name);
    this.updaters = SPECS.map((spec) => this.register(spec));
    this.registry.registerMetric(this.createHistogram() as unknown as Metric);
  }

  async toText(): Promise<string> {
    await this.updateMetrics();
    return this.registry.metrics();
  }

  /** The same metrics as values, for exporters of other formats. */
  async getValues(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    await this.updateMetrics();
    return this.registry.getMetricsAsJSON();
  }

  private async updateMetrics(): Promise<void> {
    const { engine } = this;
    const [metrics, crawlers, owedCounts, diskFreeBytes] = await Promise.all([
      engine.getMetrics(),
      engine.listCrawlers(),
      engine.orders.countOwed(),
      measureFreeDisk(this.dataDirectory),
    ]);
    for (const update of this.updaters)
      update({
        metrics,
        crawlers,
        owedCounts,
        sinks: this.engine.listSinks(),
        logins: this.engine.logins.list(),
        plugins: this.engine.listPlugins(),
        refusedCounts: this.refusedCounts,
        diskFreeBytes,
      });
    this.fetchSeconds = metrics.fetchSeconds;
  }

  private register({ type, name, help, labels, rows }: MetricSpec): (snapshot: Snapshot) => void {
    const options = { name, help, labelNames: [...labels], registers: [this.registry] };
    const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
    return (snapshot) => {
      metric.reset();
      for (const [labelValues, value] of rows(snapshot)) metric.inc(labelValues, value);
    };
  }

  /** Replaces prom-client's histogram, which would count again what the engine has already counted in buckets. */
  private createHistogram(): object {
    const name = 'crawlway_fetch_duration_seconds';
    const help = 'Time from the start of a fetch to the end of the response body.';
    const toSample = (suffix: string, value: number, labels = {}) => ({
      metricName: `${name}_${suffix}`,
      value,
      labels,
    });
    const get = async () => {
      const { sum, count, buckets } = this.fetchSeconds;
      const bucketSamples = buckets.map(([le, bucketCount]) => toSample('bucket', bucketCount, { le }));
      const values = [
        ...bucketSamples,
        toSample('bucket', count, { le: '+Inf' }),
        toSample('sum', sum),
        toSample('count', count),
      ];
      return { name, help, type: 'histogram', aggregator: 'sum', values };
    };
    return { name, help, type: 'histogram', get, reset: () => {} };
  }
}
