/** Fetchers and sinks. */
import type { FetcherDefinition, SinkDefinition } from '../../../domain/crawl/definition.js';
import { all, defaults, type Node, one } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as server from '../schema/server.js';
import { httpUrl } from '../value-types.js';
import type { ReadContext } from './context.js';

export function readFetchers(root: Node, context: ReadContext): FetcherDefinition[] {
  const fetchers = all(root, server.FETCHER).map((node) => readFetcher(node, context));
  if (fetchers.some((fetcher) => fetcher.name === 'default')) return fetchers;
  return [...fetchers, fetcherDefinition(defaults(server.FETCHER), [])];
}

type FetcherValues = Node<typeof server.FETCHER.attributes>['values'];

function readFetcher(node: Node<typeof server.FETCHER.attributes>, context: ReadContext): FetcherDefinition {
  const inside = node as Node;
  const proxy = one(inside, server.PROXY)?.values.url;
  const headers = all(inside, server.HEADER).map(({ values }) => [values.name, values.value] as const);
  return {
    ...fetcherDefinition(node.values, readAuthorities(inside, context)),
    headers: Object.fromEntries(headers),
    allowedAddresses: allowedAddresses(inside),
    ...(proxy === undefined ? {} : { proxy }),
    credentials: all(inside, server.CREDENTIAL).map(({ values }) => values),
  };
}

function fetcherDefinition(values: FetcherValues, certificateAuthorities: readonly string[]): FetcherDefinition {
  return {
    name: values.name,
    userAgent: values.userAgent,
    robotsAgent: values.robotsAgent,
    headers: {},
    connectTimeout: values.connectTimeoutMS,
    headerTimeout: values.headerTimeoutMS,
    bodyTimeout: values.bodyTimeoutMS,
    totalTimeout: values.totalTimeoutMS,
    maxSize: values.maxSizeBytes,
    maxRedirects: values.maxRedirects,
    allowedAddresses: [],
    credentials: [],
    certificateAuthorities,
    verifyCertificates: values.verifyCertificates,
  };
}

const allowedAddresses = (node: Node): string[] => all(node, server.ALLOW_ADDRESS).map(({ values }) => values.cidr);

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

function readAuthorities(fetcher: Node, context: ReadContext): string[] {
  const authorities: string[] = [];
  for (const { element, values, place } of all(fetcher, server.CERTIFICATE_AUTHORITY)) {
    const text = values.file === undefined ? element.text : context.readFile(values.file, place);
    if (text === undefined) continue;
    if (PEM.test(text)) authorities.push(text.trim());
    else context.problems.add('bad-value', 'CertificateAuthority needs a certificate in PEM form', place);
  }
  return authorities;
}

type SinkNode = Node<typeof server.SINK.attributes>;

export function readSinks(root: Node, { problems }: ReadContext): SinkDefinition[] {
  return all(root, server.SINK).map((node) => {
    checkSink(node, problems);
    const { batchAgeMS, timeoutMS, ...values } = node.values;
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    return {
      ...(given as typeof values),
      place: node.place,
      batchAge: batchAgeMS,
      timeout: timeoutMS,
      allowedAddresses: allowedAddresses(node as Node),
    };
  });
}

/** What one type needs and another does not. */
function checkSink({ values, place }: SinkNode, problems: Problems): void {
  const { type, url, index } = values;
  const checked = type === 'file' ? undefined : httpUrl.parse(url);
  if (checked && !checked.ok) problems.add('bad-value', `url of a sink of type ${type}: give ${checked.wanted}`, place);
  if (index === undefined && (type === 'elasticsearch' || type === 'opensearch' || type === 'solr')) {
    problems.add('missing-attribute', `a sink of type ${type} needs the attribute index`, place);
  }
}
