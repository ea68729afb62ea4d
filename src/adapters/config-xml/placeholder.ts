/** Replaces each secret in everything that leaves the server. */
export const PLACEHOLDER = '********';
