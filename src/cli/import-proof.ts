/** Compares what the original configuration says about URLs with what the imported one says. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ImportFile, ReportLine } from '../../import/model.js';
import type { Original } from '../../import/original/original.js';
import type { Verdict } from '../domain/policy/verdict.js';
import { type CrawlContext, compileContexts } from '../engine/page/crawl-context.js';
import { XML_FORMAT } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { pluralize } from './output.js';
import { formatTable } from './table.js';

/** URLs that the original and the imported configuration judge differently, for the same reasons. */
export interface Difference {
  /** `in`: newly crawled; `out`: no longer crawled. */
  readonly direction: 'in' | 'out';
  readonly count: number;
  /** What decides in the original. */
  readonly original: string;
  /** What decides in the imported configuration: its reason, and the line. */
  readonly imported: string;
  /** The line of the report that says so; absent if there is none. */
  readonly reported?: string;
  readonly samples: readonly string[];
}

export interface Proof {
  readonly urls: number;
  readonly same: number;
  readonly differences: readonly Difference[];
}

export interface Imported {
  readonly xml: string;
  readonly copies: readonly ImportFile[];
  readonly lines: readonly ReportLine[];
  /** Name of the file that was written. */
  readonly file: string;
}

const MAX_SAMPLES = 3;
const MAX_URLS = 1_000_000;
const SECRET = /\$\{CRAWLWAY_SECRET_SINK(?:_\d+)?\}/g;

/** @throws UsageError if the imported configuration has errors */
export async function prove(original: Original, imported: Imported, urls: AsyncIterable<string>): Promise<Proof> {
  const contexts = readContexts(imported);
  const groups = new Map<string, Difference & { count: number; samples: string[] }>();
  const known = new Set<string>();
  let same = 0;
  let others = 0;
  for await (const text of urls) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) {
      others++;
      continue;
    }
    url.hash = '';
    if (known.has(url.href)) continue;
    known.add(url.href);
    if (known.size > MAX_URLS) throw new UsageError(`there are more than ${MAX_URLS} URLs`);
    const before = original.judge(url);
    const after = judge(contexts, url.href);
    if (before.accepted === after.accepted) same++;
    else addDifference(url.href, before.by, after, imported, groups);
  }
  if (known.size === 0) {
    const hint =
      others === 0 ? '' : `: none of ${others} values is one; --field names the field of an index with the URL`;
    throw new UsageError(`there are no URLs to compare${hint}`);
  }
  const differences = [...groups.values()].sort((a, b) => b.count - a.count);
  return { urls: known.size, same, differences };
}

function readContexts({ xml, copies, file }: Imported): CrawlContext[] {
  const readFile = (name: string): string => copies.find((copy) => copy.name === name)?.text ?? '';
  // The comparison needs no secret.
  const { definition, problems } = XML_FORMAT.read(xml.replaceAll(SECRET, 'secret'), { file, readFile });
  const error = problems.find(({ severity }) => severity === 'error');
  if (!definition) throw new UsageError(`${file} cannot be compared: ${error?.message ?? 'it has errors'}`);
  return [...compileContexts(definition).values()];
}

/**
 * Accepted if any crawler does: as one of its roots, otherwise as a link on the root that most likely leads there. How
 * many links lead to a page is not part of it.
 */
function judge(contexts: readonly CrawlContext[], href: string): Verdict {
  let rejected: Verdict | undefined;
  for (const context of contexts) {
    const url = context.canonicalize(href);
    if (!url) continue;
    const root = context.roots.get(url.href);
    const verdict = context.policy.judge(
      root
        ? { url, discoveredVia: 'root', root, hops: 0 }
        : { url, discoveredVia: 'link', root: context.roots.findLikely(url), hops: 0 },
    );
    if (verdict.accepted) return verdict;
    rejected ??= verdict;
  }
  if (!rejected) throw new UsageError('the imported configuration has no crawler');
  return rejected;
}

function addDifference(
  href: string,
  original: string,
  { accepted, reason, place, layer }: Verdict,
  { lines }: Imported,
  groups: Map<string, Difference & { count: number; samples: string[] }>,
): void {
  const imported = place === undefined ? reason : `${reason} (line ${place.line})`;
  const key = JSON.stringify([accepted, original, imported]);
  const group = groups.get(key);
  if (group) {
    group.count++;
    if (group.samples.length < MAX_SAMPLES) group.samples.push(href);
    return;
  }
  const line = findLine(lines, original, layer === 'link-rules' ? reason : undefined);
  groups.set(key, {
    direction: accepted ? 'in' : 'out',
    count: 1,
    original,
    imported,
    ...(line ? { reported: `${line.setting}: ${line.note}` } : {}),
    samples: [href],
  });
}

/** The line of the report about the rule that decided in the original, or about what Crawlway does without a setting. */
function findLine(lines: readonly ReportLine[], original: string, ofLink: string | undefined): ReportLine | undefined {
  // That an order was reversed explains no difference.
  const notable = lines.filter(({ kind, note }) => kind !== 'taken' && !note.includes('reverse order'));
  const others = ofLink === 'extension-ignored' ? '' : '|BasicURLFilter|PathologicalPath|TooManyPath';
  const names = new RegExp(`^(?:what no setting says$${others})`);
  if (ofLink) return notable.find(({ setting }) => names.test(setting));
  return (
    notable.find(({ place }) => place !== undefined && original.startsWith(`${place} `)) ??
    notable.find(({ kind, setting }) => original === setting || (kind === 'not taken' && original.includes(setting))) ??
    notable.find(({ setting, note }) => setting === 'the scope of the crawl' && note.startsWith('it stays'))
  );
}

export function formatProof({ urls, same, differences }: Proof): string {
  const count = (number: number): string => number.toLocaleString('en-US');
  const title = `${count(same)} of ${pluralize(urls, 'URL').replace(String(urls), count(urls))} get the same verdict.`;
  if (differences.length === 0) return `${title}\n`;
  const rows = differences.map(({ direction, count: number, original, imported, reported, samples }) => [
    `${count(number)} ${direction === 'in' ? 'newly in' : 'out'}`,
    toPrintable(original).slice(0, 70),
    imported,
    reported === undefined ? 'no line of the report' : toPrintable(reported).slice(0, 60),
    toPrintable(samples[0]!).slice(0, 100),
  ]);
  return `${title}\n${formatTable(['', 'DECIDED BY', 'NOW BY', 'REPORT', 'FOR EXAMPLE'], rows)}\n`;
}

/** The first URL of each line: of a list, a log of a crawler, or the access log of the site; all URLs of a sitemap. */
export async function* readUrls(path: string, site: string | undefined): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) yield* findUrls(line, site);
  } catch (error) {
    throw toFileError(path, 'read', error);
  }
}

const REQUEST = /"(?:GET|HEAD) (\/\S*) HTTP\/[\d.]+"/;

export function findUrls(line: string, site: string | undefined): string[] {
  const locations = [...line.matchAll(/<(?:\w+:)?loc>\s*([^<\s]+)\s*<\//g)].map(([, url]) =>
    url!.replaceAll('&amp;', '&'),
  );
  if (locations.length > 0 || /<(?:urlset|sitemapindex|\?xml)/.test(line)) return locations;
  const path = REQUEST.exec(line)?.[1];
  if (path !== undefined) return site === undefined ? [] : [new URL(`${new URL(site).origin}${path}`).href];
  return /https?:\/\/[^\s"'<>]+/i.exec(line)?.slice(0, 1) ?? [];
}
