import type { FastifyReply } from 'fastify';
import { NDJSON_TYPE } from './operation.js';

export const CSV_TYPE = 'text/csv';

/** Has browsers store the answer as a file of that name. */
export function answerAsFile(reply: FastifyReply, name: string, format: 'csv' | 'ndjson'): void {
  reply.type(format === 'csv' ? `${CSV_TYPE}; charset=utf-8` : NDJSON_TYPE);
  reply.header('content-disposition', `attachment; filename="${name}.${format}"`);
}

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
