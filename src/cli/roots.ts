import type { RootDto } from '../../client/index.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface RootsOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
}

type RootRow = RootDto & { readonly crawler: string };

/** Lists the start URLs and what became of each. */
export async function listRoots(options: RootsOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawlers = await client.resolveCrawlers(options.crawler);
  const rootRows: RootRow[] = [];
  for (const crawler of crawlers) {
    const roots = await client.listAll<RootDto>(`/crawlers/${encodeURIComponent(crawler)}/roots`);
    rootRows.push(...roots.map((root) => ({ crawler, ...root })));
  }
  if (options.json) return printJson(rootRows);
  if (rootRows.length === 0) {
    process.stdout.write(
      `${crawlers.length === 1 ? `the crawler ${crawlers[0]} has` : 'the crawlers have'} no roots\n`,
    );
    return;
  }
  const rows = rootRows.map(({ crawler, url, origin, state }) => [
    crawler,
    state?.status ?? 'rejected',
    state?.reason ?? '',
    state?.dueAt ?? '',
    origin,
    url,
  ]);
  process.stdout.write(`${formatTable(['CRAWLER', 'STATUS', 'REASON', 'NEXT VISIT', 'FROM', 'URL'], rows)}\n`);
}
