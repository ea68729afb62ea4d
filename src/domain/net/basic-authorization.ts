/** The value of the header Authorization for Basic authentication (RFC 7617), in UTF-8. */
export const createBasicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
