/** Heritrix 3: crawler-beans.cxml, seeds, and SURT prefix files. */

import { pluralize } from '../../output.js';
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
  splitLines,
} from '../model.js';
import { findAll, type Node, parseXml } from '../tree.js';

export function readHeritrix(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = createCrawler('heritrix');
  for (const file of files) {
    if (/^\s*(?:\uFEFF)?</.test(file.text)) readBeans(parseXml(file), crawler, report);
    else if (/surt|negative/i.test(file.name)) {
      const negative = /negative|exclude|reject/i.test(file.name);
      for (const line of splitLines(file.text))
        addSurt(line.replace(/^[+-]/, ''), { accept: !negative && !line.startsWith('-') }, crawler, report);
    } else appendAll(crawler.roots, splitLines(file.text).filter(isUrl));
  }
  report.reportTaken(
    pluralize(crawler.roots.length, 'seed'),
    'roots that stay on their sites, like seeds as SURT prefixes',
  );
  return [crawler];
}

function readBeans(tree: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const overrides = findAll(tree, 'prop', 'value')
    .map(({ text }) => text)
    .filter((text) => /^[\w.]+\s*=/m.test(text))
    .flatMap(splitLines)
    .flatMap((line): [string, string][] => {
      const [, key, value] = /^([\w.]{1,200})\s{0,50}=(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, (value ?? '').trim()]];
    });
  const properties: [string, string][] = findAll(tree, 'property').flatMap((one): [string, string][] => {
    const value = one.attributes['value'] ?? one.children.find(({ name }) => name === 'value')?.text;
    return value === undefined ? [] : [[one.attributes['name'] ?? '', value]];
  });
  // Seeds are in a separate value, one per line.
  crawler.roots.push(
    ...new Set(
      findAll(tree, 'value', 'prop')
        .flatMap(({ text }) => splitLines(text))
        .filter(isUrl),
    ),
  );
  for (const [key, value] of [...properties, ...overrides])
    if (value !== OVERRIDDEN) readSetting(key.split('.').at(-1)!, value, crawler, report);
  for (const bean of findAll(tree, 'bean')) readRule(bean, crawler, report);
}

/** The value of a bean whose actual value is in another part of the file. */
const OVERRIDDEN = '[see override above]';

function readSetting(key: string, value: string, crawler: ImportedCrawler, report: ImportReport): void {
  const { attributes, fetcher } = crawler;
  const number = /^\d+$/.test(value);
  if (key === 'maxToeThreads' && number) {
    attributes['nthreads'] = value;
    report.reportTaken(`maxToeThreads = ${value}`, 'nthreads');
  } else if (key === 'minDelayMs' && number) {
    attributes['throttleTimeMS'] = value;
    report.reportChanged(
      `minDelayMs = ${value}`,
      'throttleTimeMS; a slow host gets fewer requests because of back-off',
    );
  } else if (key === 'robotsPolicyName') {
    if (value === 'ignore') attributes['ignoreRobotsTxt'] = 'true';
    report.reportTaken(`robotsPolicyName = ${value}`, 'ignoreRobotsTxt');
  } else if (key === 'userAgentTemplate') {
    // The contact is a separate attribute, and sent with each request.
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
  } else if (key === 'maxLengthBytes' && number && value !== '0') {
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

function readRule(bean: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const kind = bean.attributes['class']?.split('.').at(-1) ?? '';
  const findProperty = (name: string): Node | undefined =>
    bean.children.find((one) => one.name === 'property' && one.attributes['name'] === name);
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
  } else if (/DecideRule$/.test(kind) && !IMPLIED.has(kind))
    report.reportSkipped(kind, 'a rule of this kind has no counterpart');
  else if (Object.hasOwn(INSTEAD, kind)) report.reportChanged(kind, INSTEAD[kind]!);
  else if (/WARCWriter|ARCWriter/.test(kind)) {
    crawler.sink = { type: 'warc', url: 'warcs' };
    report.reportChanged(kind, "a Sink of type warc; file names and sizes are Crawlway's");
  }
}

const INSTEAD: Readonly<Record<string, string>> = {
  TransclusionDecideRule: "a page's images, styles and scripts are not crawled: a search index has no use for them",
  PathologicalPathDecideRule: 'maxRepeatedSegments of cw:Traps',
  TooManyPathSegmentsDecideRule: 'maxPathDepth of cw:Traps',
};

/** Settings that describe what Crawlway always does, or that are part of site mode. */
const IMPLIED = new Set([
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
  const [, scheme = 'http', labels, closed, path = ''] =
    /^(?:(https?):\/\/)?\(?([\w,.-]+?),?(\))?(\/.*)?$/.exec(surt) ?? [];
  if (labels === undefined) {
    if (isUrl(surt)) crawler.rules.push({ accept, pattern: { kind: 'prefix', value: surt } });
    else report.reportSkipped(surt, 'is not a SURT prefix');
    return;
  }
  const host = escapeRegExp(labels.split(',').filter(Boolean).reverse().join('.'));
  const start = closed ? host : `(?:[^/]*\\.)?${host}`;
  const value = `^${scheme === 'http' ? 'https?' : scheme}://${start}(?::\\d+)?/${escapeRegExp(path.slice(1))}`;
  crawler.rules.push({ accept, pattern: { kind: 'regex', value } });
  report.reportTaken(surt, accept ? 'a Rule that accepts' : 'a Rule that ignores');
}
