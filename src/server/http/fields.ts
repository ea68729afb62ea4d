/** Validators that class-validator lacks or implements too leniently. */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsObject,
  isISO8601,
  isRFC3339,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/** The field may be left out. Unlike IsOptional, it does not accept null, which calls would treat as a value. */
export const IfGiven = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

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
