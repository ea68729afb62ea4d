/** Reads EPUB publications: the chapters in the order of the spine (EPUB 3.3). */
import { decodeHTML } from 'entities/decode';
import { decodePercent } from '../../../../domain/url/decode-percent.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { createNameSet, type Element, extractText, parseElements, type TextRules } from './markup.js';

const TEXT_RULES: TextRules = {
  ignoredElements: createNameSet('head script style template svg math'),
  separatingElements: createNameSet(
    'address article aside blockquote br caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr img li main nav ol p pre section table td th tr ul',
  ),
};

const HEADING = /^h[1-6]$/;

export function readEpub(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body);
  const rootFile = parseElements(archive.readXml('META-INF/container.xml')).find(({ name }) => name === 'rootfile');
  const packagePath = rootFile?.attributes.get('full-path') ?? '';
  const elements = parseElements(archive.readXml(packagePath));
  if (elements.length === 0) throw new Unreadable('extract-corrupt', 'the publication has no package document');
  const content = new DocumentContent(request);
  readProperties(elements, content);
  // A chapter that is listed twice is read only once.
  const chapters = new Set(readSpine(elements, packagePath));
  assertNotEncrypted(archive, chapters);
  for (const chapter of chapters) {
    extractText(numberReferences(archive.readXml(chapter) ?? ''), content, TEXT_RULES, {
      onElement(name, attributes) {
        const href = attributes.get('href');
        // All other links lead to chapters of the publication.
        if (name === 'a' && href !== undefined && /^https?:/i.test(href)) content.addLink(href);
        else if (HEADING.test(name)) content.beginHeading(Number(name[1]));
        return true;
      },
      onElementEnd(name) {
        if (HEADING.test(name)) content.endHeading();
      },
    });
    content.endBlock();
  }
  return content;
}

/** Replaces the named references that the DTD of XHTML 1.1 declares, as in EPUB 2, but not those of XML itself. */
const numberReferences = (xhtml: string): string =>
  xhtml.replace(/&(?!(?:amp|lt|gt|quot|apos);)[a-zA-Z][a-zA-Z\d]{1,31};/g, (reference) => {
    const text = decodeHTML(reference);
    return text === reference ? text : text.replace(/./gsu, (character) => `&#${character.codePointAt(0)};`);
  });

function readProperties(elements: readonly Element[], content: DocumentContent): void {
  const findValue = (elementName: string): string | undefined =>
    elements.find(({ name }) => name === elementName)?.text;
  content.title = findValue('title') ?? '';
  content.language = findValue('language');
  const findAll = (elementName: string): string[] =>
    elements.flatMap(({ name, text }) => (name === elementName ? [text] : []));
  content.addAuthor(findAll('creator').join(', '));
  for (const text of findAll('subject')) content.addField('keywords', text);
  content.addField('description', findValue('description'));
  content.addField('publisher', findValue('publisher'));
  content.addTime('date_created', findValue('date'));
  const modifiedElement = elements.find(({ attributes }) => attributes.get('property') === 'dcterms:modified');
  content.addTime('date_modified', modifiedElement?.text);
}

function readSpine(elements: readonly Element[], packagePath: string): string[] {
  const hrefs = new Map(
    elements.flatMap(({ name, attributes }) =>
      name === 'item' ? [[attributes.get('id') ?? '', attributes.get('href') ?? ''] as const] : [],
    ),
  );
  return elements.flatMap(({ name, attributes }) => {
    const href = name === 'itemref' ? hrefs.get(attributes.get('idref') ?? '') : undefined;
    const url = href === undefined ? null : URL.parse(href, `file:///${packagePath}`);
    return url ? [decodePercent(url.pathname.slice(1))] : [];
  });
}

/** Refuses publications with encrypted chapters; many publications encrypt only their fonts. */
function assertNotEncrypted(archive: Archive, chapters: ReadonlySet<string>): void {
  const encryptedUris = parseElements(archive.readXml('META-INF/encryption.xml')).flatMap(
    ({ attributes }) => attributes.get('uri') ?? [],
  );
  if (encryptedUris.some((uri) => chapters.has(decodePercent(uri))))
    throw new Unreadable('extract-encrypted', 'the chapters of the publication are encrypted');
}
