import { formatPlace } from '../domain/crawl/place.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { DEFAULT_CONFIG } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { type JsonOption, pluralize, printJson } from './output.js';

/** Prints every problem, one per line, in a format that editors and CI understand. */
export function checkConfiguration(
  path: string = process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG,
  { json }: JsonOption = {},
): void {
  const file = openConfigurationFile(path);
  const { problems } = file.check(file.readText());
  if (json) printJson(problems);
  else
    for (const { place, code, message, severity } of problems) {
      const line = `${formatPlace(place)} ${code} ${message}${severity === 'warning' ? ' (warning)' : ''}`;
      process.stdout.write(`${toPrintable(line)}\n`);
    }
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  process.stderr.write(`${path}: ${pluralize(errors, 'error')}, ${pluralize(problems.length - errors, 'warning')}\n`);
  process.exitCode = errors > 0 ? 1 : 0;
}
