/** Raised for a name, URL or number that does not exist; the server answers 404. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** For a name that does not exist. `what`: crawler, login. */
export const notAmong = (what: string, name: string, names: readonly string[]): NotFound =>
  new NotFound(
    `there is no ${what} ${JSON.stringify(name)}; ${names.length === 0 ? 'none is configured' : `there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`}`,
  );

/** Raised for a request that cannot be carried out as it is; the server answers 422 with the message. */
export class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}
