/** URLs, addresses, headers and other values for requests. */
import { isIP } from 'node:net';
import { parseCidr } from '../../../domain/net/address.js';
import { hasUserInfo } from '../../../domain/url/crawl-url.js';
import { enumeration, text } from './plain.js';
import {
  invalid,
  listOf,
  ok,
  type Parsed,
  token,
  toLowerCase,
  toXsdPattern,
  type ValueType,
  XSD_STRING,
} from './value-type.js';

export const protocols = listOf(enumeration(['http', 'https']));

export const mediaTypes = listOf(
  token('media type, `text/*` for a family', /^[\w.+-]+\/(?:\*|[\w.+-]+)$/, toLowerCase),
);

export const ocrLanguages = listOf(
  token('code of a Tesseract language, such as `eng` or `chi_sim`', /^[a-z]{3}(?:_[a-z]{3,4}){0,2}$/, toLowerCase),
);

export const headerName = token('header name', /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, (value) => value);

function parseHttpUrl(value: string): Parsed<string> {
  const url = URL.parse(value.trim());
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return invalid('an absolute URL that begins with http:// or https://');
  }
  const strangeCharacter = HOST_CHARACTERS.exec(url.hostname)?.[0];
  if (strangeCharacter) return invalid(`a URL whose host is a name or an address, without "${strangeCharacter}"`);
  return ok(value.trim());
}

/** The URL standard allows these in a host, but no name has them: they come from patterns and lists. */
const HOST_CHARACTERS = /[!&'()*+,;=~"`]/;

/** A URL with a login is a value of this type only where the login is used. */
export const serviceUrl: ValueType<string> = {
  label: 'http or https URL, with user and password if the server requires them',
  xsd: '<xs:restriction base="xs:anyURI"/>',
  parse: parseHttpUrl,
};

export const httpUrl: ValueType<string> = {
  label: 'http or https URL',
  xsd: '<xs:restriction base="xs:anyURI"/>',
  parse: (value) => (hasUserInfo(value) ? invalid(URL_WITHOUT_USER_INFO) : parseHttpUrl(value)),
};

export const proxyUrl: ValueType<string> = {
  label: 'proxy URL: http, https, socks5 or socks5h',
  xsd: '<xs:restriction base="xs:anyURI"/>',
  parse: (value) => {
    const url = URL.parse(value.trim());
    const isProxy = url && ['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol) && url.hostname !== '';
    return isProxy ? ok(value.trim()) : invalid('a URL that begins with http://, https://, socks5:// or socks5h://');
  },
};

export const urlPrefix: ValueType<string> = {
  label: 'URL prefix; may be empty',
  xsd: XSD_STRING,
  parse: (value) => (hasUserInfo(value) ? invalid(URL_WITHOUT_USER_INFO) : ok(value.trim())),
};

const URL_WITHOUT_USER_INFO =
  'a URL without a user name and password, which belong in a Credential of the fetcher, in `authentication` of a server record, or in attributes of their own';

/** Where the pages of a server record are fetched instead. */
export const mirrorPrefix: ValueType<string> = {
  label: 'URL prefix that begins with http:// or https://',
  xsd: XSD_STRING,
  parse: (value) => {
    if (hasUserInfo(value)) return invalid(URL_WITHOUT_USER_INFO);
    const prefix = value.trim();
    return /^https?:\/\/[^/]/i.test(prefix) ? ok(prefix) : invalid('a URL prefix that begins with http:// or https://');
  },
};

export const cidr: ValueType<string> = {
  label: 'IP address or CIDR block, for example `10.0.0.0/8`',
  xsd: XSD_STRING,
  parse: (value) => {
    const [address = '', bits, ...rest] = value.trim().split('/');
    const family = isIP(address);
    const maxLength = family === 4 ? 32 : 128;
    const length = bits === undefined ? maxLength : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || rest.length > 0 || !(length <= maxLength))
      return invalid('an address block like 10.0.0.0/8 or fd00::/8');
    return ok(`${address}/${length}`);
  },
};

export const webSocketUrl: ValueType<string> = {
  label: 'ws or wss URL',
  xsd: XSD_STRING,
  parse: (value) =>
    /^wss?:$/.test(URL.parse(value)?.protocol ?? '') ? ok(value) : invalid('a URL that begins with ws:// or wss://'),
};

export const hostNames: ValueType<readonly string[]> = listOf(token('host name', /^[\w.-]{1,253}$/, toLowerCase));

/** Destinations to which requests are sent without a proxy; see domain/net/choose-proxy.ts. */
export const proxyExceptions: ValueType<readonly string[]> = listOf({
  label: 'host name, address or block, with or without a port, or `*`',
  xsd: XSD_STRING,
  parse: (value) =>
    value === '*' ||
    /^(?:\*?\.)?[\w.-]{1,253}(?::\d{1,5})?$/.test(value) ||
    parseCidr(value.replace(/\]:\d{1,5}$/, ']'))
      ? ok(toLowerCase(value))
      : invalid('a host name, an address or a block like 10.0.0.0/8'),
});

export const headerValue: ValueType<string> = {
  label: 'text on one line',
  xsd: XSD_STRING,
  parse: (value) =>
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
      ? ok(value.trim())
      : invalid('text that a header can contain: one line, no control characters'),
};

/** An empty user agent would be sent as an empty header, which many servers refuse. */
export const userAgent: ValueType<string> = {
  ...headerValue,
  parse: (value) => (value.trim() === '' ? invalid('the name of the crawler') : headerValue.parse(value)),
};

/** Mail address or web page of a contact for the crawl. */
export const contact: ValueType<string> = {
  label: 'http or https URL, or email address',
  xsd: XSD_STRING,
  parse: (value) => {
    const trimmed = value.trim();
    const isUrl = /^https?:\/\/[\x21-\x7e]{1,500}$/i.test(trimmed) && URL.canParse(trimmed);
    return isUrl || /^[\x21-\x7e]{1,64}@[\w.-]{1,253}$/.test(trimmed)
      ? ok(trimmed)
      : invalid('a URL or an email address');
  },
};

/** `Name: value`. */
export const header: ValueType<readonly [name: string, value: string]> = {
  label: 'header `Name: value`',
  xsd: XSD_STRING,
  parse: (value) => {
    const colon = value.indexOf(':');
    const parsedName = headerName.parse(value.slice(0, Math.max(0, colon)));
    const parsedValue = headerValue.parse(value.slice(colon + 1));
    return parsedName.ok && parsedValue.ok
      ? ok([parsedName.value, parsedValue.value] as const)
      : invalid('a header like X-Team: search');
  },
};

export const productToken: ValueType<string> = {
  label: 'product token: letters, `-` and `_` (RFC 9309, 2.2.1)',
  xsd: toXsdPattern('[A-Za-z_\\-]+'),
  parse: (value) =>
    /^[A-Za-z_-]+$/.test(value.trim()) ? ok(value.trim()) : invalid('letters, dashes and underscores only'),
};

export const fingerprint: ValueType<string> = {
  label: 'SHA-256 fingerprint: 64 hexadecimal digits, with or without colons',
  xsd: XSD_STRING,
  parse: (value) => {
    const digits = value.replace(/[:\s]/g, '').toLowerCase();
    return /^[0-9a-f]{64}$/.test(digits)
      ? ok(digits)
      : invalid('64 hexadecimal digits, as `openssl x509 -fingerprint -sha256` prints them');
  },
};

/** Where secrets are not known, a reference stands for one. */
const REFERENCE = /\$\{[^{}]*\}/;

export const webhookSecret: ValueType<string> = {
  label: '`whsec_` followed by 24 to 64 bytes in Base64',
  xsd: XSD_STRING,
  parse: (value) => {
    const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value.trim()) ?? [];
    const byteLength = Buffer.from(base64, 'base64').length;
    const isKey = (byteLength >= 24 && byteLength <= 64) || REFERENCE.test(value);
    return isKey
      ? ok(value.trim())
      : invalid(
          '`whsec_` followed by 24 to 64 bytes in Base64, like the output of `echo whsec_$(openssl rand -base64 32)`',
        );
  },
};

/** 1.3.101.112 (RFC 8410) in DER. */
const ED25519_OID = Buffer.from('06032b6570', 'hex');

export const ed25519Key: ValueType<string> = {
  ...text,
  parse: (value) => {
    const [, base64 = ''] =
      /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]{1,1000})-----END PRIVATE KEY-----/.exec(value) ?? [];
    const der = Buffer.from(base64, 'base64');
    return (der.length >= 48 && der.includes(ED25519_OID)) || REFERENCE.test(value)
      ? ok(value)
      : invalid('an Ed25519 private key in PEM form, as created by `crawlway keys new`');
  },
};
