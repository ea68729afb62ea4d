/**
 * The vocabulary in which the API's answers are written. A schema says once about each field what it means, an example,
 * and from which property of the engine's value it is taken, which the compiler checks. The API description and the type
 * of the answer follow from it. Nothing is validated at run time: a schema only copies and converts.
 */
import { ApiProperty, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import type { Duration, Instant } from '../../domain/time/units.js';
import { toDecimalSeconds, toOptionalIsoTime } from './time.js';

/** A JSON Schema, as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The need of a field that is taken from the property with its own name. */
interface OwnName {
  readonly ownName: true;
}

type Has<Name extends PropertyKey, In> = undefined extends In
  ? { readonly [N in Name]?: In }
  : { readonly [N in Name]: In };

/**
 * A field of an answer.
 *
 * @typeParam In what the engine says
 * @typeParam Out what the answer says
 * @typeParam Need what the engine's value must have
 */
export class Field<In, Out, Need = OwnName> {
  declare readonly types: {
    readonly in: (value: In) => void;
    readonly out: Out;
    readonly need: (source: Need) => void;
  };

  constructor(
    readonly json: JsonSchema,
    readonly convert?: (value: never) => unknown,
    readonly isOptional = false,
    /** Name of the property from which the field is taken, or how it is computed. Absent: the field's own name. */
    readonly source?: string | ((source: never) => unknown),
  ) {}

  /** Allows the field to be absent. */
  optional(): Field<In | undefined, Out | undefined> {
    return new Field(this.json, this.convert, true);
  }

  /** Allows the field to be null. */
  nullable(): Field<In | null, Out | null> {
    return new Field({ ...this.json, type: [this.json['type'], 'null'] }, this.convert);
  }

  /** Takes the field from a property with another name. */
  from<Name extends string>(name: Name): Field<In, Out, Has<Name, In>> {
    return new Field(this.json, this.convert, this.isOptional, name);
  }

  /** Computes the field from the engine's value. */
  by<Source>(read: (source: Source) => In): Field<In, Out, Source> {
    return new Field(this.json, this.convert, this.isOptional, read);
  }
}

export type Fields = Readonly<Record<string, Field<never, unknown, never>>>;

type NeedOf<Name extends PropertyKey, F> =
  F extends Field<infer In, unknown, infer Need> ? ([Need] extends [OwnName] ? Has<Name, In> : Need) : never;

/** Each field, or, if the engine's value lacks what the field needs, what that is. */
type Fitting<Source, F> = {
  readonly [N in keyof F]: [Source] extends [NeedOf<N, F[N]>] ? F[N] : NeedOf<N, F[N]>;
};

type OutOf<F> = F extends Field<never, infer Out, never> ? Out : never;
type OptionalNames<F> = { [N in keyof F]: undefined extends OutOf<F[N]> ? N : never }[keyof F];
type Written<F> = { readonly [N in Exclude<keyof F, OptionalNames<F>>]: OutOf<F[N]> } & {
  readonly [N in OptionalNames<F>]?: OutOf<F[N]>;
};

/** The type of the answers with a schema. */
export type Answer<S> = S extends Schema<never, infer F> ? Written<F> : never;

/** All schemas of the modules that were loaded, by name. */
export const SCHEMAS = new Map<string, Schema<never, Fields>>();

export class Schema<Source, F extends Fields> {
  private readonly steps: readonly Step[];
  /** An answer without values: its shape is known before the fields are filled in, which is faster. */
  private readonly blank: Readonly<Record<string, unknown>>;

  constructor(
    readonly name: string,
    readonly fields: F,
  ) {
    this.steps = Object.entries(fields).map(([field, { source, convert }]) => ({
      field,
      property: typeof source === 'string' ? source : field,
      read: typeof source === 'function' ? source : undefined,
      convert,
    }));
    this.blank = Object.fromEntries(this.steps.map(({ field }) => [field, undefined]));
  }

  /** Creates the answer about a value. */
  readonly from = (source: Source): Written<F> => {
    const answer: Record<string, unknown> = { ...this.blank };
    for (const { field, property, read, convert } of this.steps) {
      const value = read === undefined ? (source as Record<string, unknown>)[property] : read(source as never);
      answer[field] = value === undefined || convert === undefined ? value : convert(value as never);
    }
    return answer as Written<F>;
  };

  /** A reference to the schema in the API description. */
  get ref(): { readonly $ref: string } {
    return { $ref: `#/components/schemas/${this.name}` };
  }

  get json(): JsonSchema {
    const fields = Object.entries(this.fields);
    const required = fields.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, { json }]) => [name, json])),
      ...(required.length > 0 ? { required } : {}),
    };
  }
}

interface Step {
  readonly field: string;
  readonly property: string;
  readonly read: ((source: never) => unknown) | undefined;
  readonly convert: ((value: never) => unknown) | undefined;
}

/** Defines the answers about values of a type, under the name that they have in the API description. */
export const schema =
  <Source>() =>
  <F extends Fields>(name: string, fields: F & Fitting<Source, F>): Schema<Source, F> => {
    if (SCHEMAS.has(name)) throw new Error(`There are two schemas named ${name}.`);
    const created = new Schema<Source, F>(name, fields);
    SCHEMAS.set(name, created as unknown as Schema<never, Fields>);
    return created;
  };

/** Defines answers that are not about a value of the engine: the calls create them as they are. */
export const ownSchema = <F extends Fields>(name: string, fields: F): Schema<Written<F>, F> =>
  schema<Written<F>>()(name, fields as never) as never;

const mean = (description: string | undefined): JsonSchema => (description === undefined ? {} : { description });

export const text = (example: string, meaning?: string, limits: JsonSchema = {}): Field<string, string> =>
  new Field({ type: 'string', ...limits, ...mean(meaning), example });

/** The URL of a page. */
export const url = (meaning?: string): Field<string, string> =>
  text('https://www.example.com/docs/start.html', meaning);

export const integer = (example: number, meaning?: string, limits: JsonSchema = {}): Field<number, number> =>
  new Field({ type: 'integer', ...limits, ...mean(meaning), example });

export const number = (example: number, meaning?: string, limits: JsonSchema = {}): Field<number, number> =>
  new Field({ type: 'number', ...limits, ...mean(meaning), example });

/** A number from 0 to 1. */
export const share = (example: number, meaning: string): Field<number, number> =>
  number(example, meaning, { minimum: 0, maximum: 1 });

export const boolean = (meaning?: string): Field<boolean, boolean> => new Field({ type: 'boolean', ...mean(meaning) });

export const oneOf = <const T extends string | number>(values: readonly T[], meaning?: string): Field<T, T> =>
  new Field({ type: typeof values[0], enum: [...values], ...mean(meaning) });

export const time = (meaning?: string, example = '2026-03-02T08:15:30.000Z'): Field<Instant, string> =>
  new Field({ type: 'string', format: 'date-time', ...mean(meaning), example }, toOptionalIsoTime);

/** A time that is usually still to come. */
export const timeAhead = (meaning?: string): Field<Instant, string> => time(meaning, '2026-03-09T08:15:30.000Z');

/** A duration in seconds. */
export const seconds = (example: number, meaning?: string): Field<Duration, number> =>
  new Field({ type: 'number', ...mean(meaning), example }, toDecimalSeconds);

type Counts = Readonly<Record<string, number>>;

/** Whole numbers by name. */
export const counts = (example: Counts, meaning?: string): Field<Counts, Counts> =>
  new Field({ type: 'object', additionalProperties: { type: 'integer' }, ...mean(meaning), example });

/** An answer inside another one. */
export function one<Source, F extends Fields>(
  { ref, from }: Schema<Source, F>,
  meaning?: string,
  example?: Written<F>,
): Field<Source, Written<F>> {
  const json = { description: meaning, allOf: [ref], ...(example === undefined ? {} : { example }) };
  return new Field(meaning === undefined ? ref : json, from);
}

/** A list of answers. */
export function listOf<Source, F extends Fields>(
  { ref, from }: Schema<Source, F>,
  meaning?: string,
  limits: JsonSchema = {},
): Field<readonly Source[], readonly Written<F>[]> {
  return new Field({ type: 'array', items: ref, ...limits, ...mean(meaning) }, (values: readonly Source[]) =>
    values.map(from),
  );
}

/** A list of objects that occur in requests, too, and are described there. */
export const listOfRequested = <T>(
  type: new () => T,
  meaning?: string,
  example?: readonly NoInfer<T>[],
): Field<readonly T[], readonly T[]> =>
  new Field({ type: 'array', items: { $ref: getSchemaPath(type) }, ...mean(meaning), ...(example ? { example } : {}) });

/** Describes a property of a request as the field of an answer that means the same. */
export const AsAnswered = <In, Out>({ json, isOptional }: Field<In, Out>): PropertyDecorator =>
  ApiProperty({ ...json, required: !isOptional } as ApiPropertyOptions);

/** A list of plain values. */
export const list = <T>(
  items: Field<T, T>,
  meaning?: string,
  limits: JsonSchema = {},
): Field<readonly T[], readonly T[]> => new Field({ type: 'array', items: items.json, ...limits, ...mean(meaning) });

export const countSchema = ownSchema('Count', { count: integer(3, 'Number of items affected.', { minimum: 0 }) });
