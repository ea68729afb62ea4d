/** EPUB publications: the chapters of the spine in order (EPUB 3.3). */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { type Element, elementsOf, type TextRules, textOf } from './markup.js';

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const WORDS: TextRules = {
  silent: names('head script style template svg math'),
  separating: names(
    'address article aside blockquote br caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr img li main nav ol p pre section table td th tr ul',
  ),
};

export function readEpub(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, /\.(?:opf|x?html?|xml)$|^META-INF\//i);
  const path = elementsOf(archive.xml('META-INF/container.xml')).find(({ name }) => name === 'rootfile');
  const packagePath = path?.attributes.get('full-path') ?? '';
  const elements = elementsOf(archive.xml(packagePath));
  if (elements.length === 0) throw new Unreadable('extract-corrupt', 'the publication names no package document');
  const content = new DocumentContent(request);
  properties(elements, content);
  // One that is listed again is not read again.
  const chapters = new Set(spine(elements, packagePath));
  refuseEncrypted(archive, chapters);
  for (const chapter of chapters) {
    textOf(archive.xml(chapter) ?? '', content, WORDS, (name, attributes) => {
      const href = attributes.get('href');
      // Others lead to chapters of the publication.
      if (name === 'a' && href !== undefined && /^https?:/i.test(href)) content.link(href);
    });
    content.separate();
  }
  return content;
}

function properties(elements: readonly Element[], content: DocumentContent): void {
  const value = (wanted: string): string | undefined => elements.find(({ name }) => name === wanted)?.text;
  content.title = value('title') ?? '';
  content.language = value('language');
  for (const { name, text } of elements) {
    if (name === 'creator') content.author(text);
    if (name === 'subject') content.field('keywords', text);
  }
  content.field('description', value('description'));
  content.field('publisher', value('publisher'));
  content.time('date_created', value('date'));
  const modified = elements.find(({ attributes }) => attributes.get('property') === 'dcterms:modified');
  content.time('date_modified', modified?.text);
}

function spine(elements: readonly Element[], packagePath: string): string[] {
  const hrefs = new Map(
    elements.flatMap(({ name, attributes }) =>
      name === 'item' ? [[attributes.get('id') ?? '', attributes.get('href') ?? ''] as const] : [],
    ),
  );
  return elements.flatMap(({ name, attributes }) => {
    const href = name === 'itemref' ? hrefs.get(attributes.get('idref') ?? '') : undefined;
    const url = href === undefined ? null : URL.parse(href, `file:///${packagePath}`);
    return url ? [decoded(url.pathname.slice(1))] : [];
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Many publications encrypt only their fonts. */
function refuseEncrypted(archive: Archive, chapters: ReadonlySet<string>): void {
  const encrypted = elementsOf(archive.xml('META-INF/encryption.xml')).flatMap(
    ({ attributes }) => attributes.get('uri') ?? [],
  );
  if (encrypted.some((uri) => chapters.has(decoded(uri))))
    throw new Unreadable('extract-encrypted', 'the chapters of the publication are encrypted');
}
