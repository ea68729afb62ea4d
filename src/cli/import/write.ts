/** Writes the imported configuration as a CrawlConfig.xml for a person to continue from. */
import { toCrawlerName } from '../first-configuration.js';
import {
  escapeRegExp,
  type ImportedCondition,
  type ImportedCrawler,
  type ImportReport,
  isLinear,
  NOT_LINEAR,
  type Pattern,
} from './model.js';

/** Environment variable for the sink's secret, which is not copied. */
const SECRET = 'CRAWLWAY_SECRET_SINK';
const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
`;

export function writeConfiguration(format: string, crawlers: readonly ImportedCrawler[], report: ImportReport): string {
  const names = uniqueNames(crawlers);
  const sinks = shareSinks(crawlers);
  const fetchers = shareFetchers(crawlers);
  const body = crawlers
    .map((crawler, i) =>
      crawlerXml(crawler, names[i]!, { sink: sinks.nameOf(crawler), fetcher: fetchers.nameOf(crawler) }, report),
    )
    .join('\n');
  return `${HEAD}<!--
  Imported from ${format}.
${report.lines
  .filter(({ kind }) => kind !== 'taken')
  .map(({ kind, setting, note }) => `  ${kind}: ${commentXml(setting)}: ${commentXml(note)}`)
  .join('\n')}
-->
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21"
             xmlns:ar="exa:com.exalead.actionrules.v21"
             xmlns:cw="urn:crawlway:config:1">
${body}
${fetchers.text}${sinks.text}</CrawlConfig>
`;
}

interface Named {
  readonly sink: string;
  readonly fetcher?: string;
}

function crawlerXml(crawler: ImportedCrawler, name: string, { sink, fetcher }: Named, report: ImportReport): string {
  const { roots, staysOnSite, acceptsOthers, rules, attributes } = crawler;
  const accepts = staysOnSite ? {} : { defaultAccept: String(rules.length === 0 || acceptsOthers) };
  const parts = [
    `  <Crawler${attributesXml({ name, ...accepts, ...attributes })}>`,
    ...roots.map((url) => `    <Root${attributesXml({ url, ...(staysOnSite ? {} : { site: 'false' }) })}/>`),
    ...renderRules(crawler, report),
    ...(crawler.crawlSpace ? [`    <cw:CrawlSpace rules="${escapeXml(crawler.crawlSpace)}"/>`] : []),
    ...renderConditionElements(crawler, report),
    ...(fetcher === undefined || fetcher === 'default' ? [] : [`    <cw:FetchWith fetcher="${fetcher}"/>`]),
    `    <cw:PushTo sink="${sink}"/>`,
    '  </Crawler>',
  ];
  return parts.join('\n');
}

function renderRules({ rules }: ImportedCrawler, report: ImportReport): string[] {
  const lines = rules
    .filter(({ pattern }) => isSupported(pattern, report))
    .map(
      ({ accept, pattern }) =>
        `      <Rule>${matchXml(pattern)}${accept ? '<Index/><Follow/><Accept/>' : '<Ignore/>'}</Rule>`,
    );
  return lines.length === 0
    ? []
    : ['    <!-- A later rule overrides an earlier one. -->', '    <Rules>', ...lines, '    </Rules>'];
}

function renderConditionElements(
  { include, exclude, maxHops, conditions }: ImportedCrawler,
  report: ImportReport,
): string[] {
  const selectSupported = (patterns: readonly Pattern[]): Pattern[] =>
    patterns.filter((one) => isSupported(one, report));
  const lines = [
    ...conditions.filter(isSupportedCondition(report)).flatMap((one) => renderCondition(one, '      ')),
    ...(maxHops === undefined ? [] : [`      <cw:option name="max-hops" value="${maxHops}"/>`]),
    ...selectSupported(exclude).map(
      (one) => `      <cw:may-not-have test="regex" field="${one.field ?? 'url'}" value="${escapeXml(toRegex(one))}"/>`,
    ),
  ];
  const wanted = selectSupported(include);
  const fields = new Set(wanted.map(({ field }) => field ?? 'url'));
  for (const field of fields) {
    const regex = wanted
      .filter((one) => (one.field ?? 'url') === field)
      .map((one) => `(?:${toRegex(one)})`)
      .join('|');
    lines.push(`      <cw:must-have test="regex" field="${field}" value="${escapeXml(regex)}"/>`);
  }
  return lines.length === 0 ? [] : ['    <cw:Conditions default-allow="allow">', ...lines, '    </cw:Conditions>'];
}

const isSupportedCondition =
  (report: ImportReport) =>
  ({ attributes }: ImportedCondition): boolean =>
    attributes['test'] !== 'regex' || isSupported({ kind: 'regex', value: attributes['value'] ?? '' }, report);

function renderCondition({ element, attributes, children }: ImportedCondition, indent: string): string[] {
  const opening = `${indent}<cw:${element}${attributesXml(attributes)}`;
  if (children.length === 0) return [`${opening}/>`];
  return [
    `${opening}>`,
    ...children.flatMap((one) => renderCondition(one, `${indent}  `)),
    `${indent}</cw:${element}>`,
  ];
}

const KIND = { regex: 'inside', prefix: 'prefix', suffix: 'suffix', contains: 'inside', exact: 'exact' } as const;

function matchXml({ kind, value, field = 'url', ignoreCase }: Pattern): string {
  if (kind === 'domain') return `<ar:Domain${attributesXml({ value, litteral: 'true' })}/>`;
  const literal = kind === 'regex' ? {} : { litteral: 'true' };
  return `<ar:Atom${attributesXml({ field, kind: KIND[kind], norm: ignoreCase ? 'lower' : 'none', value, ...literal })}/>`;
}

function toRegex({ kind, value, ignoreCase }: Pattern): string {
  if (kind === 'regex') return ignoreCase ? `(?i:${value})` : value;
  const escapedValue = escapeRegExp(value);
  if (kind === 'domain') return `^https?://([^/]*\\.)?${escapedValue}(?::\\d+)?/`;
  const anchored = {
    prefix: `^${escapedValue}`,
    suffix: `${escapedValue}$`,
    contains: escapedValue,
    exact: `^${escapedValue}$`,
  }[kind];
  return ignoreCase ? `(?i:${anchored})` : anchored;
}

function isSupported(pattern: Pattern, report: ImportReport): boolean {
  if (pattern.value.trim() === '') return false;
  const linear = isLinear(pattern);
  if (!linear) report.reportSkipped(pattern.value, NOT_LINEAR);
  return linear;
}

function uniqueNames(crawlers: readonly ImportedCrawler[]): string[] {
  const used = new Set<string>();
  return crawlers.map(({ name, roots }) => {
    const wanted = name || (URL.canParse(roots[0] ?? '') ? toCrawlerName(new URL(roots[0]!)) : 'imported');
    const base =
      wanted
        .replace(/[^\p{L}\p{N}._ -]/gu, '-')
        .trim()
        .slice(0, 90) || 'imported';
    let unique = base;
    for (let i = 2; used.has(unique); i++) unique = `${base}-${i}`;
    used.add(unique);
    return unique;
  });
}

interface NamedElements {
  readonly text: string;
  nameOf(crawler: ImportedCrawler): string;
}

/** Crawlers with the same sink share it; if there is none, documents go to a file. */
function shareSinks(crawlers: readonly ImportedCrawler[]): NamedElements {
  return shareElements(crawlers, 'main', ({ sink = { type: 'file', url: 'documents.jsonl' } }, name) => {
    const { secret, ...attributes } = sink;
    const hidden = secret ? { [secret]: `\${${SECRET}}` } : {};
    return `  <cw:Sink${attributesXml({ name, ...attributes, ...hidden })}/>\n`;
  });
}

const shareFetchers = (crawlers: readonly ImportedCrawler[]): NamedElements =>
  shareElements(crawlers, 'default', ({ fetcher }, name) => `  <cw:Fetcher${attributesXml({ name, ...fetcher })}/>\n`);

function shareElements(
  crawlers: readonly ImportedCrawler[],
  firstName: string,
  write: (crawler: ImportedCrawler, name: string) => string,
): NamedElements {
  const names = new Map<string, string>();
  const createElementKey = (crawler: ImportedCrawler): string => write(crawler, '');
  let text = '';
  for (const crawler of crawlers) {
    if (names.has(createElementKey(crawler))) continue;
    const name = names.size === 0 ? firstName : `${firstName}-${names.size + 1}`;
    names.set(createElementKey(crawler), name);
    text += write(crawler, name);
  }
  return { text, nameOf: (crawler) => names.get(createElementKey(crawler))! };
}

const attributesXml = (attributes: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escapeXml(value)}"`]))
    .join('');

const escapeXml = (text: string): string =>
  text.replace(/[&<"\n\t]/g, (char) => `&#${char.charCodeAt(0)};`).replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '');

/** An XML comment must not contain two consecutive hyphens. */
const commentXml = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('--', '- -').replace(/-$/, '- ').slice(0, 300);
