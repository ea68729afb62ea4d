import type { Ports } from '../../ports/ports.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { Crawlers } from '../crawlers.js';
import { HubSubscriptions } from '../evidence/hub-subscriptions.js';
import { Discovery } from '../frontier/discovery.js';
import { MoveRules } from '../frontier/site-moves.js';
import type { LoadDomains } from '../hosts/politeness-groups.js';
import type { WebServers } from '../hosts/web-servers.js';
import type { Quotas } from '../load/quotas.js';
import type { Logins } from '../logins/logins.js';
import { OcrVisits } from './ocr-visits.js';
import { RenderedVisits } from './rendered-visits.js';
import { ResultReview } from './result-review.js';

interface ToolServices extends Pick<Ports, 'store' | 'processor' | 'clock' | 'log'> {
  readonly sessions: SessionStore;
  readonly logins: Logins;
  readonly webServers: WebServers;
  readonly crawlers: Pick<Crawlers, 'find'>;
  readonly loadDomains: LoadDomains;
  readonly quotas: Quotas;
  /** Maximum number of visits per crawler, for a crawl that ends after a given number. */
  readonly maxVisits?: number;
}

/** What the visits of all crawlers of a server share. */
export class VisitTools {
  readonly sessions: SessionStore;
  readonly logins: Logins;
  readonly discovery: Discovery;
  readonly subscriptions: HubSubscriptions;
  readonly review: ResultReview;
  readonly rendered: RenderedVisits;
  readonly quotas: Quotas;
  readonly ocr: OcrVisits;
  readonly maxVisits: number;
  readonly moveRules: MoveRules;

  constructor({ webServers, crawlers, quotas, maxVisits = Number.POSITIVE_INFINITY, ...services }: ToolServices) {
    const { store, clock, sessions, logins } = services;
    this.sessions = sessions;
    this.logins = logins;
    this.discovery = new Discovery(store, (name) => crawlers.find(name), webServers.strangers, quotas);
    this.subscriptions = new HubSubscriptions({ ...services, ...webServers, crawlers });
    this.review = new ResultReview({ ...services, ...webServers });
    this.rendered = new RenderedVisits(store, clock);
    this.quotas = quotas;
    this.ocr = new OcrVisits(clock);
    this.maxVisits = maxVisits;
    this.moveRules = new MoveRules(services);
  }
}
