/** Strings, numbers, times and lists. */
import { parsePeriod } from '../../../domain/policy/period.js';
import { suggestSpelling } from '../../../domain/spelling.js';
import { type Duration, milliseconds, seconds } from '../../../domain/time/units.js';
import { invalid, listOf, ok, token, toLowerCase, toXsdPattern, type ValueType, XSD_STRING } from './value-type.js';

export const text: ValueType<string> = { label: 'text', xsd: XSD_STRING, parse: ok };

export const nonEmptyText: ValueType<string> = {
  label: 'non-empty text',
  xsd: '<xs:restriction base="xs:string"><xs:minLength value="1"/></xs:restriction>',
  parse: (value) => (value.trim() === '' ? invalid('a non-empty value') : ok(value)),
};

export const login: ValueType<string> = {
  label: '`user:password`',
  xsd: toXsdPattern('[^:]+:.*'),
  parse: (value) => (/^[^:]+:/.test(value) ? ok(value) : invalid('user and password, separated by a colon')),
};

/** Removes spaces around the value, which belong to the layout of the file. */
export const trimInput = (type: ValueType<string>): ValueType<string> => ({
  ...type,
  parse: (v) => type.parse(v.trim()),
});

export const name: ValueType<string> = {
  label: 'name of at most 100 letters, digits, `.`, `_`, `-` and spaces',
  xsd: toXsdPattern('[^\\s/?#&amp;&lt;&gt;]([^/?#&amp;&lt;&gt;]{0,98}[^\\s/?#&amp;&lt;&gt;])?'),
  parse: (value) =>
    /^[\p{L}\p{N}._-](?:[\p{L}\p{N} ._-]{0,98}[\p{L}\p{N}._-])?$/u.test(value)
      ? ok(value)
      : invalid('a name of at most 100 letters, digits, dots, underscores, dashes and spaces'),
};

const TRUE = ['true', 'yes', '1', 'on'];

const FALSE = ['false', 'no', '0', 'off'];

export const boolean: ValueType<boolean> = {
  label: '`true` or `false`',
  choices: ['true', 'false'],
  isBlankAbsent: true,
  // The product writes an attribute that has its default value as an empty string.
  xsd: `<xs:restriction base="xs:string">${[...TRUE, ...FALSE, ''].map((v) => `<xs:enumeration value="${v}"/>`).join('')}</xs:restriction>`,
  parse: (value) => {
    const normalized = value.trim().toLowerCase();
    if (TRUE.includes(normalized)) return ok(true);
    return FALSE.includes(normalized) ? ok(false) : invalid('true or false');
  },
};

/** Limits above this value only keep arithmetic exact, so they are not documented. */
const MAX_DOCUMENTED_LIMIT = 1_000_000_000;

const describeBounds = (minimum: number, maximum: number): string =>
  maximum > MAX_DOCUMENTED_LIMIT ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`;

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const label = `whole number${describeBounds(minimum, maximum)}`;
  return {
    label,
    xsd: `<xs:restriction base="xs:integer"><xs:minInclusive value="${minimum}"/><xs:maxInclusive value="${maximum}"/></xs:restriction>`,
    isBlankAbsent: true,
    parse: (value) => {
      const n = /^\s*[+-]?\d{1,16}\s*$/.test(value) ? Number(value) : Number.NaN;
      return n >= minimum && n <= maximum ? ok(n) : invalid(`a ${label}`);
    },
  };
}

export function decimal(minimum: number, maximum: number): ValueType<number> {
  const label = `number${describeBounds(minimum, maximum)}`;
  return {
    label,
    xsd: `<xs:restriction base="xs:decimal"><xs:minInclusive value="${minimum}"/><xs:maxInclusive value="${maximum}"/></xs:restriction>`,
    isBlankAbsent: true,
    parse: (value) => {
      const n = /^\s*[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})\s*$/.test(value) ? Number(value) : Number.NaN;
      return n >= minimum && n <= maximum ? ok(n) : invalid(`a ${label}`);
    },
  };
}

const mapType = <A, B>(type: ValueType<A>, convert: (value: A) => B): ValueType<B> => ({
  ...type,
  parse: (value) => {
    const parsed = type.parse(value);
    return parsed.ok ? ok(convert(parsed.value)) : parsed;
  },
});

const MAX_DURATION_MS = 31_536_000_000 * 100;

export const durationMs = (minimum = 0): ValueType<Duration> =>
  mapType(integer(minimum, MAX_DURATION_MS), milliseconds);

export const durationS = (minimum = 0): ValueType<Duration> =>
  mapType(integer(minimum, MAX_DURATION_MS / 1000), seconds);

export const period: ValueType<Duration> = {
  label: 'period: seconds, or numbers with units like `1d12h`',
  xsd: toXsdPattern('[+\\-]?[0-9]+|([+\\-]?[0-9]+[sMhdmy])+'),
  isBlankAbsent: true,
  parse: (value) => {
    const parsed = parsePeriod(value.trim());
    return parsed === undefined
      ? invalid('seconds, or numbers with units like 1d12h (s, M for minutes, h, d, m for months, y)')
      : ok(parsed);
  },
};

export function enumeration<const T extends string>(values: readonly T[]): ValueType<T> {
  return {
    label: values.map((v) => `\`${v}\``).join(', '),
    choices: values,
    xsd: `<xs:restriction base="xs:string">${values.map((v) => `<xs:enumeration value="${v}"/>`).join('')}</xs:restriction>`,
    isBlankAbsent: true,
    parse: (value) => {
      const found = values.find((v) => v === value.trim());
      return found === undefined
        ? invalid(`one of ${values.join(', ')}${suggestSpelling(value.trim(), values)}`)
        : ok(found);
    },
  };
}

export const extensions = listOf(
  token('file extension', /^\.?[^\s./\\?#;:*="'<>&]{1,32}$/, (v) => toLowerCase(v.replace(/^\./, ''))),
);

/** The address of a sink: a URL, or a path if the sink writes files. */
export const target: ValueType<string> = { ...nonEmptyText, label: 'URL, or a path for `file` and `warc`' };

export const fileName: ValueType<string> = {
  label: 'path of a file in or below the folder of the configuration',
  xsd: XSD_STRING,
  parse: (value) => {
    const parts = value.trim().split(/[/\\]/);
    const isInside = value.trim() !== '' && !/^(?:[/\\]|[a-z]:)/i.test(value.trim()) && !parts.includes('..');
    return isInside && !value.includes('\0')
      ? ok(value.trim())
      : invalid("the path of a file in or below the configuration's folder");
  },
};

export interface LengthRange {
  readonly minimum?: number;
  readonly maximum?: number;
}

export const lengthRange: ValueType<LengthRange> = {
  label: 'inclusive length range like `[30:]`, `[:10]` or `[11:12]`',
  xsd: XSD_STRING,
  parse: (value) => {
    const m = /^\s*\[\s*(?:(\d{1,6})\s*)?:\s*(?:(\d{1,6})\s*)?\]\s*$/.exec(value);
    const minimum = m?.[1] === undefined ? undefined : Number(m[1]);
    const maximum = m?.[2] === undefined ? undefined : Number(m[2]);
    if (!m || (minimum === undefined && maximum === undefined))
      return invalid('a length range like [30:], [:10] or [11:12]');
    if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
      return invalid(`a range whose first number is not greater than the second, like [${maximum}:${minimum}]`);
    }
    return ok({ ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) });
  },
};

export const keyValues: ValueType<readonly { name: string; value: string }[]> = {
  label: '`name=value` pairs separated by `;`',
  xsd: XSD_STRING,
  parse: (value) => {
    const pairs: { name: string; value: string }[] = [];
    for (const part of value.split(';')) {
      if (part.trim() === '') continue;
      const equalsIndex = part.indexOf('=');
      const key = part.slice(0, equalsIndex).trim();
      if (equalsIndex < 0 || key === '') return invalid('pairs like team=search;area=docs');
      pairs.push({ name: key, value: part.slice(equalsIndex + 1).trim() });
    }
    return ok(pairs);
  },
};

export const share: ValueType<number> = {
  label: 'share from 0.05 to 1',
  xsd: XSD_STRING,
  parse: (value) =>
    Number(value) >= 0.05 && Number(value) <= 1 ? ok(Number(value)) : invalid('a number from 0.05 to 1'),
};

/** A list of known words, separated by spaces. */
export const wordList = <W extends string>(label: string, words: readonly W[]): ValueType<readonly W[]> => ({
  label: `list of ${label}: ${words.map((word) => `\`${word}\``).join(', ')}`,
  xsd: XSD_STRING,
  parse: (value) => {
    const givenWords = value.trim().split(/\s+/);
    const unknownWord = givenWords.find((word) => !(words as readonly string[]).includes(word));
    return unknownWord === undefined ? ok(givenWords as W[]) : invalid(`${words.join(', ')}`);
  },
});

export const byteCount: ValueType<number> = {
  label: 'number of bytes, at least 1000',
  xsd: toXsdPattern('[1-9][0-9]{3,14}'),
  parse: (value) =>
    /^[1-9]\d{3,14}$/.test(value.trim()) ? ok(Number(value)) : invalid('a number of bytes, at least 1000'),
};

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
