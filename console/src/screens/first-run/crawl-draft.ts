/** Adds a new crawler to the text of the configuration and leaves everything else unchanged. */

import { escapeXml } from '../configuration/xml-tree.js';

export type Scope = 'site' | 'folder' | 'domain';

export interface CrawlSettings {
  readonly name: string;
  readonly url: URL;
  readonly scope: Scope;
  /** Name of an existing sink, or of the one to add. */
  readonly sink: string;
  readonly newSink?: NewSink;
  /** Pause between two requests to one web server. */
  readonly pauseSeconds: number;
  /** Range to allow if the site's address is not public. */
  readonly allow?: string;
  /** Page or email address for site operators. Empty removes it; absent leaves it unchanged. */
  readonly contact?: string;
}

export interface NewSink {
  readonly type: string;
  readonly url: string;
  /** Attributes of its type, such as index, login and password. Empty ones are left out. */
  readonly options?: Readonly<Record<string, string>>;
  /** Range that contains the sink's address if it is not public; otherwise empty. */
  readonly allow?: string;
  /** Certificate of the authority that issued the sink's certificate, in PEM format. */
  readonly authority?: string;
}

const ROOT_TAG = /<(?:[\w-]+:)?CrawlConfig\b[^>]*>/;
const LOOPBACK = '127.0.0.0/8';
const CONFIG_NAMESPACE = 'urn:crawlway:config:1';
const RULES_NAMESPACE = 'exa:com.exalead.actionrules.v21';
const CRAWL_NAMESPACE = 'exa:com.exalead.mercury.mami.crawl.v21';

export function addCrawler(xml: string, settings: CrawlSettings): string {
  const cw = findPrefix(xml, CONFIG_NAMESPACE);
  const ar = findPrefix(xml, RULES_NAMESPACE);
  const { tag } = findPrefix(xml, CRAWL_NAMESPACE);
  const pauseMs = Math.round(settings.pauseSeconds * 1000);
  const rules = isHomePage(settings)
    ? '' // In site mode, the crawl stays on the root's site, so no rules are needed.
    : `
    <${tag('Rules')} group="default">
      <${tag('Rule')}>${buildRuleXml(settings, ar.tag)}<${tag('Index')}/><${tag('Follow')}/><${tag('Accept')}/></${tag('Rule')}>
    </${tag('Rules')}>`;
  const declarations = cw.declaration + (rules === '' ? '' : ar.declaration);
  const crawler = `  <${tag('Crawler')} name="${escapeXml(settings.name)}" throttleTimeMS="${pauseMs}"${declarations}>
    <${tag('Root')} url="${escapeXml(settings.url.href)}"${isHomePage(settings) ? '' : ' site="false"'}/>${rules}
    <${cw.tag('PushTo')} sink="${escapeXml(settings.sink)}"/>
  </${tag('Crawler')}>\n`;
  const withSink = settings.newSink ? insertAtEnd(xml, buildSinkXml(settings.sink, settings.newSink, cw)) : xml;
  const withContact = settings.contact === undefined ? withSink : setContact(withSink, settings.contact.trim(), cw);
  return insertAtEnd(settings.allow ? allowAddress(withContact, settings.allow, cw) : withContact, crawler);
}

/**
 * Site mode is only suitable for a home page: for any other page, it would cover only URLs that begin with the URL of
 * that page.
 */
const isHomePage = ({ scope, url }: CrawlSettings): boolean =>
  scope === 'site' && url.pathname === '/' && url.search === '';

interface Prefix {
  readonly tag: (name: string) => string;
  /** Attribute to add to the element if the file does not declare the namespace; otherwise empty. */
  readonly declaration: string;
}

const DEFAULT_PREFIXES: Readonly<Record<string, string>> = {
  [CONFIG_NAMESPACE]: 'cw',
  [RULES_NAMESPACE]: 'ar',
  [CRAWL_NAMESPACE]: '',
};

function findPrefix(xml: string, namespace: string): Prefix {
  const family = namespace.replace(/\.v2\d$/, '').replaceAll('.', '\\.');
  // Declarations on other elements only apply inside them.
  const rootTag = ROOT_TAG.exec(blankComments(xml))?.[0] ?? '';
  const declarationMatch = new RegExp(`xmlns(?::([\\w-]+))?\\s*=\\s*["']${family}`).exec(rootTag);
  const prefix = declarationMatch ? (declarationMatch[1] ?? '') : (DEFAULT_PREFIXES[namespace] ?? '');
  return {
    tag: (name) => (prefix === '' ? name : `${prefix}:${name}`),
    declaration: declarationMatch || prefix === '' ? '' : ` xmlns:${prefix}="${namespace}"`,
  };
}

function buildRuleXml({ url, scope }: CrawlSettings, tag: (name: string) => string): string {
  const buildAtomXml = (field: string, kind: string, value: string): string =>
    `<${tag('Atom')} field="${field}" kind="${kind}" norm="lower" litteral="true" value="${escapeXml(value)}"/>`;
  if (scope === 'folder') return buildAtomXml('url', 'prefix', getFolder(url));
  if (scope === 'domain') return `<${tag('Domain')} litteral="true" value="${escapeXml(getDomain(url))}"/>`;
  if (url.port) return buildAtomXml('url', 'prefix', `${url.origin}/`);
  const hosts = isDnsName(url.hostname) ? [stripWww(url), `www.${stripWww(url)}`] : [url.hostname];
  const atoms = hosts.map((host) => buildAtomXml('host', 'exact', host)).join('');
  return hosts.length > 1 ? `<${tag('Or')}>${atoms}</${tag('Or')}>` : atoms;
}

export const getFolder = (url: URL): string => url.origin + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);

const stripWww = ({ hostname }: URL): string => hostname.replace(/^www\./, '');

/** The host name without www, because all host names of the site end in it. */
export const getDomain = (url: URL): string => stripWww(url);

const isDnsName = (host: string): boolean => /[a-z]/i.test(host) && host.includes('.') && !host.includes(':');

function buildSinkXml(name: string, sink: NewSink, { tag, declaration }: Prefix): string {
  const { type, url, options = {}, authority = '' } = sink;
  const givenAttributes = Object.entries({ name, type, url, ...options }).filter(([, value]) => value !== '');
  const attributes = givenAttributes.map(([key, value]) => ` ${key}="${escapeXml(value)}"`).join('');
  const allow = findRangeToAllow(sink);
  const children = [
    ...(allow === undefined ? [] : [`<${tag('AllowAddress')} cidr="${escapeXml(allow)}"/>`]),
    ...(authority.trim() === ''
      ? []
      : [`<${tag('CertificateAuthority')}>${escapeXml(authority.trim())}</${tag('CertificateAuthority')}>`]),
  ];
  const startTag = `  <${tag('Sink')}${declaration}${attributes}`;
  return children.length === 0
    ? `${startTag}/>\n`
    : `${startTag}>\n    ${children.join('\n    ')}\n  </${tag('Sink')}>\n`;
}

/** The range to allow for a sink at a private address. The server's own machine needs no permission. */
export function findRangeToAllow({ url, allow }: NewSink): string | undefined {
  if (allow !== undefined) return allow.trim() || undefined;
  const range = findPrivateRange(URL.parse(url)?.hostname ?? '');
  return range === LOOPBACK ? undefined : range;
}

/** Adds a sink to the configuration, so that it can be tested before it is saved. */
export const addSink = (xml: string, name: string, sink: NewSink): string =>
  insertAtEnd(xml, buildSinkXml(name, sink, findPrefix(xml, CONFIG_NAMESPACE)));

const CONTACT = /\scontact\s*=\s*(?:"[^"]*"|'[^']*')/;

/** Sets the contact of the fetcher that crawlers use by default. */
function setContact(xml: string, contact: string, cw: Prefix): string {
  const { tag, declaration } = cw;
  const attribute = contact === '' ? '' : ` contact="${escapeXml(contact)}"`;
  const fetcher = findDefaultFetcher(xml, cw);
  if (fetcher) {
    const tagWithoutContact = fetcher.text.replace(CONTACT, '');
    const end = tagWithoutContact.endsWith('/>') ? -2 : -1;
    const newTag = tagWithoutContact.slice(0, end).trimEnd() + attribute + tagWithoutContact.slice(end);
    return xml.slice(0, fetcher.index) + newTag + xml.slice(fetcher.index + fetcher.text.length);
  }
  return attribute === '' ? xml : insertAtEnd(xml, `  <${tag('Fetcher')}${declaration} name="default"${attribute}/>\n`);
}

/** Finds the start tag of the default fetcher. */
function findDefaultFetcher(
  xml: string,
  { tag }: Prefix,
): { readonly index: number; readonly text: string } | undefined {
  const tags = blankComments(xml).matchAll(new RegExp(`<${tag('Fetcher')}\\b[^>]*>`, 'g'));
  const isDefault = (text: string): boolean => (/\sname\s*=\s*["']([^"']*)/.exec(text)?.[1] ?? 'default') === 'default';
  const found = [...tags].find(([text]) => isDefault(text));
  return found && { index: found.index, text: found[0] };
}

function allowAddress(xml: string, cidr: string, cw: Prefix): string {
  const { tag, declaration } = cw;
  const allowElement = `<${tag('AllowAddress')} cidr="${escapeXml(cidr)}"/>`;
  const fetcher = findDefaultFetcher(xml, cw);
  if (!fetcher)
    return insertAtEnd(xml, `  <${tag('Fetcher')}${declaration} name="default">${allowElement}</${tag('Fetcher')}>\n`);
  const end = fetcher.index + fetcher.text.length;
  if (fetcher.text.endsWith('/>'))
    return `${xml.slice(0, end - 2)}>${allowElement}</${tag('Fetcher')}>${xml.slice(end)}`;
  const content = xml.slice(end).split(`</${tag('Fetcher')}>`)[0];
  return content?.includes(`cidr="${cidr}"`) ? xml : `${xml.slice(0, end)}\n    ${allowElement}${xml.slice(end)}`;
}

function insertAtEnd(xml: string, element: string): string {
  const blankedXml = blankComments(xml);
  const end = [...blankedXml.matchAll(/<\/(?:[\w-]+:)?CrawlConfig\s*>/g)].at(-1)?.index;
  if (end !== undefined) return xml.slice(0, end) + element + xml.slice(end);
  const rootTag = ROOT_TAG.exec(blankedXml);
  if (!rootTag?.[0].endsWith('/>')) return `<CrawlConfig xmlns="${CRAWL_NAMESPACE}">\n${element}</CrawlConfig>\n`;
  const closePosition = rootTag.index + rootTag[0].length - 2;
  const name = /^<([^\s/>]+)/.exec(rootTag[0])?.[1];
  return `${xml.slice(0, closePosition)}>\n${element}</${name}>${xml.slice(closePosition + 2)}`;
}

const blankComments = (xml: string): string => xml.replace(/<!--[\s\S]*?-->/g, (comment) => ' '.repeat(comment.length));

/** The range to allow for an address of this machine or of an intranet; undefined for a public address. */
export function findPrivateRange(hostname: string): string | undefined {
  if (hostname === 'localhost' || /^127\./.test(hostname)) return LOOPBACK;
  if (/^10\./.test(hostname)) return '10.0.0.0/8';
  if (/^192\.168\./.test(hostname)) return '192.168.0.0/16';
  if (/^172\.(1[6-9]|2\d|3[01])\./.test(hostname)) return '172.16.0.0/12';
  return undefined;
}
