import { createHash, randomBytes } from 'node:crypto';
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { type Challenge, listSchemes, parseChallenges, parseParameters } from './challenges.js';
import { fetchAndReport, toLoginResult } from './probe.js';

/** Digest authentication: every request responds to the last challenge and carries a counter. */
export class DigestLogin implements LoginMethod {
  private challenge: DigestChallenge | undefined;
  private requestCount = 0;

  constructor(private readonly definition: LoginDefinitionOf<'digest'>) {}

  async login(tools: LoginTools): Promise<LoginResult> {
    const { check, name } = this.definition;
    const challengeOutcome = await fetchAndReport(tools, 'requested a challenge', {
      url: check,
      session: { login: name },
    });
    if (challengeOutcome.kind === 'failure' || challengeOutcome.status !== 401)
      return toLoginResult(challengeOutcome, check);
    const header = challengeOutcome.headers['www-authenticate'];
    if (!this.acceptChallenge(header))
      return {
        kind: 'changed',
        detail: `${check} offers ${listSchemes(header) || 'no authentication'}, but no Digest challenge that this login supports`,
      };
    const outcome = await fetchAndReport(tools, 'responded to the challenge', {
      url: check,
      session: this.getSession(check),
    });
    return toLoginResult(outcome, check, ['digest']);
  }

  getSession(url: string): RequestSession {
    const { challenge } = this;
    if (!challenge) return {};
    const { user, password } = this.definition;
    const { pathname, search } = new URL(url);
    const request = {
      method: 'GET',
      uri: pathname + search,
      count: ++this.requestCount,
      cnonce: randomBytes(16).toString('hex'),
    };
    return {
      headers: { authorization: createDigestAuthorization(challenge, { user, password: password.reveal() }, request) },
    };
  }

  judgeResponse({ status, challenge, authenticationInfo }: SessionAnswer): SessionVerdict {
    if (status !== 401) {
      const nextNonce = parseParameters(authenticationInfo).get('nextnonce');
      if (nextNonce !== undefined && this.challenge) this.setChallenge({ ...this.challenge, nonce: nextNonce });
      return 'fine';
    }
    const previousChallenge = this.challenge;
    const isAccepted = this.acceptChallenge(challenge);
    // A nonce expires independently of the password.
    return isAccepted && (this.challenge?.stale || !previousChallenge) ? 'again' : 'ended';
  }

  private acceptChallenge(header: string | undefined): boolean {
    const challenge = chooseDigest(parseChallenges(header));
    if (challenge) this.setChallenge(challenge);
    return challenge !== undefined;
  }

  private setChallenge(challenge: DigestChallenge): void {
    if (challenge.nonce !== this.challenge?.nonce) this.requestCount = 0;
    this.challenge = challenge;
  }
}

/**
 * HTTP Digest (RFC 7616): MD5, SHA-256 and SHA-512-256, with or without `-sess`, and quality of protection `auth` or
 * none.
 */
const HASHES: Readonly<Record<string, string>> = { md5: 'md5', 'sha-256': 'sha256', 'sha-512-256': 'sha512-256' };
const ALGORITHMS_BY_STRENGTH = ['sha-512-256', 'sha-256', 'md5'];

interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque?: string;
  /** As the server wrote it, because it is sent back unchanged. */
  readonly algorithm?: string;
  readonly qop: boolean;
  readonly stale: boolean;
  readonly userhash: boolean;
}

interface DigestUser {
  readonly user: string;
  readonly password: string;
}

const getBaseAlgorithm = (algorithm: string | undefined): string =>
  (algorithm ?? 'MD5').toLowerCase().replace(/-sess$/, '');

/** Chooses the strongest supported challenge. */
export function chooseDigest(challenges: readonly Challenge[]): DigestChallenge | undefined {
  const usableChallenges = challenges.filter(({ scheme, parameters }) => {
    const qop = parameters.get('qop');
    const isSupported = getBaseAlgorithm(parameters.get('algorithm')) in HASHES;
    return scheme === 'digest' && parameters.has('nonce') && isSupported && (!qop || /\bauth\b(?!-)/.test(qop));
  });
  const rankStrength = ({ parameters }: Challenge): number =>
    ALGORITHMS_BY_STRENGTH.indexOf(getBaseAlgorithm(parameters.get('algorithm')));
  const [bestChallenge] = usableChallenges.toSorted((a, b) => rankStrength(a) - rankStrength(b));
  if (!bestChallenge) return undefined;
  const { parameters } = bestChallenge;
  return {
    realm: parameters.get('realm') ?? '',
    nonce: parameters.get('nonce') ?? '',
    opaque: parameters.get('opaque'),
    algorithm: parameters.get('algorithm'),
    qop: parameters.has('qop'),
    stale: parameters.get('stale')?.toLowerCase() === 'true',
    userhash: parameters.get('userhash')?.toLowerCase() === 'true',
  };
}

interface DigestRequest {
  readonly method: string;
  /** Path and query of the request. */
  readonly uri: string;
  /** Number of requests with this nonce so far, including this one. */
  readonly count: number;
  readonly cnonce: string;
}

/** In UTF-8, with one character per byte, as what a server sends in headers. */
const toByteText = (text: string): string => Buffer.from(text).toString('latin1');

/** Creates the value of the Authorization header, with one character per byte. */
export function createDigestAuthorization(
  challenge: DigestChallenge,
  user: DigestUser,
  request: DigestRequest,
): string {
  const { realm, nonce, opaque, algorithm, qop, userhash } = challenge;
  const hash = (text: string): string =>
    createHash(HASHES[getBaseAlgorithm(algorithm)]!).update(text, 'latin1').digest('hex');
  const [name, password] = [toByteText(user.user), toByteText(user.password)];
  const { method, uri, cnonce } = request;
  const nc = request.count.toString(16).padStart(8, '0');
  const secret = hash(`${name}:${realm}:${password}`);
  const isSession = /-sess$/i.test(algorithm ?? '');
  const a1 = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
  const a2 = hash(`${method}:${uri}`);
  const response = qop ? hash(`${a1}:${nonce}:${nc}:${cnonce}:auth:${a2}`) : hash(`${a1}:${nonce}:${a2}`);
  const username = userhash ? hash(`${name}:${realm}`) : name;
  const parts = [
    `username=${quote(username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(qop ? ['qop=auth', `nc=${nc}`] : []),
    ...(qop || isSession ? [`cnonce="${cnonce}"`] : []),
    ...(userhash ? ['userhash=true'] : []),
  ];
  return `Digest ${parts.join(', ')}`;
}

const quote = (text: string): string => `"${text.replace(/[\r\n]/g, '').replace(/["\\]/g, '\\$&')}"`;
