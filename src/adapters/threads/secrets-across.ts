/**
 * Passes secrets between threads of this process. A structured clone loses the contents of a Secret, so its value is
 * sent under a property name that no other object has.
 */
import { Secret } from '../../domain/secret.js';

const SECRET_KEY = '\0secret';

/** Returns the value with its secrets prepared for cloning; the same value if it has none. */
export const packSecrets = <T>(value: T): T =>
  replaceDeep(value, (part) =>
    part instanceof Secret ? { [SECRET_KEY]: part.reveal(), shown: String(part) } : undefined,
  ) as T;

/** Restores on the receiving side what `packSecrets` prepared. */
export const unpackSecrets = <T>(value: T): T =>
  replaceDeep(value, (part) => {
    const { [SECRET_KEY]: text, shown } = part as Record<string, unknown>;
    return typeof text === 'string' ? new Secret(text, String(shown)) : undefined;
  }) as T;

function replaceDeep(value: unknown, replace: (part: object) => object | undefined): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const replacement = replace(value);
  if (replacement) return replacement;
  let copy: Record<string, unknown> | undefined;
  for (const [name, part] of Object.entries(value)) {
    const replacedPart = replaceDeep(part, replace);
    if (replacedPart === part) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = replacedPart;
  }
  return copy ?? value;
}
