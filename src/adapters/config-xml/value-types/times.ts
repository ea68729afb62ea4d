/** Days of the week and times of day. */
import { invalid, ok, toXsdPattern, type ValueType, XSD_STRING } from './value-type.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAYS_FORM = 'days like `mon-fri` or `sat,sun`';

/** Day numbers in ascending order; 0 is Sunday. */
export const weekDays: ValueType<readonly number[]> = {
  label: DAYS_FORM,
  xsd: XSD_STRING,
  parse: (value) => {
    const days = new Set<number>();
    for (const part of value
      .trim()
      .toLowerCase()
      .split(/[\s,|]+/)) {
      const [first = '', last = first, ...extraParts] = part.split('-');
      const [from, to] = [DAYS.indexOf(first.slice(0, 3)), DAYS.indexOf(last.slice(0, 3))];
      if (from < 0 || to < 0 || extraParts.length > 0) return invalid(DAYS_FORM);
      for (let day = from; ; day = (day + 1) % 7) {
        days.add(day);
        if (day === to) break;
      }
    }
    return ok([...days].sort((a, b) => a - b));
  },
};

/** Minutes since the start of the day; `24:00` is its end. */
export const timeOfDay: ValueType<number> = {
  label: 'time of day like `22:30`, up to `24:00`',
  xsd: toXsdPattern('([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00'),
  parse: (value) => {
    const [, hour, minute] = /^\s*(\d{1,2}):(\d\d)\s*$/.exec(value) ?? [];
    const minutes = Number(hour) * 60 + Number(minute);
    return Number(minute) < 60 && minutes <= 1440 ? ok(minutes) : invalid('a time like 22:30');
  },
};
