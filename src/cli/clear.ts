import { createInterface } from 'node:readline/promises';
import { UsageError } from '../server/options.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, pluralize, printJson } from './output.js';

interface ClearOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
  readonly yes?: boolean;
}

export async function deleteUrls(pattern: string, options: ClearOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const path = `/crawlers/${encodeURIComponent(crawler)}/urls?like=${encodeURIComponent(pattern)}`;
  if (!options.yes) {
    // Without `confirm`, the server deletes nothing and returns the number of URLs that it would delete.
    const { status, body } = await client.request<{ count?: number; detail?: string }>('DELETE', path);
    if (status === 409 && body.count === 0) {
      process.stderr.write(`${body.detail ?? 'No stored URL matches.'}\n`);
      if (options.json) printJson({ crawler, deleted: 0 });
      return;
    }
    if (status !== 409 || body.count === undefined)
      throw new UsageError(body.detail ?? `the server responded with ${status}`);
    if (
      !(await confirm(
        `${pluralize(body.count, 'URL')} of ${crawler} ${body.count === 1 ? 'matches' : 'match'} ${pattern}. Delete them and their documents?`,
      ))
    ) {
      process.stdout.write('nothing was deleted\n');
      return;
    }
  }
  const { count } = await client.call<{ count: number }>('DELETE', `${path}&confirm=true`);
  if (options.json) printJson({ crawler, deleted: count });
  else process.stdout.write(`${pluralize(count, 'URL')} ${count === 1 ? 'was' : 'were'} deleted\n`);
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError(`${question} To confirm this without a terminal, use --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}
