/**
 * The configuration that `crawlway init` writes: one crawler, one sink, and a comment on each setting that users often
 * change.
 */
import { listSecretOptions, type SinkType } from '../domain/push/sink-types.js';

export interface FirstConfiguration {
  /** Name of the crawler. */
  readonly name: string;
  readonly start: URL;
  /** The folder of the start URL and everything below it, or the whole site with and without www. */
  readonly scope: 'site' | 'folder';
  readonly sink: FirstSink;
  /** URL of a page, or an email address, for site operators. */
  readonly contact?: string;
  /** Non-public addresses of the start page and the sink, which must be allowed. */
  readonly allowedAddresses: { readonly site: readonly string[]; readonly sink: readonly string[] };
}

export interface FirstSink {
  readonly type: SinkType;
  readonly url: string;
  readonly index?: string;
  /** Name of the environment variable with the API key or password. */
  readonly secret?: string;
  readonly login?: string;
}

export const BUNDLED_INDEX = 'http://127.0.0.1:8742';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<!-- The running server reloads this file when it changes, and keeps the previous configuration if the new one has an error.
     Check it first: crawlway check. For everything that can be written here, see docs/reference.md. -->
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21"
             xmlns:ar="exa:com.exalead.actionrules.v21"
             xmlns:cw="urn:crawlway:config:1">
`;

const SEARCH_TYPES: ReadonlySet<SinkType> = new Set(['elasticsearch', 'opensearch', 'solr']);
const HEADINGS = `    <!-- Searches may prefer pages that have the words in their headings. -->
    <cw:Content><cw:Output headings="true"/></cw:Content>
`;

export function buildFirstConfiguration({
  name,
  start,
  scope,
  sink,
  contact,
  allowedAddresses,
}: FirstConfiguration): string {
  return `${HEAD}
  <Crawler name="${escapeXml(name)}">
    <!-- Where the crawl begins. It stays ${scope === 'site' ? 'on this site' : 'in this folder'}: all pages there are indexed and their links followed. -->
    <Root url="${escapeXml(start.href)}"${scope === 'folder' ? ' entireSite="true"' : ''}/>
    <!-- Rules define exceptions; a later rule overrides an earlier one.
    <Rules><Rule><ar:Path val="/drafts/"/><Ignore/></Rule></Rules>
    -->
${SEARCH_TYPES.has(sink.type) ? HEADINGS : ''}    <cw:PushTo sink="main"/>
  </Crawler>
${renderFetcher(contact, allowedAddresses.site)}
  ${renderSink(sink, allowedAddresses.sink)}
</CrawlConfig>
`;
}

function renderFetcher(contact: string | undefined, cidrs: readonly string[]): string {
  const contactComment =
    '<!-- contact: a page about this crawl or an email address, for site operators. It is sent with each request. -->';
  if (contact === undefined && cidrs.length === 0)
    return `\n  ${contactComment}\n  <!-- <cw:Fetcher name="default" contact="https://www.example.com/our-crawler"/> -->\n`;
  const openingTag = `<cw:Fetcher name="default"${contact === undefined ? '' : ` contact="${escapeXml(contact)}"`}`;
  if (cidrs.length === 0) return `\n  ${contactComment}\n  ${openingTag}/>\n`;
  return `
  ${contactComment}
  <!-- Addresses that are not public, such as this machine or an intranet, are refused unless they are allowed here. -->
  ${openingTag}>
${cidrs.map((cidr) => `    ${renderAllowAddress(cidr)}\n`).join('')}  </cw:Fetcher>
`;
}

const renderAllowAddress = (cidr: string): string => `<cw:AllowAddress cidr="${escapeXml(cidr)}"/>`;

function renderSink(sink: FirstSink, cidrs: readonly string[]): string {
  const attributes: Record<string, string | undefined> = {
    name: 'main',
    type: sink.type,
    url: sink.url,
    index: sink.index,
    login: sink.login,
    ...(sink.secret ? { [chooseSecretAttribute(sink)]: `\${${sink.secret}}` } : {}),
  };
  const text = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}="${escapeXml(value)}"`]))
    .join(' ');
  const comment = '<!-- Where documents are sent. -->\n  ';
  if (cidrs.length === 0) return `${comment}<cw:Sink ${text}/>`;
  return `${comment}<cw:Sink ${text}>\n${cidrs.map((cidr) => `    ${renderAllowAddress(cidr)}\n`).join('')}  </cw:Sink>`;
}

/** With a login, the secret is a password; without one, it is an API key if the sink type supports that. */
function chooseSecretAttribute({ type, login }: FirstSink): string {
  const secrets = listSecretOptions(type);
  const usual = (login === undefined ? ['apiKey', 'password'] : ['password']).find((name) => secrets.includes(name));
  return usual ?? secrets[0] ?? 'password';
}

/** Derives a valid crawler name from the site's host. */
export const toCrawlerName = ({ host }: URL): string => host.replace(/^www\./, '').replace(/[^\w.-]/g, '-');

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
