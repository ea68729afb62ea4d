/** The configured plug-ins as used by the pages of one thread. Without plug-ins, none of this is called. */
import { toTypedMeta } from '../../domain/content/meta-types.js';
import type { Meta } from '../../domain/push/order.js';
import { hours } from '../../domain/time/units.js';
import { type AsyncExtractor, ExtractorUnavailable } from '../ports/content-extractor.js';
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
import type { JudgedUrl } from './judged-url.js';
import type { HttpAnswer } from './page-outcome.js';

/** The plug-in host limits the time of plug-ins, waiting included, so this limit is never reached. */
const NEVER_REACHED = hours(1);
const NO_LINKS: readonly string[] = [];

export class PagePlugins {
  private facts: readonly PluginFacts[] = [];
  private expected: readonly string[] = [];
  private resolve: (() => void) | undefined;
  /** Resolves when all configured plug-ins are known; undefined once they are. */
  awaited: Promise<void> | undefined;
  private byCrawler = new Map<string, CrawlerPlugins | undefined>();

  constructor(private readonly caller: PluginCaller) {}

  /** Sets the names of the configured plug-ins: pages wait until it is known what each of them does. */
  setExpectedNames(names: readonly string[]): void {
    this.expected = names;
    if (this.isKnown) this.stopWaiting();
    else if (!this.awaited) {
      this.awaited = new Promise((resolve) => {
        this.resolve = resolve;
      });
    }
  }

  setFacts(facts: readonly PluginFacts[]): void {
    this.facts = facts;
    this.byCrawler = new Map();
    if (this.isKnown) this.stopWaiting();
  }

  private get isKnown(): boolean {
    return this.expected.every((name) => this.facts.some((facts) => facts.name === name));
  }

  private stopWaiting(): void {
    this.awaited = undefined;
    this.resolve?.();
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
    const made = new CrawlerPlugins(this.caller, this.facts, crawler);
    return made.isEmpty ? undefined : made;
  }
}

export class CrawlerPlugins {
  private readonly withUrl: readonly PluginFacts[];
  private readonly withResponse: readonly PluginFacts[];
  private readonly withDocument: readonly PluginFacts[];

  constructor(
    private readonly caller: PluginCaller,
    facts: readonly PluginFacts[],
    crawler: string,
  ) {
    this.withUrl = findPluginsWith(facts, 'onUrl', crawler);
    this.withResponse = findPluginsWith(facts, 'onResponse', crawler);
    this.withDocument = findPluginsWith(facts, 'onDocument', crawler);
  }

  get isEmpty(): boolean {
    return this.withUrl.length + this.withResponse.length + this.withDocument.length === 0;
  }

  get seesUrls(): boolean {
    return this.withUrl.length > 0;
  }

  get seesResponses(): boolean {
    return this.withResponse.length > 0;
  }

  /**
   * Combines the decisions of all plug-ins; the first one that excludes the URL ends the calls.
   * @throws PluginFailed
   */
  async applyToUrl(page: JudgedUrl): Promise<UrlAnswer> {
    let headers: Record<string, string> = {};
    for (const facts of this.withUrl) {
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
  async applyToResponse(page: JudgedUrl, answer: HttpAnswer): Promise<HttpAnswer | { readonly exclude: string }> {
    let changed = answer;
    for (const facts of this.withResponse) {
      const { status, headers, body } = changed;
      const said = await callHook(this.caller, facts, 'onResponse', { ...toPluginVisit(page), status, headers, body });
      if (said?.exclude !== undefined) return { exclude: `${facts.name}: ${said.exclude}` };
      if (said) changed = replaceBody(changed, said);
    }
    return changed;
  }

  /**
   * Creates the plug-ins' document steps.
   * @param leaveOut called with the reason why one of them excludes the document from the index
   */
  createSteps(leaveOut: (why: string) => void): AsyncStep[] {
    return this.withDocument.map((facts) => ({
      kind: 'async',
      name: `plug-in ${facts.name}`,
      timeLimit: NEVER_REACHED,
      failure: 'plugin-failed',
      run: async (draft, page) => {
        const answer = await callHook(this.caller, facts, 'onDocument', toHookDocument(draft, page));
        if (answer?.exclude !== undefined) leaveOut(`${facts.name}: ${answer.exclude}`);
        if (answer?.metas) replaceMetas(draft, answer.metas);
        if (answer?.text !== undefined) draft.text = draft.givenText = answer.text;
      },
    }));
  }
}

/** Undefined also if an optional plug-in has failed. */
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

function toPluginVisit({ task }: Pick<JudgedUrl, 'task'>): PluginVisit {
  const { crawler, url, foundOn, discoveredVia, hops } = task;
  return { crawler, url, discoveredVia, hops, ...(foundOn === undefined ? {} : { foundOn }) };
}

const utf8 = new TextEncoder();

function replaceBody(answer: HttpAnswer, { body, mediaType }: ResponseAnswer): HttpAnswer {
  const bytes = typeof body === 'string' ? utf8.encode(body) : (body ?? answer.body);
  const contentType = mediaType ?? answer.headers['content-type'];
  // A string that a plug-in returns is UTF-8, whatever encoding the site declared for its own text.
  const charset = typeof body === 'string' ? '; charset=utf-8' : '';
  const type = `${(contentType ?? 'text/html').replace(/;.*/s, charset === '' ? '$&' : '')}${charset}`;
  if (contentType === undefined && charset === '') return { ...answer, body: bytes };
  return { ...answer, body: bytes, headers: { ...answer.headers, 'content-type': type } };
}

function toHookDocument(draft: DocumentDraft, page: FetchedPage): PluginCalls['onDocument']['argument'] {
  const { content, status, mediaType } = page;
  const own = new Set(draft.lasting.map(({ name }) => name));
  const described = draft.described.filter(({ name }) => !own.has(name));
  return {
    ...toPluginVisit(page),
    status,
    mediaType,
    title: content.title,
    ...(content.language === undefined ? {} : { language: content.language }),
    text: draft.text,
    metas: groupByName([...draft.lasting, ...described, ...draft.passing]),
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
export const toMetas = (given: GivenMetas): Meta[] =>
  Object.entries(given).flatMap(([name, values]) =>
    values === null ? [] : (typeof values === 'string' ? [values] : values).map((value) => toTypedMeta(name, value)),
  );

function replaceMetas({ lasting, described, passing }: DocumentDraft, given: GivenMetas): void {
  for (const list of [lasting, described, passing]) {
    const kept = list.filter(({ name }) => !Object.hasOwn(given, name));
    list.splice(0, list.length, ...kept);
  }
  lasting.push(...toMetas(given));
}

function createExtractor(caller: PluginCaller, facts: PluginFacts): AsyncExtractor {
  return {
    kind: 'async',
    name: `plug-in ${facts.name}`,
    mediaTypes: facts.mediaTypes.map((type) => (type.endsWith('/*') ? compileFamily(type) : type)),
    timeLimit: NEVER_REACHED,
    async extract(body, mediaType, { url, contentType, maxTextLength }) {
      const content = { url, mediaType, body, ...(contentType === undefined ? {} : { contentType }) };
      const said = await callHook(caller, facts, 'extract', content).catch((error: unknown) => {
        throw new ExtractorUnavailable(String((error as Error).message), 'plugin-failed');
      });
      if (!said) return { refused: 'extract-unsupported', detail: `the plug-in ${facts.name} failed` };
      if (said.refuse !== undefined) return { refused: 'extract-unsupported', detail: `${facts.name}: ${said.refuse}` };
      return {
        title: said.title ?? '',
        text: (said.text ?? '').slice(0, maxTextLength),
        ...(said.language === undefined ? {} : { language: said.language }),
        links: (said.links ?? NO_LINKS).map((href) => ({ href, kind: 'a', nofollow: false }) as const),
        metas: [],
        robotsMetas: [],
        fields: toMetas(said.metas ?? {}),
        truncated: (said.text ?? '').length > maxTextLength,
      };
    },
  };
}

const compileFamily = (type: string): RegExp => new RegExp(`^${type.slice(0, -1).replace(/[.+]/g, '\\$&')}`);
