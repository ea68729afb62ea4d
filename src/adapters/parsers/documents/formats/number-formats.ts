/** Numbers of spreadsheets as people see them: dates, times, percentages, currencies (ECMA-376, 18.8.30 and 18.8.31). */
import { format, isDateFormat } from 'numfmt';
import { createNameSet, parseElements } from './markup.js';

/**
 * The formats that files name by number alone. Those of dates and times depend on the computer that shows them: here,
 * they are those of ISO 8601, which are the same everywhere.
 */
const BUILT_IN_FORMATS: ReadonlyMap<number, string> = new Map([
  ...['0', '0.00', '#,##0', '#,##0.00'].map((pattern, index) => [index + 1, pattern] as const),
  ...['0%', '0.00%', '0.00E+00', '# ?/?', '# ??/??'].map((pattern, index) => [index + 9, pattern] as const),
  [14, 'yyyy-mm-dd'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'yyyy-mm-dd h:mm'],
  // East Asian dates and times.
  ...[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd'] as const),
  ...[32, 33, 34, 35, 55, 56].map((id) => [id, 'h:mm:ss'] as const),
  ...[37, 38].map((id) => [id, '#,##0;(#,##0)'] as const),
  ...[39, 40].map((id) => [id, '#,##0.00;(#,##0.00)'] as const),
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
]);
/** Excel accepts no longer ones. */
const MAX_PATTERN_LENGTH = 255;
/** Days between the beginnings of the two calendars, 1900 and 1904. */
const DAYS_TO_1904 = 1_462;
const GENERAL = 'General';

export class NumberFormats {
  /** Patterns by the number that the file gives them. */
  private readonly patterns = new Map<number, string>();
  private readonly datePatterns = new Map<string, boolean>();

  /** @param is1904 dates count from 1904, as on old Macs */
  constructor(private readonly is1904: boolean) {}

  define(id: number, pattern: string): void {
    if (pattern.length <= MAX_PATTERN_LENGTH) this.patterns.set(id, pattern);
  }

  /** Formats a number; patterns that are not valid count as `General`. */
  format(id: number, value: number): string {
    const pattern = this.patterns.get(id) ?? BUILT_IN_FORMATS.get(id) ?? GENERAL;
    if (/^general$/i.test(pattern) || pattern === '@') return toGeneral(value);
    try {
      const days = this.is1904 && this.isDate(pattern) ? value + DAYS_TO_1904 : value;
      return format(pattern, days, { dateErrorNumber: true });
    } catch {
      return toGeneral(value);
    }
  }

  private isDate(pattern: string): boolean {
    // Hours since the beginning of the calendar, as in [h]:mm, are times that have passed.
    const known = this.datePatterns.get(pattern) ?? (isDateFormat(pattern) && !/\[[hms]+\]/i.test(pattern));
    this.datePatterns.set(pattern, known);
    return known;
  }
}

/** Whole numbers are shown whole, however wide their column is: many of them are identifiers. */
const toGeneral = (value: number): string => (Number.isInteger(value) ? String(value) : format(GENERAL, value));

/** Workbooks that many people have edited have tens of thousands of styles, with fonts and borders. */
const STYLE_ELEMENTS = createNameSet('numfmts numfmt cellxfs cellstylexfs dxfs xf');

/** Reads the formats of a workbook; returns the number of the format for each style of cells. */
export function readCellStyles(xml: string | undefined, formats: NumberFormats): number[] {
  const styles: number[] = [];
  let list = '';
  for (const { name, attributes } of parseElements(xml, STYLE_ELEMENTS)) {
    if (name === 'numfmts' || name === 'cellxfs' || name === 'cellstylexfs' || name === 'dxfs') list = name;
    else if (name === 'numfmt' && list === 'numfmts')
      formats.define(Number(attributes.get('numfmtid')), attributes.get('formatcode') ?? '');
    else if (name === 'xf' && list === 'cellxfs') styles.push(Number(attributes.get('numfmtid') ?? 0));
  }
  return styles;
}
