import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { DOCUMENT_FIELD, FIELD } from './names.js';
import { Refusal } from './refusal.js';

export interface FormField {
  readonly name: string;
  readonly value: string;
}

export interface FormFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** In lower case, without parameters. */
  readonly mimeType: string;
  readonly fileName: string;
}

export interface Form {
  readonly fields: readonly FormField[];
  readonly files: readonly FormFile[];
}

/** Limits of one request. Sizes are in bytes. */
export interface FormLimits {
  readonly body: number;
  readonly file: number;
  readonly field: number;
  readonly parts: number;
}

export const FORM_LIMITS: FormLimits = {
  body: 256 << 20,
  file: 64 << 20,
  field: 1 << 20,
  parts: 200_000,
};

/**
 * Reads a multipart/form-data or urlencoded body as it arrives. Rejects with a Refusal if the body is truncated,
 * malformed or exceeds a limit; the rest of the request is then left unread.
 */
export function readForm(request: IncomingMessage, limits: FormLimits = FORM_LIMITS): Promise<Form> {
  return new Promise((resolve, reject) => {
    const parser = createParser(request, limits);
    const fields: FormField[] = [];
    const files: FormFile[] = [];
    const failForm = (error: Error) => {
      request.unpipe(parser);
      reject(error instanceof Refusal ? error : new Refusal(`the body cannot be read: ${error.message}`));
    };
    parser.on('field', (name, value, nameTruncated, valueTruncated) => {
      // The number is checked here because the parser silently drops surplus fields of urlencoded bodies.
      if (fields.length === limits.parts) failForm(new Refusal(`the request has more than ${limits.parts} fields`));
      else if (!name || nameTruncated) failForm(new Refusal('a field has no name, or its name is too long'));
      else if (valueTruncated) failForm(new Refusal(`field ${name} is larger than ${limits.field} bytes`));
      else fields.push({ name, value });
    });
    parser.on('file', (name, stream, fileName, _transferEncoding, mimeType) => {
      collectBytes(stream, (bytes) => files.push({ name, bytes, mimeType, fileName: fileName ?? '' }));
      stream.on('limit', () => failForm(new Refusal(`part ${name} is larger than ${limits.file} bytes`)));
      stream.on('error', failForm);
    });
    parser.on('partsLimit', () => failForm(new Refusal(`the request has more than ${limits.parts} parts`)));
    limitBody(request, limits.body, failForm);
    request.on('error', failForm);
    parser.on('error', (error) => failForm(error as Error));
    parser.on('finish', () => resolve({ fields, files }));
    request.pipe(parser);
  });
}

function createParser(request: IncomingMessage, limits: FormLimits) {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      preservePath: true,
      isPartAFile: (name) => DOCUMENT_FIELD.exec(name ?? '')?.[2]?.startsWith(FIELD.partBytes) ?? false,
      limits: {
        fieldSize: limits.field,
        fileSize: limits.file,
        parts: limits.parts,
        fields: limits.parts + 1,
        headerPairs: 20,
      },
    });
  } catch {
    throw new Refusal('the body must be multipart/form-data with a boundary, or application/x-www-form-urlencoded');
  }
}

function collectBytes(stream: BusboyFileStream, onComplete: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => onComplete(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

function limitBody(request: IncomingMessage, limit: number, onExceeded: (error: Error) => void): void {
  let receivedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > limit) onExceeded(new Refusal(`the request is larger than ${limit} bytes`));
  });
}
