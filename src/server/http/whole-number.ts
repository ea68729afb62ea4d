/** Parses whole numbers in URLs. Number() would also accept ` `, `0x10` and `1e2`, which are surely mistakes. */
import type { PipeTransform } from '@nestjs/common';
import { ProblemException } from './problem.js';

/** Query parameters are strings; anything but digits is left for the validator to refuse. */
export const toWholeNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;

/** A number in a path: a position, an identifier, a version. `2.0` is a whole number, too, as in JSON. */
export class WholeNumberPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const number = /^\d+(?:\.0+)?$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number)) return number;
    throw new ProblemException(
      'invalid-request',
      `${JSON.stringify(text)} in the path is not a whole number, 0 or greater.`,
    );
  }
}
