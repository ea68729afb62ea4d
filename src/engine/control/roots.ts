import type { RootDefinition } from '../../domain/crawl/definition.js';
import type { UrlState, UrlStatus } from '../../domain/crawl/url-state.js';
import { assignSource } from '../../domain/frontier/sources.js';
import { getServerScope } from '../../domain/policy/server-records.js';
import { createRootContext, isStart, moveSite, moveSiteBack } from '../../domain/policy/site-mode.js';
import type { RootContext, Verdict } from '../../domain/policy/verdict.js';
import { forEachInSteps, ITEMS_PER_STEP, runWithPauses } from '../../domain/steps.js';
import { milliseconds } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey, stripUserInfo, toCrawlUrl } from '../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { MoveRules } from '../crawl/frontier/site-moves.js';
import { type CrawlContext, createLikelyLink } from '../page/crawl-context.js';
import type { NewUrl } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import { NotFound } from '../support/api-errors.js';
import type { RootSubmission, RootView, SubmitOutcome } from '../views/crawler-views.js';
import { getRootSettingsPrefix, RootList } from './root-list.js';

/** Maximum number of submissions stored in one call. */
const PAGE_SIZE = 1_000;
/**
 * Up to this many URLs submitted in one call are visited immediately even if their hosts are resting; longer lists wait
 * for the hosts.
 */
const MAX_IMMEDIATE_VISITS = 20;

const NO_TIME = milliseconds(0);

const FAILED: ReadonlySet<UrlStatus> = new Set(['error', 'removed']);

interface RootServices extends Pick<Ports, 'store' | 'clock' | 'processor' | 'nodes'> {
  readonly crawlers: Pick<Crawlers, 'get'>;
  readonly moveRules: Pick<MoveRules, 'findObjection'>;
}

/** The root URLs of all crawlers: configured ones, and submitted ones, which are kept in the store. */
export class Roots {
  private readonly rootList: RootList;

  constructor(private readonly services: RootServices) {
    this.rootList = new RootList(services.store);
  }

  /** Loads submitted roots and moved sites and stores new roots, after a start or a configuration change. */
  async admitRoots(crawler: Crawler, previousUrls: Iterable<string> = []): Promise<void> {
    await this.syncWithStore(crawler, previousUrls);
    for (const chunk of splitIntoChunks([...crawler.context.roots.values()])) await this.admitChunk(crawler, chunk);
  }

  private async admitChunk(crawler: Crawler, roots: readonly RootContext[]): Promise<void> {
    const judgedRoots = roots.map((root) => ({ root, verdict: judgeRoot(crawler, root) }));
    const acceptedUrls = judgedRoots.flatMap(({ root, verdict }) =>
      verdict.accepted ? [this.toNewUrl(crawler, root, verdict)] : [],
    );
    const filteredUrls = judgedRoots.flatMap(({ root, verdict }) =>
      verdict.accepted || !verdict.record ? [] : [this.createFilteredUrl(crawler, root, verdict)],
    );
    if (filteredUrls.length > 0) await this.services.store.discover(filteredUrls);
    const addedStates = await this.services.store.discover(acceptedUrls);
    crawler.admit(addedStates);
    await this.promoteToRoots(crawler, acceptedUrls, addedStates);
  }

  /**
   * Turns URLs that were first found through a link and are now configured as roots into roots, as if they had been
   * submitted. Start URLs that failed are tried again, because a person may have removed the cause.
   */
  private async promoteToRoots(
    crawler: Crawler,
    roots: readonly NewUrl[],
    addedStates: readonly UrlState[],
  ): Promise<void> {
    const addedUrls = new Set(addedStates.map(({ url }) => url));
    const known = roots.filter(({ url }) => !addedUrls.has(url));
    const states = await Promise.all(known.map(({ url }) => this.services.store.find(crawler.name, url)));
    const renewedUrls = known.filter(
      ({ url }, i) =>
        states[i]?.discoveredVia !== 'root' ||
        (FAILED.has(states[i].status) && isStart(crawler.context.roots.get(url))),
    );
    if (renewedUrls.length === 0) return;
    const seeded = await this.services.store.seed(renewedUrls);
    crawler.admit(seeded.map(({ state }) => state));
  }

  /**
   * Takes over submitted roots and moved sites, whether from this node or another, and drops roots that were removed.
   * @param previousUrls roots of the previous configuration
   */
  async syncWithStore(crawler: Crawler, previousUrls: Iterable<string> = []): Promise<void> {
    const candidateUrls = new Set([...previousUrls, ...crawler.context.roots.keys()]);
    const currentUrls = new Set(crawler.context.configuredRoots);
    const stored = await this.readStored(crawler.name, crawler.context);
    for (const root of stored) currentUrls.add(root.url.href);
    await runWithPauses(
      forEachInSteps(stored, (root) => this.registerRoot(crawler, root)),
      this.pause,
    );
    const dropped = [...candidateUrls].filter((url) => !currentUrls.has(url));
    await runWithPauses(
      forEachInSteps(dropped, (url) => this.drop(crawler, url)),
      this.pause,
    );
  }

  /** Lets others have their turn amid long lists. */
  private pause = (): Promise<void> => this.services.clock.sleep(NO_TIME);

  /** Reads a crawler's roots from the store: submitted ones, and those whose site has moved. */
  async readStored(name: string, context: CrawlContext): Promise<RootContext[]> {
    const storedRoots = new Map<string, RootContext>();
    let count = 0;
    for await (const root of this.rootList.readSubmitted(name)) {
      if (++count % ITEMS_PER_STEP === 0) await this.pause();
      const url = context.canonicalize(root.url);
      if (url) storedRoots.set(url.href, createRootContext(toRootDefinition(root), url));
    }
    const configured = context.configuredRoots;
    const movedSites = await this.services.store.listSettings(`moved-site/${name}/`);
    for (const [setting, target] of movedSites) {
      const url = setting.slice(`moved-site/${name}/`.length);
      const root = storedRoots.get(url) ?? (configured.has(url) ? context.roots.get(url) : undefined);
      if (!root) continue;
      // What was followed once may not be allowed any longer.
      const ownRoot = moveSiteBack(root);
      const objection = await this.services.moveRules.findObjection(context, ownRoot, toCrawlUrl(target), false);
      if (objection === undefined) storedRoots.set(url, moveSite(ownRoot, toCrawlUrl(target)));
    }
    for (const url of configured) {
      const root = context.roots.get(url);
      if (root?.formerPrefixes && !storedRoots.has(url)) storedRoots.set(url, moveSiteBack(root));
    }
    return [...storedRoots.values()];
  }

  /**
   * Submits roots; returns the outcome for each, in the order given. All nodes know the roots before the first one is
   * visited.
   */
  async submit(name: string, submissions: readonly RootSubmission[]): Promise<SubmitOutcome[]> {
    const crawler = this.services.crawlers.get(name);
    return this.seed(
      crawler,
      submissions.map((submission) => judgeSubmission(crawler, applyDefaultSiteMode(submission))),
    );
  }

  private async seed(crawler: Crawler, results: readonly (AcceptedUrl | Rejected)[]): Promise<SubmitOutcome[]> {
    const acceptedUrls = results.flatMap((result) => ('root' in result ? [result] : []));
    const acceptedRoots = acceptedUrls.flatMap((accepted) => (accepted.page ? [] : [accepted]));
    for (const { root } of acceptedRoots) this.registerRoot(crawler, root);
    for (const chunk of splitIntoChunks(acceptedRoots))
      await Promise.all(chunk.map((acceptedRoot) => this.saveRoot(crawler, acceptedRoot)));
    if (acceptedRoots.length > 0) await this.services.nodes.notifyControlChanged();
    const outcomes: SubmitOutcome[] = [];
    const seededStates: UrlState[] = [];
    for (const chunk of splitIntoChunks(acceptedUrls)) {
      const seeded = await this.services.store.seed(
        chunk.map(({ root, verdict, page }) => this.toNewUrl(crawler, root, verdict, page)),
      );
      crawler.admit(seeded.map(({ state }) => state));
      crawler.noteRequested(seeded.flatMap(({ state, known }) => (known ? [state.id] : [])));
      seededStates.push(...seeded.map(({ state }) => state));
      for (const { state, known } of seeded) outcomes.push({ outcome: known ? 'known' : 'new', url: state });
    }
    if (acceptedUrls.length <= MAX_IMMEDIATE_VISITS) for (const state of seededStates) await crawler.visitNow(state);
    const acceptedOutcomes = outcomes.values();
    return results.map((result) => ('root' in result ? acceptedOutcomes.next().value! : result));
  }

  /**
   * Submits a mnoGoSearch URL list. With deleteNoServer="no", a URL stands for its whole server, so the server's home
   * page is submitted as well. Returns the outcome for each line, in the order given.
   */
  async submitList(name: string, lines: readonly string[]): Promise<SubmitOutcome[]> {
    const crawler = this.services.crawlers.get(name);
    const outcomes = await this.seed(
      crawler,
      lines.map((line) => judgeListed(crawler, line)),
    );
    if (crawler.context.definition.servers?.deleteNoServer === false) {
      await this.submit(name, toHomePages(crawler, lines));
    }
    return outcomes;
  }

  /**
   * Lists configured roots, then submitted ones, each sorted by URL: at most `limit` (default: all) after a position.
   */
  async list(name: string, after = '', limit = Number.POSITIVE_INFINITY): Promise<RootView[]> {
    return this.rootList.readPage(this.services.crawlers.get(name), after, limit);
  }

  /**
   * Removes a submitted root; URLs found through it stay until the rules exclude them.
   * @throws NotFound
   */
  async remove(name: string, rawUrl: string): Promise<void> {
    const crawler = this.services.crawlers.get(name);
    const url = crawler.context.canonicalize(rawUrl);
    if (!url || (await this.services.store.getSetting(getSettingName(crawler, url.href))) === undefined) {
      throw new NotFound(
        `${stripUserInfo(rawUrl)} is not a submitted root of crawler ${crawler.name}; a root in CrawlConfig.xml must be removed there`,
      );
    }
    await this.forget(crawler, [url.href]);
  }

  /** Removes the submitted roots among these URLs; configured ones stay. */
  async forget(crawler: Crawler, urls: Iterable<string>): Promise<void> {
    const submitted = await this.services.store.listSettings(getRootSettingsPrefix(crawler.name));
    const configured = crawler.context.configuredRoots;
    const forgotten = [...urls].filter((url) => submitted.has(getSettingName(crawler, url)));
    for (const url of forgotten) {
      await this.services.store.putSetting(getSettingName(crawler, url), undefined);
      if (!configured.has(url)) this.drop(crawler, url);
    }
    if (forgotten.length > 0) await this.services.nodes.notifyControlChanged();
  }

  private saveRoot(crawler: Crawler, { submission, root }: AcceptedRoot): Promise<void> {
    const { href } = root.url;
    return this.services.store.putSetting(getSettingName(crawler, href), JSON.stringify({ ...submission, url: href }));
  }

  private registerRoot(crawler: Crawler, root: RootContext): void {
    crawler.addRoot(root);
    this.services.processor.addRoot(crawler.name, root);
  }

  private drop(crawler: Crawler, url: string): void {
    crawler.removeRoot(url);
    this.services.processor.removeRoot(crawler.name, url);
  }

  /** Records a root that a condition filters and logs. */
  private createFilteredUrl(crawler: Crawler, root: RootContext, verdict: Verdict): NewUrl {
    const { source, ...url } = this.toNewUrl(crawler, root, verdict);
    return { ...url, status: 'filtered', reason: verdict.reason };
  }

  private toNewUrl(crawler: Crawler, root: RootContext, verdict: Verdict, page?: CrawlUrl): NewUrl {
    const url = page ?? root.url;
    return {
      crawler: crawler.name,
      url: url.href,
      key: computeUrlKey(url.href),
      hostKey: getHostKey(url),
      source: assignSource('root', verdict.effects, verdict.effects.priorityShift),
      status: 'waiting',
      reason: 'submitted',
      hops: page ? 1 : 0,
      redirects: 0,
      discoveredVia: page ? 'link' : 'root',
      root: root.url.href,
      dueAt: this.services.clock.now(),
    };
  }
}

function* splitIntoChunks<T>(items: readonly T[]): Iterable<readonly T[]> {
  for (let i = 0; i < items.length; i += PAGE_SIZE) yield items.slice(i, i + PAGE_SIZE);
}

/** The home pages of these URLs' servers, except those in the list already. */
function toHomePages(crawler: Crawler, lines: readonly string[]): RootSubmission[] {
  const urls = lines.map((line) => crawler.context.canonicalize(line)).filter((url) => url !== undefined);
  const listedUrls = new Set(urls.map(({ href }) => href));
  const homePages = new Set(urls.map(getServerScope));
  return [...homePages].filter((url) => !listedUrls.has(url)).map((url) => ({ url, site: false }));
}

const getSettingName = (crawler: Crawler, url: string): string => getRootSettingsPrefix(crawler.name) + url;

const judgeRoot = (crawler: Crawler, root: RootContext): Verdict =>
  crawler.context.policy.judge({ url: root.url as CrawlUrl, discoveredVia: 'root', root, hops: 0 });

interface AcceptedRoot {
  readonly submission: RootSubmission;
  readonly root: RootContext;
  readonly verdict: Verdict;
  readonly page?: undefined;
}

/** A page of a root's site. */
interface AcceptedPage extends Omit<AcceptedRoot, 'submission' | 'page'> {
  readonly page: CrawlUrl;
}

type AcceptedUrl = AcceptedRoot | AcceptedPage;

type Rejected = Extract<SubmitOutcome, { outcome: 'rejected' }>;

function judgeSubmission(crawler: Crawler, submission: RootSubmission): AcceptedRoot | Rejected {
  const url = crawler.context.canonicalize(submission.url);
  if (!url) return { outcome: 'rejected', url: stripUserInfo(submission.url), message: 'not a URL with a host' };
  const root = createRootContext(toRootDefinition({ ...submission, url: url.href }), url);
  const verdict = judgeRoot(crawler, root);
  if (verdict.accepted) return { submission, root, verdict };
  const explanation = crawler.context.policy.explain({ url, discoveredVia: 'root', root, hops: 0 });
  return { outcome: 'rejected', url: url.href, explanation, message: verdict.detail ?? verdict.reason };
}

/** A listed URL is a plain root, or else a page on the site of another root. */
function judgeListed(crawler: Crawler, line: string): AcceptedUrl | Rejected {
  const result = judgeSubmission(crawler, { url: line, site: false });
  const { canonicalize, policy } = crawler.context;
  const url = 'root' in result ? undefined : canonicalize(line);
  if (!url) return result;
  const link = createLikelyLink(crawler.context, url);
  const verdict = policy.judge(link);
  return link.root && verdict.accepted ? { root: link.root, verdict, page: url } : result;
}

/**
 * Turns site mode on unless it is declined, as in the configuration. Roots stored before this default existed do not
 * have it.
 */
const applyDefaultSiteMode = (submission: RootSubmission): RootSubmission => ({
  ...submission,
  site: submission.site ?? !submission.entireSite,
});

function toRootDefinition(submission: RootSubmission): RootDefinition {
  return {
    url: submission.url,
    site: submission.site ?? false,
    entireSite: submission.entireSite ?? false,
    priority: submission.priority ?? 0,
    group: submission.group,
    metas: (submission.metas ?? []).map((meta) => ({ ...meta, scope: 'document' })),
    followLinks: submission.followLinks ?? true,
  };
}
