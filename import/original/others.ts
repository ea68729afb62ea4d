/** StormCrawler, Open Crawler, OmniFind and FDSE: what each says about a URL. */
import { load } from 'js-yaml';
import { getDomain } from 'tldts';
import { listJavaSeeds } from '../formats/stormcrawler.js';
import type { ImportFile } from '../model.js';
import {
  compileExpression,
  type Filter,
  joinFilters,
  listLines,
  matchesGlob,
  NotEvaluable,
  type Original,
} from './original.js';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
const asObjects = (value: unknown): Json[] => asList(value).filter(isObject);
const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

const readSeeds = (files: readonly ImportFile[]): URL[] =>
  files
    .filter(({ name }) => !/\.(?:json|ya?ml|flux|xml)$/.test(name))
    .flatMap((file) => file.text.split('\n'))
    .map((line) => line.split('\t')[0]!.trim())
    .filter((line) => /^https?:/.test(line) && URL.canParse(line))
    .map((line) => new URL(line));

/** The filters of urlfilters.json, one after the other. */
export function createStormCrawler(files: readonly ImportFile[]): Original {
  const seeds = [...readSeeds(files), ...files.flatMap(listJavaSeeds).map((url) => new URL(url))];
  const named = files
    .flatMap(({ text }) => /^\s*urlfilters\.config\.file:\s*["']?([^"'\s]+)/m.exec(text)?.[1] ?? [])
    .at(-1);
  const entries = files
    .filter(({ name }) => name.endsWith('.json'))
    .flatMap(({ name, text }) => {
      const json = JSON.parse(text) as Json;
      const own = Object.entries(isObject(json) ? json : {}).filter(([key]) => /urlfilters/i.test(key));
      return own.map(([, filters]) => ({ name, filters }));
    });
  // The topology has the filters of one file.
  const main = entries.filter(({ name }) => name === (named?.split('/').at(-1) ?? 'urlfilters.json'));
  return joinFilters(
    (main.length > 0 ? main : entries)
      .flatMap(({ filters }) => asObjects(filters))
      .flatMap((filter) => toStormFilter(filter, seeds, files)),
  );
}

function toStormFilter(filter: Json, seeds: readonly URL[], files: readonly ImportFile[]): Filter[] {
  const kind = text(filter['class']).split('.').at(-1)!;
  const params = isObject(filter['params']) ? filter['params'] : {};
  const find = (name: string): ImportFile | undefined => files.find((file) => file.name === name.split('/').at(-1));
  if (kind === 'RegexURLFilter') {
    const file = find(text(params['regexFilterFile'] ?? 'default-regex-filters.txt'));
    const lines = Array.isArray(params['urlFilters'])
      ? params['urlFilters'].map((line, index) => ({ text: text(line), place: `urlFilters ${index + 1}` }))
      : file
        ? listLines(file)
        : [];
    return [createSigned(lines)];
  }
  if (kind === 'FastURLFilter') {
    const file = find(text(params['file'] ?? 'fast.urlfilter.json'));
    return file ? [createScopes(file)] : [];
  }
  if (kind === 'HostURLFilter') {
    const byHost = params['ignoreOutsideHost'] === true;
    if (!byHost && params['ignoreOutsideDomain'] !== true) return [];
    const key = (url: URL): string => (byHost ? url.hostname : (getDomain(url.hostname) ?? url.hostname));
    const own = new Set(seeds.map(key));
    return [(url) => ({ accepted: own.has(key(url)), by: kind })];
  }
  if (kind === 'BasicURLFilter') {
    const repetition = Number(params['maxPathRepetition'] ?? 3);
    const length = Number(params['maxLength'] ?? -1);
    return [
      ({ href }) => {
        const counts = new Map<string, number>();
        const parts = href.split('/');
        for (const part of parts.filter((one) => one !== '')) counts.set(part, (counts.get(part) ?? 0) + 1);
        const isRepeated = repetition > 1 && parts.length > 4 && Math.max(...counts.values()) >= repetition;
        return { accepted: !isRepeated && (length <= 0 || href.length <= length), by: kind };
      },
    ];
  }
  return [];
}

function createSigned(lines: readonly { text: string; place: string }[]): Filter {
  const rules = lines
    .filter((line) => /^[+-]/.test(line.text))
    .map((line) => ({ ...line, regex: compileExpression(line.text.slice(1), line.place) }));
  return ({ href }) => {
    const rule = rules.find(({ regex }) => regex.test(href));
    return {
      accepted: rule?.text.startsWith('+') ?? false,
      by: rule ? `${rule.place} ${rule.text}` : 'no rule of RegexURLFilter',
    };
  };
}

/** In a scope, the first pattern that is found in the path decides; any scope may deny. A later one replaces its like. */
function createScopes(file: ImportFile): Filter {
  const parsed = JSON.parse(file.text) as unknown;
  const all = (Array.isArray(parsed) ? parsed : asObjects(Object.values(parsed as Json)[0])).map((scope: Json) => ({
    scope: text(scope['scope']).trim(),
    patterns: asList(scope['patterns']).map((pattern) => {
      const [, verb = '', query, source = ''] = /^(allow|deny)path(query)? (.*)$/i.exec(text(pattern)) ?? [];
      return {
        denies: /deny/i.test(verb),
        query,
        regex: compileExpression(source.trim(), `${file.name} ${text(pattern)}`),
        label: text(pattern),
      };
    }),
  }));
  const scopes = [...new Map(all.map((one) => [one.scope, one])).values()];
  const covers = (scope: string, host: string): boolean => {
    const [kind, name = ''] = scope.split(':');
    if (kind === 'GLOBAL') return true;
    return kind === 'host' ? host === name : kind === 'domain' && (host === name || host.endsWith(`.${name}`));
  };
  return ({ hostname, pathname, search }) => {
    for (const { scope, patterns } of scopes) {
      if (!covers(scope, hostname)) continue;
      const first = patterns.find(({ query, regex }) => regex.test(query ? pathname + search : pathname));
      if (first?.denies) return { accepted: false, by: `${scope} ${first.label}` };
    }
    return { accepted: true, by: 'no rule of FastURLFilter' };
  };
}

/** A URL has to be on a domain of the list; there, the first crawl rule that matches decides, and none accepts. */
export function createElastic(files: readonly ImportFile[]): Original {
  const quote = (value: string): string => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const domains = files
    .flatMap((file) => asObjects((load(file.text) as Json)['domains']))
    .map((domain) => {
      const { origin } = new URL(text(domain['url']));
      const rules = asObjects(domain['crawl_rules']).map((rule, index) => {
        const [type, pattern] = [text(rule['type']), text(rule['pattern'])];
        const wildcard = quote(pattern).replaceAll('\\*', '.*');
        const tail = { begins: wildcard, ends: `.*${wildcard}\\z`, contains: `.*${wildcard}`, regex: pattern }[type];
        if (tail === undefined) throw new NotEvaluable(`${origin}: a crawl rule of type ${type}`);
        const label = `crawl rule ${index + 1} of ${origin}: ${text(rule['policy'])} ${type} ${pattern}`;
        return {
          accepted: rule['policy'] === 'allow',
          label,
          regex: compileExpression(`\\A${quote(origin)}${tail}`, label, { dialect: 'ruby' }),
        };
      });
      const sitemaps = asList(domain['sitemap_urls']).map(text);
      return { origin, rules, sitemaps };
    });
  return {
    judge({ href, origin }) {
      const domain = domains.find((one) => one.origin === origin);
      if (!domain) return { accepted: false, by: 'no domain' };
      if (domain.sitemaps.includes(href)) return { accepted: true, by: `sitemap of ${origin}` };
      const rule = domain.rules.find(({ regex }) => regex.test(href));
      return { accepted: rule?.accepted ?? true, by: rule?.label ?? `domain ${origin}` };
    },
  };
}

/** The first rule of crawl.rules that matches decides, and none accepts. */
export function createOmniFind(files: readonly ImportFile[]): Original {
  const rules = files
    .filter(({ name }) => !/^(?:global|followindex)|auth|proxy|cookie|error|mime/i.test(name))
    .flatMap(listLines)
    .flatMap(({ text: line, place }) => {
      const [, verb, kind, target] = /^\s*(allow|forbid)\s+(domain|prefix|regexp|address)\s+(\S+)/i.exec(line) ?? [];
      return verb === undefined
        ? []
        : [{ accepted: /allow/i.test(verb), kind: kind!.toLowerCase(), target: target!, place, line }];
    });
  const address = rules.find(({ kind }) => kind === 'address');
  if (address) throw new NotEvaluable(`${address.place}: an address rule depends on where the host is`);
  const matches = (kind: string, target: string, url: URL, place: string): boolean => {
    if (kind === 'prefix') return matchesGlob(`${target}*`, url.href);
    if (kind === 'regexp') return compileExpression(target, place).test(url.href);
    const [host = '', port] = target.toLowerCase().split(':');
    return matchesGlob(host, url.hostname) && (port === undefined || port === url.port);
  };
  return {
    judge(url) {
      const rule = rules.find(({ kind, target, place }) => matches(kind, target, url, place));
      return { accepted: rule?.accepted ?? true, by: rule ? `${rule.place} ${rule.line.trim()}` : 'no rule' };
    },
  };
}

/** A list of URLs: their sites are searched. */
export function createFdse(files: readonly ImportFile[]): Original {
  const origins = new Set(
    files
      .flatMap(({ text: list }) => list.split('\n').map((line) => line.trim().split(/[\s|]/)[0]!))
      .filter((url) => URL.canParse(url))
      .map((url) => new URL(url).origin),
  );
  return {
    judge: ({ origin }) => ({
      accepted: origins.has(origin),
      by: origins.has(origin) ? `a URL on ${origin}` : 'no URL of the list',
    }),
  };
}
