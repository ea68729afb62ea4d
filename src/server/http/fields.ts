/** Validators that class-validator lacks or implements too leniently. */
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsObject,
  IsString,
  isRFC3339,
  MaxLength,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/** The field may be left out. Unlike IsOptional, it does not accept null, which calls would treat as a value. */
export const IfGiven = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** The field may be left out where another one is given. What is there is checked either way. */
export const IfGivenOrWithout = (other: string): PropertyDecorator =>
  ValidateIf((body, value) => value !== undefined || body[other] === undefined);

/** Query parameters are strings; anything other than `true` and `false` is left for the validator to refuse. */
const toBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/** A query parameter that is `true`, `false` or absent. */
export const IsFlag = (): PropertyDecorator =>
  applyDecorators(
    IfGiven(),
    Transform(({ value }) => toBoolean(value)),
    IsBoolean(),
  ) as PropertyDecorator;

/** The query parameter `crawler` of calls that may be narrowed to one. */
export const CrawlerFilter = (description?: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ required: false, minLength: 1, ...(description === undefined ? {} : { description }) }),
    IfGiven(),
    IsString(),
    MinLength(1),
    MaxLength(256),
  ) as PropertyDecorator;

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

export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isMoment',
    validator: {
      validate: isTimestamp,
      defaultMessage: () => '$property must be a date and time such as 2026-03-01T08:00:00Z',
    },
  });
