/** The bytes of a page, from which texts are cut. */
import { isAscii } from 'node:buffer';
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

const BEYOND_ASCII = /[\u0080-\u00ff]/;

export class PageSource {
  /** One character for each byte: cutting from it is many times faster than decoding each piece. */
  readonly characters: string;
  private readonly ascii: boolean;

  /** `bytes` are valid UTF-8. */
  constructor(readonly bytes: Buffer) {
    this.characters = bytes.toString('latin1');
    this.ascii = isAscii(bytes);
  }

  slice(start: number, end: number): string {
    const cut = this.characters.slice(start, end);
    return this.ascii || !BEYOND_ASCII.test(cut) ? cut : this.bytes.toString('utf8', start, end);
  }

  /** With character references decoded. */
  text(start: number, end: number): string {
    const written = this.slice(start, end);
    return written.includes('&') ? decodeHTML(written) : written;
  }

  attributeValue(start: number, end: number): string {
    const written = this.slice(start, end);
    return written.includes('&') ? decodeHTMLAttribute(written) : written;
  }
}

/** The attributes of all elements of a page, in one list: values are cut out when somebody asks for them, which is seldom. */
export class PageAttributes {
  private readonly names: string[] = [];
  /** Where the values begin and end in the page. */
  private readonly bounds: number[] = [];

  constructor(private readonly source: PageSource) {}

  get count(): number {
    return this.names.length;
  }

  add(name: string, start: number, end: number): void {
    this.names.push(name);
    this.bounds.push(start, end);
  }

  nameAt(index: number): string {
    return this.names[index]!;
  }

  valueAt(index: number): string {
    return this.source.attributeValue(this.bounds[index * 2]!, this.bounds[index * 2 + 1]!);
  }
}
