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
  isISO8601,
  isRFC3339,
  MaxLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/** The field may be left out. Unlike IsOptional, it does not accept null, which calls would treat as a value. */
export const IfGiven = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

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

/** ISO 8601 also has week dates and ordinal dates, which Date cannot parse; RFC 3339 alone would allow February 31. */
export const isTimestamp = (value: unknown): boolean =>
  isRFC3339(value) && isISO8601(value, { strict: true }) && !Number.isNaN(Date.parse(value as string));

export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isMoment',
    validator: {
      validate: isTimestamp,
      defaultMessage: () => '$property must be a date and time such as 2026-03-01T08:00:00Z',
    },
  });
