/** Reads fetchers, extractors, the renderer and quotas. */
import type { CrawlerDefinition, ServerDefinition } from '../../../domain/crawl/definition.js';
import type {
  ExtractorDefinition,
  FetcherDefinition,
  ProxyDefinition,
  RendererDefinition,
} from '../../../domain/crawl/fetcher-definition.js';
import type { ConditionRule } from '../../../domain/crawl/policy-definition.js';
import type { QuotaDefinition } from '../../../domain/crawl/quota-definition.js';
import { findRootServers } from '../../../domain/policy/secret-scope.js';
import { isSecretHeader } from '../../../domain/redact.js';
import { Secret } from '../../../domain/secret.js';
import { suggestSpelling } from '../../../domain/spelling.js';
import { minutes } from '../../../domain/time/units.js';
import { hasUserInfo } from '../../../domain/url/crawl-url.js';
import { collectDefaults, findOnlyChild, findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import { COVERS, QUOTA } from '../schema/schedule.js';
import * as server from '../schema/server.js';
import type { Attributes, Values } from '../schema/spec.js';
import type { ReadContext } from './context.js';
import { readLogins } from './logins.js';

export function readFetchers(root: Node, context: ReadContext): FetcherDefinition[] {
  const fetchers = findValidChildren(root, server.FETCHER).map((node) => readFetcher(node, context));
  if (fetchers.some((fetcher) => fetcher.name === 'default')) return fetchers;
  return [...fetchers, createFetcherDefinition(collectDefaults(server.FETCHER), [])];
}

type FetcherValues = Node<typeof server.FETCHER.attributes>['values'];

function readFetcher(node: Node<typeof server.FETCHER.attributes>, context: ReadContext): FetcherDefinition {
  const parent = node as Node;
  if (node.values.userAgent === '')
    context.problems.add(
      'no-effect',
      'userAgent is empty: requests have the default user agent, because many sites refuse those without one',
      node.place,
    );
  const { contact = '' } = node.values;
  if (contact.includes('://') && !buildUserAgent(node.values).includes(contact))
    context.problems.add(
      'no-effect',
      'the page in contact is named by the default user agent only, so nobody sees it: name it in userAgent',
      node.place,
    );
  const proxies = readProxies(parent, context);
  const headers = findValidChildren(parent, server.HEADER);
  checkHeaders(headers, context.problems);
  const credentials = findValidChildren(parent, server.CREDENTIAL);
  reportRepeated(credentials, ({ url }) => `Credential for ${url}`, context.problems);
  const unboundHeaders = headers.filter(({ values }) => values.url === undefined);
  return {
    ...createFetcherDefinition(node.values, readCertificateAuthorities(parent, context)),
    place: node.place,
    headers: addIdentityHeaders(
      node.values,
      Object.fromEntries(
        unboundHeaders.map((header) => [
          header.values.name,
          isSecretHeaderElement(header) ? new Secret(header.values.value) : header.values.value,
        ]),
      ),
    ),
    secretHeaders: unboundHeaders.filter(isSecretHeaderElement).map(({ values }) => values.name),
    boundHeaders: headers.flatMap(({ values: { url, name, value } }) =>
      url === undefined ? [] : [{ url, name, value: new Secret(value) }],
    ),
    allowedAddresses: readAllowedAddresses(parent),
    ...(proxies.length === 0 ? {} : { proxies }),
    credentials: credentials.map(({ values }) => values),
    logins: readLogins(parent, context),
    ...readBotAuth(parent),
  };
}

function checkHeaders(headers: readonly Node<typeof server.HEADER.attributes>[], problems: Problems): void {
  const nameHeader = ({ name, url }: (typeof headers)[number]['values']): string =>
    `Header ${name.toLowerCase()}${url === undefined ? '' : ` for ${url}`}`;
  reportRepeated(headers, nameHeader, problems);
  for (const { values, place } of headers)
    if (nameHeader(values) === 'Header user-agent')
      problems.add('no-effect', `the Header ${values.name} is never sent: write it as userAgent of the Fetcher`, place);
}

/** Reports elements that say something about the same thing as one before them. */
export function reportRepeated<A extends Attributes>(
  nodes: readonly Node<A>[],
  describe: (values: Values<A>) => string,
  problems: Problems,
): void {
  const seen = new Set<string>();
  for (const { values, place } of nodes) {
    const text = describe(values);
    if (seen.has(text))
      problems.add('no-effect', `there is more than one ${text}, and only one has an effect: keep one`, place);
    seen.add(text);
  }
}

function readBotAuth(fetcher: Node): Pick<FetcherDefinition, 'botAuth'> {
  const botAuth = findOnlyChild(fetcher, server.BOT_AUTH)?.values;
  return botAuth ? { botAuth } : {};
}

function readProxies(fetcher: Node, { problems }: ReadContext): ProxyDefinition[] {
  const nodes = findValidChildren(fetcher, server.PROXY);
  const seen = new Set<string>();
  for (const { values, place } of nodes) {
    const prefix = values.for ?? '';
    const scope = prefix === '' ? 'without the attribute for' : `for ${prefix}`;
    if (seen.has(prefix)) problems.add('duplicate-element', `there is more than one Proxy ${scope}: keep one`, place);
    seen.add(prefix);
  }
  return nodes.map(({ values: { url, for: prefix, noProxy } }) => ({
    url: parseProxyUrl(url),
    ...(prefix === undefined ? {} : { for: prefix }),
    noProxy: noProxy ?? [],
  }));
}

/** Returns the URL of a proxy; if it contains a login, as a secret of which the other parts may be shown. */
export const parseProxyUrl = (url: string): string | Secret =>
  hasUserInfo(url) ? new Secret(url, url.replace(/\/\/[^/]*@/, '//***@')) : url;

/** Whether a header is secret, because of its name or because its value comes from outside the configuration. */
const isSecretHeaderElement = ({ element, values }: Node<typeof server.HEADER.attributes>): boolean =>
  isSecretHeader(values.name) ||
  element.attributes.some(({ local, value }) => local === 'value' && value.includes('${'));

/** Adds to each fetcher with secret headers the servers that may receive them: those of its crawlers' roots. */
export function addSecretServers(
  fetchers: readonly FetcherDefinition[],
  crawlers: readonly CrawlerDefinition[],
): FetcherDefinition[] {
  return fetchers.map((fetcher) => {
    if (fetcher.secretHeaders.length === 0) return fetcher;
    const roots = crawlers
      .filter((crawler) => listFetcherNames(crawler).has(fetcher.name))
      .flatMap((crawler) => crawler.roots);
    return { ...fetcher, secretServers: [...findRootServers(roots)] };
  });
}

function listFetcherNames({ fetcher, conditions }: CrawlerDefinition): Set<string> {
  const collectNames = (rules: readonly ConditionRule[]): string[] =>
    rules.flatMap(({ options, children }) => [options.fetcher ?? fetcher, ...collectNames(children)]);
  return new Set([fetcher, conditions?.options.fetcher ?? fetcher, ...collectNames(conditions?.rules ?? [])]);
}

/** Adds the contact to the default user agent; an explicitly set user agent is sent unchanged. */
function buildUserAgent({ userAgent, contact }: FetcherValues): string {
  const defaultAgent = collectDefaults(server.FETCHER).userAgent;
  const isDefault = userAgent === '' || userAgent === defaultAgent;
  if (!isDefault) return userAgent;
  return contact === undefined ? defaultAgent : `${defaultAgent} (${contact.includes('://') ? '+' : ''}${contact})`;
}

/** Adds the headers From and Accept-Language; a Header element with the same name takes precedence. */
function addIdentityHeaders<T>(
  { contact, acceptLanguage }: FetcherValues,
  configuredHeaders: Readonly<Record<string, T>>,
) {
  const configuredNames = new Set(Object.keys(configuredHeaders).map((name) => name.toLowerCase()));
  const identityHeaders = {
    ...(contact === undefined || contact.includes('://') ? {} : { from: contact }),
    ...(acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }),
  };
  return {
    ...Object.fromEntries(Object.entries(identityHeaders).filter(([name]) => !configuredNames.has(name))),
    ...configuredHeaders,
  };
}

function createFetcherDefinition(values: FetcherValues, certificateAuthorities: readonly string[]): FetcherDefinition {
  return {
    name: values.name,
    userAgent: buildUserAgent(values),
    robotsAgent: values.robotsAgent,
    headers: {},
    boundHeaders: [],
    secretHeaders: [],
    secretServers: [],
    connectTimeout: values.connectTimeoutMS,
    headerTimeout: values.headerTimeoutMS,
    bodyTimeout: values.bodyTimeoutMS,
    totalTimeout: values.totalTimeoutMS,
    maxSize: values.maxSizeBytes,
    maxRedirects: values.maxRedirects,
    allowedAddresses: [],
    credentials: [],
    logins: [],
    cookies: values.cookies,
    certificateAuthorities,
    verifyCertificates: values.verifyCertificates,
    prefersHttp2: values.preferHttp2,
  };
}

export const readAllowedAddresses = (node: Node): string[] =>
  findValidChildren(node, server.ALLOW_ADDRESS).map(({ values }) => values.cidr);

const CERTIFICATE_PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

export function readCertificateAuthorities(fetcher: Node, context: ReadContext): string[] {
  const authorities: string[] = [];
  for (const { element, values, place } of findValidChildren(fetcher, server.CERTIFICATE_AUTHORITY)) {
    const text = values.file === undefined ? element.text : context.readFile(values.file, place);
    if (text === undefined) continue;
    if (CERTIFICATE_PEM.test(text)) authorities.push(text.trim());
    else context.problems.add('bad-value', 'CertificateAuthority requires a certificate in PEM form', place);
  }
  return authorities;
}

export function readExtractors(root: Node, { problems }: ReadContext): ExtractorDefinition[] {
  const nodes = findValidChildren(root, server.EXTRACTOR);
  const duplicate = nodes.filter(({ values }) => values.type === 'documents')[1];
  if (duplicate)
    problems.add('duplicate-name', 'there is more than one Extractor type="documents": keep one', duplicate.place);
  return nodes.map(({ values, place, element }): ExtractorDefinition => {
    const { type, url, timeLimitMS: timeLimit } = values;
    for (const { local } of element.attributes)
      if (server.UNUSED_BY_EXTRACTOR[type].includes(local))
        problems.add('ignored-attribute', `an extractor of type ${type} does not use the attribute ${local}`, place);
    if (type === 'documents') {
      const { memoryLimitBytes: memoryLimit, members, ocr, ocrPagesPerDay: pagesPerDay } = values;
      return {
        type,
        timeLimit,
        memoryLimit,
        members,
        ...(ocr?.length ? { ocr: { languages: ocr, pagesPerDay, place } } : {}),
      };
    }
    if (url === undefined)
      problems.add('missing-attribute', 'an extractor of type tika requires the attribute url', place);
    return { type, url: url ?? '', mediaTypes: values.mediaTypes ?? server.LEGACY_OFFICE.split(' '), timeLimit };
  });
}

export function readRenderer(root: Node, { problems }: ReadContext): RendererDefinition {
  const element = findOnlyChild(root, server.RENDERER);
  const {
    path,
    url,
    timeLimitMS,
    memoryLimitBytes,
    renderObeysRobots,
    readyWhen,
    steps,
    pages,
    postHosts,
    webSocketHosts,
    ...rest
  } = element?.values ?? collectDefaults(server.RENDERER);
  if (element && path !== undefined && url !== undefined)
    problems.add('ambiguous-browser', 'Renderer has both path and url: set only one of them', element.place);
  return {
    ...rest,
    ...(pages === undefined ? {} : { pages }),
    ...(path === undefined ? {} : { path }),
    ...(url === undefined ? {} : { url }),
    ...(readyWhen === undefined ? {} : { readyWhen }),
    ...(steps === undefined ? {} : { steps }),
    ...(element ? { place: element.place } : {}),
    timeLimit: timeLimitMS,
    memoryLimit: memoryLimitBytes,
    obeysRobots: renderObeysRobots,
    postHosts: postHosts ?? [],
    webSocketHosts: webSocketHosts ?? [],
  };
}

/**
 * Reads what crawlers may use.
 * @param crawlerNames the names of all crawlers, including those that are otherwise invalid
 */
export function readQuotas(
  root: Node,
  crawlerNames: readonly string[],
  problems: Problems,
): Pick<ServerDefinition, 'quotas'> {
  const quotas = findValidChildren(root, QUOTA).map(({ values, place, ...node }): QuotaDefinition => {
    const { name, maxUrls: urls, maxDocuments: documents, maxBytesPerDay: bytes, maxRenderMinutesPerDay } = values;
    const rendering = maxRenderMinutesPerDay === undefined ? undefined : minutes(maxRenderMinutesPerDay);
    const entries = Object.entries({ urls, documents, bytes, rendering }).filter(([, limit]) => limit !== undefined);
    if (entries.length === 0)
      problems.add('no-effect', `the quota ${name} limits nothing: set one of its limits, or remove it`, place);
    const crawlers = findValidChildren({ values, place, ...node } as Node, COVERS).map((covered) => {
      const { crawler } = covered.values;
      if (!crawlerNames.includes(crawler)) {
        const message = `there is no Crawler named ${crawler}${suggestSpelling(crawler, crawlerNames)}`;
        problems.add('unknown-reference', message, covered.place);
      }
      return crawler;
    });
    return { name, place, crawlers: [...new Set(crawlers)], limits: Object.fromEntries(entries) };
  });
  return quotas.length === 0 ? {} : { quotas };
}
