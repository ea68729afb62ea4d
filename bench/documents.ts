/**
 * How many documents a second are read, by the processes of a server, by `pdftotext` (poppler-utils) and by an Apache Tika server, and
 * how much of the words that `pdftotext` finds:
 *
 *   node dist/bench/documents.js FOLDER [--count 1000] [--tika http://127.0.0.1:9998] [--at-once 2]
 *
 * Reads so many of the PDF files below the folder, chosen evenly. All contestants get each slice of files in turn, so that a busy
 * machine slows them all alike, and as many files at once.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from '../src/adapters/parsers/documents/document-processes.js';
import { isRefusal } from '../src/engine/ports/content-extractor.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1000' },
    tika: { type: 'string' },
    'at-once': { type: 'string', default: String(cpus().length) },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('usage: node dist/bench/documents.js FOLDER [--count N] [--tika URL]');
const atOnce = Number(values['at-once']);
const SLICE = 50;
const MEMORY_LOOK_MS = 20;
const ENTRY = new URL('../program/documents.process.js', import.meta.url);
const MIB = 1024 * 1024;

/** Its text, or undefined when it cannot be read. */
type Contestant = (file: string) => Promise<string | undefined>;

const run = promisify(execFile);
const processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, processes: atOnce }, ENTRY);
const refusals = new Map<string, string[]>();

const contestants: Record<string, Contestant> = {
  async Crawlway(file) {
    const context = { url: 'http://bench/', contentType: undefined, maxLinks: 10_000, maxTextLength: 4_000_000 };
    const read = await processes.extract(readFileSync(file), 'application/pdf', context);
    if (!isRefusal(read)) return read.text;
    refusals.set(read.refused, [...(refusals.get(read.refused) ?? []), file]);
    return undefined;
  },
  async pdftotext(file) {
    const options = { maxBuffer: 256 * MIB, timeout: 60_000 };
    return run('pdftotext', ['-q', '-enc', 'UTF-8', file, '-'], options).then(
      ({ stdout }) => stdout,
      () => undefined,
    );
  },
  ...(values.tika === undefined ? {} : { 'Apache Tika': askTika }),
};

/** A server that has gone away reads nothing in no time, which would be no figure: that ends the run. */
async function askTika(file: string): Promise<string | undefined> {
  const headers = { accept: 'text/plain', 'content-type': 'application/pdf' };
  const url = new URL('/tika', values.tika).href;
  const put = () => fetch(url, { method: 'PUT', headers, body: readFileSync(file) });
  // Once more, because a connection that was kept may have been closed meanwhile.
  const answer = await put().catch(put);
  const text = await answer.text();
  return answer.ok ? text : undefined;
}

/** Milliseconds that it took for all of them. */
async function readAll(
  contestant: Contestant,
  files: readonly string[],
  take: (file: string, text: string | undefined) => void,
) {
  const left = [...files];
  const started = performance.now();
  const lane = async (): Promise<void> => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) take(file, await contestant(file));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return performance.now() - started;
}

function filesBelow(root: string, count: number): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.pdf$/i.test(name));
  const step = Math.max(1, names.length / count);
  return Array.from({ length: Math.min(count, names.length) }, (_, at) => join(root, names[Math.floor(at * step)]!));
}

/** How often each word is there. Words that a line parts, and ligatures, are written differently by everybody. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu))
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** The share of the words of one text that the other has; undefined where there are too few to tell. */
function recall(of: string, inside: string, shortest: number): number | undefined {
  const wanted = [...wordsOf(of)].filter(([word]) => word.length >= shortest);
  const found = wordsOf(inside);
  let all = 0;
  let both = 0;
  for (const [word, count] of wanted) {
    all += count;
    both += Math.min(count, found.get(word) ?? 0);
  }
  return all < LEAST_WORDS ? undefined : both / all;
}

const LEAST_WORDS = 20;

/** The largest resident set of each process that there was, in bytes. */
const peaks = new Map<number, number>();
function look(): void {
  for (const pid of processes.processIds) {
    try {
      const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
      peaks.set(pid, Math.max(peaks.get(pid) ?? 0, Number(peak ?? 0) * 1024));
    } catch {
      // It has ended meanwhile.
    }
  }
}

const files = filesBelow(folder, Number(values.count));
const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, 0]));
const unread = Object.fromEntries(Object.keys(contestants).map((name) => [name, 0]));
const recalls: Record<string, { file: string; share: number }[]> = {};
/** Without words of one character: the letters of words that `pdftotext` takes apart are no words. */
const wholes: Record<string, number[]> = {};
const watch = setInterval(look, MEMORY_LOOK_MS);
for (let at = 0; at < files.length; at += SLICE) {
  const slice = files.slice(at, at + SLICE);
  const texts: Record<string, Map<string, string>> = {};
  for (const [name, contestant] of Object.entries(contestants)) {
    const read = new Map<string, string>();
    texts[name] = read;
    times[name]! += await readAll(contestant, slice, (file, text) => {
      if (text === undefined) unread[name]!++;
      else read.set(file, text);
    });
  }
  for (const [file, reference] of texts['pdftotext']!) {
    for (const name of Object.keys(contestants)) {
      if (name === 'pdftotext') continue;
      const text = texts[name]!.get(file) ?? '';
      const share = recall(reference, text, 1);
      const whole = recall(reference, text, 2);
      if (share !== undefined) recalls[name] = [...(recalls[name] ?? []), { file, share }];
      if (whole !== undefined) wholes[name] = [...(wholes[name] ?? []), whole];
    }
  }
}
clearInterval(watch);
processes.close();

const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
console.log(`${files.length} PDF files, mean ${(bytes / files.length / 1024).toFixed(0)} KiB, ${atOnce} at once\n`);
console.log(
  '| reader | documents/s | not read | recall of the words of pdftotext: median | 5th percentile | worst | 5th percentile of words of two characters and more |',
);
console.log('|---|---|---|---|---|---|---|');
for (const name of Object.keys(contestants)) {
  const sorted = (recalls[name] ?? []).sort((a, b) => a.share - b.share);
  const share = (part: number): string => sorted[Math.floor(sorted.length * part)]?.share.toFixed(3) ?? '';
  const whole = (wholes[name] ?? []).sort((a, b) => a - b);
  console.log(
    `| ${name} | ${((files.length / times[name]!) * 1000).toFixed(1)} | ${unread[name]} | ${share(0.5)} | ${share(0.05)} | ${share(0)} | ${whole[Math.floor(whole.length * 0.05)]?.toFixed(3) ?? ''} |`,
  );
}
const largest = Math.max(0, ...peaks.values());
console.log(
  `\npeak memory of a process that reads: ${(largest / MIB).toFixed(0)} MB of ${DEFAULT_DOCUMENT_LIMITS.memoryLimit / MIB} MB; ${peaks.size} processes`,
);
for (const [code, list] of refusals) console.log(`${code}: ${list.length}, the first ${list[0]}`);
const worst = (recalls['Crawlway'] ?? []).slice(0, 10);
for (const { file, share } of worst) console.log(`recall ${share.toFixed(3)}: ${file}`);
