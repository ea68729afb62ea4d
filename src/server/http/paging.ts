/** Cursor paging: a response contains `next`, an opaque string with which the client requests the following page. */
import { ApiOkResponse } from '@nestjs/swagger';
import { IsLimit, IsText } from './fields.js';
import { ProblemException } from './problem.js';
import type { Fields, Schema } from './schema.js';

export class PageQuery {
  @IsText({
    required: false,
    description: '`next` of the previous response; absent or empty for the first page.',
    maxLength: 4096,
  })
  cursor?: string;

  @IsLimit('Maximum number of items in one response.')
  limit: number = 100;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly next: string | null;
}

/** @param items one item more than `limit`, unless this is the last page */
export function toPage<T>(items: readonly T[], limit: number, getPosition: (last: T) => string | number): Page<T> {
  const pageItems = items.slice(0, limit);
  const lastItem = pageItems.at(-1);
  return {
    items: pageItems,
    next: items.length > limit && lastItem !== undefined ? encodeCursor(getPosition(lastItem)) : null,
  };
}

export const mapPage = <T, U>(page: Page<T>, map: (item: T) => U): Page<U> => ({
  items: page.items.map(map),
  next: page.next,
});

export const encodeCursor = (position: string | number): string => Buffer.from(String(position)).toString('base64url');

const decodeCursor = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8');

/** The numeric position in a cursor; undefined for the first page. */
export function parseNumberCursor(cursor: string | undefined): number | undefined {
  if (!cursor) return undefined;
  const position = Number(decodeCursor(cursor));
  if (!Number.isSafeInteger(position) || position < 0 || encodeCursor(position) !== cursor)
    throw createInvalidCursorProblem();
  return position;
}

export function parseTextCursor(cursor: string | undefined): string | undefined {
  if (!cursor) return undefined;
  const position = decodeCursor(cursor);
  // PostgreSQL fails for a text with a NUL; validation refuses it everywhere else.
  if (position === '' || position.includes('\0') || encodeCursor(position) !== cursor)
    throw createInvalidCursorProblem();
  return position;
}

export const createInvalidCursorProblem = (): ProblemException =>
  new ProblemException('unacceptable', 'cursor was not issued by this server; use `next` of a response.', {
    errors: [{ pointer: '?cursor', detail: 'not a cursor of this server' }],
  });

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
