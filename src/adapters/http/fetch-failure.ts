/** Maps errors from Node, TLS, DNS and the HTTP parsers to the stable codes in domain/fetch/error-codes.ts. */
import { describeConnectionFault } from '../../domain/fetch/connection-faults.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';

/**
 * The only error type inside this adapter; it becomes a failure outcome. The message is shown to users and contains no
 * secrets.
 */
export class FetchFailure extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** The strict parser rejects the format of the response; the lenient one may be able to read it. */
    readonly malformed = false,
  ) {
    super(message.length > MAX_DETAIL_LENGTH ? `${message.slice(0, MAX_DETAIL_LENGTH)}…` : message);
  }
}

/** The server does not speak this version of HTTP and has not processed any of the request. */
export class UnsupportedHttpVersion extends FetchFailure {}

/** How far an exchange had progressed when it failed; the meaning of some errors depends on it. */
export type ExchangePhase = 'connect' | 'header' | 'body';

const MAX_DETAIL_LENGTH = 300;
/** The server supports none of the versions that were offered in the TLS handshake (RFC 7301, 3.2). */
const NO_COMMON_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';

const ERROR_CODES: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['ECONNREFUSED', 'connection-refused'],
  ['ECONNRESET', 'connection-reset'],
  ['ECONNABORTED', 'connection-reset'],
  ['EPIPE', 'connection-reset'],
  ['EHOSTUNREACH', 'network-unreachable'],
  ['EHOSTDOWN', 'network-unreachable'],
  ['ENETUNREACH', 'network-unreachable'],
  ['ENETDOWN', 'network-unreachable'],
  ['EADDRNOTAVAIL', 'network-unreachable'],
  ['EACCES', 'network-unreachable'],
  ['EPERM', 'network-unreachable'],
  // No descriptor or buffer left: a temporary problem on this machine, never the page's fault.
  ['EMFILE', 'network-unreachable'],
  ['ENFILE', 'network-unreachable'],
  ['ENOBUFS', 'network-unreachable'],
  ['UND_ERR_HEADERS_OVERFLOW', 'header-too-large'],
  ['ERR_HTTP2_ERROR', 'protocol'],
  ['ERR_HTTP2_TOO_MANY_INVALID_FRAMES', 'protocol'],
  ['CERT_HAS_EXPIRED', 'tls-expired'],
  ['CERT_NOT_YET_VALID', 'tls-expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls-name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls-untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls-untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'tls-untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls-untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls-untrusted'],
  ['CERT_SIGNATURE_FAILURE', 'tls-untrusted'],
  ['CERT_CHAIN_TOO_LONG', 'tls-untrusted'],
  ['CERT_REVOKED', 'tls-untrusted'],
  ['CERT_REJECTED', 'tls-untrusted'],
  ['CERT_UNTRUSTED', 'tls-untrusted'],
  ['INVALID_CA', 'tls-untrusted'],
  ['INVALID_PURPOSE', 'tls-untrusted'],
  ['PATH_LENGTH_EXCEEDED', 'tls-untrusted'],
  ['EPROTO', 'tls-failed'],
]);

export function toFetchFailure(error: unknown, phase: ExchangePhase): FetchFailure {
  if (error instanceof FetchFailure) return error;
  if (error instanceof AggregateError && error.errors.length > 0) return combineFailures(error.errors, phase);
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  const detail = describeConnectionFault(error) ?? message;
  if (code === NO_COMMON_PROTOCOL) return new UnsupportedHttpVersion('tls-failed', detail);
  if (isMalformed(error, code, message))
    return new FetchFailure(phase === 'body' ? 'body-undecodable' : 'protocol', detail, true);
  return new FetchFailure(toErrorCode(typeof code === 'string' ? code : '', phase), detail);
}

/**
 * undici's parser errors have no usable code. It reports unexpected interim responses (100, 101) as `bad response` and
 * `bad upgrade`. A length mismatch may also come from a second length, or from chunks in addition to a length.
 */
function isMalformed(error: unknown, code: unknown, message: string): boolean {
  return (
    (error instanceof Error && error.name === 'HTTPParserError') ||
    message === 'bad response' ||
    message === 'bad upgrade' ||
    // undici's assertion about the status code.
    code === 'ERR_ASSERTION' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  );
}

/** Several addresses were tried: an unreachable one (often IPv6 without a route) means less than any other error. */
function combineFailures(errors: readonly unknown[], phase: ExchangePhase): FetchFailure {
  const failures = errors.map((error) => toFetchFailure(error, phase));
  return failures.find((failure) => failure.code !== 'network-unreachable') ?? failures[0]!;
}

/** Alerts come from the server, so they refer to the client's certificate (RFC 8446, 6.2). */
const CERTIFICATE_ALERT =
  /ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(?:EXPIRED|REVOKED|UNKNOWN|REQUIRED)|ACCESS_DENIED)$|CERTIFICATE_REQUIRED$/;

/**
 * The site closed the connection: before a response, it may just be restarting; during one, the response is incomplete.
 */
const CUT_OFF_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
]);

function toErrorCode(code: string, phase: ExchangePhase): ErrorCode {
  if (code === 'ETIMEDOUT') return phase === 'connect' ? 'connect-timeout' : 'read-timeout';
  if (CUT_OFF_CODES.has(code)) return phase === 'body' ? 'body-truncated' : 'connection-reset';
  const mappedCode = ERROR_CODES.get(code);
  if (mappedCode) return mappedCode;
  if (CERTIFICATE_ALERT.test(code)) return 'tls-client-certificate';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls-failed';
  return 'connection-failed';
}
