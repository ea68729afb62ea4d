export const CSV_TYPE = 'text/csv';

/** Writes the fields of an object as a line of CSV. */
export const toCsvLine = <K extends string>(
  row: Readonly<Partial<Record<K, string | number>>>,
  columns: readonly K[],
): string => `${columns.map((column) => toCsvCell(row[column])).join(',')}\r\n`;

/** RFC 4180. A cell that a spreadsheet would interpret as a formula, also in full-width letters, gets an apostrophe in front. */
function toCsvCell(value: string | number | undefined): string {
  if (value === undefined) return '';
  const text =
    /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(String(value)) && typeof value === 'string'
      ? `'${value}`
      : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
