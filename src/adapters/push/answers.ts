/** Reads values from servers' responses, which may have any form. Values of an unexpected type are treated as empty. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const asStrings = (value: unknown): readonly string[] =>
  asList(value).filter((item) => typeof item === 'string');
