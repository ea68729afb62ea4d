/** What docs/documents.md and docs/document-shape.md list is what the program reads and delivers. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DOCUMENT_EXTENSIONS } from '../../src/domain/content/document-types.js';
import { toTypedMeta } from '../../src/domain/content/meta-types.js';

const tableRows = (file: string): string[][] =>
  readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));

it('the extensions of documents are those of the formats that are read', () => {
  const rows = tableRows('documents.md').filter(([, format]) => DOCUMENTS.has(format!));
  expect(rows).toHaveLength(DOCUMENTS.size);
  const listed = rows.flatMap(([, , types]) => types!.match(/(?<![\w/.-])[a-z]{2,5}(?![\w/.-])/g) ?? []);
  expect(listed.filter((word) => !WORDS.has(word)).sort()).toEqual([...DOCUMENT_EXTENSIONS.keys()].sort());
});

const DOCUMENTS = new Set(
  'PDF,Word,Excel,PowerPoint,Word, Excel, PowerPoint 97 to 2003,Excel, binary,Visio,OpenDocument,EPUB,RTF,e-mail,web archive,mailbox,archive'
    .split(/,(?! )/)
    .map((name) => name.trim()),
);
const WORDS = new Set(['also', 'and', 'flat', 'what', 'to', 'exports']);

it('the metas that are numbers or dates are typed as such', () => {
  const rows = tableRows('document-shape.md').filter(([, , what]) => /\b(?:numbers?|date)\b/.test(what ?? ''));
  const typed = rows.flatMap(([, names, what]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, findType(name!), what!] as const),
  );
  expect(typed.length).toBeGreaterThan(10);
  for (const [name, type, what] of typed) if (!TEXTS.has(name)) expect(`${name}: ${what}`).toContain(type || 'text');
  const types = Object.fromEntries(typed);
  expect(types).toMatchObject({
    page_count: 'number',
    pages_without_text: 'number',
    unknown_characters_percent: 'number',
  });
  expect(types).toMatchObject({ crawl_time: 'date', http_status: 'number', file_size: 'number', date_created: 'date' });
});

const findType = (name: string): string =>
  ['7', '2026-03-04T05:06:07.000Z'].flatMap((value) => toTypedMeta(name, value).type ?? [])[0] ?? '';

/** Named beside a number. */
const TEXTS = new Set(['file_name', 'content_type']);
