import type { RefreshedDto } from '../../client/index.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';

interface RefreshOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
}

/** Matches patterns; a `%` followed by two hexadecimal digits is part of a URL, not of a pattern. */
const PATTERN = /\*|%(?![\da-f]{2})/i;

export async function refreshUrls(urlOrPattern: string, options: RefreshOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const text = JSON.stringify(PATTERN.test(urlOrPattern) ? { like: urlOrPattern } : { url: urlOrPattern });
  const path = `/crawlers/${encodeURIComponent(crawler)}/refresh`;
  const result = await client.call<RefreshedDto>('POST', path, { type: 'application/json', text });
  if (options.json) return printJson(result);
  const { count, resting } = result;
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
