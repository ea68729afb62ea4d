/**
 * Measures how many documents per second are read by the processes of a server, by `pdftotext` (poppler-utils) and by
 * an Apache Tika server, and what share of the words that `pdftotext` finds the others find, too:
 *
 *   node dist/bench/documents.js FOLDER [--count 1000] [--first 0] [--tika http://127.0.0.1:9998] [--at-once 2]
 *
 * Reads `--count` of the PDF files below the folder, chosen evenly, starting with number `--first`. The contestants take
 * turns with each slice of files, so that a busy machine slows them all alike, and each reads the same number of files
 * at the same time.
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
    first: { type: 'string', default: '0' },
    tika: { type: 'string' },
    'at-once': { type: 'string', default: String(cpus().length) },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('usage: node dist/bench/documents.js FOLDER [--count N] [--tika URL]');
const concurrency = Number(values['at-once']);
const SLICE = 50;
const MEMORY_SAMPLE_MS = 20;
const ENTRY = new URL('../program/documents.process.js', import.meta.url);
const MIB = 1024 * 1024;

/** Reads a file; resolves with its text, or undefined if it cannot be read. */
type Contestant = (file: string) => Promise<string | undefined>;

const runProgram = promisify(execFile);
const processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, processes: concurrency }, ENTRY);
const refusals = new Map<string, string[]>();

const contestants: Record<string, Contestant> = {
  async Crawlway(file) {
    const context = { url: 'http://bench/', contentType: undefined, maxLinks: 10_000, maxTextLength: 4_000_000 };
    const extraction = await processes.extract(readFileSync(file), 'application/pdf', context);
    if (!isRefusal(extraction)) return extraction.text;
    refusals.set(extraction.refused, [...(refusals.get(extraction.refused) ?? []), file]);
    return undefined;
  },
  async pdftotext(file) {
    const options = { maxBuffer: 256 * MIB, timeout: 60_000 };
    return runProgram('pdftotext', ['-q', '-enc', 'UTF-8', file, '-'], options).then(
      ({ stdout }) => stdout,
      () => undefined,
    );
  },
  ...(values.tika === undefined ? {} : { 'Apache Tika': askTika }),
};

/** Rejects if the server has gone away: otherwise it would seem to read nothing very fast. */
async function askTika(file: string): Promise<string | undefined> {
  const headers = { accept: 'text/plain', 'content-type': 'application/pdf' };
  const url = new URL('/tika', values.tika).href;
  const sendFile = () => fetch(url, { method: 'PUT', headers, body: readFileSync(file) });
  // Tries once more, because the server may have closed a connection that was kept open.
  const response = await sendFile().catch(sendFile);
  const text = await response.text();
  return response.ok ? text : undefined;
}

/** Reads all files and returns how many milliseconds that took. */
async function readAll(
  contestant: Contestant,
  files: readonly string[],
  recordText: (file: string, text: string | undefined) => void,
) {
  const remainingFiles = [...files];
  const started = performance.now();
  const runWorker = async (): Promise<void> => {
    for (let file = remainingFiles.shift(); file !== undefined; file = remainingFiles.shift())
      recordText(file, await contestant(file));
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
  return performance.now() - started;
}

function listPdfFiles(root: string, count: number): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.pdf$/i.test(name));
  const step = Math.max(1, names.length / count);
  const first = Number(values.first);
  return Array.from({ length: Math.min(count, names.length) }, (_, index) =>
    join(root, names[(Math.floor(index * step) + first) % names.length]!),
  );
}

/** Lists the words of a text. Readers differ in how they write ligatures and words that are split between lines. */
const listWords = (text: string): string[] =>
  Array.from(
    text
      .normalize('NFKC')
      .toLowerCase()
      .matchAll(/[\p{L}\p{N}]+/gu),
    ([word]) => word,
  );

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Share of the words of one text that the other one contains; undefined if there are too few words to tell. */
function computeRecall(referenceWords: readonly string[], candidateWords: readonly string[]): number | undefined {
  const candidateCounts = countWords(candidateWords);
  let foundCount = 0;
  for (const [word, count] of countWords(referenceWords)) foundCount += Math.min(count, candidateCounts.get(word) ?? 0);
  return referenceWords.length < MIN_WORDS ? undefined : foundCount / referenceWords.length;
}

/**
 * Joins single letters of the reference to words that the other text contains and the reference lacks: `pdftotext` takes
 * letterspaced words apart, as in `t e x t`.
 */
function joinLetters(referenceWords: readonly string[], candidateWords: readonly string[]): string[] {
  const referenceCounts = countWords(referenceWords);
  const lacking = new Map<string, number>();
  for (const [word, count] of countWords(candidateWords)) lacking.set(word, count - (referenceCounts.get(word) ?? 0));
  const joinedWords: string[] = [];
  for (let index = 0; index < referenceWords.length; ) {
    let end = index;
    while (end - index < MAX_JOINED && LETTER.test(referenceWords[end] ?? '')) end++;
    let word = referenceWords.slice(index, end).join('');
    while (end - index >= MIN_JOINED && (lacking.get(word) ?? 0) <= 0)
      word = referenceWords.slice(index, --end).join('');
    if (end - index >= MIN_JOINED) {
      lacking.set(word, lacking.get(word)! - 1);
      joinedWords.push(word);
      index = end;
    } else joinedWords.push(referenceWords[index++]!);
  }
  return joinedWords;
}

const LETTER = /^\p{L}$/u;
const MIN_JOINED = 3;
const MAX_JOINED = 40;

const MIN_WORDS = 20;

/** Peak resident set of each process so far, in bytes, by process id. */
const peaks = new Map<number, number>();
function samplePeaks(): void {
  for (const pid of processes.processIds) {
    try {
      const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
      peaks.set(pid, Math.max(peaks.get(pid) ?? 0, Number(peak ?? 0) * 1024));
    } catch {
      // The process has ended in the meantime.
    }
  }
}

const files = listPdfFiles(folder, Number(values.count));
const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, 0]));
const unreadCounts = Object.fromEntries(Object.keys(contestants).map((name) => [name, 0]));
const recalls: Record<string, { file: string; share: number }[]> = {};
/** Recall without words of one character, and with such words joined where the other reader joins them. */
const longWordRecalls: Record<string, number[]> = {};
const joinedRecalls: Record<string, number[]> = {};
const sampleTimer = setInterval(samplePeaks, MEMORY_SAMPLE_MS);
for (let offset = 0; offset < files.length; offset += SLICE) {
  const slice = files.slice(offset, offset + SLICE);
  const texts: Record<string, Map<string, string>> = {};
  for (const [name, contestant] of Object.entries(contestants)) {
    const textsByFile = new Map<string, string>();
    texts[name] = textsByFile;
    times[name]! += await readAll(contestant, slice, (file, text) => {
      if (text === undefined) unreadCounts[name]!++;
      else textsByFile.set(file, text);
    });
  }
  for (const [file, reference] of texts['pdftotext']!) {
    for (const name of Object.keys(contestants)) {
      if (name === 'pdftotext') continue;
      const [referenceWords, words] = [listWords(reference), listWords(texts[name]!.get(file) ?? '')];
      const share = computeRecall(referenceWords, words);
      const isLong = (word: string): boolean => word.length > 1;
      const longWordShare = computeRecall(referenceWords.filter(isLong), words);
      const joinedShare = computeRecall(joinLetters(referenceWords, words), words);
      if (share !== undefined) recalls[name] = [...(recalls[name] ?? []), { file, share }];
      if (longWordShare !== undefined) longWordRecalls[name] = [...(longWordRecalls[name] ?? []), longWordShare];
      if (joinedShare !== undefined) joinedRecalls[name] = [...(joinedRecalls[name] ?? []), joinedShare];
    }
  }
}
clearInterval(sampleTimer);
processes.close();

const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
console.log(
  `${files.length} PDF files, mean ${(bytes / files.length / 1024).toFixed(0)} KiB, ${concurrency} at a time\n`,
);
console.log(
  '| reader | documents/s | not read | word recall relative to pdftotext: median | 5th percentile | worst | 5th percentile for words of two or more characters | 5th percentile with letterspaced words joined |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const name of Object.keys(contestants)) {
  const sorted = (recalls[name] ?? []).sort((a, b) => a.share - b.share);
  const formatShare = (part: number): string => sorted[Math.floor(sorted.length * part)]?.share.toFixed(3) ?? '';
  const formatFifth = (shares: readonly number[] = []): string =>
    shares.toSorted((a, b) => a - b)[Math.floor(shares.length * 0.05)]?.toFixed(3) ?? '';
  console.log(
    `| ${name} | ${((files.length / times[name]!) * 1000).toFixed(1)} | ${unreadCounts[name]} | ${formatShare(0.5)} | ${formatShare(0.05)} | ${formatShare(0)} | ${formatFifth(longWordRecalls[name])} | ${formatFifth(joinedRecalls[name])} |`,
  );
}
const largestPeak = Math.max(0, ...peaks.values());
console.log(
  `\npeak memory of a document process: ${(largestPeak / MIB).toFixed(0)} of ${DEFAULT_DOCUMENT_LIMITS.memoryLimit / MIB} MB; ${peaks.size} processes were used`,
);
for (const [code, refusedFiles] of refusals)
  console.log(`${code}: ${refusedFiles.length} documents, such as ${refusedFiles[0]}`);
const worstRecalls = (recalls['Crawlway'] ?? []).slice(0, 10);
for (const { file, share } of worstRecalls) console.log(`recall ${share.toFixed(3)}: ${file}`);
