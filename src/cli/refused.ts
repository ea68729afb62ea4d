import { toPrintable } from '../server/printable.js';
import type { RefusedDto } from '../server/urls/url-history.dto.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface RefusedOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
  readonly reason?: string;
  readonly host?: string;
}

/** Lists links that were never stored: how many, why, and a few samples. */
export async function listRefused(options: RefusedOptions): Promise<void> {
  const client = new ServerClient(options);
  const all: (RefusedDto & { readonly crawler: string })[] = [];
  for (const crawler of await client.resolveCrawlers(options.crawler)) {
    const some = await client.list<RefusedDto>(`/crawlers/${encodeURIComponent(crawler)}/refused`);
    all.push(...some.map((one) => ({ crawler, ...one })));
  }
  const { reason, host } = options;
  const shown = all.filter((one) => (reason ?? one.reason) === one.reason && (host ?? one.host) === one.host);
  if (options.json) return printJson(shown);
  if (shown.length === 0) {
    process.stdout.write(
      `no link ${reason === undefined && host === undefined ? '' : 'that matches '}has been refused since the server started\n`,
    );
    return;
  }
  const rows = shown.map((one) => [one.crawler, one.count, one.reason, one.host]);
  process.stdout.write(`${formatTable(['CRAWLER', 'LINKS', 'REASON', 'HOST'], rows)}\n\n`);
  const samples = shown.flatMap((one) =>
    one.samples.map(({ url, from }) => `${one.reason}  ${url}\n  on ${from}`.split('\n').map(toPrintable).join('\n')),
  );
  process.stdout.write(`${samples.join('\n')}\n`);
}
