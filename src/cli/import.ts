/**
 * `crawlway import FORMAT FILE…`: converts another crawler's configuration, and reports what became of each setting.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ImportFile, ReadBeside } from '../../import/model.js';
import { decodeConfiguration } from '../server/configuration/configuration-text.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { checkWithoutSecrets } from './check.js';
import { formatProof, type Imported, type Proof, prove, readUrls } from './import-proof.js';
import { readIndexUrls } from './index-urls.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 1000;

interface ImportOptions extends JsonOption {
  readonly out?: string;
  readonly force?: boolean;
  readonly urls?: string;
  readonly fromIndex?: string;
  readonly field: string;
}

/** Exit code if some URLs get another verdict than in the original. */
const EXIT_DIFFERENT = 2;

export async function importConfiguration(
  format: string,
  paths: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const out = options.out ?? `imported-${format.toLowerCase()}.xml`;
  if (out === '-') throw new UsageError('--out needs the name of a file: the report is written to standard output');
  if (existsSync(out) && !options.force)
    throw new UsageError(`${out} already exists: choose another file with --out, or overwrite it with --force`);
  // An unknown format is named before a file that cannot be read.
  await withImporter(({ findFormat }) => findFormat(format));
  const files = paths.flatMap(listFiles).map(readImportFile);
  const readBeside = createBesideReader(paths[0]!);
  const { xml, report, copies } = await withImporter(({ convert }) => convert(format, files, readBeside));
  const copyPaths = copies.map(({ name, text }) => ({ path: join(dirname(out), name), text }));
  const existing = copyPaths.find(({ path }) => existsSync(path));
  if (existing && !options.force)
    throw new UsageError(
      `${existing.path} already exists: choose another folder with --out, or overwrite it with --force`,
    );
  for (const { path, text } of [...copyPaths, { path: out, text: xml }]) writeOutput(path, text);
  const { problems } = await checkWithoutSecrets(openConfigurationFile(out), xml);
  const proof = await proveOrFail(format, files, readBeside, { xml, copies, lines: report.lines, file: out }, options);
  if (proof && proof.differences.length > 0) process.exitCode = EXIT_DIFFERENT;
  if (options.json) printJson({ file: out, report: report.lines, problems, ...(proof ? { proof } : {}) });
  else {
    const rows = report.lines.map(({ kind, setting, note, place = '' }) => [
      kind,
      toPrintable(place),
      toPrintable(setting).slice(0, 70),
      toPrintable(note),
    ]);
    process.stdout.write(`${formatTable(['', 'PLACE', 'SETTING', 'CONVERTED TO, OR REASON'], rows)}\n\n`);
    for (const { place, code, message } of problems)
      process.stdout.write(`${out}:${place.line}:${place.column} ${code} ${toPrintable(message)}\n`);
    if (proof) process.stdout.write(`${formatProof(proof)}\n`);
    process.stdout.write(`Wrote ${out}. Review it, then run: crawlway check ${out}\n`);
  }
}

/** Compares the verdicts about the URLs that the options name; undefined if they name none. */
async function proveOrFail(
  format: string,
  files: readonly ImportFile[],
  readBeside: ReadBeside,
  imported: Imported,
  { urls, fromIndex, field }: ImportOptions,
): Promise<Proof | undefined> {
  if (urls === undefined && fromIndex === undefined) return undefined;
  const site = /<Root url="([^"]+)"/.exec(imported.xml)?.[1];
  return withImporter(async ({ findFormat }) => {
    const { createOriginal } = await import('../../import/original/index.js');
    const original = createOriginal(findFormat(format), files, readBeside);
    return prove(original, imported, urls === undefined ? readIndexUrls(fromIndex!, field) : readUrls(urls, site));
  });
}

/** @throws UsageError for an unknown format, and for files that are not in it */
async function withImporter<T>(use: (importer: typeof import('../../import/index.js')) => T): Promise<Awaited<T>> {
  const importer = await import('../../import/index.js');
  try {
    return await use(importer);
  } catch (error) {
    throw error instanceof importer.ImportError ? new UsageError(error.message) : error;
  }
}

/** The files of a folder, for products whose configuration is one; hidden ones are those of other programs. */
function listFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { withFileTypes: true });
    if (entries.length > MAX_FILES) throw new UsageError(`${path} has more than ${MAX_FILES} files`);
    return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => join(path, name));
  } catch (error) {
    throw toFileError(path, 'read', error);
  }
}

/** Reads files that the configuration names, if they are in its folder or below: it may be somebody else's. */
function createBesideReader(mainPath: string): ReadBeside {
  const folder = resolve(existsSync(mainPath) && statSync(mainPath).isDirectory() ? mainPath : dirname(mainPath));
  return (name) => {
    const path = resolve(folder, name.replaceAll('\\', '/'));
    if (!existsSync(path) || !realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`)) return undefined;
    return readImportFile(path);
  };
}

function readImportFile(path: string): ImportFile {
  try {
    if (statSync(path).size > MAX_BYTES)
      throw new UsageError(`${path} is larger than the limit of ${MAX_BYTES / 1048576} MiB`);
    return { name: basename(path), text: decodeConfiguration(readFileSync(path)) };
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
