/** Reads zip archives: their text is the list of the files in them, which are documents of their own if wanted. */
import { DocumentContent, type DocumentRequest } from '../document-content.js';
import { openArchive } from './archive.js';

/** What programs add to archives beside the files that were put into them. */
const BY_PRODUCT = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$)/;
/** Maximum size of all files that are unpacked, one after the other. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

export function readZip(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, MAX_UNPACKED_BYTES);
  const content = new DocumentContent(request);
  let count = 0;
  for (const { name, size } of archive.listEntries()) {
    if (name.endsWith('/') || BY_PRODUCT.test(name)) continue;
    count++;
    content.addText(name);
    content.endWord();
    content.addMember({ path: name, size, read: () => archive.read(name) ?? new Uint8Array(0) });
  }
  content.addField('file_count', String(count));
  return content;
}
