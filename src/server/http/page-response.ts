import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { type Fields, Schema } from './schema.js';

/** Describes a response of the form `{items, next}`. */
export const PageResponse = (
  item: Schema<never, Fields> | Type<unknown>,
  description = 'One page of the list.',
): MethodDecorator =>
  applyDecorators(
    ...(item instanceof Schema ? [] : [ApiExtraModels(item)]),
    ApiOkResponse({
      description,
      schema: {
        type: 'object',
        required: ['items', 'next'],
        properties: {
          items: { type: 'array', items: item instanceof Schema ? item.ref : { $ref: getSchemaPath(item) } },
          next: { type: 'string', nullable: true, description: 'Cursor of the following page; null on the last one.' },
        },
      },
    }),
  );
