import { ApiOkResponse } from '@nestjs/swagger';
import type { Fields, Schema } from './schema.js';

/** Describes a response of the form `{items, next}`. */
export const PageResponse = (item: Schema<never, Fields>, description = 'One page of the list.'): MethodDecorator =>
  ApiOkResponse({
    description,
    schema: {
      type: 'object',
      required: ['items', 'next'],
      properties: {
        items: { type: 'array', items: item.ref },
        next: {
          type: 'string',
          nullable: true,
          description: 'Cursor of the following page; null on the last one.',
          example: 'bGFzdA',
        },
      },
    },
  });
