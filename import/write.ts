/** Writes the imported configuration as a CrawlConfig.xml that the user can then edit. */
import type { ImportedCondition, ImportedCrawler, ImportedRule, ImportReport, Match, Pattern } from './model.js';
import { EVERYTHING, isLinear, matchesAnything, NOT_LINEAR, selectSupported } from './patterns.js';

/** Environment variable from which the sink's secret is read, with a number for another server; no secret is copied. */
const SECRET_VARIABLE = 'CRAWLWAY_SECRET_SINK';
const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
`;

export function renderConfiguration(
  format: string,
  crawlers: readonly ImportedCrawler[],
  report: ImportReport,
): string {
  const names = createUniqueNames(crawlers);
  const sinks = shareSinks(crawlers, report);
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
  .map(
    ({ kind, setting, note, place }) =>
      `  ${kind}: ${escapeComment(place === undefined ? setting : `${place}: ${setting}`)}: ${escapeComment(note)}`,
  )
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
  const { roots, staysOnSite, acceptsOthers, attributes } = crawler;
  // A first rule that rejects everything says what a crawler without site mode does anyway.
  const rejectsFirst = !staysOnSite && crawler.rules[0]?.accept === false && matchesAnything(crawler.rules[0].pattern);
  const rules = rejectsFirst ? crawler.rules.slice(1) : crawler.rules;
  const acceptAttribute = staysOnSite
    ? {}
    : { defaultAccept: String(!rejectsFirst && (rules.length === 0 || acceptsOthers)) };
  const rendered = [
    `  <Crawler${renderAttributes({ name, ...acceptAttribute, ...attributes })}>`,
    ...roots.map((url) => `    <Root${renderAttributes({ url, ...(staysOnSite ? {} : { site: 'false' }) })}/>`),
    ...renderRules({ ...crawler, rules }, report),
    ...Object.entries(crawler.parts).map(([element, values]) => `    <cw:${element}${renderAttributes(values)}/>`),
    ...(crawler.crawlSpace ? [`    <cw:CrawlSpace rules="${escapeXml(crawler.crawlSpace)}"/>`] : []),
    ...renderServers(crawler),
    ...renderConditionElements(crawler, report),
    ...renderContents(crawler),
    ...(fetcher === undefined || fetcher === 'default' ? [] : [`    <cw:FetchWith fetcher="${fetcher}"/>`]),
    `    <cw:PushTo sink="${sink}"/>`,
    '  </Crawler>',
  ];
  return rendered.join('\n');
}

/** The records exclude nothing: the rules do. */
const renderServers = ({ servers }: ImportedCrawler): string[] =>
  servers.length === 0
    ? []
    : [
        '    <cw:Servers followOutside="true">',
        ...servers.map((attributes) => `      <cw:Server${renderAttributes(attributes)}/>`),
        '    </cw:Servers>',
      ];

function renderContents({ contents }: ImportedCrawler): string[] {
  return contents.flatMap(({ name, elements }) => [
    `    <cw:Content${renderAttributes({ name })}>`,
    ...elements.map(({ element, attributes }) => `      <cw:${element}${renderAttributes(attributes)}/>`),
    '    </cw:Content>',
  ]);
}

/** `Ignore` also takes index and follow away, so that an acceptance restores them. */
function renderActions({ accept, index, follow, metas = [], render }: ImportedRule): string {
  if (accept === false) return '<Ignore/>';
  const standard = accept ? true : undefined;
  const [isIndexed, isFollowed] = [index ?? standard, follow ?? standard];
  return [
    isIndexed === undefined ? '' : isIndexed ? '<Index/>' : '<NoIndex/>',
    isFollowed === undefined ? '' : isFollowed ? '<Follow/>' : '<NoFollow/>',
    accept ? '<Accept/>' : '',
    ...metas.map(([name, value]) => `<AddMeta${renderAttributes({ name, value })}/>`),
    render ? `<Render mode="${render}"/>` : '',
  ].join('');
}

/** The rules, then what every URL must or must not match: as the last rules, they have the last word. */
function renderRules(
  { rules, noIndex, exclude, include, filters, sitemaps }: ImportedCrawler,
  report: ImportReport,
): string[] {
  const write = (match: Match, actions: string): string[] => {
    const supported = selectSupported(match, report);
    if (supported === false) return [];
    return [`      <Rule>${renderMatch(supported === true ? EVERYTHING : supported)}${actions}</Rule>`];
  };
  const lines = [
    ...rules.flatMap((rule) => write(rule.pattern, renderActions(rule))),
    ...noIndex.flatMap((match) => write(match, '<NoIndex/>')),
    ...exclude.flatMap((pattern) => write(pattern, '<Ignore/>')),
    ...[...(include.length === 0 ? [] : [{ any: include }]), ...filters].flatMap((match) =>
      write({ not: match }, '<Ignore/>'),
    ),
  ];
  if (lines.length > 0)
    lines.push(
      ...sitemaps.flatMap((value) =>
        write({ kind: 'exact', value }, renderActions({ accept: true, pattern: EVERYTHING })),
      ),
    );
  return lines.length === 0
    ? []
    : ['    <!-- A later rule overrides an earlier one. -->', '    <Rules>', ...lines, '    </Rules>'];
}

function renderConditionElements({ maxHops, conditions, sitemaps }: ImportedCrawler, report: ImportReport): string[] {
  // The URLs of such a sitemap are start URLs elsewhere, but one link away from a root here.
  const hops = Math.min(65_535, (maxHops ?? 0) + (sitemaps.length > 0 ? 1 : 0));
  const lines = [
    ...selectConditions(conditions, report).flatMap((condition) => renderCondition(condition, '      ')),
    ...(maxHops === undefined ? [] : [`      <cw:option name="max-hops" value="${hops}"/>`]),
  ];
  return lines.length === 0 ? [] : ['    <cw:Conditions default-allow="allow">', ...lines, '    </cw:Conditions>'];
}

/** A condition whose expression cannot be written matches nothing, like a pattern of a rule. */
function selectConditions(conditions: readonly ImportedCondition[], report: ImportReport): ImportedCondition[] {
  return conditions.flatMap((condition) => {
    const { attributes, element } = condition;
    const children = selectConditions(condition.children, report);
    const value = attributes['value'] ?? '';
    if (attributes['test'] !== 'regex' || isLinear({ kind: 'regex', value })) return [{ ...condition, children }];
    report.reportSkipped(value, NOT_LINEAR);
    const isWithoutEffect = element === 'may-not-have' || element === 'condition-when';
    return isWithoutEffect ? [] : [{ ...condition, attributes: { ...attributes, value: '[^\\s\\S]' }, children }];
  });
}

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

function renderMatch(match: Match): string {
  if ('any' in match) return `<ar:Or>${match.any.map(renderMatch).join('')}</ar:Or>`;
  if ('all' in match) return `<ar:And>${match.all.map(renderMatch).join('')}</ar:And>`;
  if ('not' in match) return `<ar:Not>${renderMatch(match.not)}</ar:Not>`;
  return renderPattern(match);
}

function renderPattern({ kind, value, field = 'url', ignoreCase }: Pattern): string {
  if (kind === 'domain') return `<ar:Domain${renderAttributes({ value, litteral: 'true' })}/>`;
  const literal = kind === 'regex' ? {} : { litteral: 'true' };
  return `<ar:Atom${renderAttributes({ field, kind: MATCH_KINDS[kind], norm: ignoreCase ? 'lower' : 'none', value, ...literal })}/>`;
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

/** A user in the address becomes the login; the password beside it is not copied. */
function takeUser({ secret, ...attributes }: NonNullable<ImportedCrawler['sink']>) {
  const url = URL.parse(attributes.url);
  if (!url?.username && !url?.password) return { attributes, secret };
  const login = new URLSearchParams(`user=${url.username.replace(/[+&]/g, encodeURIComponent)}`).get('user')!;
  url.username = url.password = '';
  return {
    attributes: { login, ...attributes, url: url.href.replace(/\/$/, '') },
    secret: secret ?? ('password' as const),
  };
}

/** Crawlers with the same sink share its element; documents of crawlers without a sink go to a file. */
function shareSinks(crawlers: readonly ImportedCrawler[], report: ImportReport): NamedElements {
  const variables = createSecretVariables(crawlers, report);
  return shareElements(crawlers, 'main', ({ sink = { type: 'file', url: 'documents.jsonl' }, maps: fields }, name) => {
    const { attributes, secret } = takeUser(sink);
    const secretAttribute = secret ? { [secret]: `\${${variables.get(toServer(sink))}}` } : {};
    const maps = fields.map((attributes) => `    <cw:Map${renderAttributes(attributes)}/>\n`);
    const openingTag = `  <cw:Sink${renderAttributes({ name, ...attributes, ...secretAttribute })}`;
    return maps.length === 0 ? `${openingTag}/>\n` : `${openingTag}>\n${maps.join('')}  </cw:Sink>\n`;
  });
}

const toServer = ({ url, login }: NonNullable<ImportedCrawler['sink']>): string => `${login ?? ''} ${url}`;

/** The secret of one server is not for another one. */
function createSecretVariables(crawlers: readonly ImportedCrawler[], report: ImportReport): Map<string, string> {
  const sinks = crawlers.flatMap(({ sink }) => (sink && takeUser(sink).secret ? [sink] : []));
  const servers = [...new Set(sinks.map(toServer))];
  const variables = new Map(
    servers.map((server, i) => [server, i === 0 ? SECRET_VARIABLE : `${SECRET_VARIABLE}_${i + 1}`]),
  );
  if (servers.length > 1)
    report.reportChanged(
      'secrets of Sinks',
      `each server has its own: ${[...variables].map(([server, variable]) => `${variable} is for ${server.split(' ')[1]}`).join(', ')}`,
    );
  return variables;
}

const shareFetchers = (crawlers: readonly ImportedCrawler[]): NamedElements =>
  shareElements(crawlers, 'default', ({ fetcher, headers }, name) => {
    const openingTag = `  <cw:Fetcher${renderAttributes({ name, ...fetcher })}`;
    const elements = Object.entries(headers).map(
      ([header, value]) => `    <cw:Header${renderAttributes({ name: header, value })}/>\n`,
    );
    return elements.length === 0 ? `${openingTag}/>\n` : `${openingTag}>\n${elements.join('')}  </cw:Fetcher>\n`;
  });

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
  text
    .replace(/[&<"\n\t]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\p{Cs}\uFFFE\uFFFF]/gu, '');

/** Makes text valid in an XML comment, which must not contain two consecutive hyphens, nor control characters. */
const escapeComment = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu, ' ')
    .replace(/-(?=-)/g, '- ')
    .slice(0, 300);
