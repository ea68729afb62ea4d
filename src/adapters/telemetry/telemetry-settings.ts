/**
 * Determines which telemetry is sent, from the environment variables that OpenTelemetry defines for all programs
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). The exporters read everything
 * else themselves: headers, certificates, compression, time limits.
 */

/** The encodings of OTLP over HTTP. */
type OtlpEncoding = 'protobuf' | 'json';

export interface TelemetrySettings {
  /** Absent if no traces are sent. */
  readonly traces?: TraceSettings;
  /** Absent if no metrics are sent. */
  readonly metrics?: MetricSettings;
}

export interface TraceSettings {
  readonly collector: URL;
  readonly encoding: OtlpEncoding;
  /** Share of visits and deliveries that are traced, from 0 to 1. */
  readonly share: number;
  /** Times are in milliseconds; undefined means the SDK's default. */
  readonly scheduledDelayMillis?: number;
  readonly exportTimeoutMillis?: number;
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
}

export interface MetricSettings {
  readonly collector: URL;
  readonly encoding: OtlpEncoding;
  readonly exportIntervalMillis: number;
  readonly exportTimeoutMillis: number;
}

/**
 * Called with the reason why a variable is ignored and what applies instead. This is only logged, because telemetry
 * must not stop a crawl.
 */
type Warn = (message: string) => void;

type Environment = Readonly<Record<string, string | undefined>>;
type Signal = 'TRACES' | 'METRICS';

const ENCODINGS: Readonly<Record<string, OtlpEncoding>> = { 'http/protobuf': 'protobuf', 'http/json': 'json' };

/** Returns undefined if telemetry is disabled or no collector is specified. */
export function readTelemetrySettings(env: Environment, warn: Warn): TelemetrySettings | undefined {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined;
  const traces = readConnection(env, 'TRACES', warn);
  const metrics = readConnection(env, 'METRICS', warn);
  if (!traces && !metrics) return undefined;
  const readNumber = (name: string): number | undefined => readWholeNumber(env, name, warn);
  return {
    ...(traces && {
      traces: {
        ...traces,
        share: readSamplingShare(env, warn),
        scheduledDelayMillis: readNumber('OTEL_BSP_SCHEDULE_DELAY'),
        exportTimeoutMillis: readNumber('OTEL_BSP_EXPORT_TIMEOUT'),
        maxQueueSize: readNumber('OTEL_BSP_MAX_QUEUE_SIZE'),
        maxExportBatchSize: readNumber('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
      },
    }),
    ...(metrics && { metrics: { ...metrics, ...readMetricTimes(readNumber) } }),
  };
}

/** Returns where and how a signal is sent; undefined if it is not sent. */
function readConnection(
  env: Environment,
  signal: Signal,
  warn: Warn,
): { collector: URL; encoding: OtlpEncoding } | undefined {
  const exporter = env[`OTEL_${signal}_EXPORTER`]?.trim() || 'otlp';
  const signalEndpoint = findVariable(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const endpoint = signalEndpoint ?? findVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined || exporter === 'none') return undefined;
  if (exporter !== 'otlp') {
    warn(`OTEL_${signal}_EXPORTER ${exporter} is not one of otlp, none: no ${signal.toLowerCase()} are sent`);
    return undefined;
  }
  const collector = URL.parse(endpoint.value);
  if (!collector || !/^https?:$/.test(collector.protocol)) {
    warn(`${endpoint.name} is not a URL such as http://127.0.0.1:4318: no ${signal.toLowerCase()} are sent`);
    return undefined;
  }
  const protocol =
    findVariable(env, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ??
    findVariable(env, 'OTEL_EXPORTER_OTLP_PROTOCOL') ??
    undefined;
  const encoding = protocol === undefined ? 'protobuf' : ENCODINGS[protocol.value];
  if (encoding === undefined) {
    const supportedProtocols = Object.keys(ENCODINGS).join(' and ');
    warn(
      `${protocol?.name} ${protocol?.value} is not supported, only ${supportedProtocols} (collectors receive them on port 4318): no ${signal.toLowerCase()} are sent`,
    );
    return undefined;
  }
  return { collector, encoding };
}

const findVariable = (env: Environment, name: string): { name: string; value: string } | undefined => {
  const value = env[name]?.trim();
  return value ? { name, value } : undefined;
};

/** Every trace begins in this server, so a parent-based sampler makes no difference. */
function readSamplingShare(env: Environment, warn: Warn): number {
  const sampler = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const kind = sampler.replace(/^parentbased_/, '');
  if (kind === 'always_on') return 1;
  if (kind === 'always_off') return 0;
  if (kind !== 'traceidratio') {
    warn(`OTEL_TRACES_SAMPLER ${sampler} is not one of always_on, always_off, traceidratio: every visit is traced`);
    return 1;
  }
  const text = env['OTEL_TRACES_SAMPLER_ARG']?.trim() || '1';
  const share = Number(text);
  if (share >= 0 && share <= 1) return share;
  warn(`OTEL_TRACES_SAMPLER_ARG ${text} is not a number from 0 to 1: every visit is traced`);
  return 1;
}

/** The time limit for one export must not exceed the interval. */
function readMetricTimes(
  readNumber: (name: string) => number | undefined,
): Pick<MetricSettings, 'exportIntervalMillis' | 'exportTimeoutMillis'> {
  const exportIntervalMillis = readNumber('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000;
  const timeout = readNumber('OTEL_METRIC_EXPORT_TIMEOUT') ?? 30_000;
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(timeout, exportIntervalMillis) };
}

/** Maximum delay of a Node timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function readWholeNumber(env: Environment, name: string, warn: Warn): number | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= MAX_TIMER_MS) return number;
  warn(`${name} ${text} is not a whole number above 0: it is ignored`);
  return undefined;
}
