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
  /** What will be asked for. */
  readonly url: CrawlUrl;
  readonly options: UrlOptions;
  readonly task: () => PageTask;
  /** A person wants it though the host rests. */
  readonly tried: boolean;
  /** What the URL needs; see docs/LOGINS.md. */
  readonly login?: LoginSession;
  /** Told when another host has to be waited for. */
  readonly waits: () => void;
}
