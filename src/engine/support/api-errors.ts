/** Thrown for a name, URL or number that does not exist; the server responds with 404. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/**
 * Creates the error for a name that does not exist.
 * @param kind the kind of thing: crawler, login
 */
export const createUnknownNameError = (kind: string, name: string, names: readonly string[]): NotFound =>
  new NotFound(
    `there is no ${kind} ${JSON.stringify(name)}; ${names.length === 0 ? 'none is configured' : `configured: ${names.join(', ')}`}`,
  );

/** Thrown for a request that cannot be carried out as is; the server responds with 422 and the message. */
export class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}
