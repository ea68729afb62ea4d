/** The parts besides crawl rules, found in the configuration, and the initial text of those that are absent. */
import type { RuleFileDto } from '../../api/schema.js';
import type { Part } from './part.js';
import type { PartText } from './part-editor.js';
import { createPart, findOwnPrefix, findPart, readPartAttribute } from './part-text.js';

interface Kind {
  readonly title: string;
  readonly purpose: string;
  readonly element: string;
}

const SPACE: Kind = {
  title: 'Crawl space',
  element: 'CrawlSpace',
  purpose:
    'One rule per line: allow or forbid, then domain, address or prefix, then the target. The first line that matches decides; a URL that matches none is allowed. Forbidden URLs are not crawled, and their documents are removed from the index.',
};
const GLOBAL: Kind = {
  title: 'Global crawl space',
  element: 'GlobalCrawlSpace',
  purpose:
    'The hosts that the crawlers cover between them. If a domain line of a crawler’s own crawl space excludes a URL but the global crawl space allows its host, the document stays in the index, because another crawler is responsible for it.',
};
const SERVERS: Kind = {
  title: 'Server records',
  element: 'Servers',
  purpose:
    'Settings for all URLs that begin with a given address, such as the time between two visits; the longest matching address applies. Links to addresses without a record are only followed if followOutside="true" is set.',
};
const CONDITIONS: Kind = {
  title: 'Conditions',
  element: 'Conditions',
  purpose:
    'Nested tests that filter URLs or set options for them. They run in order; the last value set for an option applies, and filtered URLs stay out.',
};

export interface Place {
  readonly kind: Kind;
  /** Texts that exist. */
  readonly parts: readonly PartText[];
  /** Initial text of the part; absent if the part exists. */
  readonly fresh?: PartText;
}

export function listOtherPlaces(xml: string, crawler: string, files: readonly RuleFileDto[]): Place[] {
  const { prefix, declaration } = findOwnPrefix(xml);
  const openTag = (element: string): string => `${prefix}:${element}${declaration}`;
  const spaceFile = `${crawler.replace(/[^\w.-]+/g, '-')}.crawl.rules`;
  const rules = '# allow|forbid domain|address|prefix TARGET\n';
  return [
    createFilePlace(SPACE, findPart(xml, SPACE.element, crawler), files, {
      element: createPart(xml, `    <${openTag(SPACE.element)} rules="${spaceFile}"/>`, crawler),
      file: spaceFile,
      text: `${rules}allow domain *\n`,
    }),
    createFilePlace(GLOBAL, findPart(xml, GLOBAL.element), files, {
      element: createPart(xml, `  <${openTag(GLOBAL.element)} rules="global.rules"/>`),
      file: 'global.rules',
      text: '# allow|forbid domain HOST\n# allow domain docs.example.com\n',
    }),
    createServersPlace(xml, crawler, files, openTag(SERVERS.element), prefix),
    createElementPlace(
      CONDITIONS,
      findPart(xml, CONDITIONS.element, crawler),
      createPart(
        xml,
        `    <${openTag(CONDITIONS.element)} default-allow="allow">\n      <${prefix}:may-not-have field="path" value="*.bak"/>\n    </${prefix}:Conditions>`,
        crawler,
      ),
    ),
  ];
}

function createServersPlace(
  xml: string,
  crawler: string,
  files: readonly RuleFileDto[],
  tag: string,
  prefix: string,
): Place {
  const found = findPart(xml, SERVERS.element, crawler);
  const text = `    <${tag} followOutside="true">\n      <${prefix}:Server url="https://www.example.com/news/" period="1h"/>\n    </${prefix}:Servers>`;
  const place = createElementPlace(SERVERS, found, createPart(xml, text, crawler));
  const file = found && files.find(({ name }) => name === readPartAttribute(found, 'file'));
  if (!file) return place;
  const conf = { title: `Server records in ${file.name}`, purpose: 'mnoGoSearch commands.', file: file.name };
  return { ...place, parts: [...place.parts, { ...conf, text: file.text }] };
}

function createElementPlace(kind: Kind, found: Part | undefined, fresh: Part): Place {
  const { title, purpose } = kind;
  if (!found) return { kind, parts: [], fresh: { title, purpose, text: fresh.text, element: fresh, isNew: true } };
  return { kind, parts: [{ title, purpose, text: found.text, element: found, without: removePart(found) }] };
}

type Fresh = Required<Pick<PartText, 'element' | 'file' | 'text'>>;

function createFilePlace(kind: Kind, found: Part | undefined, files: readonly RuleFileDto[], fresh: Fresh): Place {
  const { title, purpose } = kind;
  if (!found) return { kind, parts: [], fresh: { ...fresh, title: `${title}: ${fresh.file}`, purpose, isNew: true } };
  const file = readPartAttribute(found, 'rules');
  const { text = '' } = files.find(({ name }) => name === file) ?? {};
  const part = { title: `${title}: ${file}`, purpose, file, text, element: found, without: removePart(found) };
  return { kind, parts: [part] };
}

const removePart = ({ before, after }: Part): { xml: string } => ({ xml: before.replace(/\n$/, '') + after });
