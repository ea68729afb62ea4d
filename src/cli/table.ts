import { toPrintable } from '../server/printable.js';

type Cell = string | number;

/** Formats columns as wide as their widest cell; numbers are right-aligned and have at most one decimal. */
export function formatTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const formatCell = (cell: Cell): string =>
    typeof cell === 'number' ? String(Math.round(cell * 10) / 10) : toPrintable(cell);
  const lines: readonly (readonly Cell[])[] = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => formatCell(line[column] ?? '').length)));
  const isNumericColumn = header.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          isNumericColumn[column]
            ? formatCell(cell).padStart(widths[column]!)
            : formatCell(cell).padEnd(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
