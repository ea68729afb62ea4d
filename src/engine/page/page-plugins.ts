/** The configured plug-ins as used by the pages of one thread. Without plug-ins, none of this is called. */
import { toTypedMeta } from '../../domain/content/meta-types.js';
import { createExclusion } from '../../domain/crawl/exclusion.js';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import type { Meta } from '../../domain/push/order.js';
import { hours } from '../../domain/time/units.js';
import { type AsyncExtractor, ExtractorUnavailable } from '../ports/content-extractor.js';
import type { PageOutcome } from '../ports/page-task.js';
import type { PluginVisit, ResponseAnswer, UrlAnswer } from '../ports/plugin-api.js';
import {
  findPluginsWith,
  type PluginCaller,
  type PluginCalls,
  type PluginFacts,
  PluginFailed,
  type PluginHook,
} from '../ports/plugins.js';
import type { AsyncStep, DocumentDraft, FetchedPage } from './document-steps.js';
import { createFailure } from './page-outcome.js';
import type { RequestedPage } from './requested-page.js';

/** The plug-in host limits the time of plug-ins, waiting included, so this limit is never reached. */
const NEVER_REACHED = hours(1);
const NO_LINKS: readonly string[] = [];

export class PagePlugins {
  private facts: readonly PluginFacts[] = [];
  private expectedNames: readonly string[] = [];
  private resolveReady: (() => void) | undefined;
  /** Resolves when all configured plug-ins are known; undefined once they are. */
  readyPromise: Promise<void> | undefined;
  private byCrawler = new Map<string, CrawlerPlugins | undefined>();

  constructor(private readonly caller: PluginCaller) {}

  /** Sets the names of the configured plug-ins: pages wait until it is known what each of them does. */
  setExpectedNames(names: readonly string[]): void {
    this.expectedNames = names;
    if (this.isKnown) this.stopWaiting();
    else if (!this.readyPromise) {
      this.readyPromise = new Promise((resolve) => {
        this.resolveReady = resolve;
      });
    }
  }

  setFacts(facts: readonly PluginFacts[]): void {
    this.facts = facts;
    this.byCrawler = new Map();
    if (this.isKnown) this.stopWaiting();
  }

  private get isKnown(): boolean {
    return this.expectedNames.every((name) => this.facts.some((facts) => facts.name === name));
  }

  private stopWaiting(): void {
    this.readyPromise = undefined;
    this.resolveReady?.();
  }

  /** The crawler's plug-ins; undefined if its pages use none. */
  find(crawler: string): CrawlerPlugins | undefined {
    if (this.facts.length === 0) return undefined;
    if (!this.byCrawler.has(crawler)) this.byCrawler.set(crawler, this.createCrawlerPlugins(crawler));
    return this.byCrawler.get(crawler);
  }

  createExtractors(): AsyncExtractor[] {
    return this.facts
      .filter(({ hooks }) => hooks.includes('extract'))
      .map((facts) => createExtractor(this.caller, facts));
  }

  private createCrawlerPlugins(crawler: string): CrawlerPlugins | undefined {
    const plugins = new CrawlerPlugins(this.caller, this.facts, crawler);
    return plugins.isEmpty ? undefined : plugins;
  }
}

export class CrawlerPlugins {
  private readonly urlPlugins: readonly PluginFacts[];
  private readonly responsePlugins: readonly PluginFacts[];
  private readonly documentPlugins: readonly PluginFacts[];

  constructor(
    private readonly caller: PluginCaller,
    facts: readonly PluginFacts[],
    crawler: string,
  ) {
    this.urlPlugins = findPluginsWith(facts, 'onUrl', crawler);
    this.responsePlugins = findPluginsWith(facts, 'onResponse', crawler);
    this.documentPlugins = findPluginsWith(facts, 'onDocument', crawler);
  }

  get isEmpty(): boolean {
    return this.urlPlugins.length + this.responsePlugins.length + this.documentPlugins.length === 0;
  }

  get seesUrls(): boolean {
    return this.urlPlugins.length > 0;
  }

  get seesResponses(): boolean {
    return this.responsePlugins.length > 0;
  }

  /**
   * Combines the decisions of all plug-ins; the first one that excludes the URL ends the calls.
   * @throws PluginFailed
   */
  async applyToUrl(page: RequestedPage): Promise<UrlAnswer> {
    let headers: Record<string, string> = {};
    for (const facts of this.urlPlugins) {
      const answer = await callHook(this.caller, facts, 'onUrl', toPluginVisit(page));
      if (answer?.exclude !== undefined) return { exclude: `${facts.name}: ${answer.exclude}` };
      headers = { ...headers, ...answer?.headers };
    }
    return { headers };
  }

  /**
   * Returns the response as changed by all plug-ins, or why one excludes the page.
   * @throws PluginFailed
   */
  async applyToResponse(
    page: RequestedPage,
    response: HttpResponse,
  ): Promise<HttpResponse | { readonly exclude: string }> {
    let changedResponse = response;
    for (const facts of this.responsePlugins) {
      const { status, headers, body } = changedResponse;
      const result = await callHook(this.caller, facts, 'onResponse', {
        ...toPluginVisit(page),
        status,
        headers,
        body,
      });
      if (result?.exclude !== undefined) return { exclude: `${facts.name}: ${result.exclude}` };
      if (result) changedResponse = replaceBody(changedResponse, result);
    }
    return changedResponse;
  }

  /**
   * Creates the plug-ins' document steps.
   * @param excludeDocument called with the reason why one of them excludes the document from the index
   */
  createSteps(excludeDocument: (why: string) => void): AsyncStep[] {
    return this.documentPlugins.map((facts) => ({
      kind: 'async',
      name: `plug-in ${facts.name}`,
      timeLimit: NEVER_REACHED,
      failure: 'plugin-failed',
      run: async (draft, page) => {
        const answer = await callHook(this.caller, facts, 'onDocument', toHookDocument(draft, page));
        if (answer?.exclude !== undefined) excludeDocument(`${facts.name}: ${answer.exclude}`);
        if (answer?.metas) replaceMetas(draft, answer.metas);
        if (answer?.text === undefined) return;
        draft.hasOtherText ||= answer.text !== draft.text;
        draft.keepsBytes = answer.bytes === true;
        draft.text = draft.givenText = answer.text;
      },
    }));
  }
}

/** Calls a plug-in; the result is undefined also if an optional plug-in has failed. */
async function callHook<H extends PluginHook>(
  caller: PluginCaller,
  facts: PluginFacts,
  hook: H,
  argument: PluginCalls[H]['argument'],
): Promise<PluginCalls[H]['answer'] | undefined> {
  try {
    return await caller.call(facts.name, hook, argument);
  } catch (error) {
    if (facts.isOptional && error instanceof PluginFailed) return undefined;
    throw error;
  }
}

function toPluginVisit({ task }: Pick<RequestedPage, 'task'>): PluginVisit {
  const { crawler, url, foundOn, discoveredVia, hops } = task;
  return { crawler, url, discoveredVia, hops, ...(foundOn === undefined ? {} : { foundOn }) };
}

const utf8 = new TextEncoder();

function replaceBody(response: HttpResponse, { body, mediaType }: ResponseAnswer): HttpResponse {
  const bytes = typeof body === 'string' ? utf8.encode(body) : (body ?? response.body);
  const contentType = mediaType ?? response.headers['content-type'];
  // A string that a plug-in returns is UTF-8, whatever encoding the site declared for its own text.
  const charset = typeof body === 'string' ? '; charset=utf-8' : '';
  const newContentType = `${(contentType ?? 'text/html').replace(/;.*/s, charset === '' ? '$&' : '')}${charset}`;
  if (contentType === undefined && charset === '') return { ...response, body: bytes };
  return { ...response, body: bytes, headers: { ...response.headers, 'content-type': newContentType } };
}

function toHookDocument(draft: DocumentDraft, page: FetchedPage): PluginCalls['onDocument']['argument'] {
  const { content, status, mediaType } = page;
  const ownNames = new Set(draft.contentMetas.map(({ name }) => name));
  const headMetas = draft.headMetas.filter(({ name }) => !ownNames.has(name));
  return {
    ...toPluginVisit(page),
    status,
    mediaType,
    title: content.title,
    ...(content.language === undefined ? {} : { language: content.language }),
    text: draft.text,
    metas: groupByName([...draft.contentMetas, ...headMetas, ...draft.visitMetas]),
    pageMetas: groupByName([...content.metas, ...(content.structured ?? [])]),
  };
}

export function groupByName(metas: readonly Pick<Meta, 'name' | 'value'>[]): Record<string, string[]> {
  const groups: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { name, value } of metas) {
    groups[name] ??= [];
    groups[name].push(value);
  }
  return groups;
}

type GivenMetas = NonNullable<NonNullable<PluginCalls['onDocument']['answer']>['metas']>;

/** Converts the metas that a plug-in returns to typed metas, like all others. */
export const toMetas = (givenMetas: GivenMetas): Meta[] =>
  Object.entries(givenMetas).flatMap(([name, values]) =>
    values === null ? [] : (typeof values === 'string' ? [values] : values).map((value) => toTypedMeta(name, value)),
  );

function replaceMetas({ contentMetas, headMetas, visitMetas }: DocumentDraft, givenMetas: GivenMetas): void {
  for (const list of [contentMetas, headMetas, visitMetas]) {
    const remaining = list.filter(({ name }) => !Object.hasOwn(givenMetas, name));
    list.splice(0, list.length, ...remaining);
  }
  contentMetas.push(...toMetas(givenMetas));
}

function createExtractor(caller: PluginCaller, facts: PluginFacts): AsyncExtractor {
  return {
    kind: 'async',
    name: `plug-in ${facts.name}`,
    mediaTypes: facts.mediaTypes.map((type) => (type.endsWith('/*') ? compileFamily(type) : type)),
    timeLimit: NEVER_REACHED,
    async extract(body, mediaType, { url, contentType, maxTextLength }) {
      const content = { url, mediaType, body, ...(contentType === undefined ? {} : { contentType }) };
      const result = await callHook(caller, facts, 'extract', content).catch((error: unknown) => {
        throw new ExtractorUnavailable(String((error as Error).message), 'plugin-failed');
      });
      if (!result) return { refused: 'extract-unsupported', detail: `the plug-in ${facts.name} failed` };
      if (result.refuse !== undefined)
        return { refused: 'extract-unsupported', detail: `${facts.name}: ${result.refuse}` };
      return {
        title: result.title ?? '',
        text: (result.text ?? '').slice(0, maxTextLength),
        ...(result.language === undefined ? {} : { language: result.language }),
        links: (result.links ?? NO_LINKS).map((href) => ({ href, kind: 'a', nofollow: false }) as const),
        metas: [],
        robotsMetas: [],
        fields: toMetas(result.metas ?? {}),
        truncated: (result.text ?? '').length > maxTextLength,
      };
    },
  };
}

const compileFamily = (type: string): RegExp => new RegExp(`^${type.slice(0, -1).replace(/[.+]/g, '\\$&')}`);

/** Adds the decisions of plug-ins to a URL before its page is requested. */
export async function applyUrlPlugins(page: RequestedPage, plugins: CrawlerPlugins): Promise<RequestedPage> {
  if (page.exclusion) return page;
  try {
    const { exclude, headers } = await plugins.applyToUrl(page);
    return exclude === undefined
      ? { ...page, headers }
      : { ...page, exclusion: createExclusion('excluded-by-plugin', exclude) };
  } catch (error) {
    return { ...page, exclusion: toFailure(error) };
  }
}

/** Returns the response as changed by plug-ins, or the outcome if it is not to be read. */
export async function applyResponsePlugins(
  page: RequestedPage,
  response: HttpResponse,
  plugins: CrawlerPlugins,
): Promise<HttpResponse | PageOutcome> {
  try {
    const result = await plugins.applyToResponse(page, response);
    return 'exclude' in result ? createExclusion('excluded-by-plugin', result.exclude) : result;
  } catch (error) {
    return toFailure(error);
  }
}

type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

/** Keeps the document out of the index; its links are followed. */
export function excludeFromIndex(outcome: DocumentOutcome, reason: string | undefined): DocumentOutcome {
  if (reason === undefined || !outcome.index) return outcome;
  return { ...outcome, index: false, reason: 'excluded-by-plugin', document: undefined, leftOut: reason };
}

/** Rethrows any error but PluginFailed, because `PluginCaller` throws nothing else. */
function toFailure(error: unknown): PageOutcome {
  if (!(error instanceof PluginFailed)) throw error;
  return createFailure('plugin-failed', error.message);
}
