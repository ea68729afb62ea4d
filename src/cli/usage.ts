/** `crawlway usage`: what crawlers use by day, and what is left of their quotas. */
import type { QuotaLimitDto, UsageDto } from '../../client/index.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface UsageOptions extends ServerOption, JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly crawler?: string;
  readonly csv?: boolean;
}

export async function showUsage({ server, json, csv, from, to, crawler }: UsageOptions): Promise<void> {
  const client = new ServerClient({ server });
  const entries = Object.entries({ from, to, crawler, format: csv ? 'csv' : undefined });
  const given = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = `/usage?${new URLSearchParams(given).toString()}`;
  if (csv) return client.pipeTo(path, process.stdout);
  const usage = await client.call<UsageDto>('GET', path);
  if (json) return printJson(usage);
  process.stdout.write(`${describeUsage(usage)}\n`);
}

function describeUsage({ days, quotas }: UsageDto): string {
  const rows = days.map((day) => [
    ...[day.day, day.crawler, day.visits, formatBytes(day.bytes)],
    ...[(day.renderedSeconds / 60).toFixed(1), day.urls, day.documents],
  ]);
  const columns = ['DAY (UTC)', 'CRAWLER', 'VISITS', 'RECEIVED', 'RENDERED MIN', 'URLS', 'DOCUMENTS'];
  const tables = [days.length === 0 ? 'nothing was visited in this time' : formatTable(columns, rows)];
  if (quotas.length > 0) tables.push(formatTable(['QUOTA', 'LIMIT', 'USED', 'OF', ''], quotas.map(toQuotaRow)));
  return tables.join('\n\n');
}

function toQuotaRow({ quota, limit, used, max, reached, until }: QuotaLimitDto): string[] {
  const format = limit === 'bytes' ? formatBytes : String;
  const state = !reached ? '' : until === undefined ? 'reached' : `reached; begins anew at ${until}`;
  return [quota, LIMIT_NAMES[limit], format(used), format(max), state];
}

const LIMIT_NAMES: Readonly<Record<QuotaLimitDto['limit'], string>> = {
  urls: 'stored URLs',
  documents: 'documents',
  bytes: 'received today',
  rendering: 'rendered minutes today',
};

const formatBytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
