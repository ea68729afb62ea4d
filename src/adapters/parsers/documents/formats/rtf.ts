/** Reads Rich Text Format 1.9.1: a stream of control words, groups and text. */
import { findEncoding, toUtf8 } from '../../charset.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';

/** Groups whose text is not part of the document. */
const SILENT = new Set(
  (
    'fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object themedata colorschememapping latentstyles ' +
    'datastore xmlnstbl filetbl revtbl mmathpr nonshppict fldinst bkmkstart bkmkend template comment'
  ).split(' '),
);
const INFO = new Map([
  ['title', 'title'],
  ['author', 'author'],
  ['subject', 'subject'],
  ['keywords', 'keywords'],
  ['doccomm', 'description'],
  ['company', 'company'],
  ['operator', 'last_author'],
]);
const TIMES = new Map([
  ['creatim', 'date_created'],
  ['revtim', 'date_modified'],
]);
const TIME_PARTS = ['yr', 'mo', 'dy', 'hr', 'min', 'sec'] as const;
const BREAKS = new Set(['par', 'line', 'tab', 'cell', 'row', 'sect', 'page']);
const CHARACTERS: Readonly<Record<string, string>> = {
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};
const MOST_DEPTH = 1_000;

interface Group {
  /** Where the group's text goes. */
  readonly goes: 'text' | 'nowhere' | 'field' | string;
  /**
   * Number of replacement characters to skip after a Unicode character: they are for programs that do not know Unicode.
   */
  readonly skip: number;
}

export function readRtf(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  if (!/^\s*\{\\rtf/.test(source)) throw new Unreadable('extract-corrupt', 'the document does not begin with {\\rtf');
  const reading = new RtfReading(new DocumentContent(request));
  const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
  for (const [, word, number, hex, symbol, brace, text] of source.matchAll(token)) {
    if (reading.content.isFull) break;
    if (word !== undefined)
      reading.readControlWord(word.toLowerCase(), number === undefined ? undefined : Number(number));
    else if (hex !== undefined) reading.addByte(Number.parseInt(hex, 16));
    else if (symbol !== undefined) reading.readControlSymbol(symbol);
    else if (brace === '{') reading.openGroup();
    else if (brace === '}') reading.closeGroup();
    else if (text !== undefined) reading.addCharacters(text);
  }
  return reading.finish();
}

class RtfReading {
  private group: Group = { goes: 'text', skip: 1 };
  private readonly groups: Group[] = [];
  private readonly info = new Map<string, string>();
  private readonly times = new Map<string, Map<string, number>>();
  /** The parts of the time, while its group is open. */
  private timeParts: Map<string, number> | undefined;
  private encoding = 'windows-1252';
  private pending: number[] = [];
  private left = 0;
  private instruction = '';

  constructor(readonly content: DocumentContent) {}

  openGroup(): void {
    this.flush();
    this.left = 0;
    if (this.groups.length < MOST_DEPTH) this.groups.push(this.group);
    else throw new Unreadable('extract-corrupt', `groups are nested more than ${MOST_DEPTH} deep`);
  }

  closeGroup(): void {
    this.flush();
    this.left = 0;
    const ended = this.group;
    this.group = this.groups.pop() ?? ended;
    this.timeParts = undefined;
    if (ended.goes === 'field' && this.group.goes !== 'field') this.addLink();
  }

  readControlWord(word: string, number: number | undefined): void {
    if (word === 'u') this.addUnicode(number ?? 0);
    else this.flush();
    if (word === 'fldinst') this.group = { ...this.group, goes: 'field' };
    else if (SILENT.has(word)) this.group = { ...this.group, goes: 'nowhere' };
    else if (word === 'info') this.group = { ...this.group, goes: 'nowhere' };
    // Some programs write the same field twice: the first one counts.
    else if (INFO.has(word) && !this.info.has(INFO.get(word)!) && this.group.goes === 'nowhere')
      this.group = { ...this.group, goes: INFO.get(word)! };
    else if (number !== undefined && this.readNumber(word, number)) return;
    else if (TIMES.has(word)) this.startTime(TIMES.get(word)!);
    else if (word === 'ansicpg') this.encoding = findEncoding(Buffer.of(), `windows-${number}`, 'text');
    else if (word === 'uc') this.group = { ...this.group, skip: Math.min(number ?? 1, 10) };
    else if (BREAKS.has(word)) this.addText(' ');
    else if (CHARACTERS[word] !== undefined) this.addText(CHARACTERS[word]);
  }

  private startTime(name: string): void {
    this.timeParts = new Map();
    this.times.set(name, this.timeParts);
  }

  /** Reads control words whose numbers describe the document. */
  private readNumber(word: string, number: number): boolean {
    if (word === 'nofpages') this.info.set('page_count', String(number));
    else if (this.timeParts && (TIME_PARTS as readonly string[]).includes(word)) this.timeParts.set(word, number);
    else return false;
    return true;
  }

  readControlSymbol(symbol: string): void {
    this.flush();
    // `\*` begins a group that only programs that know its control word should read.
    if (symbol === '*') this.group = { ...this.group, goes: this.group.goes === 'text' ? 'nowhere' : this.group.goes };
    else if (symbol === '~') this.addText(' ');
    else if (symbol === '_') this.addText('-');
    else if (symbol === '\n' || symbol === '\r') this.addText(' ');
    else if ('\\{}'.includes(symbol)) this.addText(symbol);
  }

  addByte(byte: number): void {
    if (this.left > 0) this.left--;
    else this.pending.push(byte);
  }

  addCharacters(text: string): void {
    const skipped = Math.min(this.left, text.length);
    this.left -= skipped;
    for (let at = skipped; at < text.length; at++) this.pending.push(text.charCodeAt(at));
    this.flush();
  }

  finish(): DocumentContent {
    this.flush();
    const { content, info } = this;
    content.title = info.get('title') ?? '';
    content.addAuthor(info.get('author'));
    for (const [name, value] of info) if (name !== 'title' && name !== 'author') content.addField(name, value);
    for (const [name, parts] of this.times) content.addTime(name, toIsoTime(parts));
    return content;
  }

  private addUnicode(number: number): void {
    this.flush();
    this.addText(String.fromCharCode(number & 0xffff));
    this.left = this.group.skip;
  }

  private flush(): void {
    if (this.pending.length === 0) return;
    const bytes = Buffer.from(this.pending);
    this.pending = [];
    this.addText(toUtf8(bytes, this.encoding).toString('utf8'));
  }

  private addText(text: string): void {
    const { goes } = this.group;
    if (goes === 'text') this.content.addText(text);
    else if (goes === 'field') this.instruction = (this.instruction + text).slice(0, 20_000);
    else if (goes !== 'nowhere') this.info.set(goes, ((this.info.get(goes) ?? '') + text).slice(0, 10_000));
  }

  private addLink(): void {
    const href = /HYPERLINK\s+"([^"]+)"/i.exec(this.instruction)?.[1];
    this.instruction = '';
    if (href !== undefined) this.content.addLink(href);
  }
}

/** A local time without a known time zone: treated as UTC. Empty if there is none. */
function toIsoTime(parts: ReadonlyMap<string, number>): string {
  const [year = '', ...others] = TIME_PARTS.map((part) => String(parts.get(part) ?? (part === 'yr' ? '' : 0)));
  const [month, day, hour, minute, second] = others.map((number) => number.padStart(2, '0'));
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
