/** Cursor paging: a response contains `next`, an opaque string with which the client requests the following page. */
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { IfGiven } from './fields.js';
import { ProblemException } from './problem.js';
import { toWholeNumber } from './whole-number.js';

export class PageQuery {
  @ApiProperty({ required: false, description: '`next` of the previous response; absent or empty for the first page.' })
  @IfGiven()
  @IsString()
  @MaxLength(4096)
  cursor?: string;

  @ApiProperty({
    required: false,
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: 'Maximum number of items in one response.',
  })
  @IfGiven()
  @Transform(({ value }) => toWholeNumber(value))
  @IsInt()
  @Min(1)
  @Max(1000)
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
  if (position === '' || encodeCursor(position) !== cursor) throw createInvalidCursorProblem();
  return position;
}

export const createInvalidCursorProblem = (): ProblemException =>
  new ProblemException('unacceptable', 'cursor was not issued by this server; use `next` of a response.', {
    errors: [{ pointer: '?cursor', detail: 'not a cursor of this server' }],
  });
