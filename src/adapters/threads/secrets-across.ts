/**
 * Passes secrets between threads of this process. A structured clone loses the contents of a Secret, so its value is
 * sent under a property name that no other object has.
 */
import { Secret } from '../../domain/secret.js';

const MARK = '\0secret';

/** Returns the value with its secrets prepared for cloning; the same value if it has none. */
export const packSecrets = <T>(value: T): T =>
  replaceDeep(value, (part) =>
    part instanceof Secret ? { [MARK]: part.reveal(), shown: String(part) } : undefined,
  ) as T;

/** Restores on the receiving side what `packSecrets` prepared. */
export const unpackSecrets = <T>(value: T): T =>
  replaceDeep(value, (part) => {
    const { [MARK]: text, shown } = part as Record<string, unknown>;
    return typeof text === 'string' ? new Secret(text, String(shown)) : undefined;
  }) as T;

function replaceDeep(value: unknown, replacement: (part: object) => object | undefined): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const instead = replacement(value);
  if (instead) return instead;
  let copy: Record<string, unknown> | undefined;
  for (const [name, part] of Object.entries(value)) {
    const other = replaceDeep(part, replacement);
    if (other === part) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = other;
  }
  return copy ?? value;
}
