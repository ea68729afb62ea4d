/**
 * A server that receives a secret may repeat it in its response, and responses are stored, logged and shown, so secrets
 * are removed from them here.
 */
import { redact } from './redact.js';
import { Secret } from './secret.js';

const HIDDEN = '***';
/** Shorter secrets occur in every other word of a response, and can be guessed anyway. */
const SHORTEST = 4;
const DEEPEST = 10;

/**
 * Creates a function that removes these secrets from a text, in upper or lower case and with characters encoded or not.
 */
export function createSecretFilter(secrets: readonly (string | undefined)[]): (text: string) => string {
  const long = secrets.filter((secret) => secret !== undefined && secret.length >= SHORTEST) as string[];
  const forms = [...new Set(long.flatMap((secret) => [secret.toWellFormed(), Buffer.from(secret).toString('base64')]))];
  // Longest first, so that no part of a secret remains.
  const patterns = forms.sort((one, other) => other.length - one.length).map(createSecretPattern);
  const any = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'gi');
  return (text) => redact(any === undefined ? text : text.replace(any, HIDDEN));
}

/** Each character as is, or as URLs, forms and JSON write it; an encoded character may be encoded again. */
const createSecretPattern = (secret: string): string =>
  [...secret].map((character) => `(?:${createCharacterPattern(character)})`).join('');

const createCharacterPattern = (character: string): string =>
  [
    escapeRegExp(character),
    ...(/[A-Za-z0-9]/.test(character)
      ? []
      : [createPercentEncodedPattern(character), escapeRegExp(JSON.stringify(character).slice(1, -1))]),
    ...(character === ' ' ? ['\\+'] : []),
  ].join('|');

const createPercentEncodedPattern = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%(?:25){0,3}${byte.toString(16).padStart(2, '0')}`).join('');

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** All secrets in a definition, at any depth. */
export function collectSecrets(value: unknown, depth = 0): string[] {
  if (value instanceof Secret) return [value.reveal()];
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((part) => collectSecrets(part, depth + 1));
}
