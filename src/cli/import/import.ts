/**
 * `crawlway import FORMAT FILE…`: converts another crawler's configuration, and reports what became of each setting.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openConfigurationFile } from '../../server/engine.module.js';
import { toFileError } from '../../server/fail.js';
import { UsageError } from '../../server/options.js';
import { toPrintable } from '../../server/printable.js';
import { type JsonOption, printJson } from '../output.js';
import { formatTable } from '../table.js';
import { readElastic } from './formats/elastic.js';
import { readFdse } from './formats/fdse.js';
import { readFess } from './formats/fess.js';
import { readGsa } from './formats/gsa.js';
import { readHeritrix } from './formats/heritrix.js';
import { readNorconex } from './formats/norconex.js';
import { readNutch } from './formats/nutch.js';
import { readOmniFind } from './formats/omnifind.js';
import { readScrapy } from './formats/scrapy.js';
import { readStormCrawler } from './formats/stormcrawler.js';
import { readVelocity } from './formats/velocity.js';
import { ImportError, type ImportFile, type ImportReader, ImportReport } from './model.js';
import { renderConfiguration } from './write.js';

const READERS: Readonly<Record<string, ImportReader>> = {
  norconex: readNorconex,
  nutch: readNutch,
  elastic: readElastic,
  stormcrawler: readStormCrawler,
  heritrix: readHeritrix,
  gsa: readGsa,
  scrapy: readScrapy,
  fess: readFess,
  omnifind: readOmniFind,
  velocity: readVelocity,
  fdse: readFdse,
};

export const IMPORT_FORMATS = Object.keys(READERS);

const MAX_BYTES = 32 * 1024 * 1024;

interface ImportOptions extends JsonOption {
  readonly out?: string;
  readonly force?: boolean;
}

/** Returns the converted configuration as XML, and a report of what was converted. */
export function convert(format: string, files: readonly ImportFile[]): { xml: string; report: ImportReport } {
  const reader = READERS[format.toLowerCase()];
  if (!reader) throw new UsageError(`unknown format ${format}; use one of ${IMPORT_FORMATS.join(', ')}`);
  const report = new ImportReport();
  const crawlers = reader(files, report);
  const emptyCrawlers = crawlers.filter(({ roots }) => roots.length === 0);
  if (emptyCrawlers.length === crawlers.length)
    report.reportSkipped('start URLs', 'none were found: specify the file that lists them, or write Root elements');
  return { xml: renderConfiguration(format, crawlers, report), report };
}

export function importConfiguration(format: string, paths: readonly string[], options: ImportOptions): void {
  const out = options.out ?? `imported-${format.toLowerCase()}.xml`;
  if (existsSync(out) && !options.force)
    throw new UsageError(`${out} already exists: choose another file with --out, or overwrite it with --force`);
  const { xml, report } = convertOrFail(format, paths.map(readImportFile));
  writeOutput(out, xml);
  const { problems } = openConfigurationFile(out).check(xml);
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

function convertOrFail(format: string, files: readonly ImportFile[]): ReturnType<typeof convert> {
  try {
    return convert(format, files);
  } catch (error) {
    if (error instanceof ImportError) throw new UsageError(`this is not a ${format} configuration: ${error.message}`);
    throw error;
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
