import type { Chunk, Heading } from '../../domain/content/content-definition.js';
import { toTypedMeta } from '../../domain/content/meta-types.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import { asString, asStrings, isRecord } from './answers.js';

/**
 * Groups the values of metas under the field to which each name is mapped, for sinks whose fields can have several
 * values.
 */
export const groupValuesByName = (
  metas: readonly Meta[],
  toField: (name: string) => string,
): Readonly<Record<string, readonly string[]>> => {
  const groups = Map.groupBy(metas, ({ name }) => toField(name));
  return Object.fromEntries(Array.from(groups, ([field, group]) => [field, group.map(({ value }) => value)]));
};

/** Converts values grouped by name back to metas. The original order of the names is lost. */
export const toMetas = (values: Readonly<Record<string, unknown>>): Meta[] =>
  Object.entries(values).flatMap(([name, list]) => asStrings(list).map((value) => toTypedMeta(name, value)));

/** Formats a heading as in Markdown: `## Installation`. */
export const formatHeading = ({ level, text }: Heading): string => `${'#'.repeat(level)} ${text}`;

/** Converts headings, Markdown and chunks (as JSON) to metas, for sinks that have no separate fields for them. */
export const formsToMetas = ({ headings = [], markdown, chunks = [] }: PushDocument): readonly Meta[] => [
  ...headings.map((heading) => ({ name: 'headings', value: formatHeading(heading) })),
  ...(markdown === undefined ? [] : [{ name: 'markdown', value: markdown }]),
  ...chunks.map((chunk) => ({ name: 'chunks', value: JSON.stringify(chunk) })),
];

/** Returns the metas whose values have the given type. */
export const selectByType = (metas: readonly Meta[], type: 'date' | 'number'): readonly Meta[] =>
  metas.filter((meta) => meta.type === type);

/**
 * Reads headings, Markdown and chunks back from a sink's record. The positions of headings in the text are not stored.
 */
export function parseForms(
  record: Readonly<Record<string, unknown>>,
): Pick<PushDocument, 'headings' | 'markdown' | 'chunks'> {
  const { headings, chunks } = record;
  const markdown = asString(record['markdown']);
  return {
    ...(Array.isArray(headings) ? { headings: asStrings(headings).map(parseHeading) } : {}),
    ...(markdown === undefined ? {} : { markdown }),
    ...(Array.isArray(chunks) ? { chunks: chunks.flatMap(parseChunk) } : {}),
  };
}

function parseHeading(line: string): Heading {
  const level = Math.max(1, line.indexOf(' '));
  return { level, text: line.slice(level + 1), start: 0 };
}

function parseChunk(chunk: unknown): Chunk[] {
  if (!isRecord(chunk)) return [];
  const { text, path, start, end } = chunk;
  const [id, anchor] = [asString(chunk['id']), asString(chunk['anchor'])].map((value) => value || undefined);
  const place = { ...(id === undefined ? {} : { id }), ...(anchor === undefined ? {} : { anchor }) };
  const isComplete = typeof text === 'string' && typeof start === 'number' && typeof end === 'number';
  return isComplete ? [{ ...place, text, path: asStrings(path), start, end }] : [];
}
