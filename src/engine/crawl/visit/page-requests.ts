/** Sends a visit's request to the page processor: the page task with everything this visit needs. */
import { findScanReason } from '../../../domain/content/exact-duplicates.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { isFullReadingDue } from '../../../domain/fetch/validators.js';
import { REFRESH } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import type { Partitions } from '../../ports/partitions.js';
import type { Tracing } from '../../ports/tracing.js';
import type { EndlessLinks } from '../evidence/endless-links.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { RepeatedContent } from '../evidence/repeated-content.js';
import type { ErrorPageProbes } from '../hosts/error-page-probes.js';
import type { Strangers } from '../hosts/strangers.js';
import type { InDoubtDeliveries } from '../outcome/in-doubt-deliveries.js';
import type { Attempt } from './attempt.js';
import { isHub } from './link-stage.js';
import type { OcrVisits } from './ocr-visits.js';
import type { Preconditions } from './preconditions.js';
import type { RenderedVisits } from './rendered-visits.js';
import type { Retries } from './retries.js';
import { toSentSession, type VisitSessions } from './visit-sessions.js';

export interface RequestServices {
  readonly processor: Pick<PageProcessor, 'process'>;
  readonly rendered: RenderedVisits;
  readonly ocr: OcrVisits;
  readonly probes: Pick<ErrorPageProbes, 'hasErrorPage'>;
  readonly clock: Clock;
  readonly strangers: Pick<Strangers, 'areNaming'>;
  readonly partitions: Pick<Partitions, 'sendBy'>;
  readonly inDoubt: Pick<InDoubtDeliveries, 'applyDoubt'>;
  readonly tracing: Pick<Tracing, 'recordResponse'>;
}

/** The crawler whose page is requested. */
export interface RequestTarget {
  readonly context: CrawlContext;
  readonly endless: Pick<EndlessLinks, 'findNeededWords'>;
  readonly rediscovery: Pick<Rediscovery, 'needsAllLinks'>;
  readonly repeated: Pick<RepeatedContent, 'isOn' | 'find'>;
  /** When the current policy took effect. */
  readonly current: { readonly policySince: Instant };
}

export class PageRequests {
  constructor(
    private readonly services: RequestServices,
    private readonly target: RequestTarget,
    private readonly preconditions: Pick<Preconditions, 'findPreferences'>,
    private readonly retries: Pick<Retries, 'findRetry'>,
    private readonly sessions: Pick<VisitSessions, 'createSession' | 'noteSentCookies'>,
  ) {}

  async send(attempt: Attempt): Promise<PageResult> {
    const { state, url } = attempt;
    const robotsPreferences = this.preconditions.findPreferences(attempt);
    const retry = this.retries.findRetry(state);
    const variant = retry?.variant;
    const retrySession = retry?.session && { cookies: retry.session.getCookies(url.href) };
    const session = retrySession ?? (await this.sessions.createSession(attempt));
    const wantsWords = await this.target.endless.findNeededWords(state);
    const task = {
      ...this.createTask(attempt),
      ...(this.target.repeated.isOn ? await this.findRepeated(state) : undefined),
      redirectSource: state.discoveredVia === 'redirect' ? await this.findRedirectSource(state) : undefined,
    };
    const reportLinks = await this.target.rediscovery.needsAllLinks(state, task, this.target.current.policySince);
    const allLinksIfChanged = isHub(state, this.target.context);
    if (session) this.sessions.noteSentCookies(state, session);
    const { rendered, ocr, processor } = this.services;
    const wantsFingerprint = this.services.probes.hasErrorPage(state.hostKey);
    const result = await rendered.run(attempt, this.target.context.definition.render, (rendering) =>
      ocr.run(attempt, (ocr) =>
        processor.process({
          ...task,
          ...{ variant, session, wantsWords, wantsFingerprint, reportLinks, allLinksIfChanged, robotsPreferences },
          ...rendering,
          ocr,
        }),
      ),
    );
    this.services.tracing.recordResponse(result);
    return session ? { ...result, sent: toSentSession(session) } : result;
  }

  /** A page that was read before its host's blocks were known is fetched whole. */
  private async findRepeated({ hostKey, lastVisitAt }: UrlState): Promise<Partial<PageTask>> {
    const repeated = await this.target.repeated.find(hostKey);
    if (!repeated) return {};
    const { blocks: repeatedBlocks, since } = repeated;
    const isStale = since !== undefined && (lastVisitAt === undefined || lastVisitAt <= since);
    return { repeatedBlocks, ...(isStale ? { etag: undefined, lastModified: undefined } : {}) };
  }

  /** A stranger who redirects to a page must not decide what its metas say. */
  private async findRedirectSource(state: UrlState): Promise<string | undefined> {
    const { foundOn } = state;
    if (foundOn === undefined) return undefined;
    const isOurs = this.target.context.roots.get(foundOn) !== undefined;
    return isOurs || !(await this.services.strangers.areNaming(state)) ? foundOn : undefined;
  }

  private createTask({ state, effects }: Attempt): PageTask {
    const known = this.services.inDoubt.applyDoubt(state);
    const { id, crawler, url, discoveredVia, foundOn, root, hops, redirects } = known;
    const { etag, lastModified, stamp, inheritedMetas, lastVisitAt } = known;
    const now = this.services.clock.now();
    const isReadInFull = lastVisitAt !== undefined && isFullReadingDue(id, lastVisitAt, now);
    return {
      ...{ id, crawler, url, discoveredVia, foundOn, root, hops, redirects },
      ...{ effects, stamp, inheritedMetas, now },
      ...(isReadInFull ? {} : { etag, lastModified }),
      // That of a page that has left the index says nothing.
      textSketch: state.stamp === undefined ? undefined : known.textSketch,
      rereadLinks:
        state.lastVisitAt === undefined || state.lastVisitAt <= this.target.current.policySince || isResubmitted(state),
      sendBy: this.services.partitions.sendBy,
    };
  }
}

/**
 * Whether a root may have been submitted again: which of its links are followed, and how far, may have changed. A scan has no
 * links, and reading it again would wait for OCR.
 */
const isResubmitted = ({ discoveredVia, source, etag, lastModified, stamp = '' }: UrlState): boolean =>
  discoveredVia === 'root' &&
  source !== REFRESH &&
  etag === undefined &&
  lastModified === undefined &&
  findScanReason(stamp) === undefined;
