/**
 * Parses the HTTP Link header (RFC 8288) into targets with their parameters, and the parameters of other headers. Each
 * character is read once.
 */

export interface HeaderLink {
  readonly href: string;
  /** By name in lower case; if a name occurs twice, the first value is used. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_TARGET_LENGTH = 2_048;

/** Values of several fields are separated by line feeds. Entries without a target are skipped. */
export function parseLinkHeader(header: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  const reader = new Reader(header);
  while (!reader.isAtEnd) {
    reader.readWhile(/[\s,]/);
    if (!reader.consumeIf('<')) {
      reader.readWhile(/[^,\n]/);
      continue;
    }
    const href = reader.readUntil('>');
    if (href === undefined) break;
    const parameters = reader.readParameters();
    if (href !== '' && href.length <= MAX_TARGET_LENGTH && !href.includes('<')) links.push({ href, parameters });
  }
  return links;
}

/** The parameters after the first word of a header, as in `attachment; filename="a.pdf"`. */
export function parseParameters(header: string): ReadonlyMap<string, string> {
  const reader = new Reader(header);
  reader.readWhile(/[^;]/);
  return reader.readParameters();
}

class Reader {
  private position = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  readWhile(characters: RegExp): string {
    const start = this.position;
    while (!this.isAtEnd && characters.test(this.text[this.position]!)) this.position++;
    return this.text.slice(start, this.position);
  }

  consumeIf(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position++;
    return true;
  }

  /** Reads the text up to the character, which is consumed; undefined if the character does not follow. */
  readUntil(character: string): string | undefined {
    const end = this.text.indexOf(character, this.position);
    if (end < 0) return undefined;
    const part = this.text.slice(this.position, end);
    this.position = end + 1;
    return part;
  }

  readParameters(): Map<string, string> {
    const parameters = new Map<string, string>();
    for (;;) {
      this.readWhile(/[ \t]/);
      if (!this.consumeIf(';')) return parameters;
      this.readWhile(/[ \t]/);
      const name = this.readWhile(/[^\s=;,"]/).toLowerCase();
      this.readWhile(/[ \t]/);
      const value = this.consumeIf('=') ? this.readValue() : '';
      if (name !== '' && !parameters.has(name)) parameters.set(name, value);
    }
  }

  private readValue(): string {
    this.readWhile(/[ \t]/);
    if (this.consumeIf('"')) return this.readQuoted();
    const rawValue = this.readWhile(/[^;,\n]/).trim();
    return /^'.*'$/s.test(rawValue) ? rawValue.slice(1, -1) : rawValue;
  }

  private readQuoted(): string {
    const characters: string[] = [];
    while (!this.isAtEnd && !this.consumeIf('"')) {
      this.consumeIf('\\');
      characters.push(this.text[this.position++] ?? '');
    }
    return characters.join('');
  }
}
