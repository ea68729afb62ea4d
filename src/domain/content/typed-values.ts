/** Normalizes the values of typed fields: dates to ISO 8601 in UTC, numbers as in JSON, booleans to true and false. */
import { formatIsoTime } from '../time/http-date.js';
import { parseWrittenDate } from '../time/written-date.js';
import type { FieldType } from './content-definition.js';

/** Longer values are not parsed as a date, number or boolean. */
const MAX_LENGTH = 100;

/** Returns undefined if the text is not of this type. Relative URLs (type `url`) are resolved against `base`. */
export function parseTypedValue(text: string, type: FieldType, base: string): string | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (type === 'text') return value;
  if (type === 'url') return URL.parse(value, base)?.href;
  if (value.length > MAX_LENGTH) return undefined;
  if (type === 'boolean') return normalizeBoolean(value.toLowerCase());
  return type === 'date' ? normalizeDate(value) : normalizeNumber(value);
}

const TRUE_WORDS = new Set(['true', 'yes', '1', 'on']);
const FALSE_WORDS = new Set(['false', 'no', '0', 'off']);

const normalizeBoolean = (value: string): string | undefined =>
  TRUE_WORDS.has(value) ? 'true' : FALSE_WORDS.has(value) ? 'false' : undefined;

/** A number with its sign (but not the hyphen of a word), digits that blanks or other separators may group, and an exponent. */
const NUMBER =
  /((?<![\p{L}\p{N}])[+\u2212-])?(\d{1,3}(?:[\u00a0\u2009\u202f ]\d{3}(?!\d))+(?:[.,]\d+)?|\d+(?:['\u2018\u2019\u00b4\u02bc`]\d{3}(?!\d)|[.,]\d+)*|(?<![\p{L}\p{N}.])\.\d+)(e[+-]?\d{1,3}(?![\p{L}\p{N}]))?/iu;

/**
 * Returns the first number in the text. The last comma or point is taken as the decimal separator, unless it separates
 * groups of digits.
 */
export function normalizeNumber(value: string): string | undefined {
  const [, sign = '', digits, exponent = ''] = NUMBER.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(toPlainNumber(digits.replace(/[^\d.,]/g, '')) + exponent);
  return Number.isFinite(number) ? String(/[\u2212-]/.test(sign) ? -number : number) : undefined;
}

function toPlainNumber(text: string): string {
  const separatorIndex = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (separatorIndex < 0) return text;
  const separators = text.replace(/[^.,]/g, '');
  const trailingDigitCount = text.length - separatorIndex - 1;
  const hasBothSeparators = separators.includes('.') && separators.includes(',');
  // Several numbers, or a version: `10,20,30`, `1.2.3`.
  if (!hasBothSeparators && separators.length > 1 && !/^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/.test(text))
    return text.slice(0, text.search(/[.,]/));
  // 1,234 and 1.234.567 are whole numbers; 1,5 and 1.234 are fractions.
  const isGrouped = !hasBothSeparators && (separators.length > 1 || (separators === ',' && trailingDigitCount === 3));
  if (isGrouped) return text.replace(/[.,]/g, '');
  return `${text.slice(0, separatorIndex).replace(/[.,]/g, '')}.${text.slice(separatorIndex + 1)}`;
}

/** Returns the time in ISO 8601, UTC; undefined if the text is not a date (`parseWrittenDate`). */
export function normalizeDate(text: string): string | undefined {
  const moment = parseWrittenDate(text);
  return moment === undefined ? undefined : formatIsoTime(moment);
}
