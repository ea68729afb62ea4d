const SHOWN = '***';

/**
 * A string that must reach one place only, the socket for which it is meant. Whatever prints, serializes, compares or
 * copies one gets asterisks or nothing; `reveal` is the only way to the text. test/secrets-stay-closed.spec.ts lists
 * who may call it.
 */
export class Secret {
  readonly #text: string;
  readonly #shown: string;

  /** @param shown what is displayed instead, such as a URL without its login */
  constructor(text: string, shown: string = SHOWN) {
    this.#text = text;
    this.#shown = shown;
  }

  reveal(): string {
    return this.#text;
  }

  equals(other: Secret): boolean {
    return this.#text === other.#text;
  }

  toString(): string {
    return this.#shown;
  }

  toJSON(): string {
    return this.#shown;
  }

  [Symbol.toPrimitive](): string {
    return this.#shown;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.#shown;
  }
}

/** A secret stored elsewhere could not be read. The message is for a person and contains no part of the secret. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** The string itself, whether it is a secret or not. */
export const revealText = (text: string | Secret): string => (text instanceof Secret ? text.reveal() : text);

/** Whether two parts of a definition are equal, secrets included. The property `without` is ignored at any depth. */
export function isSameDefinition(one: unknown, other: unknown, without?: string): boolean {
  if (one instanceof Secret) return other instanceof Secret && one.equals(other);
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other) || other instanceof Secret) return false;
  const [ours, theirs] = [one, other].map((value) =>
    Object.entries(value).filter(([name, part]) => name !== without && part !== undefined),
  ) as [[string, unknown][], [string, unknown][]];
  if (ours.length !== theirs.length) return false;
  const parts = other as Record<string, unknown>;
  return ours.every(([name, part]) => Object.hasOwn(parts, name) && isSameDefinition(part, parts[name], without));
}
