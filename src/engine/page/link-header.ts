/**
 * The HTTP Link header (RFC 8288) as a list of targets with their parameters, and parameters of other headers. Each character is
 * read once.
 */

export interface HeaderLink {
  readonly href: string;
  /** Names in lower case; if a name occurs twice, the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const LONGEST_TARGET = 2_048;

/** Values of several fields are separated by line feeds. Entries without a target are skipped. */
export function parseLinkHeader(header: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  const reader = new Reader(header);
  while (!reader.ended) {
    reader.skip(/[\s,]/);
    if (!reader.takes('<')) {
      reader.skip(/[^,\n]/);
      continue;
    }
    const href = reader.until('>');
    if (href === undefined) break;
    const parameters = reader.parameters();
    if (href !== '' && href.length <= LONGEST_TARGET && !href.includes('<')) links.push({ href, parameters });
  }
  return links;
}

/** What follows the first word of a header: `attachment; filename="a.pdf"`. */
export function parseParameters(header: string): ReadonlyMap<string, string> {
  const reader = new Reader(header);
  reader.skip(/[^;]/);
  return reader.parameters();
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  skip(characters: RegExp): string {
    const start = this.at;
    while (!this.ended && characters.test(this.text[this.at]!)) this.at++;
    return this.text.slice(start, this.at);
  }

  takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  /** The text before the character, which is consumed; undefined if the character does not follow. */
  until(character: string): string | undefined {
    const end = this.text.indexOf(character, this.at);
    if (end < 0) return undefined;
    const part = this.text.slice(this.at, end);
    this.at = end + 1;
    return part;
  }

  parameters(): Map<string, string> {
    const parameters = new Map<string, string>();
    for (;;) {
      this.skip(/[ \t]/);
      if (!this.takes(';')) return parameters;
      this.skip(/[ \t]/);
      const name = this.skip(/[^\s=;,"]/).toLowerCase();
      this.skip(/[ \t]/);
      const value = this.takes('=') ? this.value() : '';
      if (name !== '' && !parameters.has(name)) parameters.set(name, value);
    }
  }

  private value(): string {
    this.skip(/[ \t]/);
    if (this.takes('"')) return this.quoted();
    const written = this.skip(/[^;,\n]/).trim();
    return /^'.*'$/s.test(written) ? written.slice(1, -1) : written;
  }

  private quoted(): string {
    const pieces: string[] = [];
    while (!this.ended && !this.takes('"')) {
      this.takes('\\');
      pieces.push(this.text[this.at++] ?? '');
    }
    return pieces.join('');
  }
}
