/** Converts the values that were found on a page for the configured fields into metas with typed values. */
import { RE2JS } from 're2js';
import type { Meta } from '../push/order.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import type { FieldDefinition, FieldType, UrlPart } from './content-definition.js';
import { MAX_META_VALUE_LENGTH } from './meta-types.js';
import { parseTypedValue } from './typed-values.js';

/** Maximum number of values of one field on one page. */
const MAX_VALUES = 1_000;
/** Maximum number of characters of a value that are searched for a match. */
const MAX_VALUE_LENGTH = 32_768;

export interface FieldFacts {
  readonly url: CrawlUrl;
  /** Base URL for relative URLs. */
  readonly base: string;
  readonly metas: readonly { readonly name: string; readonly value: string }[];
  /** What selectors and JSON-LD paths found, by field number. */
  readonly found: ReadonlyMap<number, readonly string[]> | undefined;
}

export type FieldReader = (facts: FieldFacts) => Meta[];

/**
 * @throws if a `match` is not a regular expression for the linear-time engine, which is checked when the configuration
 * is read
 */
export function compileFields(definitions: readonly FieldDefinition[]): FieldReader {
  const readers = definitions.map((definition, index) => {
    const pattern = definition.match === undefined ? undefined : RE2JS.compile(definition.match);
    return (facts: FieldFacts) =>
      toMetas(definition, iterateMatches(readValues(definition, index, facts), pattern), facts.base);
  });
  return (facts) => readers.flatMap((read) => read(facts));
}

function readValues({ source }: FieldDefinition, index: number, facts: FieldFacts): readonly string[] {
  if (source.kind === 'url') return [getUrlPart(facts.url, source.part)];
  if (source.kind !== 'meta') return facts.found?.get(index) ?? [];
  return facts.metas.flatMap(({ name, value }) => (name === source.name.toLowerCase() ? [value] : []));
}

function getUrlPart(url: CrawlUrl, part: UrlPart): string {
  const value = part === 'url' ? url.href : url[part];
  return value ?? '';
}

/** Iterates over the matches in all values, because most fields need only the first one. */
function* iterateMatches(values: readonly string[], pattern: RE2JS | undefined): Generator<string> {
  if (!pattern) yield* values;
  else
    for (const value of values) {
      const matcher = pattern.matcher(value.slice(0, MAX_VALUE_LENGTH));
      while (matcher.find()) yield (matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? '';
    }
}

function toMetas({ name, type, multiple }: FieldDefinition, values: Iterable<string>, base: string): Meta[] {
  const metas: Meta[] = [];
  const known = new Set<Meta['value']>();
  let remaining = MAX_VALUES;
  for (const text of values) {
    if (remaining-- <= 0) break;
    const value = parseTypedValue(text.slice(0, MAX_META_VALUE_LENGTH).toWellFormed(), type, base);
    if (value === undefined || known.has(value)) continue;
    known.add(value);
    metas.push({ name, value, ...toMetaType(type) });
    if (!multiple) break;
  }
  return metas;
}

const toMetaType = (type: FieldType): Pick<Meta, 'type'> => (type === 'date' || type === 'number' ? { type } : {});
