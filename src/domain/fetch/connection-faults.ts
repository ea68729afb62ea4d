/**
 * Describes connection errors from libraries in sentences: what happened and what to do next. The library's own code
 * follows in parentheses, so that it can be looked up.
 */

interface Fault {
  /** Matches an error code of Node, OpenSSL or zlib, or part of a message that has no code. */
  readonly pattern: RegExp;
  readonly text: string;
  readonly nextStep: string;
}

const RENEW_ADVICE = 'Have the certificate renewed on the server.';
const TRUST_ADVICE = 'If you trust the authority, add it as a certificate authority of the fetcher or sink.';

/** The first match applies. */
const FAULTS: readonly Fault[] = [
  { pattern: /^CERT_HAS_EXPIRED$/, text: "The server's certificate has expired", nextStep: RENEW_ADVICE },
  {
    pattern: /^CERT_NOT_YET_VALID$/,
    text: "The server's certificate is not valid yet",
    nextStep: 'Check the clocks of this machine and of the server.',
  },
  {
    pattern: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    text: "The server's certificate is for a different host name",
    nextStep: 'Use a name that the certificate covers, or have this name added to it.',
  },
  {
    pattern: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/,
    text: "The server's certificate is self-signed or signed by a private authority",
    nextStep: TRUST_ADVICE,
  },
  {
    pattern: /^(?:UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/,
    text: "The server's certificate is signed by an unknown authority, or the server does not send the intermediate certificates",
    nextStep: `${TRUST_ADVICE} Otherwise have the server send its whole chain.`,
  },
  {
    pattern: /^(?:CERT_\w+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
    text: "The server's certificate is not acceptable",
    nextStep: 'Have the certificate replaced on the server.',
  },
  {
    pattern: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/i,
    text: 'The server does not use TLS on this port',
    nextStep: 'Use http instead of https, or the port on which it uses TLS.',
  },
  {
    pattern: /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE/i,
    text: 'The server does not support TLS 1.2 or later',
    nextStep: 'Have the server updated.',
  },
  {
    pattern: /CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA/i,
    text: 'The server requires a client certificate',
    nextStep: "Ask the server's operator how a client can sign in.",
  },
  {
    pattern: /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/,
    text: 'The TLS handshake failed',
    nextStep: 'Check which TLS versions, ciphers and certificates the server accepts.',
  },
  {
    pattern: /^(?:ENOTFOUND|ENODATA)$/,
    text: 'The host name does not exist',
    nextStep: 'Check its spelling.',
  },
  {
    pattern: /^(?:EAI_AGAIN|ETIMEOUT|ESERVFAIL|EREFUSED)$/,
    text: 'No name server is responding for the host name',
    nextStep: 'Check the resolver of this machine; Crawlway will retry.',
  },
  {
    pattern: /^ECONNREFUSED$/,
    text: 'Nothing is listening at this address and port',
    nextStep: 'Check the port, and whether the server is running.',
  },
  {
    pattern: /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|stream has been aborted)$/,
    text: 'The server closed the connection before its response was complete',
    nextStep: 'Check the log of the server, or of a proxy or firewall in front of it.',
  },
  {
    pattern: /^ETIMEDOUT$/,
    text: 'The server did not respond within the time allowed',
    nextStep: 'Check that the server is running and that no firewall is dropping the connection.',
  },
  {
    pattern: /^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    text: 'There is no route to the address',
    nextStep: 'Check the network of this machine.',
  },
  {
    pattern: /^(?:EACCES|EPERM)$/,
    text: 'This machine does not permit the connection',
    nextStep: 'Check the firewall of this machine.',
  },
  {
    pattern: /^(?:EMFILE|ENFILE|ENOBUFS)$/,
    text: 'This machine has no sockets left',
    nextStep: 'Raise the limit on open files.',
  },
  {
    pattern: /^UND_ERR_HEADERS_OVERFLOW$/,
    text: 'The response header is larger than allowed',
    nextStep: "Contact the server's operator.",
  },
  {
    pattern: /chunk size/i,
    text: 'The size of a chunk in the response is not a number',
    nextStep: "Contact the server's operator.",
  },
  {
    pattern: /^maxContentLength size of/,
    text: 'The response is larger than allowed',
    nextStep: 'Check that this is the right URL.',
  },
  {
    pattern: /content-length|CONTENT_LENGTH/i,
    text: 'The response has a wrong Content-Length, or more than one',
    nextStep: "Contact the server's operator.",
  },
  {
    pattern: /HTTPParserError|^HPE_|bad response|bad upgrade|ERR_ASSERTION/,
    text: 'The response is not valid HTTP',
    nextStep: 'Check that a web server is listening on this port.',
  },
  {
    pattern: /^(?:Z_|ERR_BROTLI|ERR__ERROR_|ERR_PADDING|ZSTD_)/,
    text: 'The body is not encoded as the Content-Encoding header says',
    nextStep: 'Ask the operator of the server, or of a proxy in front of it, to send the page unencoded.',
  },
];

/** A sentence with a next step for a library's error; undefined if the error does not concern a connection. */
export function describeConnectionFault(error: unknown): string | undefined {
  const { code, message = '', name } = (error ?? {}) as { code?: unknown; message?: string; name?: string };
  const errorCode = typeof code === 'string' ? code : '';
  const fault =
    FAULTS.find(({ pattern: of }) => (errorCode !== '' && of.test(errorCode)) || of.test(message)) ??
    findParserFault(name);
  if (!fault) return undefined;
  return `${fault.text}${errorCode === '' ? '' : ` (${errorCode})`}. ${fault.nextStep}`;
}

const findParserFault = (name: string | undefined): Fault | undefined =>
  name === 'HTTPParserError' ? FAULTS.find(({ pattern: of }) => of.test(name)) : undefined;
