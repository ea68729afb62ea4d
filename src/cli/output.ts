/** Prints results for a user or, with `--json`, for a program. */

export interface JsonOption {
  readonly json?: boolean;
}

/** Prints one JSON document, indented for readability. */
export const printJson = (value: unknown): void =>
  void process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);

/** Formats a count like `1 crawler` or `2 crawlers`. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
