/** Strings, numbers, times and lists. */
import { parsePeriod } from '../../../domain/policy/period.js';
import { type Duration, milliseconds, seconds } from '../../../domain/time/units.js';
import { suggestSpelling } from '../spelling.js';
import { invalid, listOf, ok, pattern, STRING, token, toLowerCase, type ValueType } from './value-type.js';

export const text: ValueType<string> = { label: 'text', xsd: STRING, parse: ok };

export const word: ValueType<string> = {
  label: 'text, not empty',
  xsd: '<xs:restriction base="xs:string"><xs:minLength value="1"/></xs:restriction>',
  parse: (value) => (value.trim() === '' ? invalid('a value that is not empty') : ok(value)),
};

export const login: ValueType<string> = {
  label: '`user:password`',
  xsd: pattern('[^:]+:.*'),
  parse: (value) => (/^[^:]+:/.test(value) ? ok(value) : invalid('user and password, separated by a colon')),
};

/**
 * Trims a string to look for in URLs: these contain no spaces, so surrounding ones belong to the layout of the file.
 */
export const trimInput = (type: ValueType<string>): ValueType<string> => ({
  ...type,
  parse: (v) => type.parse(v.trim()),
});

export const name: ValueType<string> = {
  label: 'name: letters, digits, `.`, `_`, `-` and spaces, at most 100',
  xsd: pattern('[^\\s/?#&amp;&lt;&gt;]([^/?#&amp;&lt;&gt;]{0,98}[^\\s/?#&amp;&lt;&gt;])?'),
  parse: (value) =>
    /^[\p{L}\p{N}._-](?:[\p{L}\p{N} ._-]{0,98}[\p{L}\p{N}._-])?$/u.test(value)
      ? ok(value)
      : invalid('a name of letters, digits, dots, dashes and spaces'),
};

const TRUE = ['true', 'yes', '1', 'on'];

const FALSE = ['false', 'no', '0', 'off'];

export const boolean: ValueType<boolean> = {
  label: '`true` or `false`',
  choices: ['true', 'false'],
  // The product writes attributes that have their default value as empty ones.
  xsd: `<xs:restriction base="xs:string">${[...TRUE, ...FALSE, ''].map((v) => `<xs:enumeration value="${v}"/>`).join('')}</xs:restriction>`,
  parse: (value) => {
    const lower = value.trim().toLowerCase();
    if (TRUE.includes(lower)) return ok(true);
    return FALSE.includes(lower) ? ok(false) : invalid('true or false');
  },
};

/** Above this value, a limit only keeps arithmetic exact and need not be documented. */
const BEYOND_INTEREST = 1_000_000_000;

const describeBounds = (minimum: number, maximum: number): string =>
  maximum > BEYOND_INTEREST ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`;

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const label = `whole number${describeBounds(minimum, maximum)}`;
  return {
    label,
    xsd: `<xs:restriction base="xs:integer"><xs:minInclusive value="${minimum}"/><xs:maxInclusive value="${maximum}"/></xs:restriction>`,
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

const LONGEST_MS = 31_536_000_000 * 100;

export const durationMs = (minimum = 0): ValueType<Duration> => mapType(integer(minimum, LONGEST_MS), milliseconds);

export const durationS = (minimum = 0): ValueType<Duration> => mapType(integer(minimum, LONGEST_MS / 1000), seconds);

export const period: ValueType<Duration> = {
  label: 'period: seconds, or pairs like `1d12h`',
  xsd: pattern('[+\\-]?[0-9]+|([+\\-]?[0-9]+[sMhdmy])+'),
  parse: (value) => {
    const parsed = parsePeriod(value.trim());
    return parsed === undefined ? invalid('seconds, or pairs like 1d12h (s, M minute, h, d, m month, y)') : ok(parsed);
  },
};

export function enumeration<const T extends string>(values: readonly T[]): ValueType<T> {
  return {
    label: values.map((v) => `\`${v}\``).join(', '),
    choices: values,
    xsd: `<xs:restriction base="xs:string">${values.map((v) => `<xs:enumeration value="${v}"/>`).join('')}</xs:restriction>`,
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

/** A URL, or for the `file` sink a path. */
export const target: ValueType<string> = { ...word, label: 'URL, or a path for `file`' };

export const fileName: ValueType<string> = {
  label: 'file name, relative to and inside the folder of the configuration',
  xsd: STRING,
  parse: (value) => {
    const parts = value.trim().split(/[/\\]/);
    const inside = value.trim() !== '' && !/^(?:[/\\]|[a-z]:)/i.test(value.trim()) && !parts.includes('..');
    return inside && !value.includes('\0') ? ok(value.trim()) : invalid("a file inside the configuration's own folder");
  },
};

export interface LengthRange {
  readonly minimum?: number;
  readonly maximum?: number;
}

export const lengthRange: ValueType<LengthRange> = {
  label: 'length range `[30:]`, `[:10]` or `[11:12]`, limits included',
  xsd: STRING,
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
  xsd: STRING,
  parse: (value) => {
    const pairs: { name: string; value: string }[] = [];
    for (const part of value.split(';')) {
      if (part.trim() === '') continue;
      const equals = part.indexOf('=');
      const key = part.slice(0, equals).trim();
      if (equals < 0 || key === '') return invalid('pairs like team=search;area=docs');
      pairs.push({ name: key, value: part.slice(equals + 1).trim() });
    }
    return ok(pairs);
  },
};

export const share: ValueType<number> = {
  label: 'share, 0.05 to 1',
  xsd: STRING,
  parse: (value) =>
    Number(value) >= 0.05 && Number(value) <= 1 ? ok(Number(value)) : invalid('a number from 0.05 to 1'),
};

/** A list of known words, separated by spaces. */
export const wordList = <W extends string>(label: string, known: readonly W[]): ValueType<readonly W[]> => ({
  label: `list of ${label}: ${known.map((word) => `\`${word}\``).join(', ')}`,
  xsd: STRING,
  parse: (value) => {
    const given = value.trim().split(/\s+/);
    const unknown = given.find((word) => !(known as readonly string[]).includes(word));
    return unknown === undefined ? ok(given as W[]) : invalid(`${known.join(', ')}`);
  },
});

/** A number of bytes that is kept as a string in the options of a sink. */
export const byteCount: ValueType<string> = {
  label: 'number of bytes, at least 1000',
  xsd: pattern('[1-9][0-9]{3,14}'),
  parse: (value) =>
    /^[1-9]\d{3,14}$/.test(value.trim()) ? ok(value.trim()) : invalid('a number of bytes, at least 1000'),
};
