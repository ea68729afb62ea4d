/**
 * The fields of requests. A decorator says once what a field means, which values it has and whether it may be left out;
 * its validation and its description in the API follow from it.
 */
import { applyDecorators, type PipeTransform } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  isRFC3339,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { ProblemException } from './problem.js';

interface Meaning {
  /** Absent: the field is required. */
  readonly required?: false;
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
}

interface TextLimits {
  /** Values that are described here and checked elsewhere. */
  readonly enum?: readonly string[];
  readonly writeOnly?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface NumberLimits {
  readonly minimum: number;
  readonly maximum?: number;
}

const describe = (
  { required, ...description }: Meaning & Readonly<Record<string, unknown>>,
  ...validators: readonly PropertyDecorator[]
): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ ...(required === false ? { required } : {}), ...description }),
    ...(required === false ? [IfGiven()] : []),
    ...validators,
  ) as PropertyDecorator;

export const IsText = (options: Meaning & TextLimits = {}): PropertyDecorator =>
  describe(
    { ...options },
    IsString(),
    ...(options.minLength === undefined ? [] : [MinLength(options.minLength)]),
    ...(options.maxLength === undefined ? [] : [MaxLength(options.maxLength)]),
  );

export const IsOneOf = (values: readonly string[], meaning: Meaning = {}): PropertyDecorator =>
  describe({ enum: [...values], ...meaning }, IsIn(values));

/** A whole number in a body. */
export const IsWholeNumber = (options: Meaning & NumberLimits): PropertyDecorator =>
  describe(
    { type: 'integer', ...options },
    IsInt(),
    Min(options.minimum),
    ...(options.maximum === undefined ? [] : [Max(options.maximum)]),
  );

/** How many items a call returns at most, as a query parameter. */
export const IsLimit = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ required: false, minimum: 1, maximum: 1000, default: 100, description }),
    IfGiven(),
    Transform(({ value }) => toWholeNumber(value)),
    IsInt(),
    Min(1),
    Max(1000),
  ) as PropertyDecorator;

/** A truth value in a body. */
export const IsTruth = (meaning: Meaning): PropertyDecorator => describe({ ...meaning }, IsBoolean());

/** The field may be left out. Unlike IsOptional, it does not accept null, which calls would treat as a value. */
export const IfGiven = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** The field may be left out where another one is given. What is there is checked either way. */
export const IfGivenOrWithout = (other: string): PropertyDecorator =>
  ValidateIf((body, value) => value !== undefined || body[other] === undefined);

/** Query parameters are strings; anything other than `true` and `false` is left for the validator to refuse. */
const toBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/** A query parameter that is `true`, `false` or absent. */
export const IsFlag = (meaning: Meaning): PropertyDecorator =>
  describe(
    { ...meaning, required: false },
    Transform(({ value }) => toBoolean(value)),
    IsBoolean(),
  );

/** The query parameter `crawler` of calls that may be narrowed to one. */
export const CrawlerFilter = (description?: string): PropertyDecorator =>
  IsText({ required: false, minLength: 1, maxLength: 256, ...(description === undefined ? {} : { description }) });

/** A list of objects of the type; without IsObject, a nested list would be accepted. */
export const IsListOf = (type: () => new () => object, max: number): PropertyDecorator =>
  applyDecorators(
    Type(type),
    IsArray(),
    ArrayMaxSize(max),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
  ) as PropertyDecorator;

/** RFC 3339 alone would allow February 31, which Date takes for a day of March. */
export function isTimestamp(value: unknown): boolean {
  if (!isRFC3339(value) || Number.isNaN(Date.parse(value as string))) return false;
  const date = (value as string).slice(0, 10);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

export const IsTimestamp = (meaning: Meaning): PropertyDecorator =>
  describe(
    { format: 'date-time', ...meaning },
    ValidateBy({
      name: 'isMoment',
      validator: {
        validate: isTimestamp,
        defaultMessage: () => '$property must be a date and time such as 2026-03-01T08:00:00Z',
      },
    }),
  );

/**
 * Query parameters are strings; anything but digits is left for the validator to refuse. Number() would also accept
 * ` `, `0x10` and `1e2`, which are surely mistakes.
 */
export const toWholeNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;

/** A number in a path: a position, an identifier, a version. `2.0` is a whole number, too, as in JSON. */
export class WholeNumberPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const number = /^\d+(?:\.0+)?$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number)) return number;
    throw new ProblemException(
      'invalid-request',
      `${JSON.stringify(text)} in the path is not a whole number, 0 or greater.`,
    );
  }
}
