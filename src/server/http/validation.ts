import { type ValidationError, ValidationPipe } from '@nestjs/common';
import { type ProblemError, ProblemException } from './problem.js';

/** Unknown fields are refused, not ignored: a misspelt name must not pass in silence. */
export const validationPipe = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: false,
    exceptionFactory: (errors) =>
      new ProblemException('invalid-request', 'Some fields are wrong; `errors` names each.', {
        errors: errors.flatMap((error) => describe(error, '')),
      }),
  });

function describe(error: ValidationError, parent: string): ProblemError[] {
  const pointer = `${parent}/${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((detail) => ({ pointer, detail }));
  return [...own, ...(error.children ?? []).flatMap((child) => describe(child, pointer))];
}
