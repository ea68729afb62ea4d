import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

/** Describes a response of the form `{items, next}`. */
export const PageResponse = (item: Type<unknown>, description = 'One page of the list.'): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      description,
      schema: {
        type: 'object',
        required: ['items', 'next'],
        properties: {
          items: { type: 'array', items: { $ref: getSchemaPath(item) } },
          next: { type: 'string', nullable: true, description: 'Cursor of the following page; null on the last one.' },
        },
      },
    }),
  );
