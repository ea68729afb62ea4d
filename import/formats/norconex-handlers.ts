/** Handlers of Norconex Importer that change documents: those with a counterpart in cw:Content and cw:Map. */
import type { ImportedContent, ImportedCrawler, ImportReport } from '../model.js';
import { escapeRegExp, isSelector } from '../patterns.js';
import { findAll, findFirst, findSetting, type Node } from '../tree.js';

type Elements = ImportedContent['elements'][number][];
type Reader = (handler: Node, elements: Elements, crawler: ImportedCrawler, report: ImportReport) => string | undefined;

const toField = (node: Node): string => findSetting(node, 'toField') ?? findSetting(node, 'name') ?? '';

/** The parts of a handler whose selector means the same in CSS; others are listed. */
function listSelections(handler: Node, report: ImportReport): { dom: Node; select: string }[] {
  return findAll(handler, 'dom').flatMap((dom) => {
    const select = findSetting(dom, 'selector') ?? '';
    const extract = findSetting(dom, 'extract') ?? 'text';
    if (isSelector(select) && /^(?:text|attr\(.+\))$/.test(extract)) return [{ dom, select }];
    report.reportSkipped(
      `dom ${select} ${extract}`,
      'only selectors of CSS, and the text or an attribute of what they select, have a counterpart',
      dom,
      handler,
    );
    return [];
  });
}

/** Each returns what its handler became; undefined if it has no counterpart. */
const HANDLERS: readonly (readonly [kind: RegExp, read: Reader])[] = [
  [
    /^DOMDelete(?:Transformer)?$/,
    (handler, elements, _, report) => {
      const selections = listSelections(handler, report);
      for (const { select } of selections) elements.push({ element: 'Exclude', attributes: { select } });
      return selections.length > 0 ? 'cw:Exclude' : undefined;
    },
  ],
  [
    /^DOM(?:Tagger)?$/,
    (handler, elements, _, report) => {
      const fields = listSelections(handler, report).map(({ dom, select }) => ({
        name: toField(dom),
        select,
        attribute: /^attr\((.+)\)$/.exec(findSetting(dom, 'extract') ?? 'text')?.[1],
      }));
      if (fields.length === 0 || fields.some(({ name }) => name === '')) return undefined;
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
    const note = read?.(handler, elements, crawler, report);
    if (note !== undefined) report.reportTaken(kind, note, handler);
    else if (!handler.isReported)
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
