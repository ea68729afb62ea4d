import { beforeAll, expect, it } from 'vitest';
import { describeUnless } from '../support/left-out.js';
import { smallCrawl } from '../support/small-crawl.js';
import { builtCollector, collectorIsMissing, startCollector } from './support/collector.js';

const missing = collectorIsMissing();

describeUnless(missing, 'An OpenTelemetry Collector', () => {
  let program: string;
  beforeAll(async () => {
    program = await builtCollector();
  }, 900_000);

  it.each(['http/protobuf', 'http/json'])(
    'takes traces with links and metrics, by %s and compressed',
    async (protocol) => {
      const collector = await startCollector(program);
      const { site, server, caughtUp } = await smallCrawl({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_METRIC_EXPORT_INTERVAL: '100',
      });
      await caughtUp();
      const spans = (): string[] =>
        collector
          .said()
          .split(/^Span #\d+$/m)
          .slice(1);
      const visit = () =>
        spans().find((span) => /Name +: visit$/m.test(span) && span.includes(`Str(${site.url('/a')})`));
      await expect.poll(visit).toContain('crawlway.outcome: Str(document)');
      const [, id] = /^ +ID +: (\w+)$/m.exec(visit()!)!;
      const below = () => spans().filter((span) => new RegExp(`Parent ID +: ${id}$`, 'm').test(span));
      const names = () => below().map((span) => /Name +: (\w+)$/m.exec(span)?.[1]);
      await expect.poll(() => names().sort()).toEqual(['decide', 'extract', 'fetch', 'links', 'robots', 'settle']);
      const delivery = () => spans().find((span) => /Name +: deliver$/m.test(span) && span.includes(`-> ID: ${id}`));
      await expect.poll(delivery).toContain('crawlway.sink: Str(main)');

      const metric = (name: string) =>
        collector
          .said()
          .split(/^Metric #\d+$/m)
          .findLast((one) => one.includes(`Name: ${name}\n`));
      await expect
        .poll(() => metric('crawlway_orders_total'))
        .toMatch(/IsMonotonic: true.*state: Str\(acknowledged\).*Value: 3/s);
      expect(metric('crawlway_sink_up')).toContain('DataType: Gauge');
      expect(metric('crawlway_fetch_duration_seconds')).toMatch(/DataType: Histogram.*ExplicitBounds #0/s);
      expect(server.output).not.toContain('does not take');
    },
  );
});
