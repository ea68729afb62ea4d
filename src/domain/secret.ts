const PLACEHOLDER = '***';

/**
 * A string that must be sent only to the server for which it is meant. Code that prints, serializes or copies it gets
 * asterisks or nothing; only `reveal` returns the text. test/secrets-are-never-printed.spec.ts lists the code that may call
 * it.
 */
export class Secret {
  readonly #text: string;
  readonly #displayText: string;

  /** @param shown what is displayed instead, such as a URL without its login */
  constructor(text: string, shown: string = PLACEHOLDER) {
    this.#text = text;
    this.#displayText = shown;
  }

  reveal(): string {
    return this.#text;
  }

  equals(other: Secret): boolean {
    return this.#text === other.#text;
  }

  toString(): string {
    return this.#displayText;
  }

  toJSON(): string {
    return this.#displayText;
  }

  [Symbol.toPrimitive](): string {
    return this.#displayText;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.#displayText;
  }
}

/** Thrown if a secret stored elsewhere cannot be read. The message is for users and contains no part of the secret. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** Returns the text, whether or not it is wrapped as a secret. */
export const revealText = (text: string | Secret): string => (text instanceof Secret ? text.reveal() : text);

/** Whether two parts of a definition are equal, secrets included. One property can be ignored at any depth. */
export function isSameDefinition(left: unknown, right: unknown, ignoredProperty?: string): boolean {
  if (left instanceof Secret) return right instanceof Secret && left.equals(right);
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null)
    return Object.is(left, right);
  if (Array.isArray(left) !== Array.isArray(right) || right instanceof Secret) return false;
  const [leftEntries, rightEntries] = [left, right].map((value) =>
    Object.entries(value).filter(([name, part]) => name !== ignoredProperty && part !== undefined),
  ) as [[string, unknown][], [string, unknown][]];
  if (leftEntries.length !== rightEntries.length) return false;
  const rightParts = right as Record<string, unknown>;
  return leftEntries.every(
    ([name, part]) => Object.hasOwn(rightParts, name) && isSameDefinition(part, rightParts[name], ignoredProperty),
  );
}
