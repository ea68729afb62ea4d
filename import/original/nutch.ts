/** Apache Nutch: every plug-in for URL filters has to let a URL pass. */
import { getDomain, getPublicSuffix } from 'tldts';
import { isOtherFile } from '../formats/nutch.js';
import type { ImportFile } from '../model.js';
import {
  compileExpression,
  type Filter,
  joinFilters,
  type Line,
  listLines,
  NotEvaluable,
  type Original,
} from './original.js';

export function createNutch(files: readonly ImportFile[]): Original {
  const settings = new Map<string, string>();
  for (const { text } of files)
    for (const [, name, value] of text.matchAll(/<name>\s*([^<]*?)\s*<\/name>\s*<value>\s*([^<]*?)\s*<\/value>/g))
      settings.set(name!, value!);
  // A configuration without the property has that of nutch-default.xml.
  const plugins =
    settings.get('plugin.includes') ||
    (files.some(({ text }) => /<configuration\b/.test(text)) ? 'urlfilter-regex' : '');
  const filters: Filter[] = [];
  const isActive = (plugin: string): boolean =>
    !plugins || compileExpression(plugins, 'plugin.includes', { whole: true }).test(`urlfilter-${plugin}`);
  const inProperties = new Set<string>();
  for (const [key, value] of settings) {
    const plugin = /^urlfilter\.(\w+)\.rules$/.exec(key)?.[1];
    if (plugin === undefined || value === '' || !isActive(plugin)) continue;
    inProperties.add(plugin);
    const text = value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    filters.push(createFilter(plugin, listLines({ name: key, text })));
  }
  const seeds: string[] = [];
  for (const file of files.filter(({ name }) => !isOtherFile(name))) {
    const named = [...settings].find(([key, value]) => /^urlfilter\..*\.file$/.test(key) && value.endsWith(file.name));
    const plugin =
      named?.[0].split('.')[1] ??
      /(crawl|regex|automaton|prefix|suffix|domain|domaindenylist|domainblacklist|fast)-urlfilter/.exec(file.name)?.[1];
    if (plugin === 'crawl') {
      if (!files.some(({ name }) => /^regex-urlfilter/.test(name)))
        filters.push(createFilter('regex', listLines(file)));
    } else if (plugin !== undefined) {
      if (isActive(plugin) && !inProperties.has(plugin)) filters.push(createFilter(plugin, listLines(file)));
    } else if (!/^\s*</.test(file.text)) seeds.push(...file.text.split('\n').filter((line) => /^https?:/.test(line)));
  }
  if (settings.get('db.ignore.external.links') === 'true') {
    const byDomain = /domain/i.test(settings.get('db.ignore.external.links.mode') ?? 'byHost');
    const key = ({ hostname }: URL): string => (byDomain ? (getDomain(hostname) ?? hostname) : hostname);
    const own = new Set(seeds.map((seed) => key(new URL(seed.split('\t')[0]!.trim()))));
    filters.push((url) => ({ accepted: own.has(key(url)), by: 'db.ignore.external.links' }));
  }
  return joinFilters(filters);
}

function createFilter(plugin: string, lines: readonly Line[]): Filter {
  const isNoise = ({ text }: Line): boolean => text === '' || text.startsWith(' ') || text.startsWith('#');
  const entries = lines.filter((line) => !isNoise(line));
  switch (plugin) {
    case 'regex':
      return createSignedList(entries, false);
    case 'automaton':
      return createSignedList(entries, true);
    case 'prefix':
      return ({ href }) => {
        const prefix = entries.find(({ text }) => href.startsWith(text));
        return { accepted: prefix !== undefined, by: prefix?.place ?? 'prefix-urlfilter' };
      };
    case 'suffix':
      return createSuffixList(entries);
    case 'fast':
      return createFastList(lines);
    default:
      return createDomainList(entries, plugin !== 'domain');
  }
}

/** `+regex` and `-regex`: the first that is found in the URL decides; without one, the URL does not pass. */
function createSignedList(lines: readonly Line[], whole: boolean): Filter {
  const rules: { accepted: boolean; regex: RegExp; scope: string | undefined; place: string; text: string }[] = [];
  let scope: string | undefined;
  for (const { text, place } of lines) {
    const [sign, value] = [text[0], text.slice(1)];
    if (sign === '>') scope = value.trim();
    else if (sign === '<') scope = undefined;
    else rules.push({ accepted: sign === '+', regex: compileExpression(value, place, { whole }), scope, place, text });
    if (whole && /[&~#@"<]/.test(value.replace(/\[[^\]]*\]|\\./g, '')))
      throw new NotEvaluable(`${place}: an automaton expression with operators of its own cannot be evaluated`);
  }
  return ({ href, hostname }) => {
    const domain = getDomain(hostname);
    const rule = rules.find(
      (one) => (one.scope === undefined || one.scope === hostname || one.scope === domain) && one.regex.test(href),
    );
    return { accepted: rule?.accepted ?? false, by: rule ? `${rule.place} ${rule.text}` : 'no rule of the URL filter' };
  };
}

function createSuffixList(lines: readonly Line[]): Filter {
  let acceptsOthers = false;
  let ofPath = false;
  let ignoresCase = false;
  const suffixes: string[] = [];
  for (const { text } of lines.map((line) => ({ text: line.text.trim() }))) {
    if (text[0] !== '+' && text[0] !== '-') suffixes.push(text);
    else {
      acceptsOthers = text[0] === '+';
      ofPath ||= text.includes('P');
      ignoresCase ||= text.includes('I');
    }
  }
  const normalize = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  return ({ href, pathname }) => {
    const subject = normalize(ofPath ? pathname : href);
    const suffix = suffixes.find((one) => subject.endsWith(normalize(one)));
    return { accepted: (suffix === undefined) === acceptsOthers, by: `suffix-urlfilter ${suffix ?? ''}`.trim() };
  };
}

function createDomainList(lines: readonly Line[], denies: boolean): Filter {
  const names = new Set(lines.map(({ text }) => text.trim().toLowerCase()));
  if (names.size === 0) return () => ({ accepted: true, by: 'an empty list of domains' });
  return ({ hostname }) => {
    const found = [getPublicSuffix(hostname), getDomain(hostname), hostname].find((name) => name && names.has(name));
    return {
      accepted: (found !== undefined && found !== null) !== denies,
      by: `the list of domains ${found ?? ''}`.trim(),
    };
  };
}

function createFastList(lines: readonly Line[]): Filter {
  const rules: { isHost: boolean; name: string; withQuery: boolean; regex: RegExp; place: string }[] = [];
  let current: { isHost: boolean; name: string } | undefined;
  for (const { text, place } of lines) {
    const [word = '', value = ''] = text.replace(/#.*/, '').trim().split(/\s+/);
    if (word === 'Host' || word === 'Domain') current = { isHost: word === 'Host', name: value };
    else if (current && /^DenyPath(?:Query)?$/.test(word))
      rules.push({ ...current, withQuery: word === 'DenyPathQuery', regex: compileExpression(value, place), place });
  }
  return ({ hostname, pathname, search }) => {
    const rule = rules.find(({ isHost, name, withQuery, regex }) => {
      const covers = name === hostname || (!isHost && (name === '.' || hostname.endsWith(`.${name}`)));
      return covers && regex.test(withQuery ? pathname + search : pathname);
    });
    return { accepted: rule === undefined, by: rule?.place ?? 'no rule of fast-urlfilter' };
  };
}
