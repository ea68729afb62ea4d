import { placeText } from '../domain/crawl/place.js';
import { configurationFile } from '../server/engine.module.js';
import { DEFAULT_CONFIG } from '../server/options.js';

/** Prints every problem, one a line, as editors and CI understand it. */
export function check(path: string = process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG): void {
  const file = configurationFile(path);
  const { problems } = file.check(file.text());
  for (const { place, code, message, severity } of problems) {
    process.stdout.write(`${placeText(place)} ${code} ${message}${severity === 'warning' ? ' (warning)' : ''}\n`);
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  process.stderr.write(`${path}: ${errors} errors, ${problems.length - errors} warnings\n`);
  process.exitCode = errors > 0 ? 1 : 0;
}
