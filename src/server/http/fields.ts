/** Validators that class-validator does not have, or that accept too much there. */
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

/** The field may be left out. Unlike IsOptional it does not accept null, which the calls would take for a value. */
export const IfGiven = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** A list of such objects; without IsObject a nested list would be accepted. */
export const IsListOf = (type: () => new () => object, max: number): PropertyDecorator =>
  applyDecorators(
    Type(type),
    IsArray(),
    ArrayMaxSize(max),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
  ) as PropertyDecorator;

/** ISO 8601 also has weeks and days of the year, which Date cannot parse; RFC 3339 alone would allow the 31st of February. */
const isMoment = (value: unknown): boolean =>
  isRFC3339(value) && isISO8601(value, { strict: true }) && !Number.isNaN(Date.parse(value as string));

export const IsMoment = (): PropertyDecorator =>
  ValidateBy({
    name: 'isMoment',
    validator: {
      validate: isMoment,
      defaultMessage: () => '$property must be a date and time such as 2026-03-01T08:00:00Z',
    },
  });
