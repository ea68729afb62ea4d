import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { classifyError, enqueue, requestTicket } from './kerberos.js';
import { probePage } from './probe.js';

const MAX_WAIT_MS = 60_000;

/** Negotiate (Kerberos): every request carries a ticket, which the library renews from the keytab. */
export class NegotiateSession implements LoginMethod {
  private failure: Error | undefined;
  private cacheNumber = 0;

  constructor(private readonly definition: LoginDefinitionOf<'negotiate'>) {}

  async login(tools: LoginTools): Promise<LoginResult> {
    const { check, name } = this.definition;
    const what = 'requested a Kerberos ticket';
    this.discardTickets();
    let session: RequestSession;
    try {
      session = await this.getSession(check);
    } catch (error) {
      const { message } = error as Error;
      const detail = `Kerberos issued no ticket: ${message}`;
      tools.report({ what, detail });
      return { kind: classifyError(message), detail };
    }
    tools.report({ what, detail: 'received a ticket' });
    return (await probePage(tools, { url: check, session: { ...session, login: name }, schemes: ['negotiate'] }))
      .result;
  }

  /** A rejected keytab is not tried again before the next login: each attempt may count towards locking the account. */
  async getSession(url: string): Promise<RequestSession> {
    const ticket = this.getTicketSession(url);
    const expired = Promise.withResolvers<never>();
    // The library bounds the size of an answer, but not how slowly a KDC may send it.
    const timer = setTimeout(() => expired.reject(new Error('the KDC did not answer in time')), MAX_WAIT_MS);
    try {
      return await Promise.race([ticket, expired.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private getTicketSession(url: string): Promise<RequestSession> {
    return enqueue(async () => {
      if (this.failure) throw this.failure;
      try {
        const ticket = await requestTicket(this.definition, new URL(url).hostname, this.cacheNumber);
        return { headers: { authorization: `Negotiate ${ticket}` } };
      } catch (error) {
        this.failure = error as Error;
        throw error;
      }
    });
  }

  judgeResponse({ status }: SessionAnswer): SessionVerdict {
    return status === 401 ? 'ended' : 'fine';
  }

  /**
   * Switches to an empty cache after a failure: while the cache holds expired tickets, the library reports only that
   * they have expired, not why it cannot get new ones.
   */
  private discardTickets(): void {
    if (!this.failure) return;
    this.failure = undefined;
    this.cacheNumber++;
  }
}
