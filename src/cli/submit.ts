import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { iterateUrlListEntries } from '../domain/url/url-list.js';
import { toFileError } from '../server/fail.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';

/** Maximum number of URLs per call, so that each call returns soon, however long the list is. */
const BATCH_SIZE = 2_000;

interface SubmitOptions extends ServerOption, JsonOption {
  readonly file: string;
  readonly crawler?: string;
}

interface Outcome {
  readonly new: number;
  readonly known: number;
  readonly rejected: number;
  /** With line numbers in the text that was sent. */
  readonly rejections: readonly { readonly line: number; readonly url: string; readonly message?: string }[];
}

export async function submitUrls(options: SubmitOptions): Promise<void> {
  const text = await readList(options.file);
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const path = `/crawlers/${encodeURIComponent(crawler)}/roots/list`;
  const entries = [...iterateUrlListEntries(text)];
  const rejections: { line?: number; url: string; message?: string }[] = [];
  const sum = { new: 0, known: 0, rejected: 0 };
  for (let i = 0; i < entries.length; i += BATCH_SIZE) {
    const batch = entries.slice(i, i + BATCH_SIZE);
    const outcome = await client.call<Outcome>('POST', path, {
      type: 'text/plain',
      text: batch.map((entry) => entry.text).join('\n'),
    });
    for (const { line, url, message } of outcome.rejections) {
      const lineNumber = batch[line - 1]?.line;
      rejections.push({ line: lineNumber, url, message });
      if (!options.json)
        process.stderr.write(`${toPrintable(`line ${lineNumber ?? '?'} rejected: ${url}: ${message ?? ''}`)}\n`);
    }
    sum.new += outcome.new;
    sum.known += outcome.known;
    sum.rejected += outcome.rejected;
  }
  if (options.json) printJson({ ...sum, rejections });
  else process.stdout.write(`${sum.new} new, ${sum.known} known, ${sum.rejected} rejected\n`);
  process.exitCode = sum.rejected > 0 ? 1 : 0;
}

/** Reads the list asynchronously, because a synchronous read of a pipe fails if its writer is slower. */
async function readList(file: string): Promise<string> {
  try {
    return await (file === '-' ? readText(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw toFileError(`the URL list ${file}`, 'read', error);
  }
}
