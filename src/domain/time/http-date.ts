import { before, type Duration, type Instant, instant, minutes } from './units.js';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const IMF_FIXDATE =
  /^\s*(?:[a-z]+,?\s+)?(\d{1,2})[\s-]([a-z]{3})[a-z]*[\s-](\d{2,4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([a-z]{1,4})\b)?(?: ?([+-])(\d{2}):?(\d{2}))?/i;
const ASCTIME = /^\s*[a-z]{3}\s+([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(\d{4})/i;

/** Hours by which the zones of RFC 5322, section 4.3, and those with a name of their own are ahead of UTC; others count as UTC. */
const ZONES: Readonly<Record<string, number>> = {
  ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
  ...{ bst: 1, west: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3 },
  ...{ hkt: 8, sgt: 8, jst: 9, kst: 9, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
};

/** A zone as dates name it: `EST`, `+0200` or both. */
export interface WrittenZone {
  readonly name?: string;
  readonly sign?: string;
  readonly hours?: string;
  readonly minutes?: string;
}

/** How far the zone is ahead of UTC. */
export function computeOffset({ name = '', sign, hours, minutes: rest = '0' }: WrittenZone): Duration {
  if (sign === undefined) return minutes(60 * (ZONES[name.toLowerCase()] ?? 0));
  const offset = 60 * Number(hours) + Number(rest);
  return minutes(sign === '+' ? offset : -offset);
}

/**
 * Parses an HTTP date in one of the three forms of RFC 9110, 5.6.7, leniently; undefined if it is not one. It is in UTC
 * unless it names another zone, as that of a program does that writes dates as in mail.
 */
export function parseHttpDate(text: string): Instant | undefined {
  const imfMatch = IMF_FIXDATE.exec(text);
  if (imfMatch) {
    const [, day, month, year, hour, minute, second = '0', name, sign, hours, rest] = imfMatch;
    const moment = toInstant(year!, month!, day!, hour!, minute!, second);
    return moment && before(moment, computeOffset({ name, sign, hours, minutes: rest }));
  }
  const asctimeMatch = ASCTIME.exec(text);
  return asctimeMatch
    ? toInstant(
        asctimeMatch[6]!,
        asctimeMatch[1]!,
        asctimeMatch[2]!,
        asctimeMatch[3]!,
        asctimeMatch[4]!,
        asctimeMatch[5]!,
      )
    : undefined;
}

function toInstant(year: string, monthName: string, ...rest: string[]): Instant | undefined {
  const month = MONTHS.indexOf(monthName.slice(0, 3).toLowerCase());
  if (month < 0) return undefined;
  const [day, hour, minute, second] = rest.map(Number) as [number, number, number, number];
  let y = Number(year);
  if (day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return undefined;
  // Two-digit years of RFC 850 dates: 70 and later belong to the 20th century.
  if (y < 100) y += y < 70 ? 2000 : 1900;
  const days = daysFromCivil(y, month + 1, day);
  return instant((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000);
}

/** Days from 1970-01-01 to a date in the Gregorian calendar. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export interface CivilTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
}

/** The instant of a date and time in UTC; undefined if they do not exist. */
export function civilToInstant({ year, month, day, hour = 0, minute = 0, second = 0 }: CivilTime): Instant | undefined {
  if (month < 1 || month > 12 || day < 1 || hour > 24 || minute > 59 || second > 60) return undefined;
  const days = daysFromCivil(year, month, day);
  if (civilFromDays(days).day !== day) return undefined;
  return instant((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000);
}

/** Formats a time like `2026-11-21T10:00:00.000Z`. */
export function formatIsoTime(moment: Instant): string {
  const days = Math.floor(moment / 86_400_000);
  const ms = moment - days * 86_400_000;
  const hours = padToTwoDigits(Math.floor(ms / 3_600_000));
  const minutes = padToTwoDigits(Math.floor(ms / 60_000) % 60);
  const seconds = padToTwoDigits(Math.floor(ms / 1000) % 60);
  return `${formatIsoDay(days)}T${hours}:${minutes}:${seconds}.${String(ms % 1000).padStart(3, '0')}Z`;
}

const padToTwoDigits = (n: number): string => (n < 10 ? `0${n}` : `${n}`);

/** The last day that was formatted; nearly all formatted times are on the same day. */
let lastDay = { days: 0, text: '1970-01-01' };

function formatIsoDay(days: number): string {
  if (lastDay.days !== days) {
    const { year, month, day } = civilFromDays(days);
    lastDay = { days, text: `${String(year).padStart(4, '0')}-${padToTwoDigits(month)}-${padToTwoDigits(day)}` };
  }
  return lastDay.text;
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}
