import { randomBytes } from 'node:crypto';
import type { PushDocument } from '../../../domain/push/order.js';
import { isTextReadFromBytes } from '../../../domain/push/read-from-bytes.js';
import { formsToMetas } from '../metas.js';
import { FIELD, formatDocumentField } from './names.js';

export interface MultipartBody {
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * Encodes documents as one multipart/form-data body (RFC 7578). This is the hot path of a push, so the text between the
 * bytes of two documents is a single string, and everything is copied exactly once.
 * @param allocate returns a buffer of the given size, with any content
 * @param options withText: documents other than pages get their extracted text as a second part
 */
export function encodeDocuments(
  documents: readonly PushDocument[],
  allocate: (length: number) => Buffer = Buffer.allocUnsafe,
  options: { readonly withText?: boolean; readonly stampName?: string } = {},
): MultipartBody {
  const boundary = `crawlway-${randomBytes(16).toString('hex')}`;
  const pieces: (string | Uint8Array)[] = [];
  let text = '';
  documents.map(replaceWithCutText).forEach((document, key) => {
    pieces.push(text + encodeFields(document, key, boundary, options.stampName), document.master.bytes);
    text = `\r\n${options.withText ? encodeTextPart(document, key, boundary) : ''}`;
  });
  pieces.push(`${text}--${boundary}--\r\n`);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: joinPieces(pieces, allocate) };
}

/** Encodes all fields of a document, up to where the bytes of its main part begin. */
function encodeFields(document: PushDocument, key: number, boundary: string, stampName: string = FIELD.stamp): string {
  const { uri, stamp, metas, master } = document;
  const fieldStart = `--${boundary}\r\nContent-Disposition: form-data; name="${formatDocumentField(key, '')}`;
  const encodeField = (name: string, value: string) => `${fieldStart}${quoteName(name)}"\r\n\r\n${value}\r\n`;
  let text = encodeField(FIELD.uri, uri) + encodeField(stampName, stamp);
  for (const { name, value } of metas) text += encodeField(FIELD.meta(name), value);
  for (const { name, value } of formsToMetas(document)) text += encodeField(FIELD.meta(name), value);
  if (master.encoding) text += encodeField(FIELD.partDirective('encoding'), master.encoding);
  text += encodeField(FIELD.partDirective('filename'), master.fileName);
  text += encodeField(FIELD.partDirective('mimeHint'), master.mimeType);
  const fileName = `${FIELD.partBytes}"; filename="${quoteName(master.fileName)}"`;
  return `${text}${fieldStart}${fileName}\r\nContent-Type: ${sanitizeMediaType(master.mimeType)}\r\n\r\n`;
}

/** Replaces the bytes of a page of which only part is indexed with that text, because the server reads the bytes. */
function replaceWithCutText(document: PushDocument): PushDocument {
  if (!document.textIsCut) return document;
  const { fileName } = document.master;
  const master = { bytes: Buffer.from(document.text), mimeType: 'text/plain', encoding: 'utf-8', fileName };
  return { ...document, master };
}

/** Encodes the text that was extracted from a document whose bytes are not text. */
function encodeTextPart({ master, text }: PushDocument, key: number, boundary: string): string {
  if (text === '' || isTextReadFromBytes(master.mimeType)) return '';
  const name = `${formatDocumentField(key, FIELD.textBytes)}"; filename="${quoteName(master.fileName)}.txt"`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}`;
  return `${head}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
}

/**
 * Escapes characters that would end a quoted name early, as browsers do (WHATWG HTML, multipart form data encoding).
 */
const quoteName = (name: string): string =>
  /["\r\n]/.test(name) ? name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A') : name;

/** The type comes from a website, so only a plain media type may be used in the header line. */
const sanitizeMediaType = (mimeType: string): string =>
  /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream';

function joinPieces(pieces: readonly (string | Uint8Array)[], allocate: (length: number) => Buffer): Buffer {
  // Reserving space for the worst case takes less time than counting the bytes of each text.
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'string' ? MAX_UTF8_BYTES * piece.length : piece.length;
  const body = allocate(length);
  let offset = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      offset += body.write(piece, offset);
    } else {
      body.set(piece, offset);
      offset += piece.length;
    }
  }
  return body.subarray(0, offset);
}

/** Of a UTF-16 code unit. */
const MAX_UTF8_BYTES = 3;

const SIZE_STEP = 256 * 1024;
const MAX_FREE_BUFFERS = 4;
/** In bytes. Larger bodies are rare, and their memory is returned to the system. */
const MAX_FREE_BUFFER_BYTES = 4 * 1024 * 1024;

/**
 * Reusable memory for request bodies. If it were allocated for each request, only a full garbage collection would free
 * it, and in a crawl at full speed, one in three such collections would be caused by these allocations.
 */
export class BodyBuffers {
  private freeBuffers: Buffer[] = [];

  /** The buffer's initial contents are undefined. */
  acquire(length: number): Buffer {
    const index = this.freeBuffers.findIndex((buffer) => buffer.length >= length);
    const [found] = index < 0 ? [] : this.freeBuffers.splice(index, 1);
    return (found ?? Buffer.allocUnsafeSlow(Math.ceil(length / SIZE_STEP) * SIZE_STEP)).subarray(0, length);
  }

  /** Must be called only when nothing reads or writes the body any longer. */
  release(body: Buffer): void {
    if (body.buffer.byteLength > MAX_FREE_BUFFER_BYTES) return;
    this.freeBuffers.unshift(Buffer.from(body.buffer));
    if (this.freeBuffers.length > MAX_FREE_BUFFERS) this.freeBuffers.pop();
  }
}
