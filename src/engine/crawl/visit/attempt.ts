import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Effects } from '../../../domain/policy/verdict.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CrawlUrl } from '../../../domain/url/crawl-url.js';
import type { Host } from '../hosts/hosts.js';
import type { LoginSession } from '../logins/login-session.js';

/** A URL to be requested; its host has been claimed. */
export interface Attempt {
  readonly state: UrlState;
  readonly host: Host;
  /** The URL to request, which may be a variant. */
  readonly url: CrawlUrl;
  readonly effects: Effects;
  /** When the visit began. */
  readonly startedAt: Instant;
  /** True if a user requested the visit although the host is resting. */
  readonly isUrgent: boolean;
  /** The login that the URL needs; see docs/logins.md. */
  readonly login?: LoginSession;
  /** Called when the visit has to wait for another host. */
  readonly onWait: () => void;
}
