/**
 * `npm run bench [-- PART …]` runs one benchmark; without a part, all those that need nothing but this checkout, one
 * after the other. Arguments after the part's name are passed to it: `npm run bench -- crawl --pages 50000`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './crawl-run.js';

const PARTS: Readonly<Record<string, string>> = {
  crawl: 'whole crawls of one host with everything on',
  cores: 'what a page costs each thread, a crawl on one core and on two, and what limits it on more',
  hosts: 'many hosts: the share of what politeness allows',
  revisits: 'revisits of unchanged pages (304) against first fetches',
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
const SELF_CONTAINED = ['crawl', 'hosts', 'revisits', 'known', 'policy', 'store', 'preview', 'lists', 'api-latency'];

function run(part: string, args: readonly string[]): number {
  console.log(
    `\n## ${part}: ${PARTS[part]}\n\n\`npm run bench -- ${[part, ...args].join(' ')}\` on ${describeMachine()}\n`,
  );
  const file = fileURLToPath(new URL(`./${part}.js`, import.meta.url));
  return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status ?? 1;
}

const [part, ...args] = process.argv.slice(2);
if (part !== undefined && !(part in PARTS)) {
  console.error(`unknown benchmark ${part}; choose one of ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
} else {
  const codes = part === undefined ? SELF_CONTAINED.map((name) => run(name, [])) : [run(part, args)];
  process.exitCode = codes.some((code) => code !== 0) ? 1 : 0;
}
