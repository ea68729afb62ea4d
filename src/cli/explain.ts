import { lookup } from 'node:dns/promises';
import { likelyRoot } from '../domain/policy/site-mode.js';
import type { Candidate } from '../domain/policy/verdict.js';
import { type CrawlContext, compileContexts } from '../engine/page/crawl-context.js';
import { configurationFile } from '../server/engine.module.js';
import { DEFAULT_CONFIG, UsageError } from '../server/options.js';
import { type ExplanationDto, explanationDto, type RobotsOpinionDto } from '../server/urls/explanation.dto.js';
import { ServerClient, type ServerOption } from './client.js';

interface ExplainOptions extends ServerOption {
  readonly config?: string;
  readonly crawler?: string;
  readonly from?: string;
}

interface Judged extends ExplanationDto {
  readonly url: string;
  readonly arrival: string;
  readonly from?: string;
  /** Absent without a server. */
  readonly robots?: RobotsOpinionDto;
  readonly state?: { readonly status: string; readonly reason: string };
}

/** Asks the running server; without one, judges by the configuration alone (which knows no stored URLs). */
export async function explain(url: string, options: ExplainOptions): Promise<void> {
  const client = new ServerClient(options);
  const useServer = options.server !== undefined || (options.config === undefined && (await client.isThere()));
  const answers = useServer ? await askServer(client, url, options) : await judgeHere(url, options);
  for (const [crawler, judged] of answers) process.stdout.write(`${explanationText(crawler, judged)}\n`);
}

async function askServer(client: ServerClient, url: string, options: ExplainOptions): Promise<[string, Judged][]> {
  const crawlers = options.crawler === undefined ? await client.crawlers() : [options.crawler];
  const query = new URLSearchParams({ url, ...(options.from === undefined ? {} : { from: options.from }) });
  const ask = async (crawler: string): Promise<[string, Judged]> => [
    crawler,
    await client.call<Judged>('GET', `/crawlers/${encodeURIComponent(crawler)}/explain?${query}`),
  ];
  return Promise.all(crawlers.map(ask));
}

async function judgeHere(url: string, options: ExplainOptions): Promise<[string, Judged][]> {
  const { definition } = configurationFile(options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG).load();
  const contexts = compileContexts(definition);
  const names = options.crawler === undefined ? [...contexts.keys()] : [options.crawler];
  return Promise.all(
    names.map(async (name): Promise<[string, Judged]> => {
      const context = contexts.get(name);
      if (!context) throw new UsageError(`there is no crawler ${name}; there are ${[...contexts.keys()].join(', ')}`);
      return [name, await judge(context, url, options.from)];
    }),
  );
}

async function judge(context: CrawlContext, rawUrl: string, rawFrom: string | undefined): Promise<Judged> {
  let candidate = candidateOf(context, rawUrl, rawFrom);
  let explanation = context.policy.explain(candidate);
  if (explanation.verdict.needsAddress) {
    const found = await lookup(candidate.url.host).catch(() => undefined);
    candidate = { ...candidate, address: found?.address ?? null };
    explanation = context.policy.explain(candidate);
  }
  const { url, arrival, from } = candidate;
  return { url: url.href, arrival, from: from?.href, ...explanationDto(explanation) };
}

/** A configured root is judged as one, anything else as a link below the root that would lead there. */
function candidateOf(context: CrawlContext, rawUrl: string, rawFrom: string | undefined): Candidate {
  const url = context.canonicalize(rawUrl);
  const from = rawFrom === undefined ? undefined : context.canonicalize(rawFrom);
  if (!url) throw new UsageError(`${rawUrl} is no URL with a host`);
  if (rawFrom !== undefined && !from) throw new UsageError(`${rawFrom} is no URL with a host`);
  const itself = context.roots.get(url.href);
  if (itself && !from) return { url, arrival: 'root', root: itself, hops: 0 };
  return { url, arrival: 'link', from, root: likelyRoot(context.roots.values(), from ?? url), hops: 1 };
}

function explanationText(crawler: string, { url, arrival, from, state, robots, verdict, trace }: Judged): string {
  const { accepted, reason, meaning, remedy, layer, place, detail, effects } = verdict;
  const lines = [
    url,
    `  crawler  ${crawler}`,
    `  judged   as a ${arrival}${from ? ` on ${from}` : ''}`,
    `  verdict  ${accepted ? 'crawled' : 'not crawled'}${layer && !accepted ? `, by ${layer}` : ''}`,
    `  reason   ${reason}: ${meaning}`,
    ...(detail ? [`  detail   ${detail}`] : []),
    ...(place ? [`  place    ${place.file}:${place.line}:${place.column}`] : []),
    ...(accepted
      ? [`  effects  index ${yesNo(effects.index)}, follow ${yesNo(effects.follow)}`]
      : [`  remedy   ${remedy}`]),
    ...(robots
      ? [`  robots   ${robots.state}${robots.line === undefined ? '' : ` by line ${robots.line}: ${robots.rule}`}`]
      : []),
    ...(state ? [`  stored   ${state.status} (${state.reason})`] : []),
    '  trace',
    ...trace.map((step) => {
      const where = step.place ? `  ${step.place.file}:${step.place.line}` : '';
      return `    ${step.layer.padEnd(14)} ${step.outcome.padEnd(14)} ${[step.test, step.effect].filter(Boolean).join(' → ')}${where}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
