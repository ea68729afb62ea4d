import { describe, expect, it } from 'vitest';
import { describeConnectionFault } from './connection-faults.js';
import { ERROR_CODES, findErrorCodeForStatus, isErrorCode } from './error-codes.js';

it.each([
  [401, 'http-401'],
  [402, 'payment-required'],
  [403, 'http-403'],
  [404, 'http-404'],
  [405, 'http-4xx'],
  [407, 'proxy-failed'],
  [408, 'http-408'],
  [410, 'http-410'],
  [425, 'http-425'],
  [429, 'http-429'],
  [400, 'http-4xx'],
  [499, 'http-4xx'],
  [500, 'http-5xx'],
  [503, 'http-5xx'],
  [599, 'http-5xx'],
  [600, 'http-other'],
  [399, 'http-other'],
  [204, 'http-other'],
  [999, 'http-other'],
])('the status %s is the error %s', (status, code) => {
  expect(findErrorCodeForStatus(status, false)).toBe(code);
  expect(findErrorCodeForStatus(status, true)).toBe(status === 503 ? 'http-503-retry-after' : code);
});

it('only keys of the table are error codes', () => {
  for (const code of Object.keys(ERROR_CODES)) expect(isErrorCode(code)).toBe(true);
  for (const code of ['noindex', 'toString', '']) expect(isErrorCode(code)).toBe(false);
});

describe('a connection fault', () => {
  const byCode: Readonly<Record<string, readonly string[]>> = {
    'has expired': ['CERT_HAS_EXPIRED'],
    'not valid yet': ['CERT_NOT_YET_VALID'],
    'a different host name': ['ERR_TLS_CERT_ALTNAME_INVALID'],
    'self-signed': ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
    'unknown authority': [
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    'is not acceptable': ['CERT_REVOKED', 'INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED'],
    'does not use TLS': ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'],
    'TLS 1.2 or later': [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'ERR_SSL_UNSUPPORTED_PROTOCOL',
      'ERR_SSL_NO_PROTOCOLS_AVAILABLE',
    ],
    'a client certificate': [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    ],
    'handshake failed': ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_TLS_HANDSHAKE_TIMEOUT', 'EPROTO'],
    'does not exist': ['ENOTFOUND', 'ENODATA'],
    'No name server': ['EAI_AGAIN', 'ETIMEOUT', 'ESERVFAIL', 'EREFUSED'],
    'Nothing is listening': ['ECONNREFUSED'],
    'closed the connection': ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET'],
    'did not respond': ['ETIMEDOUT'],
    'no route': ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'],
    'does not permit': ['EACCES', 'EPERM'],
    'no sockets left': ['EMFILE', 'ENFILE', 'ENOBUFS'],
    'header is larger': ['UND_ERR_HEADERS_OVERFLOW'],
    'wrong Content-Length': ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    'not valid HTTP': ['HPE_INVALID_CONSTANT', 'ERR_ASSERTION'],
    'Content-Encoding': ['Z_DATA_ERROR', 'ERR_BROTLI_DECODER', 'ERR__ERROR_FORMAT', 'ERR_PADDING_1', 'ZSTD_error'],
  };
  it.each(Object.entries(byCode).flatMap(([text, codes]) => codes.map((code) => [code, text] as const)))(
    '%s is described: %s',
    (code, text) => {
      const description = describeConnectionFault(Object.assign(new Error('failed'), { code }));
      expect(description).toContain(text);
      expect(description).toContain(`(${code}). `);
    },
  );

  it.each([
    'XCERT_HAS_EXPIRED',
    'CERT_HAS_EXPIREDX',
    'XENOTFOUND',
    'ECONNREFUSEDX',
    'ENOENT',
    'SQLITE_FULL',
    'XEPROTO',
  ])('%s is not a code of one of them', (code) =>
    expect(describeConnectionFault(Object.assign(new Error('failed'), { code })) ?? '').not.toMatch(
      /expired|exist|listening|handshake/,
    ),
  );

  it.each([
    [new Error('Invalid chunk size'), 'size of a chunk'],
    [new Error('two Content-Length headers'), 'wrong Content-Length'],
    [new Error('bad response'), 'not valid HTTP'],
    [new Error('bad upgrade'), 'not valid HTTP'],
    [new Error('stream has been aborted'), 'before its response was complete'],
    [new Error('maxContentLength size of 9 exceeded'), 'larger than allowed'],
    [Object.assign(new Error(''), { name: 'HTTPParserError' }), 'not valid HTTP'],
  ])('without a code is known by its message: %s', (error, text) => {
    const description = describeConnectionFault(error);
    expect(description).toContain(text);
    expect(description).not.toMatch(/ \(\w*\)\./);
  });

  it.each([undefined, null, {}, new Error('bug'), { code: 7 }, { message: '' }])('%s is none', (error) =>
    expect(describeConnectionFault(error)).toBeUndefined(),
  );
});
