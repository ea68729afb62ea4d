import { readFileSync } from 'node:fs';
import { fileFault } from '../server/fail.js';
import { ServerClient, type ServerOption } from './client.js';

interface SubmitOptions extends ServerOption {
  readonly file: string;
  readonly crawler?: string;
}

interface Outcome {
  readonly new: number;
  readonly known: number;
  readonly rejected: number;
  readonly rejections: readonly { readonly url: string; readonly message?: string }[];
}

export async function submit(options: SubmitOptions): Promise<void> {
  const text = readList(options.file);
  const client = new ServerClient(options);
  const crawler = await client.crawler(options.crawler);
  const path = `/crawlers/${encodeURIComponent(crawler)}/roots/list`;
  const outcome = await client.call<Outcome>('POST', path, { type: 'text/plain', text });
  for (const { url, message } of outcome.rejections) process.stderr.write(`rejected: ${url}: ${message ?? ''}\n`);
  process.stdout.write(`${outcome.new} new, ${outcome.known} known, ${outcome.rejected} rejected\n`);
  process.exitCode = outcome.rejected > 0 ? 1 : 0;
}

function readList(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw fileFault(`the url list ${file}`, 'read', error);
  }
}
