/**
 * `npm run bench -- PART [OPTION …]` runs one benchmark: `npm run bench -- crawl --pages 50000`.
 *
 * `npm run bench [-- figures]` runs all that bring the figures of the documents and need nothing but this checkout, one
 * after the other. `npm run bench -- figures --foreign [OPTION …]` runs those that need other software; options such as
 * `--tika URL` say where it is, and what is missing is left out by name.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CHROMIUM } from '../test/console/chromium.js';
import { describeMachine, getOptions } from './crawl-run.js';
import { hasJdkDocumentation, JDK_DOCUMENTATION } from './folder-site.js';

const PARTS: Readonly<Record<string, string>> = {
  crawl: 'whole crawls of one host with everything on',
  cores: 'what a page costs each thread, a crawl on one core and on two, and what limits it on more',
  hosts: 'many hosts: the share of what politeness allows',
  revisits: 'revisits of unchanged pages (304) against first fetches',
  start: 'start of a server, and its memory when it is idle',
  known: 'cost of a page, memory and start with 10 million known URLs',
  policy: 'verdicts per second',
  store: 'links, settlements and leases per second by size of the store',
  preview: 'stored URLs judged per second by the preview of a changed configuration',
  lists: 'how long the lists of the console take on a million URLs',
  'api-latency': 'how fast the API responds during a crawl at full speed',
  'sink-down': 'an hour without the sink: memory, disk, waiting orders, and the time to catch up',
  'two-sinks': 'documents per second at a sink beside one that is down or slow',
  documents: 'PDF files read per second, compared with pdftotext and a Tika server; requires a folder of PDF files',
  cluster: 'several nodes on one PostgreSQL: nodes, curve, failover or statements',
  orders: 'orders per second to running engines, compared with a bare loop over the client of each',
  'console-frames': 'how smooth the console is during a crawl at full speed; requires Chromium',
  parse: 'pages read per second; requires a folder of HTML files',
  detection: 'pages of a folder that are reported to need their scripts; requires a folder of HTML files',
  rendered: 'pages per second that a browser renders; requires Chromium',
  'rendered-text': 'text of pages made by scripts, compared with Playwright; requires Chromium',
};

interface Need {
  readonly name: string;
  readonly isMet: () => boolean;
}

interface Figures {
  /** The benchmark and its options. */
  readonly run: string;
  readonly quoted: string;
  readonly needs?: readonly Need[];
  /** Further options, which have come from the command line. */
  readonly more?: readonly string[];
}

const BENCH = 'bench/README.md';
const SCALING = 'docs/scaling.md, Measured';
const COMPARISON = 'docs/comparison.md, Speed';
const JDK: Need = { name: 'openjdk-17-doc (apt-get install)', isMet: hasJdkDocumentation };
const CHROMIUM_NEED: Need = { name: 'Chromium', isMet: () => CHROMIUM !== undefined };
const needCommand = (command: string): Need => ({
  name: command,
  isMet: () => spawnSync(command, ['-v']).error === undefined,
});
const needOption = (example: string, ...options: readonly string[]): Need => ({
  name: `an option such as ${example}`,
  isMet: () => options.some((option) => getOptions(option).length > 0),
});
const passOn = (option: string, name = option): string[] => getOptions(option).flatMap((value) => [`--${name}`, value]);
const ENGINES = ['elasticsearch', 'opensearch', 'solr', 'kafka', 'postgresql'];

/** What brings the figures of the documents; bench/README.md says where the others come from. */
const OWN_FIGURES: readonly Figures[] = [
  {
    run: 'crawl --runs 5 --again http://localhost:18090/api/index.html',
    quoted: `${BENCH}, A whole crawl`,
    needs: [JDK],
  },
  { run: 'cores', quoted: `${BENCH}, More cores`, needs: [JDK] },
  { run: 'hosts', quoted: `${BENCH}, Many hosts; ${COMPARISON} (share of what politeness allows)` },
  { run: 'revisits', quoted: `${BENCH}, Many hosts` },
  { run: 'known', quoted: `${BENCH}, Many hosts` },
  { run: 'start', quoted: `${BENCH}, Start and memory` },
  { run: 'api-latency', quoted: `${BENCH}, Answers of the API` },
  { run: 'policy', quoted: `${BENCH}, Verdicts` },
  { run: 'store', quoted: `${BENCH}, Lists and stores` },
  { run: 'preview', quoted: `${BENCH}, Lists and stores` },
  { run: 'lists', quoted: `${BENCH}, Lists and stores` },
  { run: `parse ${JDK_DOCUMENTATION.folder}/api`, quoted: `${BENCH}, Reading pages`, needs: [JDK] },
  { run: 'crawl --runs 3 --content yes', quoted: `${BENCH}, Reading pages`, needs: [JDK] },
  { run: 'detection --made', quoted: `${BENCH}, Pages made by scripts` },
  { run: `detection ${JDK_DOCUMENTATION.folder}`, quoted: `${BENCH}, Pages made by scripts`, needs: [JDK] },
  { run: 'two-sinks', quoted: `${BENCH}, Sinks` },
  { run: 'sink-down --pages 10000', quoted: `${BENCH}, Sinks` },
  { run: 'cluster nodes', quoted: SCALING },
  { run: 'cluster curve', quoted: SCALING },
  { run: 'cluster failover', quoted: SCALING },
  { run: 'cluster statements', quoted: SCALING },
];
const FOREIGN_FIGURES: readonly Figures[] = [
  {
    run: 'crawl --runs 5 --nginx yes',
    quoted: COMPARISON,
    needs: [JDK, needCommand('nginx'), needOption("--peer 'NAME=COMMAND SEED'", 'peer')],
    more: passOn('peer'),
  },
  {
    run: 'documents',
    quoted: `${BENCH}, Documents`,
    needs: [needCommand('pdftotext'), needOption('--documents FOLDER', 'documents')],
    more: [...getOptions('documents'), ...passOn('tika'), ...passOn('count'), ...passOn('first')],
  },
  {
    run: 'orders --orders 10000',
    quoted: `${BENCH}, Sinks`,
    needs: [needOption('--opensearch URL', ...ENGINES)],
    more: ENGINES.flatMap((engine) => passOn(engine)),
  },
  {
    run: 'rendered --pages 100',
    quoted: `${BENCH}, Pages made by scripts; docs/rendering.md`,
    needs: [CHROMIUM_NEED],
    more: passOn('rendering-peer', 'peer'),
  },
  { run: 'rendered --part auto --pages 100', quoted: `${BENCH}, Pages made by scripts`, needs: [CHROMIUM_NEED] },
  { run: 'rendered-text', quoted: `${BENCH}, Pages made by scripts`, needs: [CHROMIUM_NEED] },
  { run: 'console-frames --seconds 8', quoted: `${BENCH}, The console`, needs: [CHROMIUM_NEED] },
];

/** Returns whether it succeeded. */
function run(part: string, args: readonly string[], quoted?: string): boolean {
  const command = `npm run bench -- ${[part, ...args].join(' ')}`;
  console.log(`\n## ${part}: ${PARTS[part]}\n\n\`${command}\` on ${describeMachine()}\n`);
  if (quoted !== undefined) console.log(`Quoted in ${quoted}\n`);
  const file = fileURLToPath(new URL(`./${part}.js`, import.meta.url));
  return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status === 0;
}

function reproduce(figures: readonly Figures[]): boolean {
  const leftOut: string[] = [];
  let succeeded = true;
  for (const { run: line, quoted, needs = [], more = [] } of figures) {
    const missing = needs.filter(({ isMet }) => !isMet()).map(({ name }) => name);
    const [part, ...args] = line.split(' ');
    if (missing.length > 0) leftOut.push(`- ${line} (${quoted}): needs ${missing.join(' and ')}`);
    else succeeded = run(part!, [...args, ...more], quoted) && succeeded;
  }
  if (leftOut.length > 0) console.log(`\n## Left out\n\n${leftOut.join('\n')}`);
  return succeeded;
}

const [part = 'figures', ...args] = process.argv.slice(2);
if (part === 'figures') {
  process.exitCode = reproduce(args.includes('--foreign') ? FOREIGN_FIGURES : OWN_FIGURES) ? 0 : 1;
} else if (part in PARTS) {
  process.exitCode = run(part, args) ? 0 : 1;
} else {
  console.error(`unknown benchmark ${part}; choose one of figures, ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
}
