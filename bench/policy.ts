/**
 * Measures the cost of one verdict. Rules, records and URLs are generated, and are the same in every run.
 *
 *   node dist/bench/policy.js
 *   node dist/bench/policy.js --beside FOLDER   the ratio to another built checkout; both alternate within this process
 */
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readConfigurationInSteps } from '../src/adapters/config-xml/read.js';
import { packDefinition } from '../src/adapters/threads/secrets-across.js';
import type { CrawlerDefinition } from '../src/domain/crawl/definition.js';
import type { RuleDefinition, ServerRecord } from '../src/domain/crawl/policy-definition.js';
import { compilePolicy } from '../src/domain/policy/crawl-policy.js';
import { lintInSteps } from '../src/domain/policy/linter.js';
import { PrefixTable } from '../src/domain/policy/prefix-table.js';
import { createRootContext } from '../src/domain/policy/site-mode.js';
import type { Candidate } from '../src/domain/policy/verdict.js';
import { runAtOnce, type Steps } from '../src/domain/steps.js';
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
const createHostName = (n: number): string => `www.site${n}.example.com`;

const root = createRootContext(
  rootDefinition('https://www.site1.example.com/', { site: true }),
  toCrawlUrl('https://www.site1.example.com/'),
);

/** A typical mix of links: three quarters on the site, the others spread over many hosts. */
const candidates: Candidate[] = Array.from({ length: 20_000 }, (_, i) => {
  const host = i % 4 === 0 ? createHostName(i % HOSTS) : createHostName(1);
  const url = toCrawlUrl(
    `https://${host}/docs/section-${i % 97}/release-${i % 13}/page-${i}.html${i % 5 === 0 ? `?view=${i % 31}` : ''}`,
  );
  return { url, discoveredVia: 'link', from: root.url, root: i % 4 === 0 ? undefined : root, hops: (i % 6) + 1 };
});

/**
 * Of ten rules, four test a host, three a prefix, two a suffix, and one is a regular expression (50 of these at most).
 */
function makeRules(count: number): RuleDefinition[] {
  return Array.from({ length: count }, (_, i) => {
    const ruleNumber = i + 1;
    if (i % 10 === 9 && i < 500)
      return ruleDefinition(ruleNumber, atom('path', 'inside', `/(?:draft|old)-${i}[0-9]*/`), { accept: false });
    if (i % 10 < 4)
      return ruleDefinition(ruleNumber, atom('host', 'exact', createHostName(i)), {
        index: true,
        follow: true,
        accept: true,
      });
    if (i % 10 < 7)
      return ruleDefinition(
        ruleNumber,
        atom('url', 'prefix', `https://${createHostName(i)}/docs/section-${i}/`, { litteral: true }),
        { priorityShift: -1 },
      );
    return ruleDefinition(ruleNumber, atom('path', 'suffix', `.ext${i}`, { litteral: true }), { accept: false });
  });
}

const makeRecords = (count: number): ServerRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `https://${createHostName(i % HOSTS)}/${i < HOSTS ? '' : `docs/section-${i}/`}`,
    place: placeAt(i + 1, 'indexer.conf'),
    parameters: { period: hours(24) },
  }));

function createDefinition(rules: number, records: number): CrawlerDefinition {
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

/**
 * Actions per second of processor time: the best of five rounds after a warm-up round, which other programs on the
 * machine influence little.
 */
function measureRate(action: (i: number) => unknown, count: number): number {
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

function measureVerdicts(name: string, definition: CrawlerDefinition): Row {
  const policy = compilePolicy(definition, undefined);
  const rate = measureRate((i) => policy.judge(candidates[i] as Candidate), candidates.length);
  return createRow(name, rate);
}

interface Row {
  readonly what: string;
  readonly 'per second': number;
  readonly 'µs each': number;
}

const createRow = (what: string, rate: number): Row => ({
  what,
  'per second': rate,
  'µs each': Number((1e6 / rate).toFixed(2)),
});

/** Milliseconds of processor time for which a configuration with that many server records keeps the server from answering. */
function measureLongList(count: number): { what: string; 'longest ms': number; 'total ms': number }[] {
  const rows: ReturnType<typeof measureLongList> = [];
  const getCpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  function measure<T>(what: string, steps: Steps<T>): T {
    const times: number[] = [];
    for (;;) {
      const start = getCpuMs();
      const step = steps.next();
      times.push(getCpuMs() - start);
      if (!step.done) continue;
      const total = times.reduce((sum, time) => sum + time, 0);
      rows.push({ what, 'longest ms': Math.round(Math.max(...times)), 'total ms': Math.round(total) });
      return step.value;
    }
  }
  const conf = makeRecords(count).map(({ url }) => `Server ${url}\n`);
  const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
    <Crawler name="a"><cw:Servers file="indexer.conf"/></Crawler><cw:Sink name="s" type="json" url="http://127.0.0.1:9/"/></CrawlConfig>`;
  const readFile = (name: string): string => {
    if (name === 'indexer.conf') return conf.join('');
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  const { definition } = measure('read', readConfigurationInSteps(xml, { file: 'bench.xml', env: {}, readFile }));
  measure('lint', lintInSteps(definition!));
  measure('pack for threads', packDefinition(definition!));
  return rows;
}

function measurePrefixTable(count: number): Row {
  const table = runAtOnce(PrefixTable.create(makeRecords(count).map((record) => [record.url, record] as const)));
  return createRow(
    `longest of ${count} server records`,
    measureRate((i) => table.findLongest(candidates[i]?.url.href ?? ''), candidates.length),
  );
}

const DEFINITIONS: readonly (readonly [string, CrawlerDefinition])[] = [
  ['verdict: six layers, 1,000 rules in each of three, 10,000 records', createDefinition(1_000, 10_000)],
  ...[10, 100, 1_000, 10_000].map(
    (count) => [`verdict: ${count} crawl rules alone`, crawlerDefinition({ rules: makeRules(count) })] as const,
  ),
];

const ROUNDS = 300;
const WARM_UP_ROUNDS = 60;
const VERDICTS_PER_ROUND = 2_000;

/** Compares in rounds of a few milliseconds, during which other programs on the machine slow down both alike. */
async function compare(folder: string): Promise<void> {
  const file = join(resolve(folder), 'dist/src/domain/policy/crawl-policy.js');
  const otherBuild = (await import(pathToFileURL(file).href)) as { readonly compilePolicy: typeof compilePolicy };
  // Earlier versions call the field `arrival`.
  const comparedCandidates = candidates
    .slice(0, VERDICTS_PER_ROUND)
    .map((candidate) => ({ ...candidate, arrival: candidate.discoveredVia }));
  const rows = DEFINITIONS.map(([what, definition]) => {
    const [currentPolicy, otherPolicy] = [compilePolicy, otherBuild.compilePolicy].map((compile) =>
      compile(definition, undefined),
    );
    const measureTime = (policy: typeof currentPolicy): number => {
      const start = performance.now();
      for (const candidate of comparedCandidates) policy!.judge(candidate);
      return performance.now() - start;
    };
    const ratios = Array.from({ length: ROUNDS }, (_, round) => {
      if (round % 2 === 0) return measureTime(currentPolicy) / measureTime(otherPolicy);
      const otherTime = measureTime(otherPolicy);
      return measureTime(currentPolicy) / otherTime;
    });
    const sorted = ratios.slice(WARM_UP_ROUNDS).sort((a, b) => a - b);
    return { what, 'time here / there, median': Number(sorted[sorted.length >> 1]!.toFixed(3)) };
  });
  console.table(rows);
}

const besideIndex = process.argv.indexOf('--beside');
if (besideIndex >= 0) await compare(process.argv[besideIndex + 1]!);
else
  console.table([
    ...DEFINITIONS.map(([what, definition]) => measureVerdicts(what, definition)),
    ...[10, 1_000, 100_000].map(measurePrefixTable),
  ]);
console.table(measureLongList(100_000));
