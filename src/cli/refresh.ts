import { toPrintable } from '../server/printable.js';
import type { RefreshedDto } from '../server/urls/refreshed.dto.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';

interface RefreshOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
}

/** Matches patterns: text with a `%` still counts as a URL if two hexadecimal digits follow it. */
const PATTERN = /\*|%(?![\da-f]{2})/i;

export async function refresh(what: string, options: RefreshOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const text = JSON.stringify(PATTERN.test(what) ? { like: what } : { url: what });
  const path = `/crawlers/${encodeURIComponent(crawler)}/refresh`;
  const answer = await client.call<RefreshedDto>('POST', path, { type: 'application/json', text });
  if (options.json) return printJson(answer);
  const { count, resting } = answer;
  if (count === 0)
    process.stdout.write(
      `no stored URL of ${crawler} matches; "crawlway explain URL" explains why a URL is not stored\n`,
    );
  else process.stdout.write(`${count} ${count === 1 ? 'URL is' : 'URLs are'} due now\n`);
  for (const { host, until } of resting)
    process.stdout.write(
      `${toPrintable(host)} is resting until ${until}: one request is sent anyway, and a good response ends the rest period\n`,
    );
}
