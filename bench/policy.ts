/**
 * The cost of one verdict. Rules, records and URLs are made by a fixed generator: the same work in every run.
 *
 *   node dist/bench/policy.js
 *   node dist/bench/policy.js --beside FOLDER   the ratio to another built checkout, both in turns within this process
 */
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { CrawlerDefinition } from '../src/domain/crawl/definition.js';
import type { RuleDefinition, ServerRecord } from '../src/domain/crawl/policy-definition.js';
import { compilePolicy } from '../src/domain/policy/crawl-policy.js';
import { PrefixTable } from '../src/domain/policy/prefix-table.js';
import { createRootContext } from '../src/domain/policy/site-mode.js';
import type { Candidate } from '../src/domain/policy/verdict.js';
import { hours } from '../src/domain/time/units.js';
import { toCrawlUrl } from '../src/domain/url/crawl-url.js';
import {
  atom,
  crawlerDefinition,
  placeAt,
  rootDefinition,
  ruleDefinition,
} from '../test/support/crawler-definition.js';

const HOSTS = 500;
const host = (n: number): string => `www.site${n}.example.com`;

const root = createRootContext(
  rootDefinition('https://www.site1.example.com/', { site: true }),
  toCrawlUrl('https://www.site1.example.com/'),
);

/** Links as they are found: three quarters on the site, the others spread over hosts. */
const candidates: Candidate[] = Array.from({ length: 20_000 }, (_, i) => {
  const on = i % 4 === 0 ? host(i % HOSTS) : host(1);
  const url = toCrawlUrl(
    `https://${on}/docs/section-${i % 97}/release-${i % 13}/page-${i}.html${i % 5 === 0 ? `?view=${i % 31}` : ''}`,
  );
  return { url, discoveredVia: 'link', from: root.url, root: i % 4 === 0 ? undefined : root, hops: (i % 6) + 1 };
});

/** Of ten rules four are hosts, three prefixes, two suffixes; the tenth is a regular expression, 50 of these at most. */
function makeRules(count: number): RuleDefinition[] {
  return Array.from({ length: count }, (_, i) => {
    const number = i + 1;
    if (i % 10 === 9 && i < 500)
      return ruleDefinition(number, atom('path', 'inside', `/(?:draft|old)-${i}[0-9]*/`), { accept: false });
    if (i % 10 < 4)
      return ruleDefinition(number, atom('host', 'exact', host(i)), { index: true, follow: true, accept: true });
    if (i % 10 < 7)
      return ruleDefinition(
        number,
        atom('url', 'prefix', `https://${host(i)}/docs/section-${i}/`, { litteral: true }),
        { priorityShift: -1 },
      );
    return ruleDefinition(number, atom('path', 'suffix', `.ext${i}`, { litteral: true }), { accept: false });
  });
}

const makeRecords = (count: number): ServerRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `https://${host(i % HOSTS)}/${i < HOSTS ? '' : `docs/section-${i}/`}`,
    place: placeAt(i + 1, 'indexer.conf'),
    parameters: { period: hours(24) },
  }));

function allLayers(rules: number, records: number): CrawlerDefinition {
  return crawlerDefinition({
    linkRules: { ...crawlerDefinition().linkRules, ignoreLinksTo: ['gif', 'jpg', 'png', 'css', 'js', 'zip', 'exe'] },
    rules: makeRules(rules),
    servers: {
      followOutside: true,
      deleteNoServer: true,
      records: makeRecords(records),
      defaults: {},
      place: placeAt(1),
    },
    crawlSpace: {
      file: 'crawl.rules',
      rules: [
        ...Array.from({ length: 800 }, (_, i) => ({
          verdict: 'forbid' as const,
          kind: 'domain' as const,
          target: `*.private${i}.example.com`,
          place: placeAt(i + 1),
        })),
        ...Array.from({ length: 199 }, (_, i) => ({
          verdict: 'forbid' as const,
          kind: 'prefix' as const,
          target: `https://*/cgi-${i}/`,
          place: placeAt(i + 801),
        })),
        { verdict: 'allow', kind: 'domain', target: '*.example.com', place: placeAt(1000) },
      ],
    },
    conditions: {
      defaultAllow: 'allow',
      options: { maxHops: 50 },
      place: placeAt(1),
      rules: Array.from({ length: 1_000 }, (_, i) => ({
        kind: i % 2 === 0 ? ('apply-for' as const) : ('may-not-have' as const),
        test: {
          type: 'wildcard' as const,
          field: 'url' as const,
          value: i % 2 === 0 ? `https://*/section-${i}/*` : `*.old${i}`,
          caseSensitive: false,
        },
        log: false,
        options: i % 2 === 0 ? { throttle: hours(i) } : {},
        children: [],
        place: placeAt(i + 1),
      })),
    },
  });
}

/** By the processor's time, best of five rounds after one for the compiler: other programs on the machine count little. */
function perSecond(action: (i: number) => unknown, count: number): number {
  let best = 0;
  for (let round = 0; round < 6; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < count; i++) action(i);
    const { user, system } = process.cpuUsage(start);
    const rate = count / ((user + system) / 1e6);
    if (round > 0) best = Math.max(best, rate);
  }
  return Math.round(best);
}

function verdictRow(name: string, definition: CrawlerDefinition): Row {
  const policy = compilePolicy(definition, undefined);
  const rate = perSecond((i) => policy.judge(candidates[i] as Candidate), candidates.length);
  return row(name, rate);
}

interface Row {
  readonly what: string;
  readonly 'per second': number;
  readonly 'µs each': number;
}

const row = (what: string, rate: number): Row => ({
  what,
  'per second': rate,
  'µs each': Number((1e6 / rate).toFixed(2)),
});

function prefixRow(count: number): Row {
  const table = new PrefixTable(makeRecords(count).map((record) => [record.url, record] as const));
  return row(
    `longest of ${count} server records`,
    perSecond((i) => table.findLongest(candidates[i]?.url.href ?? ''), candidates.length),
  );
}

const DEFINITIONS: readonly (readonly [string, CrawlerDefinition])[] = [
  ['verdict: six layers, 1,000 rules in each of three, 10,000 records', allLayers(1_000, 10_000)],
  ...[10, 100, 1_000, 10_000].map(
    (count) => [`verdict: ${count} crawl rules alone`, crawlerDefinition({ rules: makeRules(count) })] as const,
  ),
];

const ROUNDS = 300;
const WARM_UP = 60;
const VERDICTS = 2_000;

/** Neighbours on the same machine slow down both alike within a round of a few milliseconds. */
async function compare(folder: string): Promise<void> {
  const file = join(resolve(folder), 'dist/src/domain/policy/crawl-policy.js');
  const other = (await import(pathToFileURL(file).href)) as { readonly compilePolicy: typeof compilePolicy };
  // An earlier version has another name for it.
  const asked = candidates.slice(0, VERDICTS).map((candidate) => ({ ...candidate, arrival: candidate.discoveredVia }));
  const rows = DEFINITIONS.map(([what, definition]) => {
    const [here, there] = [compilePolicy, other.compilePolicy].map((compile) => compile(definition, undefined));
    const took = (policy: typeof here): number => {
      const start = performance.now();
      for (const candidate of asked) policy!.judge(candidate);
      return performance.now() - start;
    };
    const ratios = Array.from({ length: ROUNDS }, (_, round) => {
      if (round % 2 === 0) return took(here) / took(there);
      const base = took(there);
      return took(here) / base;
    });
    const sorted = ratios.slice(WARM_UP).sort((a, b) => a - b);
    return { what, 'time here / there, median': Number(sorted[sorted.length >> 1]!.toFixed(3)) };
  });
  console.table(rows);
}

const beside = process.argv.indexOf('--beside');
if (beside >= 0) await compare(process.argv[beside + 1]!);
else
  console.table([
    ...DEFINITIONS.map(([what, definition]) => verdictRow(what, definition)),
    ...[10, 1_000, 100_000].map(prefixRow),
  ]);
