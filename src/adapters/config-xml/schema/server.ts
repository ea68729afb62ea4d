/** Crawlway's own elements beside the crawlers: fetchers and sinks. */
import * as t from '../value-types.js';
import { attribute, elementsOf } from './spec.js';

const element = elementsOf('cw');

const MEBIBYTES = (n: number): string => String(n * 1024 * 1024);

export const FETCHER = element(
  'Fetcher',
  'How web sites are asked. Addresses that are not public are refused unless AllowAddress names them.',
  {
    name: attribute(t.name, 'Name; a crawler without FetchWith uses `default`.', { default: 'default' }),
    userAgent: attribute(t.headerValue, 'User agent sent with each request.', { default: 'Crawlway/0.1' }),
    robotsAgent: attribute(t.productToken, 'Product token that is looked for in robots.txt.', { default: 'crawlway' }),
    connectTimeoutMS: attribute(t.durationMs(1), 'Longest wait for a connection.', { default: '10000', unit: 'ms' }),
    headerTimeoutMS: attribute(t.durationMs(1), "Longest wait for the answer's header.", {
      default: '30000',
      unit: 'ms',
    }),
    bodyTimeoutMS: attribute(t.durationMs(1), 'Longest silence inside the body.', { default: '30000', unit: 'ms' }),
    totalTimeoutMS: attribute(t.durationMs(1), 'Longest time for one document.', { default: '120000', unit: 'ms' }),
    maxSizeBytes: attribute(t.integer(1), 'Largest document, after decoding.', {
      default: MEBIBYTES(32),
      unit: 'bytes',
    }),
    maxRedirects: attribute(t.integer(0, 100), 'Longest chain of redirects.', { default: '10' }),
    verifyCertificates: attribute(t.boolean, 'Off: certificates are not looked at. Only for test sites.', {
      default: 'true',
    }),
  },
  { children: ['AllowAddress', 'Proxy', 'Credential', 'CertificateAuthority', 'Header'] },
);

export const ALLOW_ADDRESS = element('AllowAddress', 'Addresses that are not public and yet may be asked.', {
  cidr: attribute(t.cidr, 'Address or block.', { required: true }),
});

export const PROXY = element(
  'Proxy',
  'HTTP proxy for all requests of the fetcher.',
  { url: attribute(t.httpUrl, 'URL of the proxy, with user and password if it wants them.', { required: true }) },
  { once: true },
);

export const CREDENTIAL = element('Credential', 'A login, sent only to URLs with its prefix.', {
  url: attribute(t.httpUrl, 'Prefix of the URLs it is for.', { required: true }),
  user: attribute(t.word, 'User name.', { required: true }),
  password: attribute(t.text, 'Password.', { required: true, secret: true }),
});

export const CERTIFICATE_AUTHORITY = element(
  'CertificateAuthority',
  'A further certificate authority to trust.',
  { file: attribute(t.fileName, 'File with its certificates, PEM. Or write them inside the element.') },
  { text: 'Certificates, PEM.' },
);

export const HEADER = element('Header', 'A header sent with each request.', {
  name: attribute(t.headerName, 'Name.', { required: true }),
  value: attribute(t.headerValue, 'Value; hidden when the name speaks of a secret, like Authorization.', {
    required: true,
  }),
});

export const SINK = element(
  'Sink',
  'Where orders are delivered.',
  {
    name: attribute(t.name, 'Name, for PushTo.', { required: true }),
    type: attribute(t.enumeration(['papi', 'json', 'elasticsearch', 'opensearch', 'solr', 'file']), 'Protocol.', {
      required: true,
    }),
    url: attribute(t.target, 'Base URL; for `file` a path, from the folder in which the server was started.', {
      required: true,
    }),
    connector: attribute(t.word, '`papi`: name of the connector.', { default: 'crawlway' }),
    index: attribute(t.word, '`elasticsearch`, `opensearch`: name of the index; `solr`: of the collection.'),
    login: attribute(t.word, 'User name, Basic.'),
    password: attribute(t.text, 'Password.', { secret: true }),
    apiKey: attribute(t.word, '`elasticsearch`: API key, instead of login and password.', { secret: true }),
    secret: attribute(t.word, '`json`: key of the signature, HMAC-SHA256.', { secret: true }),
    batchDocuments: attribute(t.integer(1, 10_000), 'Orders in one request, at most.', { default: '50' }),
    batchBytes: attribute(t.integer(1), 'Size of one request, at most.', { default: MEBIBYTES(8), unit: 'bytes' }),
    batchAgeMS: attribute(
      t.durationMs(),
      'Longest time that an order waits for others; when none can come in that time, it goes at once.',
      {
        default: '1000',
        unit: 'ms',
      },
    ),
    timeoutMS: attribute(t.durationMs(1), 'Longest wait for an answer.', { default: '60000', unit: 'ms' }),
    concurrency: attribute(t.integer(1, 64), 'Requests under way at once.', { default: '2' }),
  },
  { children: ['AllowAddress'] },
);
