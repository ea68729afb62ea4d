/** Days of the week and times of the day. */
import { invalid, ok, pattern, STRING, type ValueType } from './value-type.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAYS_FORM = 'days like `mon-fri` or `sat,sun`';

/** Numbers of the days, from 0 for Sunday. */
export const weekDays: ValueType<readonly number[]> = {
  label: DAYS_FORM,
  xsd: STRING,
  parse: (value) => {
    const days = new Set<number>();
    for (const part of value
      .trim()
      .toLowerCase()
      .split(/[\s,|]+/)) {
      const [first = '', last = first, ...more] = part.split('-');
      const [from, to] = [DAYS.indexOf(first.slice(0, 3)), DAYS.indexOf(last.slice(0, 3))];
      if (from < 0 || to < 0 || more.length > 0) return invalid(DAYS_FORM);
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
  label: 'time of the day like `22:30`, up to `24:00`',
  xsd: pattern('([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00'),
  parse: (value) => {
    const [, hour, minute] = /^\s*(\d{1,2}):(\d\d)\s*$/.exec(value) ?? [];
    const minutes = Number(hour) * 60 + Number(minute);
    return Number(minute) < 60 && minutes <= 1440 ? ok(minutes) : invalid('a time like 22:30');
  },
};
