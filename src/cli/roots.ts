import type { RootDto } from '../server/roots/root.dto.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { table } from './table.js';

interface RootsOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
}

/** Start URLs with what became of each. */
export async function roots(options: RootsOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.crawler(options.crawler);
  const all = await client.all<RootDto>(`/crawlers/${encodeURIComponent(crawler)}/roots`);
  if (options.json) return printJson(all);
  if (all.length === 0) return void process.stdout.write(`the crawler ${crawler} has no roots\n`);
  const rows = all.map(({ url, origin, state }) => [
    state?.status ?? 'rejected',
    state?.reason ?? '',
    state?.dueAt ?? '',
    origin,
    url,
  ]);
  process.stdout.write(`${table(['STATUS', 'REASON', 'NEXT VISIT', 'FROM', 'URL'], rows)}\n`);
}
