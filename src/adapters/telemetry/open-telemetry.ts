/**
 * Sends traces and metrics to a collector over OTLP, with the OpenTelemetry SDK. This module is loaded only by a server
 * that sends them: see `openTelemetry` in server/engine.module.ts.
 */
import { hostname } from 'node:os';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { redact } from '../../domain/redact.js';
import type { Log } from '../../engine/ports/log.js';
import type { Sink } from '../../engine/ports/sink.js';
import { NO_TRACING, type Tracing } from '../../engine/ports/tracing.js';
import { CrawlTraces, TracedSink } from './crawl-traces.js';
import { type RegistryMetric, RegistryMetrics } from './registry-metrics.js';
import type { MetricSettings, TelemetrySettings, TraceSettings } from './telemetry-settings.js';

/** Time limit for sending the remaining data when the server stops: a collector that is down must not delay this. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

const SERVICE_NAME = 'crawlway';

export class OpenTelemetry {
  readonly tracing: Tracing;
  private readonly traces: CrawlTraces | undefined;
  private readonly shutdowns: (() => Promise<void>)[] = [];
  private readonly resource: Resource;

  constructor(
    private readonly settings: TelemetrySettings,
    private readonly log: Log,
    private readonly version: string,
  ) {
    installWarningLogger(log);
    this.resource = createResource(version);
    this.traces = settings.traces && this.startTracing(settings.traces);
    this.tracing = this.traces ?? NO_TRACING;
  }

  traceSink(sink: Sink, type: string): Sink {
    return this.traces ? new TracedSink(sink, type, this.traces) : sink;
  }

  /** Sends the metrics that `readMetrics` returns, at regular intervals. To be called only once. */
  sendMetrics(readMetrics: () => Promise<readonly RegistryMetric[]>): void {
    if (this.settings.metrics) this.startMetrics(this.settings.metrics, readMetrics);
  }

  /** Sends the remaining data, if the collector accepts it within the time limit, and closes the exporters. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_TIMEOUT_MS);
    });
    await Promise.race([Promise.allSettled(this.shutdowns.map((shutdown) => shutdown())), timeout]);
    clearTimeout(timer);
    diag.disable();
  }

  private startTracing({ collector, encoding, share, ...times }: TraceSettings): CrawlTraces {
    const exporter = encoding === 'json' ? new JsonTraceExporter() : new OTLPTraceExporter();
    const state = new CollectorState('traces', collector, this.log);
    const provider = new TracerProvider({
      resource: this.resource,
      sampler: new TraceIdRatioBasedSampler(share),
      spanProcessors: [new BatchSpanProcessor({ exporter: state.trackExports(exporter), ...times })],
    });
    this.shutdowns.push(() => provider.shutdown());
    return new CrawlTraces(provider.getTracer(SERVICE_NAME, this.version));
  }

  private startMetrics(
    { collector, encoding, ...times }: MetricSettings,
    readMetrics: () => Promise<readonly RegistryMetric[]>,
  ): void {
    const exporter = encoding === 'json' ? new JsonMetricExporter() : new OTLPMetricExporter();
    const state = new CollectorState('metrics', collector, this.log);
    const reader = new PeriodicExportingMetricReader({
      exporter: state.trackExports(exporter),
      metricProducers: [new RegistryMetrics(readMetrics, { name: SERVICE_NAME, version: this.version })],
      ...times,
    });
    const provider = new MeterProvider({ resource: this.resource, readers: [reader] });
    this.shutdowns.push(() => provider.shutdown());
  }
}

/** Describes the sender: this server, unless the environment gives it a different name. */
function createResource(version: string): Resource {
  const ownResource = resourceFromAttributes({
    'service.name': SERVICE_NAME,
    'service.version': version,
    'host.name': hostname(),
  });
  const detectedResource = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
  return defaultResource().merge(ownResource).merge(detectedResource);
}

/** Logs each of the SDK's warnings, about variables or dropped spans, only once: it repeats some with every batch. */
function installWarningLogger(log: Log): void {
  const logged = new Set<string>();
  const logWarning = (message: string): void => {
    const text = message.replace(/\d+/g, 'N');
    if (logged.has(text) || logged.size > 100) return;
    logged.add(text);
    log.warn(`OpenTelemetry: ${message}`);
  };
  const ignoreMessage = (): void => {};
  // Failed exports also arrive here as errors, but CollectorState reports them.
  const logger = {
    error: ignoreMessage,
    warn: logWarning,
    info: ignoreMessage,
    debug: ignoreMessage,
    verbose: ignoreMessage,
  };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

interface Exporter<T> {
  export(items: T, done: (result: ExportResult) => void): void;
}

/** Logs one line when the collector stops accepting data, and one when it accepts data again. */
class CollectorState {
  private isDown = false;

  constructor(
    private readonly signal: 'traces' | 'metrics',
    private readonly collector: URL,
    private readonly log: Log,
  ) {}

  trackExports<T, E extends Exporter<T>>(exporter: E & Exporter<T>): E {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) =>
      send(items, (result) => {
        this.recordResult(result);
        done(result);
      });
    return exporter;
  }

  private recordResult({ code, error }: ExportResult): void {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed === this.isDown) return;
    this.isDown = failed;
    // Only the origin is logged: the path and query may contain a key.
    const collector = this.collector.origin;
    if (failed)
      this.log.warn(`the collector is not accepting ${this.signal}; the crawl continues without them`, {
        collector,
        message: redact(error?.message ?? 'no reason was given').slice(0, 200),
      });
    else this.log.info(`the collector is accepting ${this.signal} again`, { collector });
  }
}
