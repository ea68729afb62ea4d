/** `crawlway sinks`, `push` and `orders`: whether sinks would accept orders, and sending them what they lack. */
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BackfillDto,
  CountDto,
  ReconciliationDto,
  SinkAdoptionDto,
  SinkDto,
  SinkSwitchDto,
} from '../../client/index.js';
import { openConfigurationFile, testSink } from '../server/engine.module.js';
import { DEFAULT_CONFIG, UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import type { SinkTest } from '../server/sinks/sink-test.js';
import { ServerClient, type ServerOption, toQuery } from './client.js';
import { type JsonOption, pluralize, printJson } from './output.js';
import { formatTable } from './table.js';

interface SinksOptions extends JsonOption {
  readonly config?: string;
}

/**
 * Checks from this machine, without a server, whether all configured sinks, or one of them, respond and would accept
 * orders.
 */
export async function testSinks(name: string | undefined, options: SinksOptions): Promise<void> {
  const file = options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG;
  const { definition } = await openConfigurationFile(file).load();
  const { sinks } = definition;
  const selectedSinks = sinks.filter((sink) => name === undefined || sink.name === name);
  if (selectedSinks.length === 0) {
    const names = sinks.map((sink) => sink.name).join(', ') || 'none';
    throw new UsageError(`${file} has no sink${name === undefined ? '' : ` ${name}; its sinks: ${names}`}`);
  }
  const tests = await Promise.all(selectedSinks.map(testSink));
  if (options.json) printJson(tests);
  else process.stdout.write(`${formatTable(['SINK', 'TYPE', 'RESULT', 'MS', 'MESSAGE'], tests.map(toRow))}\n`);
  process.exitCode = tests.every(({ ok }) => ok) ? 0 : 1;
}

const toRow = ({ name, type, ok, milliseconds, message }: SinkTest): (string | number)[] => [
  name,
  type,
  ok ? 'ok' : 'FAILED',
  milliseconds,
  toPrintable(message),
];

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
  const path = `/sinks/${encodeURIComponent(sink)}/push-again${toQuery({ crawler })}`;
  let backfills = await client.call<readonly BackfillDto[]>('POST', path);
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

interface RetryOptions extends ServerOption, JsonOption {
  readonly sink?: string;
  readonly answer?: string;
  readonly crawler?: string;
}

/** Retries the refused orders that match all given options. */
export async function retryOrders({ sink, answer, crawler, json, ...server }: RetryOptions): Promise<void> {
  const path = `/orders/retry${toQuery({ sink, answer, crawler })}`;
  const result = await new ServerClient(server).call<CountDto>('POST', path);
  if (json) printJson(result);
  else process.stdout.write(`${pluralize(result.count, 'refused order')} will be sent again\n`);
}

interface SwitchOptions extends ServerOption, JsonOption {
  readonly rollback?: boolean;
  readonly force?: boolean;
}

/** Moves the alias of a sink to its index, or back. */
export async function switchSink(sink: string, { rollback, force, json, ...server }: SwitchOptions): Promise<void> {
  const path = `/sinks/${encodeURIComponent(sink)}/switch${toQuery({ rollback, force })}`;
  const report = await new ServerClient(server).call<SinkSwitchDto>('POST', path);
  if (json) return printJson(report);
  const { alias, from, to, compared } = report;
  process.stdout.write(
    `the alias ${alias} was moved from ${from.join(', ') || 'nothing'} to ${to.join(', ')} (${pluralize(compared, 'document')} compared)\n`,
  );
}

interface AdoptOptions extends ServerOption, JsonOption {
  readonly field: string;
}

/** Has documents of another program replaced by the sink's own. */
export async function adoptDocuments(sink: string, { field, json, ...server }: AdoptOptions): Promise<void> {
  const path = `/sinks/${encodeURIComponent(sink)}/adopt${toQuery({ field })}`;
  const report = await new ServerClient(server).call<SinkAdoptionDto>('POST', path);
  if (json) return printJson(report);
  const { found, replaced, waiting, kept } = report;
  process.stdout.write(
    `${pluralize(found, 'document')} of another program: ${replaced} replaced, ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for a visit, ${kept.count} kept\n`,
  );
  for (const sample of kept.samples) process.stdout.write(`  kept: ${toPrintable(sample)}\n`);
}

interface ReconcileOptions extends ServerOption, JsonOption {
  readonly repair?: boolean;
}

/** Exit code of a comparison that found differences and left them. */
const DIFFERENT = 2;

/** Compares what a sink holds with what the server knows, and repairs the differences on request. */
export async function reconcileSink(sink: string, { repair, json, ...server }: ReconcileOptions): Promise<void> {
  const path = `/sinks/${encodeURIComponent(sink)}/reconcile${toQuery({ repair })}`;
  const report = await new ServerClient(server).call<ReconciliationDto>('POST', path);
  const differences = (['missing', 'extra', 'stale'] as const).map((kind) => ({ kind, ...report[kind] }));
  const isEqual = differences.every(({ count }) => count === 0);
  process.exitCode = isEqual || report.repaired ? 0 : DIFFERENT;
  if (json) return printJson(report);
  const counts = differences.map(({ kind, count }) => `${count} ${kind}`).join(', ');
  const next = isEqual ? '' : report.repaired ? '; repaired' : '; --repair repairs this';
  process.stdout.write(`${pluralize(report.compared, 'document')} compared: ${counts}${next}\n`);
  for (const { kind, samples } of differences)
    for (const sample of samples) process.stdout.write(`  ${kind}: ${toPrintable(sample)}\n`);
}
