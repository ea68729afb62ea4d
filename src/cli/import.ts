/**
 * `crawlway import FORMAT FILE…`: converts another crawler's configuration, and reports what became of each setting.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ImportFile } from '../../import/model.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

const MAX_BYTES = 32 * 1024 * 1024;

interface ImportOptions extends JsonOption {
  readonly out?: string;
  readonly force?: boolean;
}

export async function importConfiguration(
  format: string,
  paths: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const out = options.out ?? `imported-${format.toLowerCase()}.xml`;
  if (existsSync(out) && !options.force)
    throw new UsageError(`${out} already exists: choose another file with --out, or overwrite it with --force`);
  const { xml, report } = await convertOrFail(format, paths.map(readImportFile));
  writeOutput(out, xml);
  const { problems } = await openConfigurationFile(out).check(xml);
  if (options.json) printJson({ file: out, report: report.lines, problems });
  else {
    const rows = report.lines.map(({ kind, setting, note }) => [
      kind,
      toPrintable(setting).slice(0, 70),
      toPrintable(note),
    ]);
    process.stdout.write(`${formatTable(['', 'SETTING', 'CONVERTED TO, OR REASON'], rows)}\n\n`);
    for (const { place, code, message } of problems)
      process.stdout.write(`${out}:${place.line}:${place.column} ${code} ${toPrintable(message)}\n`);
    process.stdout.write(`Wrote ${out}. Review it, then run: crawlway check ${out}\n`);
  }
}

async function convertOrFail(format: string, files: readonly ImportFile[]) {
  const { convert, ImportError } = await import('../../import/index.js');
  try {
    return convert(format, files);
  } catch (error) {
    throw error instanceof ImportError ? new UsageError(error.message) : error;
  }
}

function readImportFile(path: string): ImportFile {
  try {
    if (statSync(path).size > MAX_BYTES)
      throw new UsageError(`${path} is larger than the limit of ${MAX_BYTES / 1048576} MiB`);
    return { name: basename(path), text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw toFileError(path, 'read', error);
  }
}

function writeOutput(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw toFileError(path, 'written', error);
  }
}
