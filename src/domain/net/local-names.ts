/** Names that stand for the local machine (RFC 6761, 6.3), whatever a name server says of them. */

const BELOW_LOCALHOST = /\.localhost\.?$/i;

export const isLocalName = (hostname: string): boolean =>
  /^localhost\.?$/i.test(hostname) || BELOW_LOCALHOST.test(hostname);

/** The name to look up for the addresses of a host: names below `localhost` have those of `localhost`. */
export const toLookupName = (hostname: string): string => (BELOW_LOCALHOST.test(hostname) ? 'localhost' : hostname);
