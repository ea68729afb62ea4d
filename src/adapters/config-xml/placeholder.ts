/** Takes the place of a secret in everything that leaves the server. */
export const PLACEHOLDER = '********';
