import { Secret } from '../../src/domain/secret.js';

/** In an expectation: a Secret with this text. Two secrets are equal to what compares properties, whatever their texts. */
export const holding = (text: string): unknown => ({
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch: (value: unknown) => value instanceof Secret && value.reveal() === text,
  toString: () => `a secret ${text}`,
});
