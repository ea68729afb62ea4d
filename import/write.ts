/** Writes the imported configuration as a CrawlConfig.xml that the user can then edit. */
import {
  escapeRegExp,
  type ImportedCondition,
  type ImportedCrawler,
  type ImportReport,
  isLinear,
  NOT_LINEAR,
  type Pattern,
} from './model.js';

/** Environment variable from which the sink's secret is read; the secret itself is not copied. */
const SECRET_VARIABLE = 'CRAWLWAY_SECRET_SINK';
const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
`;

export function renderConfiguration(
  format: string,
  crawlers: readonly ImportedCrawler[],
  report: ImportReport,
): string {
  const names = createUniqueNames(crawlers);
  const sinks = shareSinks(crawlers);
  const fetchers = shareFetchers(crawlers);
  const body = crawlers
    .map((crawler, i) =>
      renderCrawler(crawler, names[i]!, { sink: sinks.getName(crawler), fetcher: fetchers.getName(crawler) }, report),
    )
    .join('\n');
  return `${HEAD}<!--
  Imported from ${format}.
${report.lines
  .filter(({ kind }) => kind !== 'taken')
  .map(({ kind, setting, note }) => `  ${kind}: ${escapeComment(setting)}: ${escapeComment(note)}`)
  .join('\n')}
-->
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21"
             xmlns:ar="exa:com.exalead.actionrules.v21"
             xmlns:cw="urn:crawlway:config:1">
${body}
${fetchers.text}${sinks.text}</CrawlConfig>
`;
}

interface ElementNames {
  readonly sink: string;
  readonly fetcher?: string;
}

function renderCrawler(
  crawler: ImportedCrawler,
  name: string,
  { sink, fetcher }: ElementNames,
  report: ImportReport,
): string {
  const { roots, staysOnSite, acceptsOthers, rules, attributes } = crawler;
  const acceptAttribute = staysOnSite ? {} : { defaultAccept: String(rules.length === 0 || acceptsOthers) };
  const parts = [
    `  <Crawler${renderAttributes({ name, ...acceptAttribute, ...attributes })}>`,
    ...roots.map((url) => `    <Root${renderAttributes({ url, ...(staysOnSite ? {} : { site: 'false' }) })}/>`),
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
    .filter(({ pattern }) => checkSupport(pattern, report))
    .map(
      ({ accept, pattern }) =>
        `      <Rule>${renderMatch(pattern)}${accept ? '<Index/><Follow/><Accept/>' : '<Ignore/>'}</Rule>`,
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
    patterns.filter((pattern) => checkSupport(pattern, report));
  const lines = [
    ...conditions.filter(createConditionFilter(report)).flatMap((condition) => renderCondition(condition, '      ')),
    ...(maxHops === undefined ? [] : [`      <cw:option name="max-hops" value="${maxHops}"/>`]),
    ...selectSupported(exclude).map(
      (pattern) =>
        `      <cw:may-not-have test="regex" field="${pattern.field ?? 'url'}" value="${escapeXml(toRegex(pattern))}"/>`,
    ),
  ];
  const includePatterns = selectSupported(include);
  const fields = new Set(includePatterns.map(({ field }) => field ?? 'url'));
  for (const field of fields) {
    const regex = includePatterns
      .filter((pattern) => (pattern.field ?? 'url') === field)
      .map((pattern) => `(?:${toRegex(pattern)})`)
      .join('|');
    lines.push(`      <cw:must-have test="regex" field="${field}" value="${escapeXml(regex)}"/>`);
  }
  return lines.length === 0 ? [] : ['    <cw:Conditions default-allow="allow">', ...lines, '    </cw:Conditions>'];
}

const createConditionFilter =
  (report: ImportReport) =>
  ({ attributes }: ImportedCondition): boolean =>
    attributes['test'] !== 'regex' || checkSupport({ kind: 'regex', value: attributes['value'] ?? '' }, report);

function renderCondition({ element, attributes, children }: ImportedCondition, indent: string): string[] {
  const openingTag = `${indent}<cw:${element}${renderAttributes(attributes)}`;
  if (children.length === 0) return [`${openingTag}/>`];
  return [
    `${openingTag}>`,
    ...children.flatMap((child) => renderCondition(child, `${indent}  `)),
    `${indent}</cw:${element}>`,
  ];
}

const MATCH_KINDS = {
  regex: 'inside',
  prefix: 'prefix',
  suffix: 'suffix',
  contains: 'inside',
  exact: 'exact',
} as const;

function renderMatch({ kind, value, field = 'url', ignoreCase }: Pattern): string {
  if (kind === 'domain') return `<ar:Domain${renderAttributes({ value, litteral: 'true' })}/>`;
  const literal = kind === 'regex' ? {} : { litteral: 'true' };
  return `<ar:Atom${renderAttributes({ field, kind: MATCH_KINDS[kind], norm: ignoreCase ? 'lower' : 'none', value, ...literal })}/>`;
}

function toRegex({ kind, value, ignoreCase }: Pattern): string {
  if (kind === 'regex') return ignoreCase ? `(?i:${value})` : value;
  const escapedValue = escapeRegExp(value);
  if (kind === 'domain') return `^https?://([^/]*\\.)?${escapedValue}(?::\\d+)?/`;
  const anchoredValue = {
    prefix: `^${escapedValue}`,
    suffix: `${escapedValue}$`,
    contains: escapedValue,
    exact: `^${escapedValue}$`,
  }[kind];
  return ignoreCase ? `(?i:${anchoredValue})` : anchoredValue;
}

function checkSupport(pattern: Pattern, report: ImportReport): boolean {
  if (pattern.value.trim() === '') return false;
  const isPatternLinear = isLinear(pattern);
  if (!isPatternLinear) report.reportSkipped(pattern.value, NOT_LINEAR);
  return isPatternLinear;
}

function createUniqueNames(crawlers: readonly ImportedCrawler[]): string[] {
  const usedNames = new Set<string>();
  return crawlers.map(({ name, roots }) => {
    const preferredName =
      name || (URL.canParse(roots[0] ?? '') ? new URL(roots[0]!).host.replace(/^www\./, '') : 'imported');
    const base =
      preferredName
        .replace(/[^\p{L}\p{N}._ -]/gu, '-')
        .trim()
        .slice(0, 90) || 'imported';
    let uniqueName = base;
    for (let i = 2; usedNames.has(uniqueName); i++) uniqueName = `${base}-${i}`;
    usedNames.add(uniqueName);
    return uniqueName;
  });
}

interface NamedElements {
  readonly text: string;
  getName(crawler: ImportedCrawler): string;
}

/** Crawlers with the same sink share its element; documents of crawlers without a sink go to a file. */
function shareSinks(crawlers: readonly ImportedCrawler[]): NamedElements {
  return shareElements(crawlers, 'main', ({ sink = { type: 'file', url: 'documents.jsonl' } }, name) => {
    const { secret, ...attributes } = sink;
    const secretAttribute = secret ? { [secret]: `\${${SECRET_VARIABLE}}` } : {};
    return `  <cw:Sink${renderAttributes({ name, ...attributes, ...secretAttribute })}/>\n`;
  });
}

const shareFetchers = (crawlers: readonly ImportedCrawler[]): NamedElements =>
  shareElements(
    crawlers,
    'default',
    ({ fetcher }, name) => `  <cw:Fetcher${renderAttributes({ name, ...fetcher })}/>\n`,
  );

function shareElements(
  crawlers: readonly ImportedCrawler[],
  firstName: string,
  renderElement: (crawler: ImportedCrawler, name: string) => string,
): NamedElements {
  const names = new Map<string, string>();
  const createElementKey = (crawler: ImportedCrawler): string => renderElement(crawler, '');
  let text = '';
  for (const crawler of crawlers) {
    if (names.has(createElementKey(crawler))) continue;
    const name = names.size === 0 ? firstName : `${firstName}-${names.size + 1}`;
    names.set(createElementKey(crawler), name);
    text += renderElement(crawler, name);
  }
  return { text, getName: (crawler) => names.get(createElementKey(crawler))! };
}

const renderAttributes = (attributes: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escapeXml(value)}"`]))
    .join('');

const escapeXml = (text: string): string =>
  text.replace(/[&<"\n\t]/g, (char) => `&#${char.charCodeAt(0)};`).replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '');

/** Makes text valid in an XML comment, which must not contain two consecutive hyphens. */
const escapeComment = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('--', '- -').replace(/-$/, '- ').slice(0, 300);
