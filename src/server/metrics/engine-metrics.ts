/**
 * The engine's counters as Prometheus metrics. They are read when Prometheus asks, so that counting costs the crawl nothing.
 */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { EngineApi, EngineMetrics } from '../../engine/engine-api.js';

export function engineRegistry(engine: EngineApi): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'crawlway_process_' });
  registerCounters(registry, engine);
  registerGauges(registry, engine);
  registry.registerMetric(fetchSeconds(engine) as unknown as Metric);
  return registry;
}

interface CounterSpec {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly rows: (metrics: EngineMetrics) => readonly (readonly [labels: Record<string, string>, count: number])[];
}

const COUNTERS: readonly CounterSpec[] = [
  {
    name: 'crawlway_pages_total',
    help: 'Visits by crawler and outcome: document, unchanged, redirect, excluded or an error code.',
    labels: ['crawler', 'outcome'],
    rows: ({ pages }) => pages.map(({ crawler, outcome, count }) => [{ crawler, outcome }, count]),
  },
  {
    name: 'crawlway_fetched_bytes_total',
    help: 'Bytes received from web sites.',
    labels: ['crawler'],
    rows: ({ bytes }) => bytes.map(({ crawler, count }) => [{ crawler }, count]),
  },
  {
    name: 'crawlway_links_discovered_total',
    help: 'Links found on pages.',
    labels: ['crawler'],
    rows: ({ links }) => links.map(({ crawler, discovered }) => [{ crawler }, discovered]),
  },
  {
    name: 'crawlway_links_refused_total',
    help: 'Links that the crawl policy rejected.',
    labels: ['crawler'],
    rows: ({ links }) => links.map(({ crawler, refused }) => [{ crawler }, refused]),
  },
  {
    name: 'crawlway_orders_total',
    help: 'Push orders by kind (add, delete) and state.',
    labels: ['crawler', 'kind', 'state'],
    rows: ({ orders }) => orders.map(({ crawler, kind, state, count }) => [{ crawler, kind, state }, count]),
  },
];

function registerCounters(registry: Registry, engine: EngineApi): void {
  for (const { name, help, labels, rows } of COUNTERS) {
    registry.registerMetric(
      new Counter({
        name,
        help,
        labelNames: [...labels],
        registers: [],
        collect() {
          this.reset();
          for (const [values, count] of rows(engine.metrics())) this.inc(values, count);
        },
      }) as unknown as Metric,
    );
  }
}

function registerGauges(registry: Registry, engine: EngineApi): void {
  const gauge = (
    [name, help, labelNames]: [string, string, string[]],
    collect: (this: Gauge) => void | Promise<void>,
  ): void =>
    registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect }) as unknown as Metric);

  gauge(['crawlway_active_fetches', 'Pages being fetched now.', []], function () {
    this.set(engine.metrics().activeFetches);
  });
  gauge(['crawlway_held_deletions', 'Deletions that the guard keeps back.', []], function () {
    this.set(engine.metrics().heldDeletions);
  });
  gauge(['crawlway_sink_up', '1 when the sink takes orders.', ['sink']], function () {
    this.reset();
    for (const { name, state } of engine.sinks()) this.set({ sink: name }, state === 'ready' ? 1 : 0);
  });
  gauge(['crawlway_sink_pending_orders', 'Orders on the way to the sink.', ['sink']], function () {
    this.reset();
    for (const { name, pending } of engine.sinks()) this.set({ sink: name }, pending);
  });
  gauge(['crawlway_urls', 'Stored URLs by status.', ['crawler', 'status']], async function () {
    const crawlers = await engine.crawlers();
    this.reset();
    for (const { name, counts } of crawlers) {
      for (const [status, count] of Object.entries(counts.byStatus)) this.set({ crawler: name, status }, count);
    }
  });
  gauge(['crawlway_documents', 'Documents in the index.', ['crawler']], async function () {
    const crawlers = await engine.crawlers();
    this.reset();
    for (const { name, counts } of crawlers) this.set({ crawler: name }, counts.indexed);
  });
  gauge(['crawlway_queue_depth', 'Queued URLs by source.', ['crawler', 'source']], async function () {
    const crawlers = await engine.crawlers();
    this.reset();
    for (const { name, sources } of crawlers) {
      for (const source of sources) this.set({ crawler: name, source: source.name }, source.depth);
    }
  });
  gauge(['crawlway_crawler_running', '1 when the crawler fetches.', ['crawler']], async function () {
    const crawlers = await engine.crawlers();
    this.reset();
    for (const { name, state } of crawlers) this.set({ crawler: name }, state === 'running' ? 1 : 0);
  });
}

/** A histogram whose buckets the engine has counted already; prom-client's own wants to count by itself. */
function fetchSeconds(engine: EngineApi): object {
  const name = 'crawlway_fetch_duration_seconds';
  const help = 'Time from the start of a fetch to the end of its body.';
  const get = async () => {
    const { sum, count, buckets } = engine.metrics().fetchSeconds;
    const value = (suffix: string, number: number, labels = {}) => ({
      labels,
      value: number,
      metricName: `${name}_${suffix}`,
    });
    return {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [
        ...buckets.map(([le, below]) => value('bucket', below, { le })),
        value('bucket', count, { le: '+Inf' }),
        value('sum', sum),
        value('count', count),
      ],
    };
  };
  return { name, help, type: 'histogram', aggregator: 'sum', get, reset: () => {} };
}
