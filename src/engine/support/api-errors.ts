/** Raised for a name, URL or number that does not exist; the server answers 404. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** Raised when the request makes no sense as it is; the server answers 422 with the message. */
export class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}
