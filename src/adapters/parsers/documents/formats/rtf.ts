/** Reads Rich Text Format 1.9.1: a stream of control words, groups and text. */
import { BLOCK_END, DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { decodeCodePage, findCodePageOfCharset } from './binary/code-pages.js';
import { BODY_TEXT, findFieldLink, findGuidedText, symbolToText, toHeadingLevel } from './word-codes.js';

/** Groups whose text is not part of the document. */
const IGNORED_GROUPS = new Set(
  (
    'colortbl listtable listoverridetable rsidtbl generator pict themedata colorschememapping latentstyles ' +
    'datastore xmlnstbl filetbl revtbl mmathpr nonshppict bkmkstart bkmkend template comment sp shprslt xe rxe tc info upr'
  ).split(' '),
);
/** Groups that begin with `\*` and have text. */
const STARRED_TEXT_GROUPS = new Set(['annotation', 'shpinst', 'shptxt', 'shppict', 'footnote', 'ud']);
/** Notes and boxes, whose text follows the paragraph in which they stand. */
const ASIDES = new Set(['footnote', 'annotation', 'shptxt']);
const INFO_FIELDS = new Map([
  ['title', 'title'],
  ['author', 'author'],
  ['subject', 'subject'],
  ['keywords', 'keywords'],
  ['doccomm', 'description'],
  ['company', 'company'],
  ['operator', 'last_author'],
]);
const TIME_FIELDS = new Map([
  ['creatim', 'date_created'],
  ['revtim', 'date_modified'],
]);
const TIME_PARTS = ['yr', 'mo', 'dy', 'hr', 'min', 'sec'] as const;
const PARAGRAPH_WORDS = new Set(['par', 'cell', 'nestcell', 'row', 'nestrow', 'sect', 'page']);
/** The cells of a row are one line. */
const LINE_WORDS = new Set(['par', 'row', 'nestrow', 'sect', 'page']);
const BREAK_WORDS = new Set([
  ...PARAGRAPH_WORDS,
  ...['line', 'tab', 'column', 'chftn', 'chatn', 'emspace', 'enspace', 'qmspace'],
  ...['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'],
]);
const CHARACTER_WORDS: Readonly<Record<string, string>> = {
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};
/** Code pages by the word in the header. */
const CHARACTER_SETS: Readonly<Record<string, number>> = { ansi: 1252, mac: 10000, pc: 437, pca: 850 };
const MAX_DEPTH = 1_000;
const MAX_FONTS = 10_000;
const MAX_STYLES = 10_000;
const MAX_INFO_LENGTH = 10_000;
const WESTERN = 1252;
const WESTERN_CHARSET = 0;
const SYMBOL_CHARSET = 2;

/** Destinations whose text is not a value of the document's information. */
const WITHOUT_VALUE = new Set(['text', 'nowhere', 'copy', 'fonts', 'styles']);

interface Font {
  codePage: number | undefined;
  isSymbolic: boolean;
  name: string;
}

interface Group {
  /** Where the group's text goes. */
  readonly destination: 'text' | 'nowhere' | 'copy' | 'field' | 'fonts' | 'styles' | string;
  /** Where the text of the group outside the present one goes, if that is only the copy for older programs. */
  readonly outerDestination?: string;
  /**
   * Number of replacement characters to skip after a Unicode character: they are for programs without Unicode support.
   */
  readonly skipCount: number;
  readonly font: Font | undefined;
  readonly isDeleted: boolean;
  readonly isAside?: boolean;
  /** The level of the heading that its paragraphs are. */
  readonly level?: number | undefined;
}

export function readRtf(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const content = new DocumentContent(request);
  readRtfText(body, content).addProperties();
  return content;
}

/** Reads the text and the links of a document, which may be a part of another one. */
export function readRtfText(body: Uint8Array, content: DocumentContent): RtfReader {
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  if (!/^\s*\{\\rtf/.test(source)) throw new Unreadable('extract-corrupt', 'the document does not begin with {\\rtf');
  const reader = new RtfReader(content);
  const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\/gi;
  for (let match = token.exec(source); match && !content.isFull; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, text] = match;
    if (word === 'bin') token.lastIndex += Math.max(Number(number ?? 0), 0);
    else if (word !== undefined)
      reader.readControlWord(word.toLowerCase(), number === undefined ? undefined : Number(number));
    else if (hex !== undefined) reader.addByte(Number.parseInt(hex, 16));
    else if (symbol !== undefined) reader.readControlSymbol(symbol);
    else if (brace === '{') reader.openGroup();
    else if (brace === '}') reader.closeGroup();
    else if (text !== undefined) reader.addCharacters(text);
  }
  reader.finish();
  return reader;
}

class RtfReader {
  private group: Group = { destination: 'text', skipCount: 1, font: undefined, isDeleted: false };
  private readonly groups: Group[] = [];
  private readonly info = new Map<string, string>();
  private readonly times = new Map<string, Map<string, number>>();
  /** The parts of the time, while its group is open. */
  private timeParts: Map<string, number> | undefined;
  private codePage = WESTERN;
  private readonly fonts = new Map<number, Font>();
  private defaultFont: number | undefined;
  /** The font that the font table is defining. */
  private definedFont: Font | undefined;
  private pendingBytes: number[] = [];
  private remainingSkips = 0;
  private instruction = '';
  private paragraphStart: number | undefined;
  /** Levels of headings by the number of their style, and the style that is being defined. */
  private readonly levels = new Map<number, number>();
  private definedStyle: number | undefined;
  /** Nothing has been read in the group yet. */
  private isAtStart = false;
  /** The group began with `\*`: programs that do not know its first control word skip it. */
  private isStarred = false;

  constructor(readonly content: DocumentContent) {
    this.paragraphStart = content.position;
  }

  openGroup(): void {
    this.flush();
    this.remainingSkips = 0;
    if (this.groups.length >= MAX_DEPTH)
      throw new Unreadable('extract-corrupt', `groups are nested more than ${MAX_DEPTH} levels deep`);
    this.groups.push(this.group);
    const { isAside: _, ...inherited } = this.group;
    this.group = inherited;
    this.isAtStart = true;
    this.isStarred = false;
  }

  closeGroup(): void {
    this.flush();
    this.remainingSkips = 0;
    const endedGroup = this.group;
    this.group = this.groups.pop() ?? endedGroup;
    this.timeParts = undefined;
    this.isAtStart = this.isStarred = false;
    if (endedGroup.isAside && this.group !== endedGroup) this.content.endAside();
    if (endedGroup.destination === 'field' && this.group.destination !== 'field') this.addLink();
  }

  readControlWord(word: string, number: number | undefined): void {
    if (word === 'u') this.addUnicode(number ?? 0);
    else this.flush();
    const isStarred = this.isStarred;
    this.isAtStart = this.isStarred = false;
    if (this.tryReadDestination(word) || this.tryReadFont(word, number)) return;
    if (isStarred && !STARRED_TEXT_GROUPS.has(word)) this.redirect('nowhere');
    else if (number !== undefined && this.tryReadNumber(word, number)) return;
    else if (TIME_FIELDS.has(word)) this.startTime(TIME_FIELDS.get(word)!);
    else if (word === 'uc') this.group = { ...this.group, skipCount: Math.min(number ?? 1, 10) };
    else if (word === 'pard') this.group = { ...this.group, level: undefined };
    else if (word === 'deleted') this.group = { ...this.group, isDeleted: number !== 0 };
    else if (BREAK_WORDS.has(word)) this.addBreak(word);
    else if (CHARACTER_WORDS[word] !== undefined) this.addText(CHARACTER_WORDS[word]);
  }

  /** Reads control words that say what the text of their group is. */
  private tryReadDestination(word: string): boolean {
    const { destination } = this.group;
    if (word === 'fldinst') this.redirect('field');
    else if (word === 'fonttbl') this.redirect('fonts');
    else if (word === 'stylesheet') this.redirect('styles');
    else if (word === 'upr') this.group = { ...this.group, destination: 'copy', outerDestination: destination };
    else if (word === 'ud') this.redirect(this.group.outerDestination ?? destination);
    else if (IGNORED_GROUPS.has(word)) this.redirect('nowhere');
    // Some programs write the same field twice: the first one is used.
    else if (INFO_FIELDS.has(word) && !this.info.has(INFO_FIELDS.get(word)!) && destination === 'nowhere')
      this.redirect(INFO_FIELDS.get(word)!);
    else if (ASIDES.has(word) && destination === 'text' && !this.group.isAside) {
      this.group = { ...this.group, isAside: true };
      this.content.beginAside();
    } else return false;
    return true;
  }

  private redirect(destination: string): void {
    this.group = { ...this.group, destination };
  }

  /** Reads control words that define or choose a font or an encoding. */
  private tryReadFont(word: string, number: number | undefined): boolean {
    if (CHARACTER_SETS[word] !== undefined) this.codePage = CHARACTER_SETS[word];
    else if (word === 'ansicpg' && number !== undefined) this.codePage = number > 0 ? number : WESTERN;
    else if (word === 'deff') this.defaultFont = number;
    else if (word === 'f' && number !== undefined && this.group.destination === 'fonts') this.defineFont(number);
    else if (word === 'f' && number !== undefined) this.group = { ...this.group, font: this.fonts.get(number) };
    else if (word === 'plain') this.group = { ...this.group, font: undefined, isDeleted: false };
    else if (word === 'fcharset' && this.definedFont && number !== undefined) {
      this.definedFont.isSymbolic = number === SYMBOL_CHARSET;
      this.definedFont.codePage = number === WESTERN_CHARSET ? WESTERN : findCodePageOfCharset(number);
    } else if (word === 'cpg' && this.definedFont && number) this.definedFont.codePage = number;
    else return false;
    return true;
  }

  private defineFont(number: number): void {
    this.definedFont = { codePage: undefined, isSymbolic: false, name: '' };
    if (this.fonts.size < MAX_FONTS) this.fonts.set(number, this.definedFont);
  }

  private startTime(name: string): void {
    this.timeParts = new Map();
    this.times.set(name, this.timeParts);
  }

  private defineLevel(number: number): void {
    const level = toHeadingLevel(number);
    if (this.definedStyle === undefined || level === undefined || this.levels.size >= MAX_STYLES) return;
    this.levels.set(this.definedStyle, level);
  }

  /** Reads control words whose numbers describe the document or a paragraph. */
  private tryReadNumber(word: string, number: number): boolean {
    const isStyle = this.group.destination === 'styles';
    if (word === 's' && isStyle) this.definedStyle = number;
    else if (word === 's') this.group = { ...this.group, level: this.levels.get(number) };
    else if (word === 'outlinelevel' && !isStyle) this.group = { ...this.group, level: toHeadingLevel(number) };
    else if (word === 'outlinelevel') this.defineLevel(number);
    else if (word === 'nofpages') this.info.set('page_count', String(number));
    else if (this.timeParts && (TIME_PARTS as readonly string[]).includes(word)) this.timeParts.set(word, number);
    else return false;
    return true;
  }

  readControlSymbol(symbol: string): void {
    this.flush();
    // Programs also write `\*` later in a group, where it means nothing.
    if (symbol === '*') this.isStarred = this.isAtStart;
    else if (symbol === '~') this.addText(' ');
    else if (symbol === '_') this.addText('-');
    else if (symbol === '\n' || symbol === '\r') this.addBreak('par');
    else if ('\\{}'.includes(symbol)) this.addText(symbol);
    if (symbol !== '*') this.isAtStart = false;
  }

  addByte(byte: number): void {
    this.isAtStart = false;
    if (this.remainingSkips > 0) this.remainingSkips--;
    else if (this.group.destination !== 'nowhere') this.pendingBytes.push(byte);
  }

  addCharacters(text: string): void {
    this.isAtStart = false;
    const skipCount = Math.min(this.remainingSkips, text.length);
    this.remainingSkips -= skipCount;
    if (this.group.destination === 'nowhere') return;
    for (let index = skipCount; index < text.length; index++) this.pendingBytes.push(text.charCodeAt(index));
    this.flush();
  }

  finish(): void {
    this.flush();
    for (const { isAside } of [...this.groups, this.group]) if (isAside) this.content.endAside();
    this.content.addAsides();
    this.content.endBlock();
  }

  addProperties(): void {
    const { content, info } = this;
    content.title = info.get('title') ?? '';
    content.addAuthor(info.get('author'));
    for (const [name, value] of info) if (name !== 'title' && name !== 'author') content.addField(name, value);
    for (const [name, parts] of this.times) content.addTime(name, toIsoTime(parts));
  }

  private addUnicode(number: number): void {
    this.flush();
    this.isAtStart = false;
    const code = number & 0xffff;
    const font = this.getFont();
    this.addText(font?.isSymbolic ? symbolToText(font.name, code) : String.fromCharCode(code));
    this.remainingSkips = this.group.skipCount;
  }

  private getFont(): Font | undefined {
    return this.group.font ?? (this.defaultFont === undefined ? undefined : this.fonts.get(this.defaultFont));
  }

  private flush(): void {
    if (this.pendingBytes.length === 0) return;
    const bytes = Buffer.from(this.pendingBytes);
    this.pendingBytes = [];
    const { destination } = this.group;
    if (destination === 'text') this.addText(this.decodeInFont(bytes));
    else this.addText(decodeCodePage(bytes, this.codePage));
  }

  private decodeInFont(bytes: Buffer): string {
    const font = this.getFont();
    if (!font?.isSymbolic) return decodeCodePage(bytes, font?.codePage ?? this.codePage);
    return Array.from(bytes, (byte) => symbolToText(font.name, 0xf000 + byte)).join('');
  }

  private addText(text: string): void {
    const { destination, isDeleted } = this.group;
    if (destination === 'text' && !isDeleted) this.content.addText(text);
    else if (destination === 'field') this.instruction = (this.instruction + text).slice(0, 20_000);
    else if (destination === 'fonts' && this.definedFont)
      this.definedFont.name = (this.definedFont.name + text).slice(0, 100);
    else if (!WITHOUT_VALUE.has(destination))
      this.info.set(destination, ((this.info.get(destination) ?? '') + text).slice(0, MAX_INFO_LENGTH));
  }

  private addBreak(word: string): void {
    const isText = this.group.destination === 'text';
    const endsParagraph = isText && PARAGRAPH_WORDS.has(word);
    if (endsParagraph) this.addHeading();
    this.addText(isText && LINE_WORDS.has(word) ? BLOCK_END : ' ');
    if (!endsParagraph) return;
    this.content.addAsides();
    this.paragraphStart = this.content.position ?? this.paragraphStart;
  }

  /** The paragraph that ends here is a heading if its format says so. */
  private addHeading(): void {
    const { level } = this.group;
    this.content.beginHeading(level === BODY_TEXT ? undefined : level, this.paragraphStart);
    this.content.endHeading();
  }

  private addLink(): void {
    if (this.group.destination === 'text') this.addText(findGuidedText(this.instruction));
    const href = findFieldLink(this.instruction);
    this.instruction = '';
    if (href !== undefined) this.content.addLink(href);
  }
}

/** Treats a time, whose time zone is unknown, as UTC. The result is not a valid time if the year is missing. */
function toIsoTime(parts: ReadonlyMap<string, number>): string {
  const [year = '', ...rest] = TIME_PARTS.map((part) => String(parts.get(part) ?? (part === 'yr' ? '' : 0)));
  const [month, day, hour, minute, second] = rest.map((value) => value.padStart(2, '0'));
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
