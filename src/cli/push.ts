import { setTimeout as sleep } from 'node:timers/promises';
import type { BackfillDto, SinkDto } from '../../client/index.js';
import { UsageError } from '../server/options.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';

interface PushOptions extends ServerOption, JsonOption {
  readonly again: string;
  readonly crawler?: string;
  readonly wait: boolean;
}

const POLL_INTERVAL_MS = 1000;

/**
 * Requests that everything indexed be pushed to a sink again, and shows the progress. If the command is interrupted,
 * the server continues.
 */
export async function pushAgain({ again: sink, crawler, wait, json, ...server }: PushOptions): Promise<void> {
  const client = new ServerClient(server);
  const query = crawler === undefined ? '' : `?crawler=${encodeURIComponent(crawler)}`;
  let backfills = await client.call<readonly BackfillDto[]>(
    'POST',
    `/sinks/${encodeURIComponent(sink)}/push-again${query}`,
  );
  let lastText = '';
  const printProgress = (): void => {
    if (json) return;
    const text = backfills.map(formatProgress).join('\n');
    if (text !== lastText) process.stdout.write(`${text}\n`);
    lastText = text;
  };
  printProgress();
  while (wait && backfills.some(({ state }) => state === 'running')) {
    await sleep(POLL_INTERVAL_MS);
    const found = (await client.list<SinkDto>('/sinks')).find(({ name }) => name === sink);
    if (!found) throw new UsageError(`the sink ${sink} was removed from the configuration`);
    backfills = found.backfills.filter((backfill) => crawler === undefined || backfill.crawler === crawler);
    printProgress();
  }
  if (json) printJson(backfills);
}

function formatProgress({ crawler, state, total, done, sent, waitingVisits, from, message }: BackfillDto): string {
  const copiedNote = from === undefined ? '' : `, ${sent} copied from ${from}`;
  const visitsNote = waitingVisits > 0 ? `, ${waitingVisits} visits still to be made` : '';
  const messageNote = message === undefined ? '' : `; ${message}`;
  return `${crawler}: ${state === 'done' ? 'done, ' : ''}${done} of ${total} documents${copiedNote}${visitsNote}${messageNote}`;
}
