/** Heritrix 3: crawler-beans.cxml, seeds, and SURT prefix files. */

import {
  appendAll,
  createCrawler,
  escapeRegExp,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isContact,
  isUrl,
  pluralize,
  splitLines,
} from '../model.js';
import { findAll, type Node, parseXml } from '../tree.js';

export function readHeritrix(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = createCrawler('heritrix');
  for (const file of files) {
    if (/^\s*(?:\uFEFF)?</.test(file.text)) importBeans(parseXml(file), crawler, report);
    else if (/surt|negative/i.test(file.name)) {
      const isNegative = /negative|exclude|reject/i.test(file.name);
      for (const line of splitLines(file.text))
        addSurt(line.replace(/^[+-]/, ''), { accept: !isNegative && !line.startsWith('-') }, crawler, report);
    } else appendAll(crawler.roots, splitLines(file.text).filter(isUrl));
  }
  report.reportTaken(
    pluralize(crawler.roots.length, 'seed'),
    'roots that stay on their sites, like seeds that are used as SURT prefixes',
  );
  return [crawler];
}

function importBeans(tree: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const overrides = findAll(tree, 'prop', 'value')
    .map(({ text }) => text)
    .filter((text) => /^[\w.]+\s*=/m.test(text))
    .flatMap(splitLines)
    .flatMap((line): [string, string][] => {
      const [, key, value] = /^([\w.]{1,200})\s{0,50}=(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, (value ?? '').trim()]];
    });
  const properties: [string, string][] = findAll(tree, 'property').flatMap((property): [string, string][] => {
    const value = property.attributes['value'] ?? property.children.find(({ name }) => name === 'value')?.text;
    return value === undefined ? [] : [[property.attributes['name'] ?? '', value]];
  });
  // Seeds are in a separate value, one per line.
  appendAll(
    crawler.roots,
    new Set(
      findAll(tree, 'value', 'prop')
        .flatMap(({ text }) => splitLines(text))
        .filter(isUrl),
    ),
  );
  for (const [key, value] of [...properties, ...overrides])
    if (value !== OVERRIDDEN) importSetting(key.split('.').at(-1)!, value, crawler, report);
  for (const bean of findAll(tree, 'bean')) importRule(bean, crawler, report);
}

/** The placeholder for a value that is set in another part of the file. */
const OVERRIDDEN = '[see override above]';

function importSetting(key: string, value: string, crawler: ImportedCrawler, report: ImportReport): void {
  const { attributes, fetcher } = crawler;
  const isNumber = /^\d+$/.test(value);
  if (key === 'maxToeThreads' && isNumber) {
    attributes['nthreads'] = value;
    report.reportTaken(`maxToeThreads = ${value}`, 'nthreads');
  } else if (key === 'minDelayMs' && isNumber) {
    attributes['throttleTimeMS'] = value;
    report.reportChanged(
      `minDelayMs = ${value}`,
      'throttleTimeMS; a slow host gets fewer requests because of back-off',
    );
  } else if (key === 'robotsPolicyName') {
    if (value === 'ignore') attributes['ignoreRobotsTxt'] = 'true';
    report.reportTaken(`robotsPolicyName = ${value}`, 'ignoreRobotsTxt');
  } else if (key === 'userAgentTemplate') {
    // The contact is a separate attribute in Crawlway and is sent with each request.
    fetcher['userAgent'] = value.replace(/ ?\+?@OPERATOR_CONTACT_URL@/g, '').replace(/@VERSION@/g, '1');
    report.reportChanged(
      'userAgentTemplate',
      'userAgent of Fetcher, without the contact, which is a separate attribute',
    );
  } else if (key === 'operatorContactUrl' && isContact(value)) {
    fetcher['contact'] = value;
    report.reportTaken(`${key} = ${value}`, 'contact of Fetcher');
  } else if (key === 'jobName' && value !== '') {
    crawler.name = value;
    report.reportTaken(`${key} = ${value}`, 'name of the Crawler');
  } else if (key === 'maxLengthBytes' && isNumber && value !== '0') {
    fetcher['maxSizeBytes'] = value;
    report.reportTaken(`maxLengthBytes = ${value}`, 'maxSizeBytes');
  } else if (
    [
      'maxBytesDownload',
      'maxDocumentsDownload',
      'maxTimeSeconds',
      'delayFactor',
      'operatorContactUrl',
      'operatorFrom',
    ].includes(key)
  )
    report.reportSkipped(`${key} = ${value}`, 'has no counterpart');
}

function importRule(bean: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const kind = bean.attributes['class']?.split('.').at(-1) ?? '';
  const findProperty = (name: string): Node | undefined =>
    bean.children.find((child) => child.name === 'property' && child.attributes['name'] === name);
  const decision = findProperty('decision')?.attributes['value'] ?? '';
  if (kind === 'TooManyHopsDecideRule') {
    const hops = findProperty('maxHops')?.attributes['value'];
    if (hops !== undefined && /^\d+$/.test(hops)) crawler.maxHops = Number(hops);
    report.reportTaken(`${kind} ${hops ?? ''}`, 'option max-hops');
  } else if (kind === 'MatchesListRegexDecideRule' || kind === 'MatchesRegexDecideRule') {
    const regexes = [
      findProperty('regex')?.attributes['value'],
      ...(findProperty('regexList') ? findAll(findProperty('regexList')!, 'value').map(({ text }) => text) : []),
    ];
    for (const value of regexes)
      if (value)
        crawler.rules.push({ accept: decision === 'ACCEPT', pattern: { kind: 'regex', value: `^(?:${value})$` } });
    report.reportTaken(kind, 'Rules');
  } else if (/DecideRule$/.test(kind) && !IMPLIED_RULES.has(kind))
    report.reportSkipped(kind, 'a rule of this kind has no counterpart');
  else if (Object.hasOwn(REPLACEMENTS, kind)) report.reportChanged(kind, REPLACEMENTS[kind]!);
  else if (/WARCWriter|ARCWriter/.test(kind)) {
    crawler.sink = { type: 'warc', url: 'warcs' };
    report.reportChanged(kind, "a Sink of type warc, with Crawlway's file names and sizes");
  }
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  TransclusionDecideRule: "a page's images, styles and scripts are not crawled: a search index has no use for them",
  PathologicalPathDecideRule: 'maxRepeatedSegments of cw:Traps',
  TooManyPathSegmentsDecideRule: 'maxPathDepth of cw:Traps',
};

/** Rules for what Crawlway always does or what site mode includes. */
const IMPLIED_RULES = new Set([
  'RejectDecideRule',
  'AcceptDecideRule',
  'SurtPrefixedDecideRule',
  'TransclusionDecideRule',
  'PathologicalPathDecideRule',
  'TooManyPathSegmentsDecideRule',
  'PrerequisiteAcceptDecideRule',
  'SchemeNotInSetDecideRule',
]);

/** Converts a SURT such as `http://(com,example,www,)/path`, in which the labels of the host are in reverse order. */
function addSurt(
  surt: string,
  { accept }: Pick<ImportedRule, 'accept'>,
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  const [, scheme = 'http', labels, closingParenthesis, path = ''] =
    /^(?:(https?):\/\/)?\(?([\w,.-]+?),?(\))?(\/.*)?$/.exec(surt) ?? [];
  if (labels === undefined) {
    if (isUrl(surt)) crawler.rules.push({ accept, pattern: { kind: 'prefix', value: surt } });
    else report.reportSkipped(surt, 'is not a SURT prefix');
    return;
  }
  const host = escapeRegExp(labels.split(',').filter(Boolean).reverse().join('.'));
  const hostPattern = closingParenthesis ? host : `(?:[^/]*\\.)?${host}`;
  const value = `^${scheme === 'http' ? 'https?' : scheme}://${hostPattern}(?::\\d+)?/${escapeRegExp(path.slice(1))}`;
  crawler.rules.push({ accept, pattern: { kind: 'regex', value } });
  report.reportTaken(surt, accept ? 'a Rule that accepts' : 'a Rule that ignores');
}
