import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LINKS_LENGTH } from '../../domain/content/exact-duplicates.js';
import { hashContent, hasSameLinks } from './content-hash.js';
import type { DocumentDraft, FetchedPage } from './document-steps.js';
import { NO_CONTENT } from './extraction.js';

const digest = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');
const DRAFT = {
  contentMetas: [
    { name: 'title', value: 'T' },
    { name: 'file_size', value: '9' },
  ],
  headMetas: [{ name: 'description', value: 'D' }],
} as unknown as DocumentDraft;

const page = (body: string, more: object = {}, stamp?: string): FetchedPage =>
  ({
    task: { stamp },
    body: Buffer.from(body),
    mediaType: 'text/html',
    hashesContent: true,
    textOnly: false,
    content: { ...NO_CONTENT, text: 'Text' },
    ...more,
  }) as unknown as FetchedPage;

/** The hash as computed by earlier versions. */
const hashOfBytes = (body: string): string =>
  digest(Buffer.from(body)) + digest('title\0T\0file_size\x009').slice(0, 16);

it('accepts the hash of bytes that an earlier version stored, until the bytes or the configuration change', () => {
  const earlier = hashOfBytes('a');
  expect(hashContent(page('a', {}, earlier), DRAFT, digest)).toBe(earlier);
  expect(hashContent(page('b', {}, earlier), DRAFT, digest)).not.toBe(earlier);
  const taking = { include: ['main'], exclude: [], markers: [], fields: [], metas: true };
  expect(hashContent(page('a', { contentDefinition: taking }, earlier), DRAFT, digest)).not.toBe(earlier);
});

it('keeps the hash of a page with the same text, and detects changed links', () => {
  const known = hashContent(page('a'), DRAFT, digest);
  const link = { href: '/x', kind: 'a', nofollow: false } as const;
  const content = { ...NO_CONTENT, text: 'Text', links: [link] };
  expect(hashContent(page('b', { content }, known), DRAFT, digest)).toBe(known);
  expect([hasSameLinks(known, NO_CONTENT, digest), hasSameLinks(known, content, digest)]).toEqual([true, false]);
  expect(hasSameLinks(undefined, content, digest)).toBe(false);
  const other = { ...NO_CONTENT, text: 'Other' };
  expect(hashContent(page('a', { content: other }, known), DRAFT, digest)).not.toBe(known);
});

it('covers links in the form that the database holds: each on a line, described if it is not plain', () => {
  const links = [
    { href: '/a', kind: 'a', nofollow: false },
    { href: '/b', kind: 'a', nofollow: true },
    { href: '/c', kind: 'iframe', nofollow: false },
    { href: '/d', kind: 'a', nofollow: false },
    { href: '/e', kind: 'next', nofollow: false },
  ] as const;
  const robotsMetas = [{ agent: 'robots', directives: 'index' }];
  const content = { ...NO_CONTENT, text: 'Text', base: '/base', links, robotsMetas };
  const written = '/base\nrobots:index\n/a\n/b\na!\r/c\niframe\r/d\n/e\nnext\r';
  const hashOf = (part: object) => hashContent(page('a', { content: { ...content, ...part } }), DRAFT, digest);
  const end = (text: string) => digest(text).slice(0, LINKS_LENGTH);
  expect(hashOf({}).endsWith(end(written))).toBe(true);
  expect(hashOf({ base: undefined }).endsWith(end(written.slice('/base'.length)))).toBe(true);
});

it('does not depend on where lines break, so that texts of one line, as they used to be, have the same hash', () => {
  const chunk = { path: [], start: 0, end: 8 };
  const hashed = (text: string) =>
    hashContent(page('a', { content: { ...NO_CONTENT, text, chunks: [{ ...chunk, text }] } }), DRAFT, digest);
  expect(hashed('Two\nlines')).toBe(hashed('Two lines'));
  expect(hashed('Two\nlines')).not.toBe(hashed('Twolines'));
});

it('is that of the text with spaces in place of line feeds, whatever its length and characters', () => {
  const hashOf = (text: string): string => hashContent(page('a', { content: { ...NO_CONTENT, text } }), DRAFT, digest);
  const text = fc.string({ unit: fc.constantFrom('\n', ' ', 'a', '\v', 'é', '\u010a', '語', '😀'), maxLength: 40 });
  fc.assert(fc.property(text, (lines) => hashOf(lines) === hashOf(lines.replaceAll('\n', ' '))));
  expect(hashOf('a\n'.repeat(40_000))).toBe(hashOf('a '.repeat(40_000)));
  expect(hashOf('a\nb')).not.toBe(hashOf('a\vb'));
});

it('is the hash of the bytes for content that is not a page, as in earlier versions', () => {
  expect(hashContent(page('a', { hashesContent: false }), DRAFT, digest)).toBe(hashOfBytes('a'));
});

it('is another one for a document once its headings are read, and only for one that has any', () => {
  const chunks = { size: 100, overlap: 0, unit: 'characters' };
  const plain = { include: [], exclude: [], markers: [], fields: [], metas: true };
  const hashed = (headings: object[] | undefined, wanted: object = { chunks }) => {
    const content = { ...NO_CONTENT, text: 'Text', headings };
    const document = {
      mediaType: 'application/pdf',
      hashesContent: false,
      content,
      contentDefinition: { ...plain, ...wanted },
    };
    return hashContent(page('a', document), DRAFT, digest);
  };
  const headings = [{ level: 1, text: 'A', start: 0 }];
  expect(hashed(headings)).not.toBe(hashed(undefined));
  expect(hashed(headings)).toBe(hashed([...headings]));
  expect(hashed(headings, { chunks, headings: true })).not.toBe(hashed(headings));
  expect(hashed(undefined, { headings: true })).toBe(hashOfBytes('a'));
});

it('covers headings, Markdown and chunks, unless the text was given by a plug-in', () => {
  const heading = { level: 1, text: 'A', start: 0 };
  const hashed = (headings: object[], draft: object = DRAFT) =>
    hashContent(page('a', { content: { ...NO_CONTENT, text: 'Text', headings } }), draft as DocumentDraft, digest);
  expect(hashed([heading])).not.toBe(hashed([{ ...heading, level: 2 }]));
  const given = { ...DRAFT, givenText: 'Given' };
  expect(hashed([heading], given)).toBe(hashed([{ ...heading, level: 2 }], given));
  expect(hashed([heading], given)).not.toBe(hashed([heading], { ...DRAFT, givenText: 'Other' }));
});

it('is another one when headings, Markdown or chunks are newly wanted', () => {
  const plain = { include: [], exclude: [], markers: [], fields: [], metas: true };
  const hashed = (wanted: object) =>
    hashContent(page('a', { contentDefinition: { ...plain, ...wanted } }), DRAFT, digest);
  const chunks = { size: 100, overlap: 0, unit: 'characters' };
  const all = [{}, { headings: true }, { markdown: true }, { chunks }, { chunks: { ...chunks, size: 200 } }].map(
    hashed,
  );
  expect(new Set(all).size).toBe(all.length);
});
