/** Handlers of Norconex Importer that change documents: those with a counterpart in cw:Content and cw:Map. */
import type { ImportedContent, ImportedCrawler, ImportReport } from '../model.js';
import { escapeRegExp } from '../patterns.js';
import { findAll, findFirst, findSetting, type Node } from '../tree.js';

type Elements = ImportedContent['elements'][number][];
type Reader = (handler: Node, elements: Elements, crawler: ImportedCrawler) => string | undefined;

const toField = (node: Node): string => findSetting(node, 'toField') ?? findSetting(node, 'name') ?? '';

/** Each returns what its handler became; undefined if it has no counterpart. */
const HANDLERS: readonly (readonly [kind: RegExp, read: Reader])[] = [
  [
    /^DOMDelete(?:Transformer)?$/,
    (handler, elements) => {
      const selectors = findAll(handler, 'dom').map((dom) => findSetting(dom, 'selector') ?? '');
      if (selectors.length === 0 || selectors.includes('')) return undefined;
      for (const select of selectors) elements.push({ element: 'Exclude', attributes: { select } });
      return 'cw:Exclude';
    },
  ],
  [
    /^DOM(?:Tagger)?$/,
    (handler, elements) => {
      const fields = findAll(handler, 'dom').map((dom) => ({
        name: toField(dom),
        select: findSetting(dom, 'selector') ?? '',
        attribute: /^attr\((.+)\)$/.exec(findSetting(dom, 'extract') ?? 'text')?.[1],
      }));
      if (fields.length === 0 || fields.some(({ name, select }) => name === '' || select === '')) return undefined;
      for (const { name, select, attribute } of fields)
        elements.push({ element: 'Field', attributes: { name, select, ...(attribute ? { attribute } : {}) } });
      return 'Field of cw:Content';
    },
  ],
  [
    /^TextBetween(?:Tagger)?$/,
    (handler, elements) => {
      const parts = findAll(handler, 'textBetween');
      const text = (part: Node, ...names: string[]): string =>
        names.map((name) => findSetting(part, name)).find((value) => value) ?? '';
      const fields = parts.map((part) => ({
        name: toField(part),
        start: text(part, 'start', 'startMatcher'),
        end: text(part, 'end', 'endMatcher'),
      }));
      // A Field sees the text of a page, not its tags.
      if (
        fields.length === 0 ||
        fields.some(({ name, start, end }) => name === '' || start === '' || /</.test(start + end))
      )
        return undefined;
      for (const { name, start, end } of fields) {
        const match = `(?s)${escapeRegExp(start)}(.*?)${escapeRegExp(end)}`;
        elements.push({ element: 'Field', attributes: { name, select: 'body', match } });
      }
      return 'Field of cw:Content';
    },
  ],
  [
    /^Rename(?:Tagger)?$/,
    (handler, _, { maps }) => {
      const renames = findAll(handler, 'rename').map((rename) => ({
        field: findSetting(rename, 'fromField') ?? findFirst(rename, 'fieldMatcher')?.text ?? '',
        rename: toField(rename),
      }));
      if (renames.length === 0 || renames.some(({ field, rename }) => field === '' || rename === '')) return undefined;
      maps.push(...renames);
      return 'rename of cw:Map';
    },
  ],
  [
    /^Constant(?:Tagger)?$/,
    (handler, _, { maps }) => {
      const constants = findAll(handler, 'constant').filter((node) => findSetting(node, 'name') && node.text);
      for (const node of constants) maps.push({ field: findSetting(node, 'name')!, default: node.text });
      return constants.length > 0 ? 'default of cw:Map, for documents without this field' : undefined;
    },
  ],
  [
    /^Delete(?:Tagger)?$/,
    (handler, _, { maps }) => {
      const fields = (
        findFirst(handler, 'fieldMatcher')?.text ??
        findFirst(handler, 'fields')?.text ??
        findSetting(handler, 'fields') ??
        ''
      )
        .split(',')
        .map((field) => field.trim())
        .filter((field) => /^[\w.:-]+$/.test(field));
      for (const field of fields) maps.push({ field, drop: 'true' });
      return fields.length > 0 ? 'drop of cw:Map' : undefined;
    },
  ],
];

export function importHandlers(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const importer = findFirst(node, 'importer');
  if (!importer) return;
  const handlers = findAll(importer, 'handler', 'tagger', 'transformer', 'filter', 'splitter');
  const elements: Elements = [];
  for (const handler of handlers.filter(({ isReported }) => !isReported)) {
    const kind = findSetting(handler, 'class')?.split('.').at(-1) ?? handler.name;
    const isLimited = findFirst(handler, 'restrictTo') !== undefined;
    const read = isLimited ? undefined : HANDLERS.find(([pattern]) => pattern.test(kind))?.[1];
    const note = read?.(handler, elements, crawler);
    if (note !== undefined) report.reportTaken(kind, note, handler);
    else
      report.reportSkipped(
        kind,
        isLimited
          ? 'it applies to some documents only: write a named cw:Content, and a condition that selects it'
          : 'has no counterpart; docs/content.md and docs/documents.md describe how Crawlway reads documents',
        handler,
      );
  }
  if (elements.length > 0) crawler.contents.push({ elements });
}
