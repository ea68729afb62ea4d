/**
 * Parses headers with parameters: Link (RFC 8288) and Content-Disposition (RFC 6266). Each character is read once.
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
function parseParameters(header: string): ReadonlyMap<string, string> {
  const reader = new Reader(header);
  reader.readWhile(/[^;]/);
  return reader.readParameters();
}

const MAX_HEADER_LENGTH = 4_096;
const MAX_NAME_LENGTH = 255;
const EXTENDED_VALUE = /^(utf-8|iso-8859-1)'[^']*'(.*)$/is;

/** Returns the file name in a Content-Disposition header without folders and control characters; undefined if there is no readable name. */
export function parseFileName(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const parameters = parseParameters(header);
  return toPlainName(decodeExtended(parameters.get('filename*'))) ?? toPlainName(parameters.get('filename'));
}

/** Decodes charset, language and percent-encoded bytes (RFC 8187). */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset, encoded] = EXTENDED_VALUE.exec(value ?? '') ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  try {
    return charset.toLowerCase() === 'utf-8' ? decodeURIComponent(encoded) : decodeLatin1(encoded);
  } catch {
    return undefined;
  }
}

const decodeLatin1 = (encoded: string): string =>
  encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function toPlainName(name: string | undefined): string | undefined {
  const lastSegment = name?.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1) ?? '';
  const cleanName = lastSegment.replace(/[\x00-\x1f\x7f]/g, '').trim();
  if (cleanName === '' || cleanName === '.' || cleanName === '..' || !cleanName.isWellFormed()) return undefined;
  return cleanName.slice(0, MAX_NAME_LENGTH);
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
