import type { RootDefinition } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { assignSource } from '../../domain/frontier/sources.js';
import { getServerScope } from '../../domain/policy/server-records.js';
import { createRootContext, moveSite, moveSiteBack } from '../../domain/policy/site-mode.js';
import type { RootContext, Verdict } from '../../domain/policy/verdict.js';
import { type CrawlUrl, getHostKey, stripUserInfo, toCrawlUrl } from '../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { Crawler } from '../crawl/crawler.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, NewUrl } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { PageProcessor } from '../ports/page-processor.js';
import { NotFound } from '../support/api-errors.js';
import { type RootSubmission, type RootView, type SubmitOutcome } from '../views/crawler-views.js';
import { RootList } from './root-list.js';
import { rootSettingsPrefix } from './root-settings.js';

/** Maximum number of submissions stored in one call. */
const PAGE = 1_000;
/**
 * Up to this many submissions in one call are tried at once even if their hosts are resting; longer lists wait for the
 * hosts.
 */
const MOST_TRIED = 20;

interface RootServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly processor: PageProcessor;
  readonly nodes: Nodes;
}

/** The root URLs of all crawlers: configured ones, and submitted ones, which are kept in the store. */
export class Roots {
  private readonly views: RootList;

  constructor(private readonly services: RootServices) {
    this.views = new RootList(services.store);
  }

  /** Loads submitted roots and moved sites and stores new roots, after a start or a configuration change. */
  async open(crawler: Crawler, before: Iterable<string> = []): Promise<void> {
    await this.syncWithStore(crawler, before);
    const judged = [...crawler.context.roots.values()].map((root) => ({ root, verdict: judgeRoot(crawler, root) }));
    const fresh = judged.flatMap(({ root, verdict }) =>
      verdict.accepted ? [this.toNewUrl(crawler, root, verdict)] : [],
    );
    const recorded = judged.flatMap(({ root, verdict }) =>
      verdict.accepted || !verdict.record ? [] : [this.createFilteredUrl(crawler, root, verdict)],
    );
    if (recorded.length > 0) await this.services.store.discover(recorded);
    const added = await this.services.store.discover(fresh);
    crawler.admit(added);
    await this.promoteToRoots(crawler, fresh, added);
  }

  /**
   * A URL that was first found through a link and is now configured as a root becomes one, as if it had been submitted.
   */
  private async promoteToRoots(crawler: Crawler, roots: readonly NewUrl[], added: readonly UrlState[]): Promise<void> {
    const isAdded = new Set(added.map(({ url }) => url));
    for (const some of splitIntoChunks(roots.filter(({ url }) => !isAdded.has(url)))) {
      const states = await Promise.all(some.map(({ url }) => this.services.store.find(crawler.name, url)));
      const found = some.filter((_, i) => states[i]?.discoveredVia !== 'root');
      if (found.length === 0) continue;
      const seeded = await this.services.store.seed(found);
      crawler.admit(seeded.map(({ state }) => state));
    }
  }

  /**
   * Takes over submitted roots and moved sites, whether from this node or another, and drops roots that were removed.
   * @param before roots of the previous configuration
   */
  async syncWithStore(crawler: Crawler, before: Iterable<string> = []): Promise<void> {
    const known = new Set([...before, ...crawler.context.roots.keys()]);
    const present = collectConfiguredRootUrls(crawler.context);
    for (const root of await this.readStored(crawler.name, crawler.context)) {
      this.registerRoot(crawler, root);
      present.add(root.url.href);
    }
    for (const url of known) if (!present.has(url)) this.drop(crawler, url);
  }

  /** What the store knows about a crawler's roots: submitted ones, and those whose site has moved. */
  async readStored(name: string, context: CrawlContext): Promise<RootContext[]> {
    const stored = new Map<string, RootContext>();
    for (const root of await this.readSubmitted(name)) {
      const url = context.canonicalize(root.url);
      if (url) stored.set(url.href, createRootContext(toRootDefinition(root), url));
    }
    const configured = collectConfiguredRootUrls(context);
    const moved = await this.services.store.listSettings(`moved-site/${name}/`);
    for (const [setting, target] of moved) {
      const url = setting.slice(`moved-site/${name}/`.length);
      const root = stored.get(url) ?? (configured.has(url) ? context.roots.get(url) : undefined);
      if (root) stored.set(url, moveSite(moveSiteBack(root), toCrawlUrl(target)));
    }
    for (const url of configured) {
      const root = context.roots.get(url);
      if (root?.formerPrefixes && !stored.has(url)) stored.set(url, moveSiteBack(root));
    }
    return [...stored.values()];
  }

  /** Returns the outcome for each, in the order given. All nodes know the roots before the first one is visited. */
  async submit(crawler: Crawler, submissions: readonly RootSubmission[]): Promise<SubmitOutcome[]> {
    const judged = submissions.map((submission) => judgeSubmission(crawler, applyDefaultSiteMode(submission)));
    const taken = judged.flatMap((each) => ('root' in each ? [each] : []));
    for (const { root } of taken) this.registerRoot(crawler, root);
    for (const some of splitIntoChunks(taken)) await Promise.all(some.map((each) => this.saveRoot(crawler, each)));
    if (taken.length > 0) await this.services.nodes.notifyControlChanged();
    const outcomes: SubmitOutcome[] = [];
    const seededStates: UrlState[] = [];
    for (const some of splitIntoChunks(taken)) {
      const seeded = await this.services.store.seed(
        some.map(({ root, verdict }) => this.toNewUrl(crawler, root, verdict)),
      );
      crawler.admit(seeded.map(({ state }) => state));
      seededStates.push(...seeded.map(({ state }) => state));
      for (const { state, known } of seeded) outcomes.push({ outcome: known ? 'known' : 'new', url: state });
    }
    if (taken.length <= MOST_TRIED) for (const state of seededStates) await crawler.visitNow(state);
    const next = outcomes.values();
    return judged.map((each) => ('root' in each ? next.next().value! : each));
  }

  /**
   * Submits a mnoGoSearch URL list. With deleteNoServer="no", a URL stands for its whole server, so the server's home
   * page is submitted as well.
   */
  async submitList(crawler: Crawler, lines: readonly string[]): Promise<SubmitOutcome[]> {
    const outcomes = await this.submit(
      crawler,
      lines.map((url) => ({ url, site: false })),
    );
    if (crawler.context.definition.servers?.deleteNoServer === false) {
      await this.submit(crawler, toHomePages(crawler, lines));
    }
    return outcomes;
  }

  list(crawler: Crawler, after: string, limit: number): Promise<RootView[]> {
    return this.views.readPage(crawler, after, limit);
  }

  /**
   * The URL is no longer a root; URLs found through it stay until the rules exclude them.
   * @throws NotFound
   */
  async remove(crawler: Crawler, rawUrl: string): Promise<void> {
    const url = crawler.context.canonicalize(rawUrl);
    const name = url && getSettingName(crawler, url.href);
    if (!url || !name || (await this.services.store.getSetting(name)) === undefined) {
      throw new NotFound(
        `${stripUserInfo(rawUrl)} is not a submitted root of crawler ${crawler.name}; roots in CrawlConfig.xml are removed there`,
      );
    }
    await this.forget(crawler, [url.href]);
  }

  /** Removes the submitted roots among these URLs; configured ones stay. */
  async forget(crawler: Crawler, urls: Iterable<string>): Promise<void> {
    const submitted = await this.services.store.listSettings(rootSettingsPrefix(crawler.name));
    const configured = collectConfiguredRootUrls(crawler.context);
    const forgotten = [...urls].filter((url) => submitted.has(getSettingName(crawler, url)));
    for (const url of forgotten) {
      await this.services.store.putSetting(getSettingName(crawler, url), undefined);
      if (!configured.has(url)) this.drop(crawler, url);
    }
    if (forgotten.length > 0) await this.services.nodes.notifyControlChanged();
  }

  private saveRoot(crawler: Crawler, { submission, root }: Taken): Promise<void> {
    const { href } = root.url;
    return this.services.store.putSetting(getSettingName(crawler, href), JSON.stringify({ ...submission, url: href }));
  }

  private async readSubmitted(name: string): Promise<RootSubmission[]> {
    const settings = await this.services.store.listSettings(rootSettingsPrefix(name));
    return [...settings.values()].map((json) => JSON.parse(json) as RootSubmission);
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

  private toNewUrl(crawler: Crawler, root: RootContext, verdict: Verdict): NewUrl {
    const { url } = root;
    return {
      crawler: crawler.name,
      url: url.href,
      key: computeUrlKey(url.href),
      hostKey: getHostKey(url),
      source: assignSource('root', verdict.effects, verdict.effects.priorityShift),
      status: 'waiting',
      reason: 'submitted',
      hops: 0,
      redirects: 0,
      discoveredVia: 'root',
      root: url.href,
      dueAt: this.services.clock.now(),
    };
  }
}

/** The canonical URLs of configured roots. */
const collectConfiguredRootUrls = ({ definition, canonicalize }: CrawlContext): Set<string> =>
  new Set(definition.roots.flatMap((root) => canonicalize(root.url)?.href ?? []));

function* splitIntoChunks<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let i = 0; i < all.length; i += PAGE) yield all.slice(i, i + PAGE);
}

/** The home pages of these URLs' servers, except those in the list already. */
function toHomePages(crawler: Crawler, lines: readonly string[]): RootSubmission[] {
  const urls = lines.map((line) => crawler.context.canonicalize(line)).filter((url) => url !== undefined);
  const listed = new Set(urls.map(({ href }) => href));
  const homes = new Set(urls.map(getServerScope));
  return [...homes].filter((url) => !listed.has(url)).map((url) => ({ url, site: false }));
}

const getSettingName = (crawler: Crawler, url: string): string => rootSettingsPrefix(crawler.name) + url;

const judgeRoot = (crawler: Crawler, root: RootContext): Verdict =>
  crawler.context.policy.judge({ url: root.url as CrawlUrl, discoveredVia: 'root', root, hops: 0 });

interface Taken {
  readonly submission: RootSubmission;
  readonly root: RootContext;
  readonly verdict: Verdict;
}

type Rejected = Extract<SubmitOutcome, { outcome: 'rejected' }>;

function judgeSubmission(crawler: Crawler, submission: RootSubmission): Taken | Rejected {
  const url = crawler.context.canonicalize(submission.url);
  if (!url) return { outcome: 'rejected', url: stripUserInfo(submission.url), message: 'not a URL with a host' };
  const root = createRootContext(toRootDefinition({ ...submission, url: url.href }), url);
  const verdict = judgeRoot(crawler, root);
  if (verdict.accepted) return { submission, root, verdict };
  const explanation = crawler.context.policy.explain({ url, discoveredVia: 'root', root, hops: 0 });
  return { outcome: 'rejected', url: url.href, explanation, message: verdict.detail ?? verdict.reason };
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
