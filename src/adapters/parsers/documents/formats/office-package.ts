/**
 * A package of Word, Excel or PowerPoint (ECMA-376, part 2): parts, and the relations that lead from one to the next.
 * Parts are found by their relations, because programs give them names as they like.
 */
import { decodePercent } from '../../../../domain/url/decode-percent.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { createNameSet, type ElementHooks, extractText, parseElements, type TextRules } from './markup.js';

export interface Relation {
  /** The last segment of the type's URI, in lower case: the rest differs between versions of the standard. */
  readonly type: string;
  /** The name of a part, or the URL if the relation is external. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** Reads a part to which a relation leads. */
export type PartReader = (office: OfficePackage, part: string) => void;

/** Text of WordprocessingML and DrawingML. */
export const TEXT_RULES: TextRules = {
  textElements: createNameSet('t'),
  ignoredElements: createNameSet('fallback movefrom pprchange'),
  separatingElements: createNameSet('p tab ptab br cr tc footnotereference endnotereference commentreference'),
  asideElements: createNameSet('txbxcontent'),
};
/** Comments of all three programs: those of Word have paragraphs, those of the others a text. */
const COMMENT_RULES: TextRules = {
  ...TEXT_RULES,
  textElements: createNameSet('t text'),
  separatingElements: createNameSet('p br tab text comment threadedcomment cm reply'),
};
/** Titles, names of series and labels; the values are left out, unless they are labels. */
const CHART_RULES: TextRules = {
  textElements: createNameSet('t v pt'),
  ignoredElements: createNameSet('fallback val yval bubblesize numdim'),
  separatingElements: createNameSet('p br t v pt'),
};
/** Text boxes and buttons in VML, whose text is HTML. */
const VML_RULES: TextRules = {
  textElements: createNameSet('textbox'),
  ignoredElements: createNameSet('fallback'),
  separatingElements: createNameSet('textbox div br p'),
};

const createReader =
  (rules: TextRules): PartReader =>
  (office, part) =>
    office.readText(part, rules);

const readChart: PartReader = (office, part) => {
  let isOnAxis = false;
  office.readText(part, CHART_RULES, {
    onElement(name) {
      if (name === 'ser' || name === 'xval') isOnAxis = name === 'xval';
      return !isOnAxis || name !== 'numref';
    },
  });
};

/** As many authors are looked for in the texts of their comments. */
const MAX_AUTHORS = 100;

/**
 * Reads comments, each after the name of its author, without the copies of threads that Excel keeps for its earlier
 * versions. Slides and threads have a part for authors.
 */
const readComments: PartReader = (office, part) => {
  const { archive, content } = office;
  const authorsPart = office.findPart('commentauthors') ?? office.findPart('authors') ?? office.findPart('person');
  const people = parseElements(archive.readXml(authorsPart ?? '')).map(({ attributes }) => attributes);
  const names = new Map(people.map((person) => [person.get('id'), person.get('name') ?? person.get('displayname')]));
  const xml = archive.readXml(part) ?? '';
  const authors: string[] = [];
  let isInAuthor = false;
  /** Comments of Excel usually begin with the name themselves. */
  const isGiven = new Map<string, boolean>();
  const addName = (name: string | undefined): void => {
    if (!name) return;
    if (!isGiven.has(name)) isGiven.set(name, isGiven.size < MAX_AUTHORS && xml.includes(`>${name}:`));
    if (!isGiven.get(name)) content.addText(`${name} `);
  };
  office.readText(part, COMMENT_RULES, {
    onElement(name, attributes) {
      isInAuthor = name === 'author';
      if (isInAuthor) authors.push('');
      if (name === 'cm' || name === 'reply') addName(names.get(attributes.get('authorid')));
      if (name === 'threadedcomment') addName(names.get(attributes.get('personid')));
      if (name !== 'comment') return true;
      const author = authors[Number(attributes.get('authorid'))];
      if (author?.startsWith('tc=')) return false;
      addName(author);
      return true;
    },
    onElementEnd() {
      isInAuthor = false;
    },
    onOtherText(text) {
      const last = authors.length - 1;
      if (isInAuthor && authors[last]!.length < 100) authors[last] += text;
    },
  });
};

/** Reads what slides show of a layout or master, once: shapes that are no placeholders, which tell authors what to enter. */
const readBackground: PartReader = (office, part) => {
  let isPlaceholder = false;
  let showsMaster = true;
  extractText(office.archive.readXml(part) ?? '', office.content, TEXT_RULES, {
    onElement(name, attributes) {
      if (name === 'sldlayout') showsMaster = attributes.get('showmastersp') !== '0';
      else if (name === 'sp' || name === 'ph') isPlaceholder = name === 'ph';
      return !isPlaceholder || name !== 'txbody';
    },
  });
  const relations = [...office.readRelations(part)].filter(([, { type }]) => showsMaster && type === 'slidemaster');
  office.followAll(new Map(relations));
};

/** By the type of the relation; parts that their document does not refer to in its text follow it in this order. */
export const PART_READERS: ReadonlyMap<string, PartReader> = new Map([
  ['footnotes', createReader(TEXT_RULES)],
  ['endnotes', createReader(TEXT_RULES)],
  ['drawing', createReader(TEXT_RULES)],
  ['vmldrawing', createReader(VML_RULES)],
  ['chart', readChart],
  ['chartex', createReader(CHART_RULES)],
  ['chartusershapes', createReader(TEXT_RULES)],
  ['diagramdata', createReader(TEXT_RULES)],
  ['comments', readComments],
  ['slidelayout', readBackground],
  ['slidemaster', readBackground],
  ['threadedcomment', readComments],
  ['header', createReader(TEXT_RULES)],
  ['footer', createReader(TEXT_RULES)],
]);

/** Elements in whose place the part is read to which they refer. */
const REFERRING_ELEMENTS = createNameSet('chart relids altchunk');
const MAX_DEPTH = 10;

export class OfficePackage {
  private readonly readParts = new Set<string>();
  private depth = 0;

  constructor(
    readonly archive: Archive,
    readonly content: DocumentContent,
    readonly mainPart: string,
    private readonly readers: ReadonlyMap<string, PartReader> = PART_READERS,
  ) {
    if (archive.isDamaged) content.markTruncated();
  }

  /** Reads the text of a part, and the parts to which it leads. */
  readText(part: string, rules: TextRules, hooks: ElementHooks = {}): void {
    const xml = this.archive.readXml(part);
    if (xml === undefined) return;
    const { content } = this;
    const relations = this.readRelations(part);
    extractText(xml, content, rules, {
      onElement: (name, attributes) => {
        if (REFERRING_ELEMENTS.has(name)) {
          // Charts and diagrams stand within a paragraph, other documents between two.
          if (name !== 'altchunk') content.beginAside();
          this.follow(relations.get(attributes.get('dm') ?? attributes.get('id') ?? ''));
          if (name !== 'altchunk') content.endAside();
        }
        return hooks.onElement?.(name, attributes) ?? true;
      },
      onElementEnd: (name) => hooks.onElementEnd?.(name),
      onOtherText: (text) => hooks.onOtherText?.(text),
    });
    content.endBlock();
    this.followAll(relations);
  }

  /** Adds links, and reads the parts that have not been read yet. */
  followAll(relations: ReadonlyMap<string, Relation>): void {
    const order = [...this.readers.keys()];
    const targets: { readonly relation: Relation; readonly rank: number }[] = [];
    for (const relation of relations.values()) {
      if (relation.isExternal && relation.type === 'hyperlink') this.content.addLink(relation.target);
      else if (this.readers.has(relation.type)) targets.push({ relation, rank: order.indexOf(relation.type) });
    }
    targets.sort((a, b) => a.rank - b.rank || getFileNumber(a.relation.target) - getFileNumber(b.relation.target));
    for (const { relation } of targets) this.follow(relation);
  }

  private follow(relation: Relation | undefined): void {
    const reader = relation && !relation.isExternal ? this.readers.get(relation.type) : undefined;
    const { target } = relation ?? { target: '' };
    if (!reader || this.readParts.has(target) || this.depth >= MAX_DEPTH || this.content.isFull) return;
    this.readParts.add(target);
    this.depth++;
    try {
      reader(this, target);
    } catch (error) {
      // The rest of the document is readable without a part that is damaged.
      if (!(error instanceof Unreadable) || error.code !== 'extract-corrupt') throw error;
      this.content.markTruncated();
    }
    this.content.endBlock();
    this.depth--;
  }

  readRelations(part: string): Map<string, Relation> {
    return readRelations(this.archive, part);
  }

  /** The first part to which a relation of this type leads from the main part. */
  findPart(type: string): string | undefined {
    return [...this.readRelations(this.mainPart).values()].find((relation) => relation.type === type)?.target;
  }

  /**
   * Lists slides or sheets in the order of the presentation or workbook, which differs from that of their file names.
   * @param pattern finds them by name if the archive is damaged
   */
  listParts(elementName: string, pattern: RegExp): { name: string | undefined; part: string }[] {
    const { archive, mainPart } = this;
    const relations = this.readRelations(mainPart);
    if (relations.size === 0)
      return archive
        .findEntryNames(pattern)
        .sort((a, b) => getFileNumber(a) - getFileNumber(b))
        .map((part) => ({ name: undefined, part }));
    return parseElements(archive.readXml(mainPart)).flatMap(({ name, attributes }) => {
      const relation = name === elementName ? relations.get(attributes.get('id') ?? '') : undefined;
      return relation && !relation.isExternal ? [{ name: attributes.get('name'), part: relation.target }] : [];
    });
  }
}

/**
 * @param usualName the name of the main part if no relation tells it
 * @throws Unreadable
 */
export function openPackage(
  body: Uint8Array,
  request: DocumentRequest,
  usualName: string,
  readers?: ReadonlyMap<string, PartReader>,
  /** The content to which the text is added if the document is a part of another one. */
  outerContent?: DocumentContent,
): OfficePackage {
  const archive = openArchive(body);
  const relations = [...readRelations(archive, '').values()];
  const folder = usualName.slice(0, usualName.indexOf('/') + 1);
  const mainPart =
    relations.find(({ type, target }) => type === 'officedocument' && archive.has(target) && !isForeign(target, folder))
      ?.target ?? usualName;
  if (!archive.has(mainPart))
    throw new Unreadable('extract-corrupt', `the archive has neither ${usualName} nor a main part of another name`);
  if (outerContent) return new OfficePackage(archive, outerContent, mainPart, readers);
  const content = new DocumentContent(request);
  readProperties(
    archive,
    content,
    (type, name) => relations.find((relation) => relation.type === type)?.target ?? name,
  );
  return new OfficePackage(archive, content, mainPart, readers);
}

/** Whether the main part is that of another program. */
const isForeign = (part: string, folder: string): boolean =>
  /^(?:word|xl|ppt)\//i.test(part) && !part.toLowerCase().startsWith(folder);

/** Reads the core properties (part 2 of the standard) and those that programs add. */
function readProperties(
  archive: Archive,
  content: DocumentContent,
  findPart: (type: string, usualName: string) => string,
): void {
  const readValues = (type: string, usualName: string): Map<string, string> =>
    new Map(parseElements(archive.readXml(findPart(type, usualName))).map(({ name, text }) => [name, text]));
  const core = readValues('core-properties', 'docProps/core.xml');
  content.title = core.get('title') ?? '';
  content.addAuthor(core.get('creator'));
  content.language = core.get('language');
  content.addField('description', core.get('description'));
  content.addField('subject', core.get('subject'));
  content.addField('keywords', core.get('keywords'));
  content.addField('category', core.get('category'));
  content.addField('last_author', core.get('lastmodifiedby'));
  content.addTime('date_created', core.get('created'));
  content.addTime('date_modified', core.get('modified'));
  const extended = readValues('extended-properties', 'docProps/app.xml');
  content.addField('page_count', extended.get('pages'));
  content.addField('company', extended.get('company'));
  content.addField('generator', extended.get('application'));
  let property: string | undefined;
  const custom = archive.readXml(findPart('custom-properties', 'docProps/custom.xml'));
  for (const { name, attributes, text } of parseElements(custom)) {
    if (name === 'property') property = attributes.get('name');
    else if (property !== undefined) content.addField(`property_${property.slice(0, 100)}`, text);
  }
}

/** An empty name stands for the package itself. */
function readRelations(archive: Archive, part: string): Map<string, Relation> {
  const slash = part.lastIndexOf('/') + 1;
  const elements = parseElements(archive.readXml(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`));
  const relations = new Map<string, Relation>();
  for (const { name, attributes } of elements) {
    if (name !== 'relationship') continue;
    const target = attributes.get('target') ?? '';
    const isExternal = attributes.get('targetmode') === 'External';
    const type = attributes.get('type') ?? '';
    relations.set(attributes.get('id') ?? '', {
      type: type.slice(type.lastIndexOf('/') + 1).toLowerCase(),
      target: isExternal ? target : resolvePart(part, target),
      isExternal,
    });
  }
  return relations;
}

/** Returns the name of the part; empty if the target is none. */
function resolvePart(source: string, target: string): string {
  const base = `file:///${source.split('/').map(encodeURIComponent).join('/')}`;
  const url = URL.parse(target.replaceAll('\\', '/'), base);
  return url?.protocol === 'file:' ? decodePercent(url.pathname.slice(1)) : '';
}

const getFileNumber = (name: string): number => Number(/(\d{1,9})\.\w+$/i.exec(name)?.[1] ?? 0);
