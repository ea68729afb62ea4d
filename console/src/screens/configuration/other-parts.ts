/** Finds the parts of a configuration other than crawl rules, with initial text for those that are absent. */
import type { RuleFileDto } from '../../api/schema.js';
import type { Part } from './part.js';
import type { PartText } from './part-editor.js';
import { createPart, findOwnPrefix, findPart, readPartAttribute } from './part-text.js';

interface PartKind {
  readonly title: string;
  readonly purpose: string;
  readonly element: string;
}

const CRAWL_SPACE: PartKind = {
  title: 'Crawl space',
  element: 'CrawlSpace',
  purpose:
    'One rule per line: allow or forbid, then domain, address or prefix, then the target. The first matching line decides; a URL that matches none is allowed. Forbidden URLs are not crawled, and their documents are removed from the index.',
};
const GLOBAL_CRAWL_SPACE: PartKind = {
  title: 'Global crawl space',
  element: 'GlobalCrawlSpace',
  purpose:
    'The hosts that all crawlers cover together. If a domain line of a crawler’s own crawl space excludes a URL but the global crawl space allows its host, the document stays in the index, because another crawler is responsible for it.',
};
const SERVERS: PartKind = {
  title: 'Server records',
  element: 'Servers',
  purpose:
    'Settings for all URLs that begin with a given address, such as the time between two visits; the longest matching address applies. Links to addresses without a record are only followed if followOutside="true" is set.',
};
const CONDITIONS: PartKind = {
  title: 'Conditions',
  element: 'Conditions',
  purpose:
    'Nested tests that filter URLs or set options for them. They run in order; the last value set for an option applies, and filtered URLs stay out.',
};

export interface PartGroup {
  readonly kind: PartKind;
  /** Parts that the configuration already contains. */
  readonly parts: readonly PartText[];
  /** Initial text of the part; absent if the part exists. */
  readonly newPart?: PartText;
}

export function listPartGroups(xml: string, crawler: string, files: readonly RuleFileDto[]): PartGroup[] {
  const { prefix, declaration } = findOwnPrefix(xml);
  const formatTag = (element: string): string => `${prefix}:${element}${declaration}`;
  const spaceFile = `${crawler.replace(/[^\w.-]+/g, '-')}.crawl.rules`;
  const header = '# allow|forbid domain|address|prefix TARGET\n';
  return [
    createFileGroup(CRAWL_SPACE, findPart(xml, CRAWL_SPACE.element, crawler), files, {
      element: createPart(xml, `    <${formatTag(CRAWL_SPACE.element)} rules="${spaceFile}"/>`, crawler),
      file: spaceFile,
      text: `${header}allow domain *\n`,
    }),
    createFileGroup(GLOBAL_CRAWL_SPACE, findPart(xml, GLOBAL_CRAWL_SPACE.element), files, {
      element: createPart(xml, `  <${formatTag(GLOBAL_CRAWL_SPACE.element)} rules="global.rules"/>`),
      file: 'global.rules',
      text: '# allow|forbid domain HOST\n# allow domain docs.example.com\n',
    }),
    createServersGroup(xml, crawler, files, formatTag(SERVERS.element), prefix),
    createElementGroup(
      CONDITIONS,
      findPart(xml, CONDITIONS.element, crawler),
      createPart(
        xml,
        `    <${formatTag(CONDITIONS.element)} default-allow="allow">\n      <${prefix}:may-not-have field="path" value="*.bak"/>\n    </${prefix}:Conditions>`,
        crawler,
      ),
    ),
  ];
}

function createServersGroup(
  xml: string,
  crawler: string,
  files: readonly RuleFileDto[],
  tag: string,
  prefix: string,
): PartGroup {
  const existing = findPart(xml, SERVERS.element, crawler);
  const text = `    <${tag} followOutside="true">\n      <${prefix}:Server url="https://www.example.com/news/" period="1h"/>\n    </${prefix}:Servers>`;
  const group = createElementGroup(SERVERS, existing, createPart(xml, text, crawler));
  const file = existing && files.find(({ name }) => name === readPartAttribute(existing, 'file'));
  if (!file) return group;
  const confPart = { title: `Server records in ${file.name}`, purpose: 'mnoGoSearch commands.', file: file.name };
  return { ...group, parts: [...group.parts, { ...confPart, text: file.text }] };
}

function createElementGroup(kind: PartKind, existing: Part | undefined, newPart: Part): PartGroup {
  const { title, purpose } = kind;
  if (!existing)
    return { kind, parts: [], newPart: { title, purpose, text: newPart.text, element: newPart, isNew: true } };
  return {
    kind,
    parts: [{ title, purpose, text: existing.text, element: existing, draftWithoutPart: removePart(existing) }],
  };
}

type NewFilePart = Required<Pick<PartText, 'element' | 'file' | 'text'>>;

function createFileGroup(
  kind: PartKind,
  existing: Part | undefined,
  files: readonly RuleFileDto[],
  newPart: NewFilePart,
): PartGroup {
  const { title, purpose } = kind;
  if (!existing)
    return { kind, parts: [], newPart: { ...newPart, title: `${title}: ${newPart.file}`, purpose, isNew: true } };
  const file = readPartAttribute(existing, 'rules');
  const { text = '' } = files.find(({ name }) => name === file) ?? {};
  const part = {
    title: `${title}: ${file}`,
    purpose,
    file,
    text,
    element: existing,
    draftWithoutPart: removePart(existing),
  };
  return { kind, parts: [part] };
}

const removePart = ({ before, after }: Part): { xml: string } => ({ xml: before.replace(/\n$/, '') + after });
