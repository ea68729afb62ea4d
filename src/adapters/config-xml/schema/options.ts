/** Attributes for the options that sinks and logins have, each type according to a table of its own. */
import type { Option, OptionKind, OptionName, OptionsByType, ValueOfKind } from '../../../domain/options.js';
import * as t from '../value-types.js';
import type { AttributeSpec } from './spec.js';

const VALUE_TYPES: { readonly [K in OptionKind]: t.ValueType<ValueOfKind<K>> } = {
  text: t.text,
  nonEmptyText: t.nonEmptyText,
  name: t.name,
  sqlTable: t.sqlTable,
  byteCount: t.byteCount,
  fingerprint: t.fingerprint,
  durationS: t.durationS(60),
  httpUrl: t.httpUrl,
  httpStatus: t.integer(100, 599),
  headerName: t.headerName,
  headerValue: t.headerValue,
  fileName: t.fileName,
  jsonFile: t.fileName,
};

type OptionNamed<T extends OptionsByType, N> = {
  [K in keyof T]: N extends keyof T[K]['options'] ? T[K]['options'][N] : never;
}[keyof T];

type OptionAttribute<O extends Option> = AttributeSpec<ValueOfKind<O['value']>> &
  Pick<O, keyof O & ('secret' | 'default')>;

type OptionAttributes<T extends OptionsByType> = {
  readonly [N in OptionName<T>]: OptionAttribute<OptionNamed<T, N>>;
};

/**
 * Returns the attributes of an element for the options of all types, in the order of the table. Options of the same
 * name share an attribute.
 *
 * @throws Error if they do not agree on the values that are allowed, or on whether these are secret
 */
export function toAttributes<T extends OptionsByType>(types: T): OptionAttributes<T> {
  const names = new Set(Object.values(types).flatMap(({ options }) => Object.keys(options)));
  return Object.fromEntries([...names].map((name) => [name, toAttribute(name, types)])) as OptionAttributes<T>;
}

function toAttribute(name: string, types: OptionsByType): AttributeSpec<unknown> {
  const typesByMeaning = new Map<string, string[]>();
  const specs = new Map<string, Omit<Option, 'meaning' | 'required' | 'destination'>>();
  for (const [type, { options }] of Object.entries(types)) {
    const option = options[name];
    if (!option) continue;
    const { meaning, required: _, destination: __, ...spec } = option;
    specs.set(JSON.stringify(spec), spec);
    typesByMeaning.set(meaning, [...(typesByMeaning.get(meaning) ?? []), type]);
  }
  const [spec, otherSpec] = [...specs.values()];
  if (!spec || otherSpec) throw new Error(`the types ${Object.keys(types)} define the option ${name} in several ways`);
  const { value, ...settings } = spec;
  return {
    ...settings,
    type: typeof value === 'string' ? VALUE_TYPES[value] : t.enumeration(value),
    meaning: joinMeanings(typesByMeaning),
  };
}

/** Returns a text like "`elasticsearch`, `opensearch`: name of the index; `solr`: name of the collection." */
const joinMeanings = (typesByMeaning: ReadonlyMap<string, readonly string[]>): string =>
  [...typesByMeaning]
    .map(
      ([meaning, types]) =>
        `${[...types]
          .sort()
          .map((type) => `\`${type}\``)
          .join(', ')}: ${meaning.replace(/\.$/, '')}`,
    )
    .join('; ')
    .concat('.');
