/**
 * Parses the HTTP Link header (RFC 8288) into targets with their parameters, and the parameters of other headers. Each
 * character is read once.
 */

export interface HeaderLink {
  readonly href: string;
  /** By name in lower case; if a name occurs twice, the first value counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const LONGEST_TARGET = 2_048;

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
    if (href !== '' && href.length <= LONGEST_TARGET && !href.includes('<')) links.push({ href, parameters });
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
  private at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  readWhile(characters: RegExp): string {
    const start = this.at;
    while (!this.isAtEnd && characters.test(this.text[this.at]!)) this.at++;
    return this.text.slice(start, this.at);
  }

  consumeIf(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  /** Reads the text up to the character, which is consumed; undefined if the character does not follow. */
  readUntil(character: string): string | undefined {
    const end = this.text.indexOf(character, this.at);
    if (end < 0) return undefined;
    const part = this.text.slice(this.at, end);
    this.at = end + 1;
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
    const written = this.readWhile(/[^;,\n]/).trim();
    return /^'.*'$/s.test(written) ? written.slice(1, -1) : written;
  }

  private readQuoted(): string {
    const pieces: string[] = [];
    while (!this.isAtEnd && !this.consumeIf('"')) {
      this.consumeIf('\\');
      pieces.push(this.text[this.at++] ?? '');
    }
    return pieces.join('');
  }
}
