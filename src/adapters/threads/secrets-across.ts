/**
 * Passes definitions and secrets between threads of this process. A structured clone loses the contents of a Secret, so its value is
 * sent under a property name that no other object has.
 */
import { Deserializer, Serializer } from 'node:v8';
import type { CrawlerDefinition, RootDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import type { RuleDefinition, ServerRecord } from '../../domain/crawl/policy-definition.js';
import { Secret } from '../../domain/secret.js';
import type { Steps } from '../../domain/steps.js';

const SECRET_KEY = '\0secret';

/** Returns the value with its secrets prepared for cloning; the same value if it has none. */
export const packSecrets = <T>(value: T): T =>
  replaceDeep(value, (part) =>
    part instanceof Secret ? { [SECRET_KEY]: part.reveal(), shown: String(part) } : undefined,
  ) as T;

/** Restores on the receiving side what `packSecrets` prepared. */
export const unpackSecrets = <T>(value: T): T =>
  replaceDeep(value, (part) => {
    const { [SECRET_KEY]: text, shown } = part as Record<string, unknown>;
    return typeof text === 'string' ? new Secret(text, String(shown)) : undefined;
  }) as T;

/** Number of rules, roots or records that are packed without an interruption. */
const PORTION = 1_000;

/** Packs a definition as bytes, which any number of threads can be sent at once, however long its lists are. */
export function* packDefinition(definition: ServerDefinition): Steps<Uint8Array> {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(packSecrets({ ...definition, crawlers: definition.crawlers.map(omitLists) }));
  for (const { rules, roots, servers } of definition.crawlers) {
    for (const list of [rules, roots, servers?.records ?? []]) {
      serializer.writeUint32(list.length);
      for (let start = 0; start < list.length; start += PORTION) {
        if (start > 0) yield;
        serializer.writeValue(packSecrets(list.slice(start, start + PORTION)));
      }
    }
  }
  return serializer.releaseBuffer();
}

const omitLists = (crawler: CrawlerDefinition): CrawlerDefinition => ({
  ...crawler,
  rules: [],
  roots: [],
  ...(crawler.servers ? { servers: { ...crawler.servers, records: [] } } : {}),
});

export function unpackDefinition(bytes: Uint8Array): ServerDefinition {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  const readValue = <T>(): T => unpackSecrets(deserializer.readValue() as T);
  const readList = <T>(): T[] => {
    const list: T[] = [];
    for (const length = deserializer.readUint32(); list.length < length; ) list.push(...readValue<T[]>());
    return list;
  };
  const definition = readValue<ServerDefinition>();
  return {
    ...definition,
    crawlers: definition.crawlers.map((crawler) => {
      const rules = readList<RuleDefinition>();
      const roots = readList<RootDefinition>();
      const records = readList<ServerRecord>();
      return { ...crawler, rules, roots, ...(crawler.servers ? { servers: { ...crawler.servers, records } } : {}) };
    }),
  };
}

function replaceDeep(value: unknown, replace: (part: object) => object | undefined): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const replacement = replace(value);
  if (replacement) return replacement;
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name];
    const replacedPart = replaceDeep(part, replace);
    if (replacedPart === part) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = replacedPart;
  }
  return copy ?? value;
}
