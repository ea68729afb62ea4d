import { expect, it } from 'vitest';
import { readTelemetrySettings } from './telemetry-settings.js';

const read = (env: Readonly<Record<string, string>>) => {
  const objections: string[] = [];
  const settings = readTelemetrySettings(env, (message) => objections.push(message));
  return { settings, objections };
};
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };

it('nothing is sent unless a collector is configured, nor when the SDK or both signals are switched off', () => {
  const off = { settings: undefined, objections: [] };
  expect(read({})).toEqual(off);
  expect(read({ OTEL_SERVICE_NAME: 'crawl', OTEL_TRACES_SAMPLER: 'always_on' })).toEqual(off);
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toEqual(off);
  expect(read({ ...COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' })).toEqual(off);
  expect(read({ ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })).toEqual(off);
});

it('a collector gets both signals, an endpoint for one signal only that one', () => {
  expect(read(COLLECTOR)).toMatchObject({
    settings: {
      traces: { encoding: 'protobuf', share: 1 },
      metrics: { encoding: 'protobuf', exportIntervalMillis: 60_000, exportTimeoutMillis: 30_000 },
    },
    objections: [],
  });
  const traces = read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/v1/traces' }).settings;
  expect(Object.keys(traces!)).toEqual(['traces']);
  expect(Object.keys(read({ ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }).settings!)).toEqual(['metrics']);
});

it.each([
  ['always_off', undefined, 0],
  ['parentbased_always_off', undefined, 0],
  ['always_on', '0.5', 1],
  ['traceidratio', '0.25', 0.25],
  ['parentbased_traceidratio', '0', 0],
  ['traceidratio', undefined, 1],
])('the sampler %s with %s traces this share of visits: %s', (sampler, argument, share) => {
  const env = { ...COLLECTOR, OTEL_TRACES_SAMPLER: sampler, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) };
  const { settings, objections } = read(env);
  expect([settings?.traces?.share, objections]).toEqual([share, []]);
});

it('the time for an export of metrics is within the interval', () => {
  const { settings } = read({ ...COLLECTOR, OTEL_METRIC_EXPORT_INTERVAL: '5000' });
  expect(settings?.metrics).toMatchObject({ exportIntervalMillis: 5_000, exportTimeoutMillis: 5_000 });
});

it.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL grpc is not supported.*http\/protobuf/, 2],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as/, 2],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER zipkin is not one of otlp, none/, 1],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER jaeger_remote is not one of/, 1],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }, /OTEL_TRACES_SAMPLER_ARG 7 is not a num/, 1],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: '-1' }, /OTEL_BSP_MAX_QUEUE_SIZE -1 is not a whole number above 0/, 1],
])('an unsupported setting is reported and ignored: %j', (env, objection, times) => {
  const { objections } = read({ ...COLLECTOR, ...env });
  expect(objections).toEqual(Array.from({ length: times }, () => expect.stringMatching(objection)));
});

it('an invalid endpoint is not shown: it may contain a key', () => {
  const { objections } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https//key-of-the-collector@collector.example' });
  expect(objections.join()).not.toContain('key-of-the-collector');
});
