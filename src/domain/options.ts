/**
 * Tables of the options that one type of sink or login has. The types of their values, the attributes in the
 * configuration, the reference and the forms of the console are derived from such a table.
 */
import type { Secret } from './secret.js';
import type { Duration } from './time/units.js';

/** The kinds of values; the configuration checks a value before it becomes an option. */
interface OptionKinds {
  readonly text: string;
  readonly nonEmptyText: string;
  /** Letters, digits and a few punctuation marks. */
  readonly name: string;
  /** `table` or `schema.table`. */
  readonly sqlTable: string;
  readonly byteCount: number;
  /** SHA-256 of a certificate, in lower-case hexadecimal. */
  readonly fingerprint: string;
  /** A number of seconds. */
  readonly durationS: Duration;
  readonly httpUrl: string;
  readonly httpStatus: number;
  readonly headerName: string;
  readonly headerValue: string;
  /** Path of a file in or below the folder of the configuration. */
  readonly fileName: string;
  /** Such a path is written; the option is the content of the file, a JSON object. */
  readonly jsonFile: string;
}

export type OptionKind = keyof OptionKinds;

export interface Option {
  /** A kind, or all possible values. */
  readonly value: OptionKind | readonly string[];
  /** A sentence for the reference that follows the names of the types that have the option: "name of the topic." */
  readonly meaning: string;
  readonly required?: true;
  /** A secret reaches the sink or login as a Secret, and is never shown. */
  readonly secret?: true;
  /** Whether `${NAME}` may be used in it although it is not secret. */
  readonly variables?: true;
  /** Whether a sink with another value is another destination, which lacks the documents. */
  readonly destination?: true;
  /** As it would be written in the configuration. */
  readonly default?: string;
}

export type OptionTable = Readonly<Record<string, Option>>;

export interface TypeWithOptions {
  readonly options: OptionTable;
  /** What people call it, if that differs from its name. */
  readonly label?: string;
  /** Example of an address, if addresses of this type look different from others. */
  readonly example?: string;
}

/** A table of types, each with its own options. */
export type OptionsByType = Readonly<Record<string, TypeWithOptions>>;

/** All types of values that options of this kind have. */
export type ValueOfKind<K> = K extends OptionKind
  ? OptionKinds[K]
  : K extends readonly (infer Choice)[]
    ? Choice
    : never;

type ValueOf<O extends Option> = O extends { readonly secret: true } ? Secret : ValueOfKind<O['value']>;

type AlwaysSet<T extends OptionTable> = {
  [K in keyof T]: T[K] extends { readonly required: true } | { readonly default: string } ? K : never;
}[keyof T];

/** The values of all options in a table. */
export type OptionValues<T extends OptionTable> = {
  readonly [K in AlwaysSet<T>]: ValueOf<T[K]>;
} & {
  readonly [K in Exclude<keyof T, AlwaysSet<T>>]?: ValueOf<T[K]>;
};

/** Names of all options that at least one type has. */
export type OptionName<T extends OptionsByType> = { [K in keyof T]: keyof T[K]['options'] & string }[keyof T];
