/**
 * Reads responses that are not quite HTTP, the way browsers do: bare line feeds, odd status lines, folded, colonless
 * and repeated fields, sloppy chunks, a length in addition to chunks. Each response has its own connection: where the
 * next one would begin never matters, so leniency cannot be exploited to smuggle one response into another.
 */
import { FetchFailure } from './fetch-failure.js';

export interface ResponseEvents {
  /** Also called for interim responses. Names are in lower case; values have one character per byte. */
  onHeader(status: number, fields: Readonly<Record<string, string[]>>): void;
  onBody(chunk: Uint8Array): void;
  /** The response is complete. */
  onEnd(): void;
}

type State = 'header' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'until-close' | 'done';

/** The protocol name and version may be odd, but the status code is required. */
const STATUS_LINE = /^(?:http(?:\/[\d.]*)?|icy)[ \t]+0*([1-9]\d\d)(?!\d)/i;
const STATUS_LINE_START = /^(?:http|icy|.{0,3}$)/is;
const CHUNK_SIZE = /^[ \t]*([0-9a-f]{1,12})[ \t]*(?:;|$)/i;
const MAX_CHUNK_LINE_LENGTH = 4096;
const LINE_FEED = 10;
const INVALID_CHUNK_SIZE = 'The response contains an invalid chunk size.';

export class LenientParser {
  private state: State = 'header';
  /** The line that is being read. */
  private partialLine = '';
  private status = 0;
  private fieldLines: string[] = [];
  private headerSize = 0;
  /** Remaining bytes of the body or of the current chunk. */
  private remaining = 0;

  constructor(
    private readonly events: ResponseEvents,
    private readonly maxHeaderSize: number,
  ) {}

  /** Throws FetchFailure for anything that cannot be read even leniently. */
  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && this.state !== 'done') rest = this.consume(rest);
    // A server that speaks another protocol may wait for our next line and never end its own.
    if (this.state === 'header' && this.status === 0 && !STATUS_LINE_START.test(this.partialLine))
      parseStatusLine(this.partialLine);
  }

  /** To be called when the server has closed the connection. Throws FetchFailure if the response is incomplete. */
  finish(): void {
    if (this.state === 'done') return;
    if (this.state === 'header') {
      throw new FetchFailure('connection-reset', 'The server closed the connection before sending a complete header.');
    }
    if (this.state !== 'until-close') throw new FetchFailure('body-truncated', 'The body ends early.');
    this.finishResponse();
  }

  private consume(bytes: Buffer): Buffer {
    switch (this.state) {
      case 'header':
        return this.readLine(bytes, this.maxHeaderSize - this.headerSize, (line) => this.addHeaderLine(line));
      case 'chunk-size':
        return this.readLine(bytes, MAX_CHUNK_LINE_LENGTH, (line) => this.beginChunk(line));
      case 'chunk-end':
        return this.readLine(bytes, MAX_CHUNK_LINE_LENGTH, (line) => this.endChunk(line));
      case 'until-close':
        this.events.onBody(bytes);
        return bytes.subarray(bytes.length);
      default:
        return this.readBody(bytes);
    }
  }

  private readLine(bytes: Buffer, limit: number, handleLine: (line: string) => void): Buffer {
    const lineFeed = bytes.indexOf(LINE_FEED);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    if (this.partialLine.length + end > limit) throw this.createLineTooLongFailure();
    this.partialLine += bytes.toString('latin1', 0, end);
    if (lineFeed < 0) return bytes.subarray(bytes.length);
    const line = this.partialLine.replace(/(?<!\r)\r+$/, '');
    this.partialLine = '';
    handleLine(line);
    return bytes.subarray(lineFeed + 1);
  }

  private createLineTooLongFailure(): FetchFailure {
    return this.state === 'header'
      ? new FetchFailure('header-too-large', `The header is larger than ${this.maxHeaderSize} bytes.`)
      : new FetchFailure('body-undecodable', INVALID_CHUNK_SIZE);
  }

  private addHeaderLine(line: string): void {
    this.headerSize += line.length + 1;
    if (this.status === 0) {
      // Blank lines before a response are left over from the previous one.
      if (line !== '') this.status = parseStatusLine(line);
    } else if (line !== '') {
      this.fieldLines.push(line);
    } else {
      this.endHeader();
    }
  }

  private endHeader(): void {
    const { status, fieldLines } = this;
    const fields = parseFields(fieldLines);
    this.status = 0;
    this.fieldLines = [];
    this.headerSize = 0;
    this.events.onHeader(status, fields);
    if (status >= 200) this.beginBody(status, fields);
  }

  private beginBody(status: number, fields: Readonly<Record<string, string[]>>): void {
    const isChunked = fields['transfer-encoding']?.some((value) => /\bchunked\b/i.test(value));
    const length =
      status === 204 || status === 304 ? 0 : isChunked ? undefined : parseContentLength(fields['content-length']);
    this.remaining = length ?? 0;
    if (length === 0) this.finishResponse();
    else this.state = length !== undefined ? 'length' : isChunked ? 'chunk-size' : 'until-close';
  }

  private readBody(bytes: Buffer): Buffer {
    const chunk = bytes.length > this.remaining ? bytes.subarray(0, this.remaining) : bytes;
    this.remaining -= chunk.length;
    this.events.onBody(chunk);
    if (this.remaining === 0) {
      if (this.state === 'chunk') this.state = 'chunk-end';
      else this.finishResponse();
    }
    return bytes.subarray(chunk.length);
  }

  private beginChunk(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new FetchFailure('body-undecodable', INVALID_CHUNK_SIZE);
    this.remaining = Number.parseInt(size, 16);
    if (this.remaining === 0) this.finishResponse();
    else this.state = 'chunk';
  }

  private endChunk(line: string): void {
    if (line.trim() !== '') throw new FetchFailure('body-undecodable', 'A chunk is longer than its declared size.');
    this.state = 'chunk-size';
  }

  private finishResponse(): void {
    this.state = 'done';
    this.events.onEnd();
  }
}

function parseStatusLine(line: string): number {
  const status = Number(STATUS_LINE.exec(line)?.[1]);
  const code = /^http\/[\d.]{1,9}[ \t]+(\d{1,9})/i.exec(line)?.[1];
  if (Number.isNaN(status) && code !== undefined)
    throw new FetchFailure('protocol', `The status code ${code} is invalid: it must be between 100 and 999.`);
  if (Number.isNaN(status))
    throw new FetchFailure(
      'protocol',
      `The response does not begin with a status line: ${JSON.stringify(line.slice(0, 80))}.`,
    );
  if (status === 101) throw new FetchFailure('protocol', 'The server switched protocols without being asked.');
  return status;
}

/** Lines without a colon are skipped; indented lines continue the previous one. */
function parseFields(lines: readonly string[]): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  let values: string[] | undefined;
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (/^[ \t]/.test(line)) {
      if (values) values.push(`${values.pop()} ${line.trim()}`);
    } else if (colon > 0) {
      const name = line.slice(0, colon).trim().toLowerCase();
      fields[name] ??= [];
      values = fields[name];
      // Control characters are replaced because requests that send the value back (ETag) must not contain any.
      values.push(
        line
          .slice(colon + 1)
          .replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' ')
          .trim(),
      );
    }
  }
  return fields;
}

/**
 * Undefined if there is no usable length: the body then ends with the connection. Throws FetchFailure if there are
 * several lengths.
 */
function parseContentLength(values: readonly string[] | undefined): number | undefined {
  const lengths = new Set((values ?? []).flatMap((value) => value.split(',')).map((value) => value.trim()));
  if (lengths.size > 1) throw new FetchFailure('protocol', 'The response has more than one Content-Length.');
  const [length = ''] = lengths;
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
