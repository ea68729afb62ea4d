/** How often a login may be tried: sites lock accounts, and identity providers ban addresses, that log in all the time. */
import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import { after, type Duration, hours, type Instant, milliseconds, seconds } from '../../../domain/time/units.js';
import { getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { LoginTools } from '../../ports/login-method.js';

const WINDOW = hours(1);
/** Codes and forms of a login expire, so that even a host with a long pause gets its requests within this time. */
const MAX_PAUSE = seconds(5);
const MAX_HOSTS = 100;

/** The logins of the last hour, without those that renew a session before its end. */
export class LoginBudget {
  private attempts: { readonly at: Instant; succeeded: boolean }[] = [];

  constructor(private readonly most: LoginDefinition['maxLoginsPerHour']) {}

  /** Returns when the next login may be tried; `never` if the logins work but their sessions do not last. */
  findNextAttempt(now: Instant): Instant | 'never' | undefined {
    this.attempts = this.attempts.filter(({ at }) => at > now - WINDOW);
    if (this.attempts.length < this.most) return undefined;
    if (this.attempts.every(({ succeeded }) => succeeded)) return 'never';
    return after(this.attempts[this.attempts.length - this.most]!.at, WINDOW);
  }

  record(at: Instant, succeeded: boolean): void {
    this.attempts.push({ at, succeeded });
  }

  clear(): void {
    this.attempts = [];
  }

  save(): readonly Instant[] {
    return this.attempts.filter(({ succeeded }) => succeeded).map(({ at }) => at);
  }

  restore(successes: readonly Instant[]): void {
    this.attempts = successes.map((at) => ({ at, succeeded: true }));
  }
}

export interface PacedEnvironment {
  readonly fetch: LoginTools['fetch'];
  readonly now: () => Instant;
  readonly sleep: (wait: Duration) => Promise<void>;
}

/** Sends the requests of a login with the pause that the crawl makes between requests to a host. */
export class PacedRequests {
  private readonly lastRequests = new Map<string, Instant>();
  private pause = milliseconds(0);

  constructor(private readonly environment: PacedEnvironment) {}

  setPause(pause: Duration): void {
    this.pause = pause < MAX_PAUSE ? pause : MAX_PAUSE;
  }

  noteRequest(url: string): void {
    if (this.lastRequests.size >= MAX_HOSTS) this.lastRequests.clear();
    this.lastRequests.set(getHostKey(toCrawlUrl(url)), this.environment.now());
  }

  readonly fetch: LoginTools['fetch'] = async (request) => {
    const last = this.lastRequests.get(getHostKey(toCrawlUrl(request.url)));
    const now = this.environment.now();
    const wait = last === undefined ? 0 : after(last, this.pause) - now;
    if (wait > 0) await this.environment.sleep(milliseconds(wait));
    try {
      return await this.environment.fetch(request);
    } finally {
      this.noteRequest(request.url);
    }
  };
}
