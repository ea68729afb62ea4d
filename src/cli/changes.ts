/** `crawlway changes`: what is new, changed and gone in the index since a time. */
import type { ChangesDto, TextChangeDto } from '../../client/index.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption } from './client.js';
import { formatDiff } from './configuration.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface ChangesOptions extends ServerOption, JsonOption {
  readonly diff?: string;
  readonly since: string;
  readonly crawler?: string;
  readonly section?: string;
  readonly change?: string;
  readonly limit: string;
}

export async function showChanges({ server, json, diff, ...query }: ChangesOptions): Promise<void> {
  if (diff !== undefined) return showTextChanges(diff, { server, json, crawler: query.crawler });
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = `/changes?${new URLSearchParams(entries).toString()}`;
  const changes = await new ServerClient({ server }).call<ChangesDto>('GET', path);
  if (json) return printJson(changes);
  process.stdout.write(`${describeChanges(changes)}\n`);
}

async function showTextChanges(url: string, options: ServerOption & JsonOption & { crawler?: string }): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const changes = await client.list<TextChangeDto>(`/changes/text?${new URLSearchParams({ crawler, url }).toString()}`);
  if (options.json) return printJson(changes);
  const lines = changes.flatMap(({ at, before, after, isCut }) => [
    ...formatDiff(
      { name: before === undefined ? 'not known' : `before ${at}`, text: toSentences(before ?? '') },
      { name: `since ${at}`, text: toSentences(after) },
    ),
    ...(isCut ? ['(a text is longer than is kept of it)'] : []),
    '',
  ]);
  const nothing = `no change of ${url} is kept; texts are kept for crawlers with KeepTexts in the configuration`;
  process.stdout.write(`${lines.length === 0 ? toPrintable(nothing) : lines.map(toPrintable).join('\n').trimEnd()}\n`);
}

const toSentences = (text: string): string => text.replaceAll(/(?<=[.!?…])\s+/g, '\n');

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
