/** What a collector receives in OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding), as used by tests. */
import type { Exchange } from './receivers/http-receiver.js';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  /** Nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const attributesOf = (list: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

type Sent = Omit<ReceivedSpan, 'attributes' | 'links' | 'start' | 'end'> & {
  readonly attributes?: readonly Attribute[];
  readonly links?: ReceivedSpan['links'];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
};

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
}

const bodies = <T>(exchanges: readonly Exchange[], path: string): T[] =>
  exchanges.filter((one) => one.path === path).map(({ body }) => JSON.parse(body.toString()) as T);

export const spansOf = (exchanges: readonly Exchange[]): ReceivedSpan[] =>
  bodies<{ resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] }>(exchanges, '/v1/traces')
    .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)))
    .map(({ attributes, links = [], startTimeUnixNano, endTimeUnixNano, ...span }) => ({
      ...span,
      attributes: attributesOf(attributes),
      links,
      start: BigInt(startTimeUnixNano),
      end: BigInt(endTimeUnixNano),
    }));

export interface ReceivedMetric {
  readonly name: string;
  /** Value by labels, as JSON. */
  readonly values: ReadonlyMap<string, number>;
}

interface SentMetric {
  readonly name: string;
  readonly [kind: string]: unknown;
}

interface Points {
  readonly dataPoints: readonly { readonly attributes?: readonly Attribute[]; readonly asDouble?: number }[];
}

/** Of the last export. */
export function metricsOf(exchanges: readonly Exchange[]): ReceivedMetric[] {
  type Body = { resourceMetrics: { scopeMetrics: { metrics: SentMetric[] }[] }[] };
  const last = bodies<Body>(exchanges, '/v1/metrics').at(-1);
  const metrics = last?.resourceMetrics.flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics)) ?? [];
  return metrics.map(({ name, sum, gauge, histogram }) => {
    const { dataPoints } = (sum ?? gauge ?? histogram) as Points;
    const values = dataPoints.map(
      ({ attributes, asDouble }) => [JSON.stringify(attributesOf(attributes)), asDouble ?? Number.NaN] as const,
    );
    return { name, values: new Map(values) };
  });
}

/** Of the sender of the last export of spans. */
export const resourceOf = (exchanges: readonly Exchange[]): Record<string, unknown> =>
  attributesOf(
    bodies<{ resourceSpans: Resource[] }>(exchanges, '/v1/traces').at(-1)?.resourceSpans[0]?.resource.attributes,
  );
