import type { UrlOptions } from '../../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { CrawlUrl } from '../../../domain/url/crawl-url.js';
import type { PageTask } from '../../ports/page-task.js';
import type { Host } from '../hosts/hosts.js';
import type { LoginSession } from '../logins/login-session.js';

/** A URL whose host has been claimed for it. */
export interface Attempt {
  readonly state: UrlState;
  readonly host: Host;
  /** What will be requested. */
  readonly url: CrawlUrl;
  readonly options: UrlOptions;
  readonly task: () => PageTask;
  /** A person wants it although the host rests. */
  readonly tried: boolean;
  /** The login that the URL needs; see docs/LOGINS.md. */
  readonly login?: LoginSession;
  /** Called when it has to wait for another host. */
  readonly waits: () => void;
}
