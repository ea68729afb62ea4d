/** How results are printed: for a person, or with `--json` for a program. */

export interface JsonOption {
  readonly json?: boolean;
}

/** One JSON document, indented for whoever looks at it. */
export const printJson = (value: unknown): void =>
  void process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
