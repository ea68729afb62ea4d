/**
 * A process that reads one document after another: documents arrive on standard input, results go to standard output.
 * It runs under Node's permission model and may read no files except its own program; see document-process.ts.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { runInThisContext } from 'node:vm';
import { type DocumentFormat, findDocumentFormat } from '../../../domain/content/document-types.js';
import { sniffMediaType } from '../../../domain/content/signatures.js';
import { type Extraction, isRefusal, type Refusal } from '../../../engine/ports/content-extractor.js';
import { determineLanguage } from '../language.js';
import {
  type DocumentContent,
  type DocumentRequest,
  type MemberReader,
  type OcrRequest,
  Unreadable,
} from './document-content.js';
import { createClockTimeout, DOCUMENT_FAILURE_EXIT_CODE, type Reply } from './document-process.js';
import { encodeFrame, type Frame, FrameReader } from './frames.js';
import { MemberReading, type ReadFile } from './members.js';

/** Requests come from the server, which has already limited the document's size. */
const MAX_BYTES = 2 ** 32;
const MEBIBYTE = 1024 * 1024;

/**
 * The permission model of Node 22 and 24 does not cover the network, so it is disabled here before any library is
 * loaded.
 */
function disableNetwork(): void {
  const refuse = (): never => {
    throw new Error('a process that reads documents has no network access');
  };
  Object.assign(net.Socket.prototype, { connect: refuse });
  Object.assign(net.Server.prototype, { listen: refuse });
  Object.assign(dgram, { createSocket: refuse });
  Object.assign(dns, { lookup: refuse, resolve: refuse });
}

async function handleFrame({ head, body }: Frame): Promise<Reply> {
  const request = JSON.parse(head) as DocumentRequest & { readonly memoryLimit: number };
  let isLast = false;
  let result: Reply['result'];
  try {
    ({ result, isLast } = await readWithMembers(body, request));
  } catch (error) {
    result = toRefusal(error, request);
    // A library that was interrupted, or failed unexpectedly, is in an unknown state.
    isLast = !(error instanceof Unreadable);
  }
  const isTooLarge = process.memoryUsage.rss() > Math.max(request.memoryLimit / 2, 160 * MEBIBYTE);
  return { result, isLast: isLast || isTooLarge };
}

async function readWithMembers(
  body: Uint8Array,
  request: DocumentRequest,
): Promise<{ result: Extraction; isLast: boolean }> {
  const startedAt = performance.now();
  const content = await readWithTimeout(body, request);
  const extraction = toExtraction(content);
  if (!request.members || !hasMembers(body, request.mediaType)) return { result: extraction, isLast: false };
  const reading = new MemberReading(body.byteLength, request, readFile, () => performance.now(), startedAt);
  const { parts, isIncomplete, isTruncated } = await reading.read(content.members);
  const result = {
    ...extraction,
    parts,
    partsAreIncomplete: isIncomplete,
    truncated: extraction.truncated || isTruncated || isIncomplete,
  };
  return { result, isLast: reading.failed };
}

/** Formats of documents that contain files. */
const hasMembers = (body: Uint8Array, mediaType: string): boolean =>
  ['archive', 'tar', 'mail', 'mailbox', 'compound', 'pdf'].includes(chooseFormat(body, mediaType) ?? '');

/** Reads a file within a document; pages and texts are read like those on the web. */
async function readFile(
  body: Uint8Array | MemberReader,
  mediaType: string,
  request: DocumentRequest,
): Promise<ReadFile> {
  if (typeof body === 'function') return toReadFile(await runWithTimeout(() => body(request), request));
  if (chooseFormat(body, mediaType) !== undefined) return toReadFile(await readWithTimeout(body, request));
  const { findPageExtractor, readPage } = await import('./formats/mail.js');
  if (findPageExtractor(mediaType)?.kind !== 'sync')
    throw new Unreadable('extract-unsupported', `files of type ${mediaType} are not read`);
  const extraction = runWithTimeout(() => readPage(body, mediaType, request), request);
  if (isRefusal(extraction)) throw new Unreadable(extraction.refused, extraction.detail);
  return { extraction, members: [] };
}

async function readWithTimeout(body: Uint8Array, request: DocumentRequest): Promise<DocumentContent> {
  const reader = await loadReader(body, request);
  return await runWithTimeout(() => reader(body, request), request);
}

/** Runs a reader as a script, because its time limit also interrupts WebAssembly, and applies even if the server has ended. */
function runWithTimeout<Result>(read: () => Result, { clockLimit, timeLimit }: DocumentRequest): Result {
  Object.assign(globalThis, { readDocument: read });
  return runInThisContext('readDocument()', { timeout: clockLimit ?? timeLimit }) as Result;
}

const toReadFile = (content: DocumentContent): ReadFile => ({
  extraction: toExtraction(content),
  members: content.members,
});

function toRefusal(error: unknown, { clockLimit, timeLimit }: DocumentRequest): Refusal {
  if (error instanceof Unreadable) return { refused: error.code, detail: error.message };
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return createClockTimeout(clockLimit ?? timeLimit);
  const isOutOfMemory = error instanceof RangeError && /allocation|memory|string length/i.test(message);
  return { refused: isOutOfMemory ? 'extract-memory' : 'extract-corrupt', detail: `the reader failed: ${message}` };
}

/** Loads each library with the first document that needs it. A synchronous reader can be interrupted. */
async function loadReader(
  body: Uint8Array,
  { mediaType, ocr }: DocumentRequest,
): Promise<(body: Uint8Array, request: DocumentRequest) => DocumentContent | Promise<DocumentContent>> {
  switch (chooseFormat(body, mediaType)) {
    case 'pdf': {
      const [{ readPdf }, { loadPdfium }] = await Promise.all([
        import('./formats/pdf.js'),
        import('./formats/pdfium.js'),
      ]);
      pdfium ??= loadPdfium();
      const [instance, loadedRecognizer] = await Promise.all([pdfium, ocr && loadRecognizer(ocr)]);
      return (body, request) => readPdf(instance, body, request, loadedRecognizer);
    }
    case 'picture': {
      const { readPicture } = await import('./formats/text-recognizer.js');
      const loadedRecognizer = ocr && (await loadRecognizer(ocr));
      return (body, request) => readPicture(body, request, loadedRecognizer);
    }
    case 'word':
      return (await import('./formats/word.js')).readWord;
    case 'sheet':
      return (await import('./formats/office-open.js')).readSheets;
    case 'slides':
      return (await import('./formats/office-open.js')).readSlides;
    case 'odf':
      return (await import('./formats/open-document.js')).readOpenDocument;
    case 'epub':
      return (await import('./formats/epub.js')).readEpub;
    case 'rtf':
      return (await import('./formats/rtf.js')).readRtf;
    case 'mail':
      return (await import('./formats/mail.js')).readMail;
    case 'webArchive':
      return (await import('./formats/web-archive.js')).readWebArchive;
    case 'visio':
      return (await import('./formats/visio.js')).readVisio;
    case 'binarySheet':
      return (await import('./formats/binary/binary-workbook.js')).readBinaryWorkbook;
    case 'archive':
      return (await import('./formats/zip.js')).readZip;
    case 'tar':
      return (await import('./formats/tar.js')).readTar;
    case 'mailbox':
      return (await import('./formats/mailbox.js')).readMailbox;
    case 'compound':
      return (await import('./formats/binary/compound-document.js')).readCompoundDocument;
    default:
      throw new Unreadable('extract-unsupported', `files of type ${mediaType} are not read`);
  }
}

/** Documents of Office's old formats are often named like those of its present ones, and encrypted ones are both. */
const chooseFormat = (body: Uint8Array, mediaType: string): DocumentFormat | undefined =>
  sniffMediaType(body) === 'application/x-ole-storage' ? 'compound' : findDocumentFormat(mediaType);

let pdfium: Promise<import('./formats/pdfium.js').Pdfium> | undefined;
let recognizer: Promise<import('./formats/text-recognizer.js').TextRecognizer> | undefined;

async function loadRecognizer(ocr: OcrRequest): Promise<import('./formats/text-recognizer.js').TextRecognizer> {
  recognizer ??= (await import('./formats/text-recognizer.js')).TextRecognizer.load(ocr);
  return recognizer;
}

const toExtraction = (content: DocumentContent): Extraction => content.finish(determineLanguage);

disableNetwork();
process.on('uncaughtException', () => process.exit(DOCUMENT_FAILURE_EXIT_CODE));
const frames = new FrameReader(MAX_BYTES);
for await (const chunk of process.stdin) {
  const frame = frames.push(chunk as Uint8Array);
  if (!frame) continue;
  const reply = await handleFrame(frame);
  if (!isRefusal(reply.result) && reply.isLast) (globalThis as { gc?: () => void }).gc?.();
  const [head] = encodeFrame(reply);
  process.stdout.write(head, () => {
    if (reply.isLast) process.exit();
  });
}
process.exit();
