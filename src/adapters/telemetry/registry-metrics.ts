/**
 * Converts the contents of a Prometheus registry to OpenTelemetry metrics with the same names, labels and values, so
 * that there is only one list of metrics.
 */
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export type RegistryMetric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

type Value = RegistryMetric['values'][number];

interface TimeSpan {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const toHrTime = (milliseconds: number): HrTime => [Math.floor(milliseconds / 1_000), (milliseconds % 1_000) * 1e6];

export class RegistryMetrics implements MetricProducer {
  constructor(
    private readonly readMetrics: () => Promise<readonly RegistryMetric[]>,
    private readonly scope: { readonly name: string; readonly version: string },
  ) {}

  async collect(): Promise<CollectionResult> {
    const registryMetrics = await this.readMetrics();
    // Counters start with the process.
    const span = { startTime: toHrTime(performance.timeOrigin), endTime: toHrTime(Date.now()) };
    const metrics = registryMetrics.flatMap((metric) => toMetricData(metric, span) ?? []);
    return {
      resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: this.scope, metrics }] },
      errors: [],
    };
  }
}

/** Returns undefined for a metric that has no value at the moment. */
function toMetricData({ name, help, type, values }: RegistryMetric, span: TimeSpan): MetricData | undefined {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  // At runtime, a registry's metric types are strings, whatever its declarations say.
  if (String(type) === 'histogram') {
    const dataPoints = toHistograms(name, values, span);
    return dataPoints.length > 0 ? { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints } : undefined;
  }
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }): DataPoint<number> => ({ ...span, attributes: toAttributes(labels), value }));
  if (dataPoints.length === 0) return undefined;
  if (String(type) === 'counter') return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Converts bucket counts: Prometheus counts all values up to a bound, OpenTelemetry those between two bounds. */
function toHistograms(name: string, values: readonly Value[], span: TimeSpan): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) =>
    JSON.stringify(Object.entries(labels).sort()),
  );
  return [...series.values()].map((samples) => {
    const filterBySuffix = (suffix: string): Value[] =>
      samples.filter(({ metricName }) => metricName === `${name}_${suffix}`);
    const sortedBuckets = filterBySuffix('bucket')
      .map(({ labels, value }): [bound: number, count: number] => [parseBound(labels['le']), value])
      .sort(([a], [b]) => a - b);
    const boundaries = sortedBuckets.map(([bound]) => bound).filter(Number.isFinite);
    const counts = sortedBuckets.map(([, count], i) => count - (sortedBuckets[i - 1]?.[1] ?? 0));
    const { le: _, ...labels } = samples[0]!.labels;
    const value = {
      buckets: { boundaries, counts },
      sum: filterBySuffix('sum')[0]?.value ?? 0,
      count: filterBySuffix('count')[0]?.value ?? 0,
    };
    return { ...span, attributes: toAttributes(labels), value };
  });
}

const parseBound = (le: string | number | undefined): number => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le));

const toAttributes = (labels: Value['labels']): Attributes =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
