/**
 * What class-validator has no decorator for, or one that lets too much through.
 */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, ValidateIf, ValidateNested } from 'class-validator';

/** The field may be left out. Unlike IsOptional it lets no null through, which the calls would take for a value. */
export const IfGiven = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** A list of such objects; without IsObject a list in the list would pass unseen. */
export const IsListOf = (type: () => new () => object, max: number): PropertyDecorator =>
  applyDecorators(
    Type(type),
    IsArray(),
    ArrayMaxSize(max),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
  ) as PropertyDecorator;
