/** Finds blocks inside the content that do not read like it: links to other stories, forms, notices, repeated captions. */
import {
  COPYRIGHT,
  getLinkShare,
  type Measure,
  MIN_PARAGRAPH_LENGTH,
  type PageMeasures,
  PHOTO_CREDIT,
} from './element-signs.js';
import { type NameRules, readNameSigns, scoreName } from './name-signs.js';
import { type Element, isElement, type ParentNode, walkElements } from './nodes.js';
import { extractElementText, getHeadingLevel, isInline } from './readable.js';

/** In tables with headers, names are often links. */
const MAX_TABLE_LINK_SHARE = 0.8;
/** How many links name subjects, and their average length; headlines are longer. */
const MIN_SUBJECTS = 3;
const MAX_SUBJECT_LENGTH = 30;
const MAX_NOTICE_LENGTH = 250;
const MAX_CAPTION_LENGTH = 500;

const BLOCKS = new Set('div section ul ol dl table form fieldset aside header figure article'.split(' '));
const ENTRIES = new Set('td th li dt dd'.split(' '));
/** What may consist of a link: a cell, an item of a list. Its table or list is judged as a whole. */
const isEntry = (node: ParentNode): boolean => isElement(node) && ENTRIES.has(node.name);

export class NoiseFinder {
  private readonly captions = new Set<string>();

  constructor(
    private readonly measures: PageMeasures,
    private readonly names: NameRules,
    private readonly removed: ReadonlySet<Element>,
  ) {}

  isNoise(element: Element): boolean {
    const { name } = element;
    const measure = this.measures.of(element);
    const { text, links } = measure;
    if (text === 0) return false;
    if (text < MAX_NOTICE_LENGTH && COPYRIGHT.test(extractElementText(element, { maxLength: MAX_NOTICE_LENGTH })))
      return true;
    if (name === 'p') return text < 150 && links > text * 0.7 && !isEntry(element.parent);
    if (text < MAX_CAPTION_LENGTH && this.isCaption(element)) {
      const caption = extractElementText(element, { maxLength: MAX_CAPTION_LENGTH });
      // It is repeated where the picture can be enlarged.
      if (PHOTO_CREDIT.test(caption) || this.captions.has(caption)) return true;
      this.captions.add(caption);
    }
    if (name === 'figcaption') return false;
    const nameScore = scoreName(element, this.names);
    if (name === 'h1' || name === 'h2') return nameScore < 0;
    if (!BLOCKS.has(name)) return false;
    if (nameScore < 0) return true;
    if (measure.commas >= 10 || this.isFrame(element, measure)) return false;
    if (measure.inputs > Math.floor(measure.paragraphs / 3)) return true;
    const linkShare = getLinkShare(measure);
    if (name === 'table' && isDataTable(element)) return linkShare > MAX_TABLE_LINK_SHARE;
    // Without blocks inside, it is a paragraph, or a signature with its types.
    if (measure.own === text && linkShare > 0.2 && linkShare < 0.7) return false;
    if (linkShare > 0.5) return !this.isListOfSection(element, measure);
    if (name === 'ul' || name === 'ol') return false;
    if (nameScore === 0 && linkShare > 0.2) return measure.codes === 0;
    return text < MIN_PARAGRAPH_LENGTH && links > 0 && measure.headings === 0 && measure.images === 0;
  }

  /** Whether it is nothing but the frame of a heading with its link for editing, or of one block, which is judged by itself. */
  private isFrame(element: Element, { own }: Measure): boolean {
    const children = element.children.filter((child) => isElement(child) && !this.removed.has(child)) as Element[];
    const blocks = children.filter((child) => !isInline(child));
    const [block] = blocks;
    if (!block || blocks.length > 1) return false;
    if (getHeadingLevel(block) !== undefined) return getLinkShare(this.measures.of(block)) < 0.5;
    return own === 0 && BLOCKS.has(block.name);
  }

  /** Whether it lists the subjects of a section, as wikis do, and not other stories: without a class, behind a heading or a paragraph. */
  private isListOfSection(element: Element, { links }: Measure): boolean {
    if ((element.name !== 'ul' && element.name !== 'ol') || element.hasAttribute('class')) return false;
    const { previous } = element;
    if (!previous || getLinkShare(this.measures.of(previous)) > 0.5) return false;
    const items = element.children.filter((child) => isElement(child) && child.name === 'li').length;
    return items >= MIN_SUBJECTS && links < items * MAX_SUBJECT_LENGTH;
  }

  private isCaption(element: Element): boolean {
    return element.name === 'figcaption' || (BLOCKS.has(element.name) && readNameSigns(element).caption);
  }
}

const MAX_TABLE_ELEMENTS = 50;

function isDataTable(table: Element): boolean {
  let count = 0;
  for (const { name } of walkElements(table))
    if (name === 'th') return true;
    else if (++count > MAX_TABLE_ELEMENTS) return false;
  return false;
}
