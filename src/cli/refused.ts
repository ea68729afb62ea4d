import type { RefusedDto } from '../../client/index.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface RefusedOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
  readonly reason?: string;
  readonly host?: string;
}

/** Lists the links that were refused and never stored: how many, why, and a few samples. */
export async function listRefusedLinks(options: RefusedOptions): Promise<void> {
  const client = new ServerClient(options);
  const links: (RefusedDto & { readonly crawler: string })[] = [];
  for (const crawler of await client.resolveCrawlers(options.crawler)) {
    const refused = await client.list<RefusedDto>(`/crawlers/${encodeURIComponent(crawler)}/refused`);
    links.push(...refused.map((link) => ({ crawler, ...link })));
  }
  const { reason, host } = options;
  const shownLinks = links.filter(
    (link) => (reason ?? link.reason) === link.reason && (host ?? link.host) === link.host,
  );
  if (options.json) return printJson(shownLinks);
  if (shownLinks.length === 0) {
    process.stdout.write(
      `no ${reason === undefined && host === undefined ? '' : 'matching '}link has been refused since the server started\n`,
    );
    return;
  }
  const rows = shownLinks.map((link) => [link.crawler, link.count, link.reason, link.host]);
  process.stdout.write(`${formatTable(['CRAWLER', 'LINKS', 'REASON', 'HOST'], rows)}\n\n`);
  const samples = shownLinks.flatMap((link) =>
    link.samples.map(({ url, from }) => `${link.reason}  ${url}\n  on ${from}`.split('\n').map(toPrintable).join('\n')),
  );
  process.stdout.write(`${samples.join('\n')}\n`);
}
