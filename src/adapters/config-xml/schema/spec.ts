/** The types of the tables in this folder, which describe every element and attribute of a configuration. */
import type { OptionsByType } from '../../../domain/options.js';
import type { Secret } from '../../../domain/secret.js';
import type { ValueType } from '../value-types/value-type.js';

/** The namespaces of the three vocabularies, newest first; the XML Schema uses the newest. */
export const NAMESPACES = {
  crawl: ['exa:com.exalead.mercury.mami.crawl.v21', 'exa:com.exalead.mercury.mami.crawl.v20'],
  rules: ['exa:com.exalead.actionrules.v21', 'exa:com.exalead.actionrules.v20'],
  cw: ['urn:crawlway:config:1'],
} as const;

export type Vocabulary = keyof typeof NAMESPACES;

export interface AttributeSpec<T> {
  readonly type: ValueType<T>;
  readonly meaning: string;
  /** The default as it would be written in the file. */
  readonly default?: string;
  readonly unit?: string;
  readonly required?: boolean;
  /** Never shown by the API, in the log or in the console. Its values are read as Secret. */
  readonly secret?: boolean;
  /** Whether `${NAME}` may be used in it, as in secrets, for example because it determines where they are sent. */
  readonly variables?: boolean;
  /** Alternative names with the same meaning. */
  readonly aliases?: readonly string[];
}

export type Attributes = Readonly<Record<string, AttributeSpec<unknown>>>;

export interface ElementSpec<A extends Attributes = Attributes> {
  readonly name: string;
  readonly vocabulary: Vocabulary;
  readonly meaning: string;
  readonly attributes: A;
  /** Names of the elements allowed inside; names are unique across all vocabularies. */
  readonly children: readonly string[];
  /** Whether it may appear only once in its parent. */
  readonly once: boolean;
  /** Meaning of its text content, if it may have any. */
  readonly text?: string;
  /** Possible values of its attribute `type`, if other attributes depend on it. */
  readonly types?: OptionsByType;
}

type ValueOf<S> =
  | (S extends { readonly secret: true } ? Secret : S extends { readonly type: ValueType<infer T> } ? T : never)
  | (S extends { readonly default: string } | { readonly required: true } ? never : undefined);

/** The values of an element's attributes. */
export type Values<A> = { readonly [K in keyof A]: ValueOf<A[K]> };

type NoOptions = Readonly<Record<never, never>>;

type AttributeOptions = Omit<AttributeSpec<never>, 'type' | 'meaning'>;

export function attribute<T, const M extends AttributeOptions = NoOptions>(
  type: ValueType<T>,
  meaning: string,
  options?: M,
): { readonly type: ValueType<T>; readonly meaning: string } & NoInfer<M> {
  return { type, meaning, ...(options as NoInfer<M>) };
}

interface ElementOptions {
  readonly children?: readonly string[];
  readonly once?: boolean;
  readonly text?: string;
  readonly types?: OptionsByType;
}

/** Returns a function that creates the element specs of one vocabulary. */
export const createElementFactory =
  (vocabulary: Vocabulary) =>
  <A extends Attributes>(
    name: string,
    meaning: string,
    attributes: A,
    options: ElementOptions = {},
  ): ElementSpec<A> => ({
    name,
    vocabulary,
    meaning,
    attributes,
    children: options.children ?? [],
    once: options.once ?? false,
    ...(options.text === undefined ? {} : { text: options.text }),
    ...(options.types === undefined ? {} : { types: options.types }),
  });

/** Formats a default that is written in bytes. */
export const mebibytesToBytes = (n: number): string => String(n * 1024 * 1024);

/**
 * Returns the vocabulary of a namespace. The product's files use namespaces with different version numbers or none at
 * all, and fragments of them may use an undeclared prefix; all of these are accepted.
 */
export function findVocabulary(namespace: string | undefined, prefix: string): Vocabulary | 'undeclared' | 'foreign' {
  if (namespace === undefined) return prefix === '' ? 'crawl' : 'undeclared';
  if (/^exa:com\.exalead\.mercury\.mami\.crawl\.v\d+$/.test(namespace)) return 'crawl';
  if (/^exa:com\.exalead\.actionrules\.v\d+$/.test(namespace)) return 'rules';
  return namespace === 'urn:crawlway:config:1' ? 'cw' : 'foreign';
}
