/** The plain parts of JavaScript: objects, arrays and literals. No code is run. */
import { ImportError } from './model.js';
import { Node } from './node.js';

const MAX_DEPTH = 50;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*))*/y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/y;
const SCALAR = /[\w.]+/y;
const KEY = /[\w$]+/y;
/** A text, a comment, an expression, or one character. */
const TOKEN =
  /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|(?<=[(,=:[!&|?{};>]\s*|return\s+)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|[\s\S]/y;

/** The value of a text in quotes; undefined for a template with parts to compute. */
function unquote(quoted: string): string | undefined {
  if (quoted.startsWith('`') && /(?<!\\)\$\{/.test(quoted)) return undefined;
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };
  return quoted
    .slice(1, -1)
    .replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g, (_, unicode, hex, char: string) =>
      char === undefined ? String.fromCharCode(Number.parseInt(unicode ?? hex, 16)) : (escapes[char] ?? char),
    );
}

class LiteralReader {
  private position = 0;

  constructor(
    private readonly source: string,
    private readonly place: (offset: number) => string,
  ) {}

  readAt(offset: number, name: string): Node[] {
    this.position = offset;
    return this.readValue(name, 0);
  }

  /** Several nodes for an array; code is the child of that name. */
  private readValue(name: string, depth: number): Node[] {
    if (depth > MAX_DEPTH) throw new ImportError(`values are nested more than ${MAX_DEPTH} levels deep`);
    this.take(SPACE);
    const start = this.position;
    const place = this.place(start);
    if (this.source[start] === '{') return this.orCode(start, name, () => this.readObject(name, place, depth));
    if (this.source[start] === '[') return this.orCode(start, name, () => this.readArray(name, depth));
    const quoted = this.take(STRING);
    const text = quoted === undefined ? this.take(SCALAR) : unquote(quoted);
    const isLiteral = quoted !== undefined || /^(?:\d[\w.]*|true|false|null|undefined)$/.test(text ?? '');
    const isNothing = quoted === undefined && /^(?:null|undefined)$/.test(text ?? '');
    return this.orCode(start, name, () =>
      text === undefined || !isLiteral ? undefined : [new Node(name, isNothing ? '' : text, [], place)],
    );
  }

  /** What goes on after a value, like `"a" + b`, is code. */
  private orCode(start: number, name: string, read: () => Node[] | undefined): Node[] {
    const nodes = read();
    this.take(SPACE);
    if (nodes && (this.position >= this.source.length || /[,\]});]/.test(this.source[this.position]!))) return nodes;
    return [this.readCode(start, name)];
  }

  private readObject(name: string, place: string, depth: number): Node[] {
    const children: Node[] = [];
    for (this.position++; !this.isAtEnd('}'); this.take(/,/y)) {
      const start = this.position;
      const quoted = this.take(STRING);
      const key = quoted === undefined ? this.take(KEY) : unquote(quoted);
      this.take(SPACE);
      if (key !== undefined && this.take(/:/y))
        for (const child of this.readValue(key, depth + 1)) children.push(child);
      else children.push(this.readCode(start, key ?? '…'));
    }
    this.position++;
    return [new Node(name, '', children, place)];
  }

  private readArray(name: string, depth: number): Node[] {
    const items: Node[] = [];
    for (this.position++; !this.isAtEnd(']'); this.take(/,/y))
      for (const item of this.readValue(name, depth + 1)) items.push(item);
    this.position++;
    return items;
  }

  private isAtEnd(bracket: string): boolean {
    this.take(SPACE);
    const char = this.source[this.position];
    if (char === undefined) throw new ImportError(`${this.place(this.position)}: a closing ${bracket} is missing`);
    if (/[\]})]/.test(char) && char !== bracket)
      throw new ImportError(`${this.place(this.position)}: ${bracket} is missing before ${char}`);
    return char === bracket;
  }

  /** Anything up to the next comma or bracket outside of its own brackets. */
  private readCode(start: number, name: string): Node {
    this.position = start;
    for (let depth = 0; this.position < this.source.length; ) {
      const token = this.take(TOKEN)!;
      if (/^[[({]$/.test(token)) depth++;
      else if (/^[\])}]$/.test(token)) depth--;
      if (depth >= 0 && !(depth === 0 && token === ',')) continue;
      this.position -= token.length;
      break;
    }
    const code = new Node('code', this.source.slice(start, this.position), [], this.place(start));
    return new Node(name, '', [code], code.place);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const [text] = pattern.exec(this.source) ?? [];
    this.position += text?.length ?? 0;
    return text;
  }
}

/** The object after the first match of the pattern; undefined if there is none. */
export function parseObject(source: string, before: RegExp, name: string, place: string): Node | undefined {
  const found = before.exec(source);
  if (!found) return undefined;
  const [, file = '', line = '1'] = /^(.*):(\d+)$/.exec(place) ?? [];
  let [known, count] = [0, Number(line)];
  const reader = new LiteralReader(source, (offset) => {
    // Asked for in almost ascending order.
    if (offset < known) [known, count] = [0, Number(line)];
    for (; known < offset; known++) if (source[known] === '\n') count++;
    return `${file}:${count}`;
  });
  return reader.readAt(found.index + found[0].length, name)[0];
}
