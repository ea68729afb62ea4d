/**
 * `npm run bench [-- PART …]`: the benchmarks, one after the other; without a part, those that need nothing but this checkout.
 * What is after the part's name is for the part: `npm run bench -- crawl --pages 50000`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { machine } from './crawl-run.js';

const PARTS: Readonly<Record<string, string>> = {
  crawl: 'whole crawls of one host, everything on',
  hosts: 'many hosts under politeness: the share of what it allows',
  revisits: 'revisits of unchanged pages (304) against first fetches',
  known: 'cost of a page, memory and start with 10 million known URLs',
  policy: 'verdicts a second',
  store: 'links, settlements and leases a second by size of the store',
  preview: 'stored URLs judged a second by the preview of a changed configuration',
  lists: 'how long the lists of the console take on a million URLs',
  'api-latency': 'how soon the API answers during a crawl at full speed',
  freshness: 'how fresh smart refresh keeps an index, against uniform, adaptive and optimal visits',
  'sink-down': 'an hour without the sink: memory, disk, what waits, and the catching up',
  'two-sinks': 'documents a second at a sink beside one that is down or slow',
  hostile: 'traps and bombs for hours beside a healthy host: memory, and how long the healthy one waits',
  'hostile-share': 'healthy pages a second beside a hostile host, as a share of those without it',
  documents: 'PDF files read a second, beside pdftotext and a Tika server; wants a folder of them',
  'hostile-documents':
    '300 documents made to harm whoever reads them, beside healthy pages: memory, and what becomes of them',
  cluster: 'several nodes on one PostgreSQL: nodes, failover or statements',
  orders: 'orders a second to engines that run, beside a bare loop of the client of each',
  'console-frames': 'how smooth the console is during a crawl at full speed; wants Chromium',
  parse: 'pages read a second; wants a folder of HTML files',
  detection: 'pages of a folder that are taken to need their scripts',
  rendered: 'pages a second that a browser renders; wants Chromium',
};
const ALONE = [
  'crawl',
  'hosts',
  'revisits',
  'known',
  'policy',
  'store',
  'preview',
  'lists',
  'api-latency',
  'freshness',
];

function run(part: string, args: readonly string[]): number {
  console.log(`\n## ${part}: ${PARTS[part]}\n\n\`npm run bench -- ${[part, ...args].join(' ')}\` on ${machine()}\n`);
  const file = fileURLToPath(new URL(`./${part}.js`, import.meta.url));
  return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status ?? 1;
}

const [part, ...args] = process.argv.slice(2);
if (part !== undefined && !(part in PARTS)) {
  console.error(`no benchmark is named ${part}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
} else {
  const codes = part === undefined ? ALONE.map((name) => run(name, [])) : [run(part, args)];
  process.exitCode = codes.some((code) => code !== 0) ? 1 : 0;
}
