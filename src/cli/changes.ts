/** `crawlway changes`: what is new, changed and gone in the index since a time. */
import type { ChangesDto } from '../../client/index.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface ChangesOptions extends ServerOption, JsonOption {
  readonly since: string;
  readonly crawler?: string;
  readonly section?: string;
  readonly change?: string;
  readonly limit: string;
}

export async function showChanges({ server, json, ...query }: ChangesOptions): Promise<void> {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = `/changes?${new URLSearchParams(entries).toString()}`;
  const changes = await new ServerClient({ server }).call<ChangesDto>('GET', path);
  if (json) return printJson(changes);
  process.stdout.write(`${describeChanges(changes)}\n`);
}

function describeChanges({ since, counts, sections, reasons, documents, complete }: ChangesDto): string {
  const total = counts.new + counts.changed + counts.gone;
  const summary = `since ${since}: ${counts.new} new, ${counts.changed} changed, ${counts.gone} gone`;
  const lines = [complete ? summary : `${summary}, and more: there are too many orders to read them all`];
  if (total === 0) return lines.join('\n');
  const sectionRows = sections.map(({ section, counts: of }) => [of.new, of.changed, of.gone, section]);
  const reasonRows = reasons.map(({ change, reason, count }) => [change, reason, count]);
  const rows = documents.map(({ change, reason, at, uri }) => [change, reason, at, uri]);
  lines.push('', formatTable(['NEW', 'CHANGED', 'GONE', 'SECTION'], sectionRows));
  lines.push('', formatTable(['CHANGE', 'REASON', 'DOCUMENTS'], reasonRows));
  lines.push('', formatTable(['CHANGE', 'REASON', 'AT', 'URL'], rows));
  if (documents.length < total) lines.push(toPrintable(`(${documents.length} of ${total}; --limit shows more)`));
  return lines.join('\n');
}
