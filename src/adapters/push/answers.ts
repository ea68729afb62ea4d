/** Reads values from servers' responses, which may have any form. Values of an unexpected type are treated as empty. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const asStrings = (value: unknown): readonly string[] =>
  asList(value).filter((item) => typeof item === 'string');

/** What sinks say of a million documents in a batch is less, and it takes some hundred megabytes at most. */
const MAX_VALUES = 1_000_000;

/**
 * Parses JSON that a server sent: in memory, `[],[],` takes fifty times as much as its text.
 * @throws Error if it is none, or has more than a million values
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_VALUES && hasTooManyValues(text)) throw new RangeError(`more than ${MAX_VALUES} values`);
  return JSON.parse(text);
}

function hasTooManyValues(text: string): boolean {
  let values = 0;
  let isInString = false;
  for (let at = 0; at < text.length && values <= MAX_VALUES; at++) {
    const character = text[at];
    if (isInString && character === '\\') at++;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && (character === ',' || character === '[' || character === '{')) values++;
  }
  return values > MAX_VALUES;
}
