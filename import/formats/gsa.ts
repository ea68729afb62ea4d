/** Google Search Appliance: the exported XML, or its lists of start, follow and do-not-crawl patterns as text. */

import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  splitLines,
} from '../model.js';
import { escapeRegExp } from '../patterns.js';
import { findAll, type Node, parseList, parseXml } from '../tree.js';

export function readGsa(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('gsa'), staysOnSite: false };
  // Several lists of one kind are one.
  const lists = new Map<ListKind, Node[]>([
    ['start', []],
    ['follow', []],
    ['forbid', []],
  ]);
  for (const file of files) {
    if (/^\s*</.test(file.text)) {
      const tree = parseXml(file, report);
      const ofCollections = findAll(tree, 'collection').flatMap((node) => importCollection(node, report));
      for (const [kind, names] of Object.entries(LIST_NAMES))
        for (const node of findAll(tree, ...names))
          if (!ofCollections.includes(node)) lists.get(kind as ListKind)!.push(node);
      for (const node of findAll(tree, 'user_agent', 'userAgent', 'useragent').filter(({ text }) => text !== '')) {
        crawler.fetcher['userAgent'] = node.text;
        report.reportTaken(`user_agent ${node.text}`, 'userAgent of Fetcher', node);
      }
    } else lists.get(findListKind(file.name))!.push(parseList(file, report));
  }
  if ([...lists.values()].every(({ length }) => length === 0))
    throw new ImportError(`${files[0]?.name ?? 'the file'} contains no lists of start, follow or do-not-crawl URLs`);
  for (const [kind, nodes] of lists) {
    const entries = nodes.flatMap((node) => listEntries(node, report));
    if (nodes.length > 0) importList(kind, entries, crawler, report);
  }
  return [crawler];
}

const LIST_NAMES: Readonly<Record<ListKind, readonly string[]>> = {
  start: ['start_urls', 'startURLs'],
  follow: ['good_urls', 'followURLs'],
  forbid: ['bad_urls', 'doNotCrawlURLs'],
};

/** A collection has patterns of its own, which select a part of the index and say nothing about the crawl. */
function importCollection(node: Node, report: ImportReport): Node[] {
  report.reportSkipped(
    `collection ${node.attributes['Name'] ?? ''}`.trim(),
    'its patterns select a part of the index: write Rules with AddMeta to tell the documents apart',
    node,
  );
  return findAll(node, ...Object.values(LIST_NAMES).flat());
}

interface Entry {
  readonly line: string;
  readonly node: Node;
}

/** The lines of an element and of the elements inside, with the part that each is from. */
function listEntries(node: Node, report: ImportReport): Entry[] {
  for (const attribute of node.attributeNodes)
    report.reportSkipped(`${attribute.name} of ${node.name}`, NO_COUNTERPART, attribute);
  const lines = splitLines(node.text).map((line) => ({ line, node }));
  return [...lines, ...node.children.flatMap((child) => listEntries(child, report))];
}

type ListKind = 'start' | 'follow' | 'forbid';

const findListKind = (name: string): ListKind =>
  /bad|do[-_ ]?not|forbid|exclude/i.test(name) ? 'forbid' : /start|seed/i.test(name) ? 'start' : 'follow';

function importList(kind: ListKind, entries: readonly Entry[], crawler: ImportedCrawler, report: ImportReport): void {
  if (kind === 'start') {
    const urls = entries.filter(({ line }) => isUrl(line));
    appendAll(
      crawler.roots,
      urls.map(({ line }) => line),
    );
    report.reportTaken(pluralize(urls.length, 'start URL'), 'roots', urls[0]?.node);
    report.coverAll(urls.map(({ node }) => node));
    for (const { line, node } of entries)
      if (!isUrl(line)) report.reportSkipped(line, 'only http and https URLs are crawled', node);
    return;
  }
  if (entries.length === 0) return;
  const patterns: Pattern[] = [];
  const exceptions: Pattern[] = [];
  for (const { line, node } of entries) {
    // `-pattern` is an exception to the other patterns in the list.
    const isException = line.startsWith('-');
    (isException ? exceptions : patterns).push({ ...parsePattern(isException ? line.slice(1) : line), node });
    const became = kind === 'forbid' ? 'a Rule that ignores' : 'a Rule that ignores all others';
    report.reportTaken(line, isException ? `an exception in ${became}` : became, node);
  }
  const any: Match = { any: patterns };
  const match: Match = exceptions.length > 0 ? { all: [any, { not: { any: exceptions } }] } : any;
  crawler.filters.push(kind === 'forbid' ? { not: match } : match);
}

/** Parses a pattern in the syntax of the appliance. */
function parsePattern(text: string): Pattern {
  const [, prefix, value = text] = /^(regexp|regexpCase|regexpIgnoreCase|contains):(.*)$/.exec(text) ?? [];
  if (prefix === 'contains') return { kind: 'contains', value };
  // A special character is escaped by two backslashes there.
  if (prefix !== undefined)
    return { kind: 'regex', value: value.replaceAll('\\\\', '\\'), ignoreCase: prefix === 'regexpIgnoreCase' };
  // Names of hosts have no case.
  const folded = text.replace(/^\^?https?:\/\/[^/$]*/i, (start) => start.toLowerCase());
  if (text.startsWith('^') && text.endsWith('$')) return { kind: 'exact', value: folded.slice(1, -1) };
  if (text.startsWith('^')) return { kind: 'prefix', value: folded.slice(1) };
  if (text.endsWith('$')) return { kind: 'suffix', value: text.slice(0, -1) };
  if (/^https?:\/\//.test(folded)) return { kind: 'prefix', value: folded };
  if (text.startsWith('/')) return { kind: 'contains', value: text };
  const [host = '', ...path] = text.replace(/^\./, '').split('/');
  if (!host.includes('.')) return { kind: 'contains', value: text };
  return {
    kind: 'regex',
    value: `^https?://(?:[^/]*\\.)?${escapeRegExp(host.toLowerCase())}(?::\\d+)?/${escapeRegExp(path.join('/'))}`,
  };
}
