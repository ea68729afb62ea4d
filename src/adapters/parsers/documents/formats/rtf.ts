/** Reads Rich Text Format 1.9.1: a stream of control words, groups and text. */
import { findEncoding, toUtf8 } from '../../charset.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';

/** Groups whose text is not part of the document. */
const IGNORED_GROUPS = new Set(
  (
    'fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object themedata colorschememapping latentstyles ' +
    'datastore xmlnstbl filetbl revtbl mmathpr nonshppict fldinst bkmkstart bkmkend template comment'
  ).split(' '),
);
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
const BREAK_WORDS = new Set(['par', 'line', 'tab', 'cell', 'row', 'sect', 'page']);
const CHARACTER_WORDS: Readonly<Record<string, string>> = {
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};
const MAX_DEPTH = 1_000;

interface Group {
  /** Where the group's text goes. */
  readonly destination: 'text' | 'nowhere' | 'field' | string;
  /**
   * Number of replacement characters to skip after a Unicode character: they are for programs without Unicode support.
   */
  readonly skipCount: number;
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
  const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
  for (const [, word, number, hex, symbol, brace, text] of source.matchAll(token)) {
    if (reader.content.isFull) break;
    if (word !== undefined)
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
  private group: Group = { destination: 'text', skipCount: 1 };
  private readonly groups: Group[] = [];
  private readonly info = new Map<string, string>();
  private readonly times = new Map<string, Map<string, number>>();
  /** The parts of the time, while its group is open. */
  private timeParts: Map<string, number> | undefined;
  private encoding = 'windows-1252';
  private pendingBytes: number[] = [];
  private remainingSkips = 0;
  private instruction = '';

  constructor(readonly content: DocumentContent) {}

  openGroup(): void {
    this.flush();
    this.remainingSkips = 0;
    if (this.groups.length < MAX_DEPTH) this.groups.push(this.group);
    else throw new Unreadable('extract-corrupt', `groups are nested more than ${MAX_DEPTH} levels deep`);
  }

  closeGroup(): void {
    this.flush();
    this.remainingSkips = 0;
    const endedGroup = this.group;
    this.group = this.groups.pop() ?? endedGroup;
    this.timeParts = undefined;
    if (endedGroup.destination === 'field' && this.group.destination !== 'field') this.addLink();
  }

  readControlWord(word: string, number: number | undefined): void {
    if (word === 'u') this.addUnicode(number ?? 0);
    else this.flush();
    if (word === 'fldinst') this.group = { ...this.group, destination: 'field' };
    else if (IGNORED_GROUPS.has(word)) this.group = { ...this.group, destination: 'nowhere' };
    else if (word === 'info') this.group = { ...this.group, destination: 'nowhere' };
    // Some programs write the same field twice: the first one is used.
    else if (INFO_FIELDS.has(word) && !this.info.has(INFO_FIELDS.get(word)!) && this.group.destination === 'nowhere')
      this.group = { ...this.group, destination: INFO_FIELDS.get(word)! };
    else if (number !== undefined && this.tryReadNumber(word, number)) return;
    else if (TIME_FIELDS.has(word)) this.startTime(TIME_FIELDS.get(word)!);
    else if (word === 'ansicpg') this.encoding = findEncoding(Buffer.of(), `windows-${number}`, 'text');
    else if (word === 'uc') this.group = { ...this.group, skipCount: Math.min(number ?? 1, 10) };
    else if (BREAK_WORDS.has(word)) this.addText(' ');
    else if (CHARACTER_WORDS[word] !== undefined) this.addText(CHARACTER_WORDS[word]);
  }

  private startTime(name: string): void {
    this.timeParts = new Map();
    this.times.set(name, this.timeParts);
  }

  /** Reads control words whose numbers describe the document. */
  private tryReadNumber(word: string, number: number): boolean {
    if (word === 'nofpages') this.info.set('page_count', String(number));
    else if (this.timeParts && (TIME_PARTS as readonly string[]).includes(word)) this.timeParts.set(word, number);
    else return false;
    return true;
  }

  readControlSymbol(symbol: string): void {
    this.flush();
    // `\*` begins a group that only programs that know its control word should read.
    if (symbol === '*')
      this.group = {
        ...this.group,
        destination: this.group.destination === 'text' ? 'nowhere' : this.group.destination,
      };
    else if (symbol === '~') this.addText(' ');
    else if (symbol === '_') this.addText('-');
    else if (symbol === '\n' || symbol === '\r') this.addText(' ');
    else if ('\\{}'.includes(symbol)) this.addText(symbol);
  }

  addByte(byte: number): void {
    if (this.remainingSkips > 0) this.remainingSkips--;
    else this.pendingBytes.push(byte);
  }

  addCharacters(text: string): void {
    const skipCount = Math.min(this.remainingSkips, text.length);
    this.remainingSkips -= skipCount;
    for (let index = skipCount; index < text.length; index++) this.pendingBytes.push(text.charCodeAt(index));
    this.flush();
  }

  finish(): void {
    this.flush();
    this.content.endWord();
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
    this.addText(String.fromCharCode(number & 0xffff));
    this.remainingSkips = this.group.skipCount;
  }

  private flush(): void {
    if (this.pendingBytes.length === 0) return;
    const bytes = Buffer.from(this.pendingBytes);
    this.pendingBytes = [];
    this.addText(toUtf8(bytes, this.encoding).toString('utf8'));
  }

  private addText(text: string): void {
    const { destination: target } = this.group;
    if (target === 'text') this.content.addText(text);
    else if (target === 'field') this.instruction = (this.instruction + text).slice(0, 20_000);
    else if (target !== 'nowhere') this.info.set(target, ((this.info.get(target) ?? '') + text).slice(0, 10_000));
  }

  private addLink(): void {
    const href = /HYPERLINK\s+"([^"]+)"/i.exec(this.instruction)?.[1];
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
