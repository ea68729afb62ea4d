/** Reads zip archives: their text is the list of the files in them, which are documents of their own if wanted. */
import { DocumentContent, type DocumentRequest } from '../document-content.js';
import { openArchive } from './archive.js';

/** What programs add to archives beside the files that were put into them. */
const BY_PRODUCT = /(?:^|\/)(?:__MACOSX\/|\._[^/]*$|\.DS_Store$|Thumbs\.db$)/;
/** Maximum size of all files that are unpacked, one after the other. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

export interface PackedFile {
  /** Its path in the archive. */
  readonly name: string;
  /** In bytes, as declared. */
  readonly size: number;
  /** @throws Unreadable */
  read(): Uint8Array;
}

export function readZip(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, MAX_UNPACKED_BYTES);
  const content = new DocumentContent(request);
  addPackedFiles(content, archive.listFiles());
  return content;
}

export function addPackedFiles(content: DocumentContent, files: readonly PackedFile[]): void {
  const wanted = files.filter(({ name }) => !BY_PRODUCT.test(name));
  for (const { name, size, read } of wanted) {
    content.addText(name);
    content.endBlock();
    content.addMember({ path: name, size, open: read });
  }
  content.addField('file_count', String(wanted.length));
}
