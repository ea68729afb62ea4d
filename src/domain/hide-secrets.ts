/**
 * A server that receives a secret may repeat it in its response, and responses are stored, logged and shown, so secrets
 * are removed from them here.
 */
import { redact } from './redact.js';
import { Secret } from './secret.js';

const HIDDEN = '***';
/** Shorter secrets would be found in ordinary words, and can be guessed anyway. */
const MIN_LENGTH = 4;
const MAX_DEPTH = 10;

/**
 * Creates a function that removes these secrets from a text, in upper or lower case and with characters encoded or not.
 */
export function createSecretFilter(secrets: readonly (string | undefined)[]): (text: string) => string {
  const longSecrets = secrets.filter((secret) => secret !== undefined && secret.length >= MIN_LENGTH) as string[];
  const forms = [
    ...new Set(longSecrets.flatMap((secret) => [secret.toWellFormed(), Buffer.from(secret).toString('base64')])),
  ];
  // Longest first, so that no part of a secret remains.
  const patterns = forms.sort((a, b) => b.length - a.length).map(createSecretPattern);
  const combinedPattern = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'gi');
  return (text) => redact(combinedPattern === undefined ? text : text.replace(combinedPattern, HIDDEN));
}

/** Matches each character as is or as encoded in URLs, forms and JSON, where it may be encoded several times. */
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

/** Collects the secrets in a definition, including nested ones. */
export function collectSecrets(value: unknown, depth = 0): string[] {
  if (value instanceof Secret) return [value.reveal()];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((part) => collectSecrets(part, depth + 1));
}
