/** Reads sinks and webhooks. */

import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { Place } from '../../../domain/crawl/place.js';
import type { SinkDefinition, SinkSettings, WebhookDefinition } from '../../../domain/crawl/sink-definition.js';
import { findKafkaUrlFault } from '../../../domain/push/kafka-url.js';
import type { MapStep } from '../../../domain/push/map-steps.js';
import { findPostgresqlUrlFault } from '../../../domain/push/postgresql-url.js';
import { SINK_TYPES, type SinkOption, type SinkType } from '../../../domain/push/sink-types.js';
import { Secret } from '../../../domain/secret.js';
import { hasUserInfo } from '../../../domain/url/crawl-url.js';
import { decodePercent } from '../../../domain/url/decode-percent.js';
import { findOnlyChild, findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as sink from '../schema/sink.js';
import { WEBHOOK } from '../schema/webhook.js';
import { httpUrl } from '../value-types/network.js';
import type { ReadContext } from './context.js';
import { resolveFileSinkPath } from './file-sink-path.js';
import { readAllowedAddresses, readCertificateAuthorities } from './server.js';

type SinkNode = Node<typeof sink.SINK.attributes>;

export function readSinks(root: Node, context: ReadContext, fileSinks?: string): SinkDefinition[] {
  const { problems } = context;
  return findValidChildren(root, sink.SINK).map((node) => {
    checkSink(node, problems);
    const { type, url } = node.values;
    const isFile = SINK_TYPES[type].address === 'file';
    const pathResult = isFile && fileSinks !== undefined ? resolveFileSinkPath(url, fileSinks, type) : { path: url };
    if ('refusal' in pathResult)
      problems.add('bad-value', `url of sink ${node.values.name}: ${pathResult.refusal}`, node.place);
    const { name, batchDocuments, batchBytes, batchAgeMS, timeoutMS, concurrency } = node.values;
    return {
      name,
      type,
      url: 'path' in pathResult ? stripLogin(type, pathResult.path) : url,
      place: node.place,
      batchDocuments,
      batchBytes,
      batchAge: batchAgeMS,
      timeout: timeoutMS,
      concurrency,
      allowedAddresses: readAllowedAddresses(node as Node),
      ...readTls(node as Node, context),
      ...readMapSteps(node),
      options: readOptions(node, context),
    } as SinkDefinition; // SINK_TYPES ensures that the options match the type
  });
}

const SECRET_OPTIONS: ReadonlySet<SinkOption> = new Set<SinkOption>([
  'password',
  'apiKey',
  'secret',
  'awsSessionToken',
]);

/** Returns the login in the URL, which applies unless there is a separate one. */
function extractLogin(type: SinkType, address: string): Partial<Record<SinkOption, string>> {
  const url = SINK_TYPES[type].address === 'file' ? null : URL.parse(address);
  if (!url || (url.username === '' && url.password === '')) return {};
  return { login: decodePercent(url.username), password: decodePercent(url.password) };
}

function stripLogin(type: SinkType, address: string): string {
  const url = SINK_TYPES[type].address === 'file' || !hasUserInfo(address) ? null : URL.parse(address);
  if (!url) return address;
  url.username = url.password = '';
  return url.href;
}

function readOptions({ values, place }: SinkNode, context: ReadContext): Partial<Record<SinkOption, string | Secret>> {
  const { options } = SINK_TYPES[values.type];
  const loginInUrl = extractLogin(values.type, values.url);
  const readOption = (option: SinkOption): string | undefined =>
    option === 'template' && values.template !== undefined
      ? readTemplate(values.template, place, context)
      : (values[option] ?? loginInUrl[option]);
  return Object.fromEntries(
    options.flatMap((option: SinkOption) => {
      const value = readOption(option);
      if (value === undefined) return [];
      return [[option, SECRET_OPTIONS.has(option) ? new Secret(value) : value]];
    }),
  );
}

function readTemplate(file: string, place: Place, { readFile, problems }: ReadContext): string | undefined {
  const text = readFile(file, place);
  if (text === undefined) return undefined;
  try {
    const template: unknown = JSON.parse(text);
    if (typeof template === 'object' && template !== null && !Array.isArray(template)) return text;
  } catch {
    // reported below
  }
  const message = `the file ${file} is not a JSON object: write an object with settings, mappings or aliases`;
  problems.add('bad-value', message, place);
  return undefined;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/;

/** Reads certificate authorities and the client certificate; returns nothing if there are none. */
function readTls(node: Node, context: ReadContext): Pick<SinkSettings, 'tls'> {
  const certificateAuthorities = readCertificateAuthorities(node, context);
  const client = findOnlyChild(node, sink.CLIENT_CERTIFICATE);
  const clientCertificate = client && readClientCertificate(client, context);
  if (certificateAuthorities.length === 0 && !clientCertificate) return {};
  return { tls: { certificateAuthorities, ...(clientCertificate ? { clientCertificate } : {}) } };
}

function readClientCertificate(
  { values, element, place }: Node<typeof sink.CLIENT_CERTIFICATE.attributes>,
  { readFile, problems }: ReadContext,
): NonNullable<SinkSettings['tls']>['clientCertificate'] {
  const text = values.file === undefined ? element.text : readFile(values.file, place);
  const keyText = values.key === undefined ? text : readFile(values.key, place);
  if (text === undefined || keyText === undefined) return undefined;
  const hasCertificate = CERTIFICATE.test(text);
  const [key] = PRIVATE_KEY.exec(keyText) ?? [];
  if (hasCertificate && key !== undefined)
    return {
      certificate: extractCertificates(text),
      key: new Secret(key),
      passphrase: values.passphrase === undefined ? undefined : new Secret(values.passphrase),
    };
  const missingPart = hasCertificate ? 'a private key' : 'a certificate';
  problems.add('bad-value', `ClientCertificate requires ${missingPart} in PEM form`, place);
  return undefined;
}

/** Returns the certificates in the text, without a key that may be next to them. */
const extractCertificates = (text: string): string =>
  [...text.matchAll(new RegExp(CERTIFICATE, 'g'))].map(([certificate]) => certificate).join('\n');

function readMapSteps(node: SinkNode): Pick<SinkSettings, 'map'> {
  const steps = findValidChildren(node as Node, sink.MAP).map(({ values }): MapStep => values);
  return steps.length === 0 ? {} : { map: steps };
}

const SINK_OPTIONS: ReadonlySet<string> = new Set(Object.values(SINK_TYPES).flatMap(({ options }) => options));

/** Checks the requirements of the sink's type. */
function checkSink({ element, values, place }: SinkNode, problems: Problems): void {
  const { type, url } = values;
  const { address, required = [] }: { address: keyof typeof ADDRESS_CHECKS; required?: readonly SinkOption[] } =
    SINK_TYPES[type];
  const options: readonly SinkOption[] = SINK_TYPES[type].options;
  const expected = ADDRESS_CHECKS[address](url);
  if (expected) problems.add('bad-value', `url of a sink of type ${type}: expected ${expected}`, place);
  for (const option of required) {
    if (values[option] !== undefined) continue;
    problems.add('missing-attribute', `a sink of type ${type} requires the attribute ${option}`, place);
  }
  for (const { local } of element.attributes) {
    if (!SINK_OPTIONS.has(local) || options.includes(local as SinkOption)) continue;
    const message = `a sink of type ${type} does not use the attribute ${local}; it uses ${options.join(', ') || 'no such attributes'}`;
    problems.add('ignored-attribute', message, place);
  }
}

/** For each kind of address, a function that says what was expected if the URL is not valid. */
const ADDRESS_CHECKS: Readonly<
  Record<'http' | 'file' | 'postgresql' | 'kafka' | 'plugin', (url: string) => string | undefined>
> = {
  http: (url) => {
    const parsed = httpUrl.parse(url);
    return parsed.ok ? undefined : parsed.wanted;
  },
  file: () => undefined, // resolveFileSinkPath checks it together with its folder
  postgresql: findPostgresqlUrlFault,
  kafka: findKafkaUrlFault,
  plugin: (url) => (/^plugin:[^\s]+$/.test(url) ? undefined : '`plugin:` and the name of a Plugin'),
};

export function readWebhooks(root: Node, context: ReadContext): Pick<ServerDefinition, 'webhooks'> {
  const webhooks = findValidChildren(root, WEBHOOK).map((node): WebhookDefinition => {
    const { name, url, secret, events = [], timeoutMS: timeout } = node.values;
    const parent = node as Node;
    const allowed = readAllowedAddresses(parent);
    return {
      name,
      url,
      secret: new Secret(secret),
      events,
      timeout,
      place: node.place,
      allowedAddresses: allowed,
      ...readTls(parent, context),
    };
  });
  return webhooks.length === 0 ? {} : { webhooks };
}
