/** The numbers of list items and headings in Word documents, which their text does not contain (ECMA-376, 17.9). */
import { parseElements } from './markup.js';
import { BODY_TEXT, findLevelInName, toHeadingLevel } from './word-codes.js';

export interface Level {
  start: number;
  format: string;
  /** `%1.%2` stands for the numbers of the first two levels. */
  text: string;
  /** The level begins again after items of this many higher levels; all if undefined. */
  restart: number | undefined;
  /** All numbers in its text are decimal. */
  isLegal: boolean;
}

interface List {
  readonly levels: Level[];
  /** Levels by the paragraph style that has them. */
  readonly levelsByStyle: Map<string, number>;
  /** The style whose list this one stands for. */
  styleLink: string | undefined;
  /** The numbers of the last item. */
  readonly counters: (number | undefined)[];
}

/** Several uses of one list continue each other. */
interface ListUse {
  listId: string;
  readonly startOverrides: Map<number, number>;
  /** Levels that differ from those of the list. */
  readonly levels: Level[];
  isStarted: boolean;
}

interface Style {
  parent: string | undefined;
  useId: string | undefined;
  level: number | undefined;
  headingLevel?: number | undefined;
}

/** How a paragraph refers to its list. */
export interface Numbering {
  style: string | undefined;
  useId: string | undefined;
  level: number | undefined;
}

export const MAX_LEVELS = 9;
const MAX_STYLE_DEPTH = 20;

export class ListNumbers {
  readonly lists = new Map<string, List>();
  readonly uses = new Map<string, ListUse>();
  readonly styles = new Map<string, Style>();

  /** Without XML, the maps are filled by the reader of another format. */
  constructor(numberingXml?: string, stylesXml?: string, wantsHeadings = false) {
    this.readLists(numberingXml);
    if (this.lists.size > 0 || wantsHeadings) this.readStyles(stylesXml);
  }

  /**
   * The level of the heading that a paragraph is: its own outline level, or that of its style or of one on which that is
   * based. Headings of Word have theirs by their name, which is English in every language.
   */
  findHeadingLevel(styleId: string | undefined, own: string | number | undefined): number | undefined {
    let level = toHeadingLevel(own);
    for (let id = styleId, depth = 0; !level && id !== undefined && depth < MAX_STYLE_DEPTH; depth++) {
      const style = this.styles.get(id);
      level = style ? style.headingLevel : findLevelInName(id);
      id = style?.parent;
    }
    return level === BODY_TEXT ? undefined : level;
  }

  /** Counts an item; returns its number as it is shown, such as `2.1`, or nothing for bullets and other paragraphs. */
  next({ style, useId, level }: Numbering): string {
    const styled = this.resolveStyle(style);
    const use = this.uses.get(useId ?? styled.useId ?? '');
    const list = use && this.resolveList(use);
    if (!list) return '';
    const index = level ?? list.levelsByStyle.get(style ?? '') ?? styled.level ?? 0;
    const getLevel = (at: number): Level | undefined => use.levels[at] ?? list.levels[at];
    const current = getLevel(index);
    if (!current) return '';
    if (!use.isStarted) for (const [overridden, start] of use.startOverrides) list.counters[overridden] = start - 1;
    use.isStarted = true;
    const { counters } = list;
    counters[index] = (counters[index] ?? current.start - 1) + 1;
    for (let deeper = index + 1; deeper < MAX_LEVELS; deeper++)
      if (index < (getLevel(deeper)?.restart ?? deeper)) counters[deeper] = undefined;
    if (current.format === 'bullet' || current.format === 'none') return '';
    return current.text.replace(/%([1-9])/g, (_, digit: string) => {
      const shown = getLevel(Number(digit) - 1);
      if (!shown) return '';
      counters[Number(digit) - 1] ??= shown.start;
      return formatNumber(counters[Number(digit) - 1]!, current.isLegal ? 'decimal' : shown.format);
    });
  }

  /** Styles take the list from the style on which they are based. */
  resolveStyle(id: string | undefined): { useId?: string; level?: number | undefined } {
    let style = this.styles.get(id ?? '');
    let level: number | undefined;
    for (let depth = 0; style && depth < MAX_STYLE_DEPTH; depth++) {
      level ??= style.level;
      if (style.useId !== undefined) return { useId: style.useId, level };
      style = this.styles.get(style.parent ?? '');
    }
    return {};
  }

  private resolveList({ listId }: ListUse): List | undefined {
    const list = this.lists.get(listId);
    if (list?.styleLink === undefined) return list;
    const linkedUse = this.uses.get(this.styles.get(list.styleLink)?.useId ?? '');
    return linkedUse ? this.lists.get(linkedUse.listId) : list;
  }

  private readLists(xml: string | undefined): void {
    let list: List | undefined;
    let use: ListUse | undefined;
    let level: Level | undefined;
    let levelIndex = 0;
    for (const { name, attributes } of parseElements(xml)) {
      const value = attributes.get('val') ?? '';
      if (name === 'abstractnum') {
        list = { levels: [], levelsByStyle: new Map(), styleLink: undefined, counters: [] };
        this.lists.set(attributes.get('abstractnumid') ?? '', list);
        level = undefined;
      } else if (name === 'num') {
        list = undefined;
        level = undefined;
        use = { listId: '', startOverrides: new Map(), levels: [], isStarted: false };
        this.uses.set(attributes.get('numid') ?? '', use);
      } else if (name === 'abstractnumid' && use) use.listId = value;
      else if (name === 'lvloverride') levelIndex = toLevelIndex(attributes.get('ilvl')) ?? MAX_LEVELS;
      else if (name === 'startoverride' && levelIndex < MAX_LEVELS)
        use?.startOverrides.set(levelIndex, Number(value) || 0);
      else if (name === 'numstylelink' && list) list.styleLink = value;
      else if (name === 'lvl') {
        levelIndex = toLevelIndex(attributes.get('ilvl')) ?? MAX_LEVELS;
        level = { start: 0, format: 'decimal', text: '', restart: undefined, isLegal: false };
        if (levelIndex < MAX_LEVELS) setLevel((list ?? use)?.levels, levelIndex, level);
      } else if (name === 'pstyle' && level) list?.levelsByStyle.set(value, levelIndex);
      else if (level) readLevelProperty(level, name, value);
    }
  }

  private readStyles(xml: string | undefined): void {
    let style: Style | undefined;
    for (const { name, attributes } of parseElements(xml)) {
      const value = attributes.get('val');
      if (name === 'style') {
        style = { parent: undefined, useId: undefined, level: undefined };
        this.styles.set(attributes.get('styleid') ?? '', style);
      } else if (!style) continue;
      else if (name === 'name') style.headingLevel ??= findLevelInName(value);
      else if (name === 'outlinelvl') style.headingLevel = toHeadingLevel(value);
      else if (name === 'basedon') style.parent = value;
      else if (name === 'numid') style.useId = value;
      else if (name === 'ilvl') style.level = toLevelIndex(value);
    }
  }
}

function setLevel(levels: Level[] | undefined, index: number, level: Level): void {
  if (levels) levels[index] = level;
}

export function toLevelIndex(text: string | undefined): number | undefined {
  const index = Number(text ?? '');
  return Number.isInteger(index) && index >= 0 && index < MAX_LEVELS ? index : undefined;
}

function readLevelProperty(level: Level, name: string, value: string): void {
  const isOff = value === '0' || value === 'false';
  if (name === 'start') level.start = Number(value) || 0;
  else if (name === 'numfmt') level.format = value;
  else if (name === 'lvltext') level.text = value.slice(0, 200);
  else if (name === 'lvlrestart') level.restart = toLevelIndex(value);
  else if (name === 'islgl') level.isLegal = !isOff;
}

/** Letters are repeated after the end of the alphabet: `z`, `aa`, `bb`. */
const MAX_REPETITIONS = 30;
const MAX_ROMAN = 4_999;
const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** Formats that other scripts have are shown in decimal. */
function formatNumber(number: number, format: string): string {
  switch (format) {
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'lowerLetter':
      return toLetters(number);
    case 'upperLetter':
      return toLetters(number).toUpperCase();
    case 'lowerRoman':
      return toRoman(number);
    case 'upperRoman':
      return toRoman(number).toUpperCase();
    case 'ordinal':
      return `${number}${toOrdinalEnding(number)}`;
    case 'bullet':
    case 'none':
      return '';
    default:
      return String(number);
  }
}

/** In English, as in documents whose language is not known. */
function toOrdinalEnding(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}

function toLetters(number: number): string {
  if (number < 1) return '';
  const letter = String.fromCharCode(97 + ((number - 1) % 26));
  return letter.repeat(Math.min(Math.ceil(number / 26), MAX_REPETITIONS));
}

function toRoman(number: number): string {
  let rest = number;
  if (rest < 1 || rest > MAX_ROMAN) return String(number);
  let roman = '';
  for (const [value, digits] of ROMAN)
    while (rest >= value) {
      roman += digits;
      rest -= value;
    }
  return roman;
}
