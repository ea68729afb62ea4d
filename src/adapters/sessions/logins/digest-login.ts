import { randomBytes } from 'node:crypto';
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { listSchemes, parseChallenges, parseParameters } from './challenges.js';
import { chooseDigest, createDigestAuthorization, type DigestChallenge } from './digest.js';
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
