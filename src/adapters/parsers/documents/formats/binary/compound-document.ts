/**
 * Reads the documents that are compound files: those of Office until 2003, and messages of Outlook. The streams' names tell
 * which one it is.
 */
import { findDocumentFormat } from '../../../../../domain/content/document-types.js';
import { sniffMediaType } from '../../../../../domain/content/signatures.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../../document-content.js';
import { decryptPackage } from '../office-encryption.js';
import { readSheets, readSlides } from '../office-open.js';
import { readWord } from '../word.js';
import { CompoundFile } from './compound-file.js';
import { readExcelBinary } from './excel-binary.js';
import { isOutlookMessage, readOutlookMessage } from './outlook-message.js';
import { readPowerPointBinary } from './powerpoint-binary.js';
import { readSummary } from './property-set.js';
import { readWordBinary } from './word-binary.js';

export function readCompoundDocument(
  body: Uint8Array,
  request: DocumentRequest,
): DocumentContent | Promise<DocumentContent> {
  const file = openFile(body);
  if (file.find('EncryptedPackage')) return readEncrypted(file, request);
  // Rights management leaves a document that says so.
  if (file.find('\u0009DRMContent')) throw new Unreadable('extract-encrypted', 'the document is protected');
  if (isOutlookMessage(file)) return readOutlookMessage(file, request);
  const content = new DocumentContent(request);
  readSummary(file, content);
  if (file.find('WordDocument')) readWordBinary(file, content);
  else if (file.find('PowerPoint Document')) readPowerPointBinary(file, content);
  else if (file.find('Workbook') ?? file.find('Book')) readExcelBinary(file, content);
  else throw new Unreadable('extract-unsupported', 'the compound file is not of a kind that can be read');
  return content;
}

/** The present formats of Office are encrypted within a compound file. */
function readEncrypted(file: CompoundFile, request: DocumentRequest): DocumentContent | Promise<DocumentContent> {
  const body = decryptPackage(file.read(file.find('EncryptionInfo')), file.read(file.find('EncryptedPackage')));
  const format = findDocumentFormat(sniffMediaType(body) ?? '') ?? findDocumentFormat(request.mediaType);
  if (format === 'word') return readWord(body, request);
  return format === 'slides' ? readSlides(body, request) : readSheets(body, request);
}

const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/** A damaged file that contained an encrypted document is reported as such: no repair would make it readable. */
function openFile(body: Uint8Array): CompoundFile {
  try {
    return new CompoundFile(body);
  } catch (error) {
    if (!Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(ENCRYPTED_PACKAGE)) throw error;
    throw new Unreadable('extract-encrypted', 'the document is encrypted');
  }
}
