import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import { type ProblemError, ProblemException } from './problem.js';

/** Refuses unknown fields, because a misspelled name must not be ignored silently. */
export const createValidationPipe = (): ValidationPipe => new FieldsPipe();

class FieldsRefused extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('some fields are invalid');
  }
}

class FieldsPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      stopAtFirstError: false,
      exceptionFactory: (errors) => new FieldsRefused(errors),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && value === null) {
      throw new ProblemException('invalid-request', 'The body is null; the call expects an object.');
    }
    const isText = metadata.type === 'body' && typeof value === 'string';
    if (!isText && hasNul(value)) {
      throw new ProblemException('invalid-request', 'A value contains a NUL character, which this API does not allow.');
    }
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      if (!(error instanceof FieldsRefused)) throw error;
      const parent = metadata.type === 'query' ? '?' : '/';
      throw new ProblemException('invalid-request', 'Some fields are invalid; `errors` names each.', {
        errors: error.errors.flatMap((fieldError) => toProblemErrors(fieldError, parent)),
      });
    }
  }

  /** Leaves primitive values to stricter pipes, because Number(' ') is 0 and Number('0x10') is 16. */
  protected override transformPrimitive(value: unknown): unknown {
    return value;
  }
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul);
}

function toProblemErrors(error: ValidationError, parent: string): ProblemError[] {
  const pointer = toPointer(parent, error.property);
  const ownErrors = listDetails(error).map((detail) => ({ pointer, detail }));
  return [...ownErrors, ...(error.children ?? []).flatMap((child) => toProblemErrors(child, `${pointer}/`))];
}

/** Unknown and missing fields are reported with a single sentence instead of one for each constraint. */
function listDetails({ constraints = {}, property, value }: ValidationError): readonly string[] {
  if ('whitelistValidation' in constraints) return [`the call has no field ${property}`];
  const messages = Object.values(constraints);
  return value === undefined && messages.length > 0 ? [`${property} is missing`] : messages;
}

/** Appends a name to a JSON pointer (RFC 6901, 3), or names a query parameter. */
export const toPointer = (parent: string, name: string): string =>
  parent + (parent === '?' ? name : name.replaceAll('~', '~0').replaceAll('/', '~1'));
