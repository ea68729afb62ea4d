/** A new crawler as text in the configuration; all that stands there already stays as it is. */

export type Scope = 'site' | 'folder' | 'domain';

export interface CrawlWish {
  readonly name: string;
  readonly url: URL;
  readonly scope: Scope;
  /** Sink that exists already, or the one to add. */
  readonly sink: string;
  readonly newSink?: NewSink;
  /** Between two requests to one web server. */
  readonly pauseSeconds: number;
  /** Addresses that are not public must be allowed by name. */
  readonly allow?: string;
}

export interface NewSink {
  readonly type: string;
  readonly url: string;
  /** Attributes of its type: index, login, password and the like; empty ones are left out. */
  readonly options?: Readonly<Record<string, string>>;
}

const CONFIG = 'urn:crawlway:config:1';
const RULES = 'exa:com.exalead.actionrules.v21';
const CRAWL = 'exa:com.exalead.mercury.mami.crawl.v21';

/** @param withRoot false: the crawler is there and judges, but has nothing to crawl yet. */
export function addCrawler(xml: string, wish: CrawlWish, withRoot: boolean): string {
  const prefixes = { cw: prefixOf(xml, CONFIG), ar: prefixOf(xml, RULES) };
  const root = withRoot
    ? `\n    <Root url="${escaped(wish.url.href)}"${isHomePage(wish) ? '' : ' site="false"'}/>`
    : '';
  const crawler = `  <Crawler name="${escaped(wish.name)}" throttleTimeMS="${Math.round(wish.pauseSeconds * 1000)}"${prefixes.cw.declaration}${prefixes.ar.declaration}>${root}
    <Rules group="default">
      <Rule>${ruleOf(wish, prefixes.ar.tag)}<Index/><Follow/><Accept/></Rule>
    </Rules>
    <${prefixes.cw.tag('PushTo')} sink="${escaped(wish.sink)}"/>
  </Crawler>\n`;
  const withSink = wish.newSink ? beforeEnd(xml, sinkOf(wish.sink, wish.newSink, prefixes.cw)) : xml;
  return beforeEnd(wish.allow ? allowAddress(withSink, wish.allow, prefixes.cw) : withSink, crawler);
}

/** Site mode of a page that is not the home page would be the part of the site whose URLs begin with that page's. */
const isHomePage = ({ scope, url }: CrawlWish): boolean =>
  scope === 'site' && url.pathname === '/' && url.search === '';

interface Prefix {
  readonly tag: (name: string) => string;
  /** To be written at the element when the file does not declare the namespace. */
  readonly declaration: string;
}

function prefixOf(xml: string, namespace: string): Prefix {
  const family = namespace.replace(/\.v2\d$/, '').replaceAll('.', '\\.');
  // What another element declares holds inside that one alone.
  const outermost = /<CrawlConfig\b[^>]*>/.exec(blankComments(xml))?.[0] ?? '';
  const declared = new RegExp(`xmlns:([\\w-]+)\\s*=\\s*["']${family}`).exec(outermost)?.[1];
  const prefix = declared ?? (namespace === CONFIG ? 'cw' : 'ar');
  return { tag: (name) => `${prefix}:${name}`, declaration: declared ? '' : ` xmlns:${prefix}="${namespace}"` };
}

function ruleOf({ url, scope }: CrawlWish, tag: (name: string) => string): string {
  const atom = (field: string, kind: string, value: string): string =>
    `<${tag('Atom')} field="${field}" kind="${kind}" norm="lower" litteral="true" value="${escaped(value)}"/>`;
  if (scope === 'folder') return atom('url', 'prefix', folderOf(url));
  if (scope === 'domain') return `<${tag('Domain')} litteral="true" value="${escaped(domainOf(url))}"/>`;
  if (url.port) return atom('url', 'prefix', `${url.origin}/`);
  const hosts = isName(url.hostname) ? [bareHost(url), `www.${bareHost(url)}`] : [url.hostname];
  const atoms = hosts.map((host) => atom('host', 'exact', host)).join('');
  return hosts.length > 1 ? `<${tag('Or')}>${atoms}</${tag('Or')}>` : atoms;
}

export const folderOf = (url: URL): string => url.origin + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);

const bareHost = ({ hostname }: URL): string => hostname.replace(/^www\./, '');

/** Without www: the person said which site, and its other names end in the same. */
export const domainOf = (url: URL): string => bareHost(url);

const isName = (host: string): boolean => /[a-z]/i.test(host) && host.includes('.') && !host.includes(':');

function sinkOf(name: string, { type, url, options = {} }: NewSink, { tag, declaration }: Prefix): string {
  const given = Object.entries({ name, type, url, ...options }).filter(([, value]) => value !== '');
  const attributes = given.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
  return `  <${tag('Sink')}${declaration}${attributes}/>\n`;
}

/** The configuration with a sink more, to try it before it is in force. */
export const addSink = (xml: string, name: string, sink: NewSink): string =>
  beforeEnd(xml, sinkOf(name, sink, prefixOf(xml, CONFIG)));

function allowAddress(xml: string, cidr: string, { tag, declaration }: Prefix): string {
  const allow = `<${tag('AllowAddress')} cidr="${escaped(cidr)}"/>`;
  const fetcher = new RegExp(`<${tag('Fetcher')}\\b[^>]*>`).exec(blankComments(xml));
  if (!fetcher)
    return beforeEnd(xml, `  <${tag('Fetcher')}${declaration} name="default">${allow}</${tag('Fetcher')}>\n`);
  const end = fetcher.index + fetcher[0].length;
  if (
    xml
      .slice(end)
      .split(`</${tag('Fetcher')}>`)[0]
      ?.includes(`cidr="${cidr}"`)
  )
    return xml;
  if (!fetcher[0].endsWith('/>')) return `${xml.slice(0, end)}\n    ${allow}${xml.slice(end)}`;
  return `${xml.slice(0, end - 2)}>${allow}</${tag('Fetcher')}>${xml.slice(end)}`;
}

function beforeEnd(xml: string, element: string): string {
  const blank = blankComments(xml);
  const end = blank.lastIndexOf('</CrawlConfig>');
  if (end >= 0) return xml.slice(0, end) + element + xml.slice(end);
  const empty = /<CrawlConfig\b[^>]*\/>/.exec(blank);
  if (!empty) return `<CrawlConfig xmlns="${CRAWL}">\n${element}</CrawlConfig>\n`;
  const close = empty.index + empty[0].length - 2;
  return `${xml.slice(0, close)}>\n${element}</CrawlConfig>${xml.slice(close + 2)}`;
}

const blankComments = (xml: string): string => xml.replace(/<!--[\s\S]*?-->/g, (comment) => ' '.repeat(comment.length));

/** The range to allow when somebody names an address of this machine or of an intranet. */
export function privateRange(hostname: string): string | undefined {
  if (hostname === 'localhost' || /^127\./.test(hostname)) return '127.0.0.0/8';
  if (/^10\./.test(hostname)) return '10.0.0.0/8';
  if (/^192\.168\./.test(hostname)) return '192.168.0.0/16';
  if (/^172\.(1[6-9]|2\d|3[01])\./.test(hostname)) return '172.16.0.0/12';
  return undefined;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
