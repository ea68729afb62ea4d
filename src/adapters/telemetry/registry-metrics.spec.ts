import { DataPointType } from '@opentelemetry/sdk-metrics';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { RegistryMetrics } from './registry-metrics.js';

async function metricsOf(registry: Registry) {
  const { resourceMetrics } = await new RegistryMetrics(() => registry.getMetricsAsJSON() as never, {
    name: 'test',
    version: '1',
  }).collect();
  return new Map(resourceMetrics.scopeMetrics[0]!.metrics.map((metric) => [metric.descriptor.name, metric]));
}

it('counters become monotonic sums, gauges gauges, with their labels', async () => {
  const registers = [new Registry()];
  new Counter({ name: 'pages_total', help: 'Pages.', labelNames: ['outcome'], registers }).inc({ outcome: 'new' }, 3);
  new Gauge({ name: 'waiting', help: 'Orders.', registers }).set(-2);
  const metrics = await metricsOf(registers[0]!);
  expect(metrics.get('pages_total')).toMatchObject({
    descriptor: { description: 'Pages.' },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [{ attributes: { outcome: 'new' }, value: 3 }],
  });
  expect(metrics.get('waiting')).toMatchObject({ dataPointType: DataPointType.GAUGE, dataPoints: [{ value: -2 }] });
});

it('a histogram counts per bucket, each series separately', async () => {
  const registers = [new Registry()];
  const histogram = new Histogram({ name: 'took', help: 'Time.', labelNames: ['kind'], buckets: [1, 5], registers });
  for (const value of [0.5, 3, 4, 9]) histogram.observe({ kind: 'a' }, value);
  histogram.observe({ kind: 'b' }, 0.1);
  expect((await metricsOf(registers[0]!)).get('took')?.dataPoints).toMatchObject([
    { attributes: { kind: 'a' }, value: { buckets: { boundaries: [1, 5], counts: [1, 2, 1] }, sum: 16.5, count: 4 } },
    { attributes: { kind: 'b' }, value: { buckets: { boundaries: [1, 5], counts: [1, 0, 0] }, sum: 0.1, count: 1 } },
  ]);
});

it('metrics without a current value are left out', async () => {
  const registers = [new Registry()];
  new Gauge({ name: 'lag', help: 'Lag.', registers }).set(Number.NaN);
  expect(await metricsOf(registers[0]!)).toEqual(new Map());
});
