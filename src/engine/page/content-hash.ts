/**
 * The content hash of a document: two versions with the same hash are not pushed twice. The hash of a page covers what is delivered
 * of it: text, title, metas, fields. The size of the file and the date of its last change alone do not count as a change. A
 * separate part covers the links of the page, so that new links are followed on a page whose text has not changed. For any other
 * document the hash covers its bytes. Hashes of earlier versions covered the bytes of pages, too: a page that still has such a hash
 * counts as unchanged until its bytes change.
 */
import { type ContentDefinition, changesDocuments } from '../../domain/content/content-definition.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import type { PageContent } from '../ports/page-reader.js';
import type { DocumentDraft, FetchedPage } from './document-steps.js';

/** Returns a hexadecimal digest; for a text, of its UTF-8 bytes. */
export type Digest = (content: Uint8Array | string) => string;

const OF_CONTENT = 'c1-';
const LINKS_LENGTH = 16;
const FACTS_LENGTH = 16;

const PAGE = /^(?:text\/html|application\/(?:xhtml\+xml|vnd\.wap\.xhtml\+xml))$/;

/** Media types that web servers send for people to read, as opposed to files. */
export const isPage = (mediaType: string): boolean => PAGE.test(mediaType);

/** These may differ between two versions of the same content. */
const OF_THE_FILE = new Set(['file_size', 'lastmodifieddate']);

const factsOf = (metas: readonly Meta[]): string[] => metas.map(({ name, value }) => `${name}\0${value}`);

/** `page.task.stamp` if the document has not changed since then. */
export function hashContent(
  page: FetchedPage,
  draft: DocumentDraft,
  digest: Digest,
  parts: readonly PushDocument[] = [],
): string {
  const known = page.task.stamp;
  if (!page.hashesContent) return hashOfBytes(page, draft, digest);
  // The index holds what an earlier version made of these bytes: nobody wants everything pushed again for a few additional metas.
  const isEarlier = known !== undefined && !known.startsWith(OF_CONTENT);
  if (isEarlier && !changesDocuments(page.taking) && hashOfBytes(page, draft, digest) === known) return known;
  const content = `${OF_CONTENT}${hashOfContent(page, draft, digest, parts)}`;
  if (known?.startsWith(content) && known.length === content.length + LINKS_LENGTH) return known;
  return content + hashLinks(page.content, digest);
}

/** Without the metas of the head, which are part of the bytes. */
function hashOfBytes(page: FetchedPage, draft: DocumentDraft, digest: Digest): string {
  const { lasting } = draft;
  const { taking, mediaType, body } = page;
  const settings = taking && changesDocuments(taking) && isPage(mediaType) ? [withoutPlaces(taking)] : [];
  return hashBodyAndFacts(
    body,
    [...factsOf(lasting), ...listTextSettings(page), ...settings, ...listGivenTextSettings(draft)].join('\0'),
    digest,
  );
}

/** Each has its own digest, so that neither has to be copied after the other. */
const hashBodyAndFacts = (body: Uint8Array | string, facts: string, digest: Digest): string =>
  digest(body) + digest(facts).slice(0, FACTS_LENGTH);

function hashOfContent(
  page: FetchedPage,
  draft: DocumentDraft,
  digest: Digest,
  parts: readonly PushDocument[],
): string {
  const { lasting, described } = draft;
  const { text } = page.content;
  const settings = [
    ...listTextSettings(page),
    ...listFormSettings(page),
    ...parts.map(({ stamp }) => stamp),
    ...listGivenTextSettings(draft),
  ];
  return hashBodyAndFacts(text, joinFacts(lasting) + joinFacts(described) + settings.join('\0'), digest);
}

function joinFacts(metas: readonly Meta[]): string {
  let facts = '';
  for (const { name, value } of metas) if (!OF_THE_FILE.has(name)) facts += `${name}\0${value}\0`;
  return facts;
}

/** The same page is a different document when its text stands for its bytes. */
const listTextSettings = ({ textOnly }: FetchedPage): string[] => (textOnly ? ['text only'] : []);

const listGivenTextSettings = ({ givenText }: DocumentDraft): string[] =>
  givenText === undefined ? [] : ['given text', givenText];

/** A form that is newly requested counts as a change. */
function listFormSettings({ taking }: FetchedPage): string[] {
  if (!taking?.headings && !taking?.markdown && !taking?.chunks) return [];
  const { headings, markdown, chunks } = taking;
  return [JSON.stringify({ headings, markdown, chunks })];
}

const withoutPlaces = (taking: ContentDefinition): string =>
  JSON.stringify(taking, (key, value: unknown) => (key === 'place' ? undefined : value));

/** Whether the links of the page are those it had when it got that hash. */
export function hasLinksOf(known: string | undefined, content: PageContent, digest: Digest): boolean {
  if (known === undefined) return false;
  return !known.startsWith(OF_CONTENT) || known.endsWith(hashLinks(content, digest));
}

function hashLinks({ base, links, robotsMetas }: PageContent, digest: Digest): string {
  let written = `${base ?? ''}\n`;
  for (const { agent, directives } of robotsMetas) written += `${agent}:${directives}\n`;
  // Most links are plain ones: only others need a description.
  for (const { href, kind, nofollow } of links)
    written += kind === 'a' && !nofollow ? `${href}\n` : `${href}\n${kind}${nofollow ? '!' : ''}\r`;
  return digest(written).slice(0, LINKS_LENGTH);
}
