import { openConfigurationFile, testSink } from '../server/engine.module.js';
import { DEFAULT_CONFIG, UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import type { SinkTest } from '../server/sinks/sink-test.js';
import { type JsonOption, printJson } from './output.js';
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
  const { sinks } = openConfigurationFile(file).load().definition;
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
