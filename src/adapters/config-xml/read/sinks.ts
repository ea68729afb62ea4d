/** Reads sinks and webhooks. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { SinkDefinition, SinkSettings, WebhookDefinition } from '../../../domain/crawl/sink-definition.js';
import type { MapStep } from '../../../domain/push/map-steps.js';
import { SINK_ADDRESSES, SINK_TYPES, type SinkType } from '../../../domain/push/sink-types.js';
import { Secret } from '../../../domain/secret.js';
import { hasUserInfo } from '../../../domain/url/crawl-url.js';
import { decodePercent } from '../../../domain/url/decode-percent.js';
import { findOnlyChild, findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as sink from '../schema/sink.js';
import type { ReadContext } from './context.js';
import { checkOptions, readOptions } from './options.js';
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
      options: readOptions(SINK_TYPES[type].options, addLoginInUrl(node.values), node.place, context),
    } as SinkDefinition; // SINK_TYPES ensures that the options match the type
  });
}

/** Adds the login in the URL, which applies unless there is a separate one. */
function addLoginInUrl(values: SinkNode['values']): SinkNode['values'] {
  const url = SINK_TYPES[values.type].address === 'file' ? null : URL.parse(values.url);
  if (!url || (url.username === '' && url.password === '')) return values;
  const { login = decodePercent(url.username), password = new Secret(decodePercent(url.password)) } = values;
  return { ...values, login, password };
}

function stripLogin(type: SinkType, address: string): string {
  const url = SINK_TYPES[type].address === 'file' || !hasUserInfo(address) ? null : URL.parse(address);
  if (!url) return address;
  url.username = url.password = '';
  return url.href;
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
  { readFile, expandVariables, problems }: ReadContext,
): NonNullable<SinkSettings['tls']>['clientCertificate'] {
  const text = values.file === undefined ? expandVariables(element.text, place) : readFile(values.file, place);
  const keyText = values.key === undefined ? text : readFile(values.key, place);
  if (text === undefined || keyText === undefined) return undefined;
  const hasCertificate = CERTIFICATE.test(text);
  const [key] = PRIVATE_KEY.exec(keyText) ?? [];
  if (hasCertificate && key !== undefined)
    return {
      certificate: extractCertificates(text),
      key: new Secret(key),
      passphrase: values.passphrase,
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

/** Checks the requirements of the sink's type. */
function checkSink(node: SinkNode, problems: Problems): void {
  const { type, url } = node.values;
  const expected = SINK_ADDRESSES[SINK_TYPES[type].address](url);
  if (expected) problems.add('bad-value', `url of a sink of type ${type}: expected ${expected}`, node.place);
  checkOptions('sink', node, SINK_TYPES, problems);
}

export function readWebhooks(root: Node, context: ReadContext): Pick<ServerDefinition, 'webhooks'> {
  const webhooks = findValidChildren(root, sink.WEBHOOK).map((node): WebhookDefinition => {
    const { name, url, secret, events = [], timeoutMS: timeout } = node.values;
    const parent = node as Node;
    const allowed = readAllowedAddresses(parent);
    return {
      name,
      url,
      secret,
      events,
      timeout,
      place: node.place,
      allowedAddresses: allowed,
      ...readTls(parent, context),
    };
  });
  return webhooks.length === 0 ? {} : { webhooks };
}

/**
 * Checks the path to which a `file` or `warc` sink writes, because users who may change the configuration must not be
 * able to write arbitrary files on the machine.
 */

/** Files that the server itself writes in its data directory, which is the default folder for file sinks. */
const OWN_FILES = ['history.json', 'sample.json'];
const EXTENSIONS = { file: ['.jsonl', '.ndjson', '.json'], warc: ['.warc', '.warc.gz'] } as const;

function resolveFileSinkPath(
  configuredPath: string,
  folder: string,
  type: string = 'file',
): { readonly path: string } | { readonly refusal: string } {
  const base = resolve(folder);
  const path = resolve(base, configuredPath);
  const extensions = type === 'warc' ? EXTENSIONS.warc : EXTENSIONS.file;
  if (!extensions.some((extension) => basename(path).toLowerCase().endsWith(extension)))
    return { refusal: `specify a file that ends in ${extensions.join(', ')}` };
  if (dirname(path) === base && OWN_FILES.includes(basename(path).toLowerCase()))
    return { refusal: 'specify another file: the server writes its own data to this one' };
  if (isBelow(path, base) && isBelow(resolveRealPath(path), resolveRealPath(base))) return { path };
  return { refusal: `specify a file in or below ${base}, the folder for file sinks (CRAWLWAY_FILE_SINKS)` };
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Resolves symbolic links in the part of the path that exists. */
function resolveRealPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : resolve(resolveRealPath(parent), path.slice(parent.length).replace(/^[/\\]+/, ''));
}
