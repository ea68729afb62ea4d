/** IBM OmniFind Enterprise Edition: the folder of a web crawler, or its crawl.rules and lists of start URLs. */
import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  type Pattern,
  pluralize,
} from '../model.js';
import { escapeRegExp } from '../patterns.js';
import { type Node, parseList } from '../tree.js';

export function readOmniFind(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('omnifind'), staysOnSite: false, acceptsOthers: true };
  // What becomes of the pages that other rules accept is said after them, in whatever order the files are given.
  for (const file of files.toSorted((a, b) => Number(isFollowIndex(a)) - Number(isFollowIndex(b)))) {
    const list = parseList(file, report);
    const reason = OTHER_FILES.find(([name]) => name.test(file.name))?.[1];
    if (reason !== undefined) report.reportSkipped(file.name, reason, list);
    else if (isFollowIndex(file)) importFollowIndex(list, crawler, report);
    else importSpace(file, list, crawler, report);
  }
  if (crawler.roots.length + crawler.rules.length + crawler.copies.length === 0)
    throw new ImportError(`${files[0]?.name ?? 'the folder'} contains no rules and no start URLs`);
  report.reportTaken(pluralize(crawler.roots.length, 'start URL'), 'roots');
  return [crawler];
}

const isFollowIndex = ({ name }: ImportFile): boolean => /^followindex\.rules/i.test(name);

/** Files of a crawler's folder with another purpose. */
const OTHER_FILES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:basic|form)?auth|^cookies?\.|^formauth/i,
    'write a Credential or a Login in the Fetcher (docs/logins.md); passwords and cookies are not copied',
  ],
  [/^proxy/i, 'write a Proxy in the Fetcher; passwords are not copied'],
  [/^softerror|^soft_error/i, 'write SoftError elements: url, title and content are the same'],
  [/^mime/i, 'write MimeTypes'],
];

/** Lines `forbid|allow domain|prefix|address TARGET`, and URLs. */
const RULE = /^(?:forbid|allow)\b/i;

/**
 * A local and a global crawl space are copied as files, since Crawlway reads them as they are. Rules that it does not
 * know there (regexp) are written as Rules.
 */
function importSpace(file: ImportFile, list: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const rules = list.children.filter(({ text }) => RULE.test(text));
  const urls = list.children.filter(({ text }) => isUrl(text));
  for (const { text } of urls) crawler.roots.push(text);
  report.coverAll(urls);
  for (const line of list.children)
    if (!RULE.test(line.text) && !isUrl(line.text))
      report.reportSkipped(line.text, 'is neither a rule nor a URL', line);
  if (rules.length === 0) return;
  const isGlobal = /^global/i.test(file.name);
  const isCopied = rules.every(({ text }) => /^(?:forbid|allow)\s+(?:domain|prefix|address)\s+\S/i.test(text));
  if (isCopied) {
    const name = isGlobal ? 'global.rules' : 'crawl.rules';
    crawler.copies.push({ name, text: `${rules.map(({ text }) => text).join('\n')}\n` });
    if (!isGlobal) crawler.crawlSpace = name;
    return void report.reportTaken(
      `${file.name}: ${pluralize(rules.length, 'rule')}`,
      isGlobal ? 'global.rules, which is in force beside the configuration' : 'cw:CrawlSpace, with a copy of the file',
      list,
    );
  }
  const converted = rules.flatMap((line) => parseRule(line, report));
  crawler.rules = crawler.rules.concat(converted.reverse());
  report.reportChanged(
    `${file.name}: ${pluralize(rules.length, 'rule')}`,
    'Rules in reverse order: the first match wins in OmniFind but the last one in Crawlway',
    ...rules,
  );
}

/** `allow|forbid follow|index PREFIX…`: what becomes of pages that are crawled. */
function importFollowIndex(list: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const rules: ImportedRule[] = [];
  for (const line of list.children) {
    const [, verb, action, kind, value] =
      /^(allow|forbid)\s+(follow|index)\s+(prefix|domain)\s+(\S+)$/i.exec(line.text) ?? [];
    const pattern = kind === undefined ? undefined : toMatch(kind.toLowerCase(), value!);
    if (!pattern) {
      report.reportSkipped(line.text, 'is not a rule about following or indexing', line);
      continue;
    }
    const isAllowed = verb!.toLowerCase() === 'allow';
    rules.push({ accept: undefined, pattern, [action!.toLowerCase() as 'index' | 'follow']: isAllowed });
    report.reportTaken(line.text, 'a Rule with Index, NoIndex, Follow or NoFollow', line);
  }
  crawler.rules = crawler.rules.concat(rules.reverse());
}

function parseRule(line: Node, report: ImportReport): ImportedRule[] {
  const [, verb, kind = '', value = ''] =
    /^(forbid|allow)\s+(prefix|domain|regexp|address)\s+(\S+)/i.exec(line.text) ?? [];
  const pattern = toMatch(kind.toLowerCase(), value);
  if (pattern) return [{ accept: verb!.toLowerCase() === 'allow', pattern }];
  const reason = /^\w+\s+address\b/i.test(line.text)
    ? 'only cw:CrawlSpace supports address rules: write them in a file of their own'
    : 'is not a rule about a prefix, a domain, an expression (regexp) or an address';
  report.reportSkipped(line.text, reason, line);
  return [];
}

function toMatch(kind: string, value: string): Match | undefined {
  const wildcard = (any: string): string => value.split('*').map(escapeRegExp).join(any);
  if (kind === 'prefix')
    return value.includes('*') ? { kind: 'regex', value: `^${wildcard('.*')}` } : { kind: 'prefix', value };
  if (kind === 'regexp') return { kind: 'regex', value };
  if (kind !== 'domain') return undefined;
  if (value === '*') return { kind: 'regex', value: '^https?://' };
  // Without an asterisk, a domain is one host, with a port if only that server is meant.
  const [host = '', port] = value.split(':');
  const hosts: Pattern = value.includes('*')
    ? { kind: 'regex', field: 'host', value: `^${host.split('*').map(escapeRegExp).join('.*')}$` }
    : { kind: 'exact', field: 'host', value: host };
  return port === undefined ? hosts : { all: [hosts, { kind: 'regex', value: `^[a-z]+://[^/]*:${port}/` }] };
}
