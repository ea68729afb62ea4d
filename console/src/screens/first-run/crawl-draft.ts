/** Writes a new crawler into the text of the configuration; everything else is unchanged. */

export type Scope = 'site' | 'folder' | 'domain';

export interface CrawlWish {
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
  /** Page or mail address for site operators. Empty removes it; absent leaves it unchanged. */
  readonly contact?: string;
}

export interface NewSink {
  readonly type: string;
  readonly url: string;
  /** Attributes of its type: index, login, password and the like; empty ones are left out. */
  readonly options?: Readonly<Record<string, string>>;
  /** Range that contains the sink's address if it is not public; otherwise empty. */
  readonly allow?: string;
  /** Certificate of the authority that issued its certificate, in PEM form. */
  readonly authority?: string;
}

const OUTERMOST = /<(?:[\w-]+:)?CrawlConfig\b[^>]*>/;
const LOOPBACK = '127.0.0.0/8';
const CONFIG = 'urn:crawlway:config:1';
const RULES = 'exa:com.exalead.actionrules.v21';
const CRAWL = 'exa:com.exalead.mercury.mami.crawl.v21';

export function addCrawler(xml: string, wish: CrawlWish): string {
  const cw = findPrefix(xml, CONFIG);
  const ar = findPrefix(xml, RULES);
  const { tag } = findPrefix(xml, CRAWL);
  const pause = Math.round(wish.pauseSeconds * 1000);
  const rules = isHomePage(wish)
    ? '' // The root stays on its site, all of which is crawled.
    : `
    <${tag('Rules')} group="default">
      <${tag('Rule')}>${ruleXml(wish, ar.tag)}<${tag('Index')}/><${tag('Follow')}/><${tag('Accept')}/></${tag('Rule')}>
    </${tag('Rules')}>`;
  const declarations = cw.declaration + (rules === '' ? '' : ar.declaration);
  const crawler = `  <${tag('Crawler')} name="${escapeXml(wish.name)}" throttleTimeMS="${pause}"${declarations}>
    <${tag('Root')} url="${escapeXml(wish.url.href)}"${isHomePage(wish) ? '' : ' site="false"'}/>${rules}
    <${cw.tag('PushTo')} sink="${escapeXml(wish.sink)}"/>
  </${tag('Crawler')}>\n`;
  const withSink = wish.newSink ? insertAtEnd(xml, sinkXml(wish.sink, wish.newSink, cw)) : xml;
  const withContact = wish.contact === undefined ? withSink : setContact(withSink, wish.contact.trim(), cw);
  return insertAtEnd(wish.allow ? allowAddress(withContact, wish.allow, cw) : withContact, crawler);
}

/**
 * Site mode is only suitable for a home page: for any other page, it would mean the part of the site whose URLs begin
 * with that of the page.
 */
const isHomePage = ({ scope, url }: CrawlWish): boolean =>
  scope === 'site' && url.pathname === '/' && url.search === '';

interface Prefix {
  readonly tag: (name: string) => string;
  /** Attribute for the element if the file does not declare the namespace. */
  readonly declaration: string;
}

const USUAL: Readonly<Record<string, string>> = { [CONFIG]: 'cw', [RULES]: 'ar', [CRAWL]: '' };

function findPrefix(xml: string, namespace: string): Prefix {
  const family = namespace.replace(/\.v2\d$/, '').replaceAll('.', '\\.');
  // Declarations on other elements only apply inside them.
  const outermost = OUTERMOST.exec(blankComments(xml))?.[0] ?? '';
  const declared = new RegExp(`xmlns(?::([\\w-]+))?\\s*=\\s*["']${family}`).exec(outermost);
  const prefix = declared ? (declared[1] ?? '') : (USUAL[namespace] ?? '');
  return {
    tag: (name) => (prefix === '' ? name : `${prefix}:${name}`),
    declaration: declared || prefix === '' ? '' : ` xmlns:${prefix}="${namespace}"`,
  };
}

function ruleXml({ url, scope }: CrawlWish, tag: (name: string) => string): string {
  const atomXml = (field: string, kind: string, value: string): string =>
    `<${tag('Atom')} field="${field}" kind="${kind}" norm="lower" litteral="true" value="${escapeXml(value)}"/>`;
  if (scope === 'folder') return atomXml('url', 'prefix', getFolder(url));
  if (scope === 'domain') return `<${tag('Domain')} litteral="true" value="${escapeXml(getDomain(url))}"/>`;
  if (url.port) return atomXml('url', 'prefix', `${url.origin}/`);
  const hosts = isDnsName(url.hostname) ? [stripWww(url), `www.${stripWww(url)}`] : [url.hostname];
  const atoms = hosts.map((host) => atomXml('host', 'exact', host)).join('');
  return hosts.length > 1 ? `<${tag('Or')}>${atoms}</${tag('Or')}>` : atoms;
}

export const getFolder = (url: URL): string => url.origin + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);

const stripWww = ({ hostname }: URL): string => hostname.replace(/^www\./, '');

/** The host name without www, because all host names of the site end in it. */
export const getDomain = (url: URL): string => stripWww(url);

const isDnsName = (host: string): boolean => /[a-z]/i.test(host) && host.includes('.') && !host.includes(':');

function sinkXml(name: string, sink: NewSink, { tag, declaration }: Prefix): string {
  const { type, url, options = {}, authority = '' } = sink;
  const given = Object.entries({ name, type, url, ...options }).filter(([, value]) => value !== '');
  const attributes = given.map(([key, value]) => ` ${key}="${escapeXml(value)}"`).join('');
  const allow = findAddressToAllow(sink);
  const inside = [
    ...(allow === undefined ? [] : [`<${tag('AllowAddress')} cidr="${escapeXml(allow)}"/>`]),
    ...(authority.trim() === ''
      ? []
      : [`<${tag('CertificateAuthority')}>${escapeXml(authority.trim())}</${tag('CertificateAuthority')}>`]),
  ];
  const head = `  <${tag('Sink')}${declaration}${attributes}`;
  return inside.length === 0 ? `${head}/>\n` : `${head}>\n    ${inside.join('\n    ')}\n  </${tag('Sink')}>\n`;
}

/** The range to allow for a sink at a private address; this machine itself needs no permission. */
export function findAddressToAllow({ url, allow }: NewSink): string | undefined {
  if (allow !== undefined) return allow.trim() || undefined;
  const range = findPrivateRange(URL.parse(url)?.hostname ?? '');
  return range === LOOPBACK ? undefined : range;
}

/** The configuration with an additional sink, to test it before it is in force. */
export const addSink = (xml: string, name: string, sink: NewSink): string =>
  insertAtEnd(xml, sinkXml(name, sink, findPrefix(xml, CONFIG)));

const CONTACT = /\scontact\s*=\s*(?:"[^"]*"|'[^']*')/;

/** The contact of the fetcher that crawlers use by default. */
function setContact(xml: string, contact: string, cw: Prefix): string {
  const { tag, declaration } = cw;
  const attribute = contact === '' ? '' : ` contact="${escapeXml(contact)}"`;
  const fetcher = findDefaultFetcher(xml, cw);
  if (fetcher) {
    const bare = fetcher.text.replace(CONTACT, '');
    const end = bare.endsWith('/>') ? -2 : -1;
    const written = bare.slice(0, end).trimEnd() + attribute + bare.slice(end);
    return xml.slice(0, fetcher.index) + written + xml.slice(fetcher.index + fetcher.text.length);
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
  const allow = `<${tag('AllowAddress')} cidr="${escapeXml(cidr)}"/>`;
  const fetcher = findDefaultFetcher(xml, cw);
  if (!fetcher)
    return insertAtEnd(xml, `  <${tag('Fetcher')}${declaration} name="default">${allow}</${tag('Fetcher')}>\n`);
  const end = fetcher.index + fetcher.text.length;
  if (fetcher.text.endsWith('/>')) return `${xml.slice(0, end - 2)}>${allow}</${tag('Fetcher')}>${xml.slice(end)}`;
  const inside = xml.slice(end).split(`</${tag('Fetcher')}>`)[0];
  return inside?.includes(`cidr="${cidr}"`) ? xml : `${xml.slice(0, end)}\n    ${allow}${xml.slice(end)}`;
}

function insertAtEnd(xml: string, element: string): string {
  const blank = blankComments(xml);
  const end = [...blank.matchAll(/<\/(?:[\w-]+:)?CrawlConfig\s*>/g)].at(-1)?.index;
  if (end !== undefined) return xml.slice(0, end) + element + xml.slice(end);
  const empty = OUTERMOST.exec(blank);
  if (!empty?.[0].endsWith('/>')) return `<CrawlConfig xmlns="${CRAWL}">\n${element}</CrawlConfig>\n`;
  const close = empty.index + empty[0].length - 2;
  const name = /^<([^\s/>]+)/.exec(empty[0])?.[1];
  return `${xml.slice(0, close)}>\n${element}</${name}>${xml.slice(close + 2)}`;
}

const blankComments = (xml: string): string => xml.replace(/<!--[\s\S]*?-->/g, (comment) => ' '.repeat(comment.length));

/** The range to allow if someone enters an address of this machine or of an intranet. */
export function findPrivateRange(hostname: string): string | undefined {
  if (hostname === 'localhost' || /^127\./.test(hostname)) return LOOPBACK;
  if (/^10\./.test(hostname)) return '10.0.0.0/8';
  if (/^192\.168\./.test(hostname)) return '192.168.0.0/16';
  if (/^172\.(1[6-9]|2\d|3[01])\./.test(hostname)) return '172.16.0.0/12';
  return undefined;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
