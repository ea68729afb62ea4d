/**
 * The types that an attribute's value can have: how it is read, what the XML Schema and the reference say about it.
 */

import { isIP } from 'node:net';
import { Cron } from 'croner';
import { compile } from 'css-select';
import { RE2JS } from 're2js';
import { parseCidr } from '../../domain/net/address.js';
import { parsePeriod } from '../../domain/policy/period.js';
import { parseSteps, STEPS_FORM } from '../../domain/render/steps.js';
import { type Duration, milliseconds, seconds } from '../../domain/time/units.js';
import { hasUserInfo } from '../../domain/url/crawl-url.js';
import { didYouMean } from './spelling.js';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly wanted: string };

export interface ValueType<T> {
  /** For a person: "whole number from 1 to 200". */
  readonly label: string;
  /** Body of an xs:simpleType that allows the same, or a little more. */
  readonly xsd: string;
  parse(text: string): Parsed<T>;
}

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const no = (wanted: string): { ok: false; wanted: string } => ({ ok: false, wanted });

const STRING = '<xs:restriction base="xs:string"/>';
const pattern = (regex: string): string =>
  `<xs:restriction base="xs:string"><xs:pattern value="${regex}"/></xs:restriction>`;

export const text: ValueType<string> = { label: 'text', xsd: STRING, parse: ok };

export const word: ValueType<string> = {
  label: 'text, not empty',
  xsd: '<xs:restriction base="xs:string"><xs:minLength value="1"/></xs:restriction>',
  parse: (value) => (value.trim() === '' ? no('a value that is not empty') : ok(value)),
};

export const login: ValueType<string> = {
  label: '`user:password`',
  xsd: pattern('[^:]+:.*'),
  parse: (value) => (/^[^:]+:/.test(value) ? ok(value) : no('user and password with a colon between them')),
};

/** Something to look for in URLs: they have no blanks, so those around it only belong to the layout of the file. */
export const trimmed = (type: ValueType<string>): ValueType<string> => ({
  ...type,
  parse: (v) => type.parse(v.trim()),
});

export const name: ValueType<string> = {
  label: 'name: letters, digits, `.`, `_`, `-` and blanks, at most 100',
  xsd: pattern('[^\\s/?#&amp;&lt;&gt;]([^/?#&amp;&lt;&gt;]{0,98}[^\\s/?#&amp;&lt;&gt;])?'),
  parse: (value) =>
    /^[\p{L}\p{N}._-](?:[\p{L}\p{N} ._-]{0,98}[\p{L}\p{N}._-])?$/u.test(value)
      ? ok(value)
      : no('a name of letters, digits, dots, dashes and blanks'),
};

const TRUE = ['true', 'yes', '1', 'on'];
const FALSE = ['false', 'no', '0', 'off'];

export const boolean: ValueType<boolean> = {
  label: '`true` or `false`',
  // The product writes an attribute that is left at its default as an empty one.
  xsd: `<xs:restriction base="xs:string">${[...TRUE, ...FALSE, ''].map((v) => `<xs:enumeration value="${v}"/>`).join('')}</xs:restriction>`,
  parse: (value) => {
    const lower = value.trim().toLowerCase();
    if (TRUE.includes(lower)) return ok(true);
    return FALSE.includes(lower) ? ok(false) : no('true or false');
  },
};

/** Above this a bound only keeps arithmetic exact, and nobody wants to read it. */
const BEYOND_INTEREST = 1_000_000_000;

const bounds = (minimum: number, maximum: number): string =>
  maximum > BEYOND_INTEREST ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`;

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const label = `whole number${bounds(minimum, maximum)}`;
  return {
    label,
    xsd: `<xs:restriction base="xs:integer"><xs:minInclusive value="${minimum}"/><xs:maxInclusive value="${maximum}"/></xs:restriction>`,
    parse: (value) => {
      const n = /^\s*[+-]?\d{1,16}\s*$/.test(value) ? Number(value) : Number.NaN;
      return n >= minimum && n <= maximum ? ok(n) : no(`a ${label}`);
    },
  };
}

export function decimal(minimum: number, maximum: number): ValueType<number> {
  const label = `number${bounds(minimum, maximum)}`;
  return {
    label,
    xsd: `<xs:restriction base="xs:decimal"><xs:minInclusive value="${minimum}"/><xs:maxInclusive value="${maximum}"/></xs:restriction>`,
    parse: (value) => {
      const n = /^\s*[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})\s*$/.test(value) ? Number(value) : Number.NaN;
      return n >= minimum && n <= maximum ? ok(n) : no(`a ${label}`);
    },
  };
}

const mapped = <A, B>(type: ValueType<A>, convert: (value: A) => B): ValueType<B> => ({
  ...type,
  parse: (value) => {
    const parsed = type.parse(value);
    return parsed.ok ? ok(convert(parsed.value)) : parsed;
  },
});

const LONGEST_MS = 31_536_000_000 * 100;
export const durationMs = (minimum = 0): ValueType<Duration> => mapped(integer(minimum, LONGEST_MS), milliseconds);
export const durationS = (minimum = 0): ValueType<Duration> => mapped(integer(minimum, LONGEST_MS / 1000), seconds);

export const period: ValueType<Duration> = {
  label: 'period: seconds, or pairs like `1d12h`',
  xsd: pattern('[+\\-]?[0-9]+|([+\\-]?[0-9]+[sMhdmy])+'),
  parse: (value) => {
    const parsed = parsePeriod(value.trim());
    return parsed === undefined ? no('seconds, or pairs like 1d12h (s, M minute, h, d, m month, y)') : ok(parsed);
  },
};

export function enumeration<const T extends string>(values: readonly T[]): ValueType<T> {
  return {
    label: values.map((v) => `\`${v}\``).join(', '),
    xsd: `<xs:restriction base="xs:string">${values.map((v) => `<xs:enumeration value="${v}"/>`).join('')}</xs:restriction>`,
    parse: (value) => {
      const found = values.find((v) => v === value.trim());
      return found === undefined ? no(`one of ${values.join(', ')}${didYouMean(value.trim(), values)}`) : ok(found);
    },
  };
}

/** Several of one type, separated by blanks, commas or pipes. */
export function listOf<T>(item: ValueType<T>): ValueType<readonly T[]> {
  return {
    label: `list, separated by blanks, commas or \`|\`, of: ${item.label}`,
    xsd: STRING,
    parse: (value) => {
      const items: T[] = [];
      for (const part of value.split(/[\s,|]+/)) {
        if (part === '') continue;
        const parsed = item.parse(part);
        if (!parsed.ok) return no(`${parsed.wanted} ('${part.slice(0, 60)}' is none)`);
        items.push(parsed.value);
      }
      return ok(items);
    },
  };
}

const token = (label: string, regex: RegExp, normalize: (value: string) => string): ValueType<string> => ({
  label,
  xsd: STRING,
  parse: (value) => (regex.test(value.trim()) ? ok(normalize(value.trim())) : no(label)),
});

const lower = (value: string): string => value.toLowerCase();

export const extensions = listOf(
  token('file extension', /^\.?[^\s./\\?#;:*="'<>&]{1,32}$/, (v) => lower(v.replace(/^\./, ''))),
);
export const protocols = listOf(enumeration(['http', 'https']));
export const mediaTypes = listOf(token('media type, `text/*` for a family', /^[\w.+-]+\/(?:\*|[\w.+-]+)$/, lower));
export const headerName = token('header name', /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, (value) => value);

function parseHttpUrl(value: string): Parsed<string> {
  const url = URL.parse(value.trim());
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return no('an absolute URL that begins with http:// or https://');
  }
  return ok(value.trim());
}

export const httpUrl: ValueType<string> = {
  label: 'URL, http or https',
  xsd: '<xs:restriction base="xs:anyURI"/>',
  parse: parseHttpUrl,
};

export const proxyUrl: ValueType<string> = {
  label: 'URL of a proxy: http, https, socks5 or socks5h',
  xsd: '<xs:restriction base="xs:anyURI"/>',
  parse: (value) => {
    const url = URL.parse(value.trim());
    const isProxy = url && ['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol) && url.hostname !== '';
    return isProxy ? ok(value.trim()) : no('a URL that begins with http://, https://, socks5:// or socks5h://');
  },
};

/** A URL, or for the `file` sink a path. */
export const target: ValueType<string> = { ...word, label: 'URL, or a path for `file`' };

const SQL_NAME = '[A-Za-z_][A-Za-z0-9_]{0,62}';

export const sqlTable: ValueType<string> = {
  label: 'name of a table, `schema.table` or `table`',
  xsd: `<xs:restriction base="xs:string"><xs:pattern value="${SQL_NAME}(\\.${SQL_NAME})?"/></xs:restriction>`,
  parse: (value) => {
    const text = value.trim();
    const isTable = new RegExp(`^${SQL_NAME}(\\.${SQL_NAME})?$`).test(text);
    return isTable ? ok(text) : no('letters, digits and `_`, not beginning with a digit, with or without `schema.`');
  },
};

export const urlPrefix: ValueType<string> = {
  label: 'prefix of URLs; may be empty',
  xsd: STRING,
  parse: (value) => (hasUserInfo(value) ? no(WITHOUT_USER_INFO) : ok(value.trim())),
};

const WITHOUT_USER_INFO =
  'a URL without user name and password: they are written as `authentication="user:password"` of the record, or in a Credential of the fetcher';

export const fileName: ValueType<string> = {
  label: 'file name, relative to the folder of the configuration and inside it',
  xsd: STRING,
  parse: (value) => {
    const parts = value.trim().split(/[/\\]/);
    const inside = value.trim() !== '' && !/^(?:[/\\]|[a-z]:)/i.test(value.trim()) && !parts.includes('..');
    return inside && !value.includes('\0') ? ok(value.trim()) : no("a file inside the configuration's own folder");
  },
};

export const cidr: ValueType<string> = {
  label: 'IP address or CIDR block, for example `10.0.0.0/8`',
  xsd: STRING,
  parse: (value) => {
    const [address = '', bits, ...rest] = value.trim().split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || rest.length > 0 || !(length <= most)) return no('an address block like 10.0.0.0/8 or fd00::/8');
    return ok(`${address}/${length}`);
  },
};

export const cron: ValueType<string> = {
  label: 'cron expression of five fields: minute hour day month weekday',
  xsd: STRING,
  parse: (value) => {
    try {
      new Cron(value.trim(), { mode: '5-part', paused: true });
      return ok(value.trim());
    } catch {
      return no('a cron expression of five fields like 0 3 * * * (minute hour day month weekday)');
    }
  },
};

export const timeZone: ValueType<string> = {
  label: 'IANA time zone, for example `Europe/Paris`',
  xsd: STRING,
  parse: (value) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: value.trim() });
      return ok(value.trim());
    } catch {
      return no('an IANA time zone like Europe/Paris or UTC');
    }
  },
};

export interface LengthRange {
  readonly minimum?: number;
  readonly maximum?: number;
}

export const lengthRange: ValueType<LengthRange> = {
  label: 'length range `[30:]`, `[:10]` or `[11:12]`, bounds included',
  xsd: STRING,
  parse: (value) => {
    const m = /^\s*\[\s*(?:(\d{1,6})\s*)?:\s*(?:(\d{1,6})\s*)?\]\s*$/.exec(value);
    const minimum = m?.[1] === undefined ? undefined : Number(m[1]);
    const maximum = m?.[2] === undefined ? undefined : Number(m[2]);
    if (!m || (minimum === undefined && maximum === undefined))
      return no('a length range like [30:], [:10] or [11:12]');
    if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
      return no(`a range whose first number is not above the second, like [${maximum}:${minimum}]`);
    }
    return ok({ ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) });
  },
};

export const keyValues: ValueType<readonly { name: string; value: string }[]> = {
  label: 'pairs `name=value`, separated by `;`',
  xsd: STRING,
  parse: (value) => {
    const pairs: { name: string; value: string }[] = [];
    for (const part of value.split(';')) {
      if (part.trim() === '') continue;
      const equals = part.indexOf('=');
      const key = part.slice(0, equals).trim();
      if (equals < 0 || key === '') return no('pairs like team=search;area=docs');
      pairs.push({ name: key, value: part.slice(equals + 1).trim() });
    }
    return ok(pairs);
  },
};

export const renderSteps: ValueType<string> = {
  label: 'steps on a page',
  xsd: STRING,
  parse: (value) => (parseSteps(value) ? ok(value.trim()) : no(STEPS_FORM)),
};

export const webSocketUrl: ValueType<string> = {
  label: 'ws or wss URL',
  xsd: STRING,
  parse: (value) =>
    /^wss?:$/.test(URL.parse(value)?.protocol ?? '') ? ok(value) : no('a URL that begins with ws:// or wss://'),
};

export const share: ValueType<number> = {
  label: 'share, 0.05 to 1',
  xsd: STRING,
  parse: (value) => (Number(value) >= 0.05 && Number(value) <= 1 ? ok(Number(value)) : no('a number from 0.05 to 1')),
};

export const hostNames: ValueType<readonly string[]> = listOf(token('host name', /^[\w.-]{1,253}$/, lower));

/** Hosts that are asked without a proxy; see domain/net/choose-proxy.ts. */
export const proxyExceptions: ValueType<readonly string[]> = listOf({
  label: 'host name, address or block, with or without a port, or `*`',
  xsd: STRING,
  parse: (value) =>
    value === '*' ||
    /^(?:\*?\.)?[\w.-]{1,253}(?::\d{1,5})?$/.test(value) ||
    parseCidr(value.replace(/\]:\d{1,5}$/, ']'))
      ? ok(lower(value))
      : no('a host name, an address or a block like 10.0.0.0/8'),
});

export const headerValue: ValueType<string> = {
  label: 'text of one line',
  xsd: STRING,
  parse: (value) =>
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
      ? ok(value.trim())
      : no('text that a header can carry: one line, no control characters'),
};

/** Whom to ask about a crawl. */
export const contact: ValueType<string> = {
  label: 'http or https URL, or mail address',
  xsd: STRING,
  parse: (value) => {
    const given = value.trim();
    const isUrl = /^https?:\/\/[\x21-\x7e]{1,500}$/i.test(given) && URL.canParse(given);
    return isUrl || /^[\x21-\x7e]{1,64}@[\w.-]{1,253}$/.test(given) ? ok(given) : no('a URL or a mail address');
  },
};

/** `Name: value`. */
export const header: ValueType<readonly [name: string, value: string]> = {
  label: 'header `Name: value`',
  xsd: STRING,
  parse: (value) => {
    const colon = value.indexOf(':');
    const key = headerName.parse(value.slice(0, Math.max(0, colon)));
    const content = headerValue.parse(value.slice(colon + 1));
    return key.ok && content.ok ? ok([key.value, content.value] as const) : no('a header like X-Team: search');
  },
};

export const productToken: ValueType<string> = {
  label: 'product token: letters, `-` and `_` (RFC 9309, 2.2.1)',
  xsd: pattern('[A-Za-z_\\-]+'),
  parse: (value) =>
    /^[A-Za-z_-]+$/.test(value.trim()) ? ok(value.trim()) : no('letters, dashes and underscores only'),
};

export const fingerprint: ValueType<string> = {
  label: 'SHA-256 fingerprint: 64 hexadecimal digits, with or without colons',
  xsd: STRING,
  parse: (value) => {
    const digits = value.replace(/[:\s]/g, '').toLowerCase();
    return /^[0-9a-f]{64}$/.test(digits)
      ? ok(digits)
      : no('64 hexadecimal digits, as `openssl x509 -fingerprint -sha256` prints them');
  },
};

export const datePattern: ValueType<string> = {
  label: 'pattern of a date like `dd.MM.yyyy HH:mm`',
  xsd: STRING,
  parse: (value) => (value.includes('yyyy') ? ok(value) : no('a pattern with `yyyy`, like dd.MM.yyyy')),
};

const MAX_EXPRESSION = 4_096;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);

/** A selector that can be compiled, as pages are read with it. */
export const selector: ValueType<string> = {
  label: 'CSS selector',
  xsd: STRING,
  parse: (value) => {
    const text = value.trim();
    if (text === '' || text.length > MAX_EXPRESSION) return no('a CSS selector like main .article > p');
    try {
      compile(text);
      return ok(text);
    } catch (error) {
      return no(`a CSS selector like main .article > p (${reasonOf(error)})`);
    }
  },
};

/** One that runs in linear time. */
export const regex: ValueType<string> = {
  label: 'regular expression without look-around and back-references',
  xsd: STRING,
  parse: (value) => {
    if (value.trim() === '' || value.length > MAX_EXPRESSION) return no('a regular expression');
    try {
      RE2JS.compile(value);
      return ok(value);
    } catch (error) {
      return no(`a regular expression without look-around and back-references (${reasonOf(error)})`);
    }
  },
};

export const jsonLdPath: ValueType<string> = {
  label: 'path like `author.name` or `Product:offers.price`',
  xsd: STRING,
  parse: (value) =>
    /^(?:[^:.\s]+:)?[^:.\s]+(?:\.[^:.\s]+)*$/.test(value.trim())
      ? ok(value.trim())
      : no('names with points between them, like author.name or Product:offers.price'),
};

export const webhookSecret: ValueType<string> = {
  label: '`whsec_` and Base64 of 24 to 64 bytes',
  xsd: STRING,
  parse: (value) => {
    const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value.trim()) ?? [];
    const bytes = Buffer.from(base64, 'base64').length;
    const isKey = (bytes >= 24 && bytes <= 64) || value.includes('${');
    return isKey
      ? ok(value.trim())
      : no('`whsec_` and Base64 of 24 to 64 bytes, like the output of `echo whsec_$(openssl rand -base64 32)`');
  },
};

/** Words of a list, with blanks between them. */
export const words = <W extends string>(label: string, known: readonly W[]): ValueType<readonly W[]> => ({
  label: `list of ${label}: ${known.map((word) => `\`${word}\``).join(', ')}`,
  xsd: STRING,
  parse: (value) => {
    const given = value.trim().split(/\s+/);
    const unknown = given.find((word) => !(known as readonly string[]).includes(word));
    return unknown === undefined ? ok(given as W[]) : no(`${known.join(', ')}`);
  },
});

/** A size that the options of a sink keep as text. */
export const byteCount: ValueType<string> = {
  label: 'number of bytes, at least 1000',
  xsd: pattern('[1-9][0-9]{3,14}'),
  parse: (value) => (/^[1-9]\d{3,14}$/.test(value.trim()) ? ok(value.trim()) : no('a number of bytes, at least 1000')),
};
