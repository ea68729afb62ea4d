/** Scrapy, Fess and Google Search Appliance: what each says about a URL. */

import { listSpiders } from '../formats/scrapy.js';
import { type ImportFile, ImportReport } from '../model.js';
import type { Node } from '../node.js';
import { parsePython, readString } from '../python.js';
import { findAll, parseXml } from '../tree.js';
import { compileExpression, type Filter, joinFilters, listLines, type Original } from './original.js';

/** The verdict of the first that accepts, otherwise of the first. */
export const joinCrawls = (crawls: readonly Original[]): Original => ({
  judge(url) {
    const verdicts = crawls.map((crawl) => crawl.judge(url));
    return verdicts.find(({ accepted }) => accepted) ?? verdicts[0] ?? { accepted: false, by: 'no crawl' };
  },
});

export const isOnDomain = ({ hostname }: URL, domain: string): boolean =>
  hostname === domain.toLowerCase() || hostname.endsWith(`.${domain.toLowerCase()}`);

/** Links have to be on the allowed domains of a spider, and extracted by one of its rules. */
export function createScrapy(files: readonly ImportFile[]): Original {
  const modules = files.map((file) => parsePython(file, new ImportReport()));
  const spiders = listSpiders(modules).map(({ node, scope }) => createSpider(node, scope));
  return joinCrawls(spiders);
}

function createSpider(spider: Node, scope: readonly Node[]): Original {
  const list = (node: Node | undefined): string[] => {
    if (!node) return [];
    const value = readString(node);
    if (value !== undefined) return [value];
    if (node.children.length > 0) return node.children.flatMap(list);
    return list(scope.find((one) => one.name === node.text && one !== node));
  };
  const starts = new Set(list(spider.find('start_urls')).map((url) => URL.parse(url)?.href));
  const domains = list(spider.find('allowed_domains'));
  const rules = spider.find('rules');
  const extractors = (rules?.children ?? []).flatMap((rule) =>
    rule.children.filter(({ text }) => text.endsWith('LinkExtractor')).map((one) => createExtractor(one, list)),
  );
  const isAllowed: Filter = (url) => ({
    // What has a scheme or a port is none; start URLs are not filtered.
    accepted:
      domains.length === 0 ||
      starts.has(url.href) ||
      domains.some((domain) => /^[^:]+$/.test(domain) && isOnDomain(url, domain)),
    by: 'allowed_domains',
  });
  const isExtracted: Filter = (url) => ({
    accepted: extractors.length === 0 || starts.has(url.href) || extractors.some((extracts) => extracts(url)),
    by: `${rules?.place ?? ''} no Rule extracts it`,
  });
  const listed = (spider.find('sitemap_rules')?.children ?? []).flatMap(({ children }) =>
    list(children[0]).map((source) => compileExpression(source, spider.place)),
  );
  const isListed: Filter = (url) => ({
    accepted: listed.length === 0 || listed.some((one) => one.test(url.href)),
    by: 'sitemap_rules',
  });
  return joinFilters([isAllowed, isExtracted, isListed]);
}

/** The default of `deny_extensions`. */
export const EXTENSIONS =
  /\.(?:7z|7zip|bz2|rar|tar|tar\.gz|xz|zip|mng|pct|bmp|gif|jpe?g|png|pst|psp|tiff?|ai|drw|dxf|e?ps|svg|cdr|ico|webp|mp3|wma|ogg|wav|ra|aac|mid|au|aiff|3gp|as[fx]|avi|mov|mp[4g]|qt|rm|swf|wmv|m4[av]|flv|webm|xl(?:s[mx]?|t[mx])|pot[mx]|pp(?:t[mx]?|s)|doc[bmx]?|dot[mx]|od[tsgp]|css|pdf|exe|bin|rss|dmg|iso|apk|jar|sh|rb|js|hta|bat|cpl|ms[ip]|py)$/;

function createExtractor(extractor: Node, list: (node: Node | undefined) => string[]): (url: URL) => boolean {
  const named = (name: string, position: number): Node | undefined => {
    const node = extractor.children[position];
    return extractor.find(name) ?? (node?.name === 'item' ? node : undefined);
  };
  const compile = (node: Node | undefined): RegExp[] =>
    list(node).map((source) => compileExpression(source, extractor.place));
  const [allow, deny] = [compile(named('allow', 0)), compile(named('deny', 1))];
  const [allowDomains, denyDomains] = [list(named('allow_domains', 2)), list(named('deny_domains', 3))];
  const denyExtensions = extractor.find('deny_extensions');
  const extensions = denyExtensions ? list(denyExtensions) : undefined;
  return (url) => {
    const path = url.pathname.toLowerCase();
    if (allow.length > 0 && !allow.some((one) => one.test(url.href))) return false;
    if (deny.some((one) => one.test(url.href)) || denyDomains.some((domain) => isOnDomain(url, domain))) return false;
    if (allowDomains.length > 0 && !allowDomains.some((domain) => isOnDomain(url, domain))) return false;
    return !(extensions?.some((one) => path.endsWith(`.${one}`)) ?? EXTENSIONS.test(path));
  };
}

/** A crawl takes what one of its included expressions matches as a whole, if there are any, and no excluded one. */
export function createFess(files: readonly ImportFile[]): Original {
  const lines = files.flatMap(listLines).filter(({ text }) => text.trim() !== '');
  const crawls = lines.flatMap(({ text, place }, index) => {
    const { index: head } = JSON.parse(lines[index - 1]?.text ?? '{}') as { index?: { _index?: string } };
    if (!head?._index?.endsWith('web_config')) return [];
    const config = JSON.parse(text) as Record<string, unknown>;
    if (String(config['available']) === 'false') return [];
    const compile = (name: string): RegExp[] =>
      String(config[name] ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => compileExpression(line, place, { whole: true }));
    const [included, excluded] = [compile('includedUrls'), compile('excludedUrls')];
    return joinFilters([
      ({ href }) => ({
        accepted: included.length === 0 || included.some((one) => one.test(href)),
        by: `${place} includedUrls`,
      }),
      ({ href }) => ({ accepted: !excluded.some((one) => one.test(href)), by: `${place} excludedUrls` }),
    ]);
  });
  return joinCrawls(crawls);
}

/** A URL has to match the follow patterns, and must not match those of the list of what is not to be crawled. */
export function createGsa(files: readonly ImportFile[]): Original {
  const lists = { follow: [] as string[], forbid: [] as string[] };
  const add = (name: string, text: string): void => {
    const lines = text.split('\n').map((line) => line.trim());
    const kind = /bad|do[-_ ]?not|forbid|exclude/i.test(name) ? 'forbid' : /start|seed/i.test(name) ? '' : 'follow';
    if (kind !== '') lists[kind].push(...lines.filter((line) => line !== '' && !line.startsWith('#')));
  };
  for (const file of files) {
    if (!/^\s*</.test(file.text)) add(file.name, file.text);
    else {
      const tree = parseXml(file, new ImportReport());
      // A collection selects a part of what is crawled.
      const others = findAll(tree, 'collection').flatMap((one) => findAll(one, 'good_urls', 'bad_urls'));
      for (const node of findAll(tree, 'good_urls', 'followURLs', 'bad_urls', 'doNotCrawlURLs'))
        if (!others.includes(node)) add(node.name, joinText(node));
    }
  }
  const matches = (list: readonly string[], href: string): boolean =>
    list.some((line) => !line.startsWith('-') && matchesGsaPattern(line, href)) &&
    !list.some((line) => line.startsWith('-') && matchesGsaPattern(line.slice(1), href));
  return joinFilters([
    ({ href }) => ({ accepted: lists.follow.length === 0 || matches(lists.follow, href), by: 'follow patterns' }),
    ({ href }) => ({ accepted: !matches(lists.forbid, href), by: 'do-not-crawl patterns' }),
  ]);
}

const joinText = ({ text, children }: Node): string => [text, ...children.map(joinText)].join('\n');

function matchesGsaPattern(pattern: string, href: string): boolean {
  const [, kind, rest = ''] = /^(regexp|regexpCase|regexpIgnoreCase|contains):(.*)$/.exec(pattern) ?? [];
  if (kind === 'contains') return href.includes(rest);
  // The appliance wants two backslashes before a reserved character.
  if (kind)
    return compileExpression(rest.replace(/\\\\/g, '\\'), pattern, { ignoreCase: kind === 'regexpIgnoreCase' }).test(
      href,
    );
  const isStart = pattern.startsWith('^');
  const isEnd = pattern.endsWith('$');
  const text = pattern
    .slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
    .replace(/^https?:\/\/[^/]*/i, (start) => start.toLowerCase());
  if (isStart) return isEnd ? href === text : href.startsWith(text);
  if (isEnd) return href.endsWith(text);
  if (/^https?:\/\//.test(text)) return href.startsWith(text);
  if (text.startsWith('/') || !text.split('/')[0]!.replace(/^\./, '').includes('.')) return href.includes(text);
  // A host stands for its subdomains, on any port and with any scheme.
  const [host, ...path] = text.replace(/^\./, '').split('/');
  const url = new URL(href);
  return isOnDomain(url, host!) && (url.pathname + url.search).startsWith(`/${path.join('/')}`);
}
