/** `crawlway config`, `plan` and `apply`: the configuration of a running server, its history, and what a change would do. */
import { basename } from 'node:path';
import { diff } from 'node:util';
import type {
  ConfigurationDraftDto,
  ConfigurationStateDto,
  PreviewCrawlerDto,
  PreviewDto,
  VersionDto,
} from '../../client/index.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable, toPrintableLines } from '../server/printable.js';
import { ServerClient, type ServerOption, toJsonBody } from './client.js';
import { type JsonOption, pluralize, printJson } from './output.js';
import { formatTable } from './table.js';

type Options = ServerOption & JsonOption;
type FileOptions = Options & { readonly file: string };
type WriteOptions = { readonly yes?: boolean };

/** Exit code of `plan` if applying the file would change what is crawled, sent or deleted. */
const CHANGES = 2;
const CONTEXT_LINES = 3;

export async function showHistory(options: Options & { readonly limit: string }): Promise<void> {
  const client = new ServerClient(options);
  const versions = await client.list<VersionDto>(`/config/versions?limit=${encodeURIComponent(options.limit)}`);
  if (options.json) return printJson(versions);
  const rows = versions.map(({ version, at, who }) => [version, at, who]);
  process.stdout.write(`${formatTable(['VERSION', 'IN FORCE SINCE', 'BY'], rows)}\n`);
}

/**
 * Prints how the configuration in force differs from an earlier version, from one version to another, or from a file,
 * as a unified diff. The exit code is 0 if nothing differs, and 2 otherwise.
 */
export async function diffConfigurations(
  before: string | undefined,
  after: string | undefined,
  options: Options & { readonly file?: string },
): Promise<void> {
  const client = new ServerClient(options);
  const { file } = options;
  const [from, to] =
    file === undefined
      ? await chooseVersions(client, before, after)
      : ([await readInForce(client), await readFile(file)] as const);
  const lines = formatDiff(from, to);
  if (options.json) printJson({ from: from.name, to: to.name, lines });
  else process.stdout.write(`${lines.map((line) => toPrintable(line)).join('\n')}${lines.length > 0 ? '\n' : ''}`);
  process.exitCode = lines.length > 0 ? CHANGES : 0;
}

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Without versions, the one before the last change and the one in force. */
async function chooseVersions(
  client: ServerClient,
  before?: string,
  after?: string,
): Promise<readonly [NamedText, NamedText]> {
  const first = before ?? (await client.list<VersionDto>('/config/versions?limit=2')).at(-1)?.version;
  if (first === undefined) throw new UsageError('there is no earlier configuration');
  return [
    await readVersion(client, first),
    after === undefined ? await readInForce(client) : await readVersion(client, after),
  ];
}

const readVersion = async (client: ServerClient, version: string | number): Promise<NamedText> => ({
  name: `version ${version}`,
  text: (await client.getText(`/config/versions/${encodeURIComponent(version)}`)).text,
});

const readInForce = async (client: ServerClient): Promise<NamedText> => ({
  name: 'in force',
  text: (await client.getText('/config')).text,
});

const readFile = async (path: string): Promise<NamedText> => ({ name: path, text: (await readDraft(path)).xml });

type LineChange = readonly [kind: number, text: string];

/** Returns all lines: 0 for those of both texts, -1 for those that only the first has, 1 for those of the second, after them. */
function compareLines(from: string[], to: string[]): LineChange[] {
  const lines: LineChange[] = [];
  const added: LineChange[] = [];
  for (const [kind, text] of diff(to, from)) {
    if (kind > 0) added.push([kind, text]);
    else if (kind < 0) lines.push([kind, text]);
    else lines.push(...added.splice(0), [kind, text]);
  }
  return [...lines, ...added];
}

/** Formats a unified diff; empty if the texts are equal. */
export function formatDiff(from: NamedText, to: NamedText): string[] {
  const entries = compareLines(from.text.split(/\r?\n/), to.text.split(/\r?\n/));
  if (entries.every(([kind]) => kind === 0)) return [];
  const isShown = entries.map((_, i) =>
    entries.slice(Math.max(0, i - CONTEXT_LINES), i + CONTEXT_LINES + 1).some(([kind]) => kind !== 0),
  );
  const lines = [`--- ${from.name}`, `+++ ${to.name}`];
  let [fromLine, toLine] = [1, 1];
  entries.forEach(([kind, text], i) => {
    if (isShown[i] && !isShown[i - 1]) lines.push(`@@ line ${fromLine}, now ${toLine} @@`);
    if (isShown[i]) lines.push(`${kind === 0 ? ' ' : kind < 0 ? '-' : '+'}${text}`);
    if (kind <= 0) fromLine++;
    if (kind >= 0) toLine++;
  });
  return lines;
}

/** Reads a configuration and the rule files that it names; the server checks them. */
async function readDraft(path: string): Promise<Required<ConfigurationDraftDto>> {
  try {
    // Reading the engine takes longer than all that commands with a server do.
    const { openConfigurationFile } = await import('../server/engine.module.js');
    const { xml, files } = await openConfigurationFile(path).check();
    const ruleFiles = files.filter(({ kind }) => kind !== undefined).map(({ name, text }) => [name, text] as const);
    return { xml, files: Object.fromEntries(ruleFiles) };
  } catch (error) {
    throw toFileError(path, 'read', error);
  }
}

/**
 * Says what the stored URLs would become under the configuration in the file, without changing anything. The exit code
 * is 0 if applying it would change nothing, and 2 if it would.
 */
export async function planConfiguration(options: FileOptions): Promise<void> {
  const draft = await readDraft(options.file);
  const client = new ServerClient(options);
  client.nameFile = (file) => (basename(file) in draft.files ? basename(file) : options.file);
  const [preview, inForce] = await Promise.all([
    client.call<PreviewDto>('POST', '/config/preview', toJsonBody(draft)),
    readInForce(client),
  ]);
  const isEqual = inForce.text === draft.xml && (await hasSameRuleFiles(client, draft.files));
  if (options.json) printJson({ ...preview, changed: !isEqual });
  else process.stdout.write(`${describePlan(preview, isEqual)}\n`);
  process.exitCode = isEqual ? 0 : CHANGES;
}

async function hasSameRuleFiles(client: ServerClient, files: Readonly<Record<string, string>>): Promise<boolean> {
  const current = await client.list<{ name: string; text: string }>('/config/files');
  return current.length === Object.keys(files).length && current.every(({ name, text }) => files[name] === text);
}

function describePlan({ crawlers, removed, total, needsConfirmation }: PreviewDto, isEqual: boolean): string {
  if (isEqual) return 'the file is in force: nothing would change';
  const lines = crawlers.flatMap(describeEffects);
  for (const { crawler, indexed } of removed)
    lines.push(
      `${crawler}: no longer in the configuration; its ${pluralize(indexed, 'document')} would stay until you decide`,
    );
  if (lines.length === 0)
    lines.push(`the file differs, but none of the ${pluralize(total, 'stored URL')} would change`);
  if (needsConfirmation.length > 0)
    lines.push(
      `more than a tenth of the documents of ${needsConfirmation.join(', ')} would be deleted: apply with --yes`,
    );
  return lines.join('\n');
}

function describeEffects(effects: PreviewCrawlerDto): string[] {
  const sentences: readonly (readonly [keyof PreviewCrawlerDto, string])[] = [
    ['documentsDeleted', 'deleted from the index'],
    ['excluded', 'no longer crawled'],
    ['newlyAccepted', 'crawled again'],
    ['keptElsewhere', 'left to another crawler'],
    ['changedSource', 'moved to another source'],
  ];
  return sentences.flatMap(([key, what]) => {
    const group = effects[key] as PreviewCrawlerDto['excluded'];
    if (group.count === 0) return [];
    const noun = key === 'documentsDeleted' ? 'document' : 'URL';
    const samples = group.samples.slice(0, 3).map(({ url, reason }) => toPrintable(`  ${url} (${reason})`));
    return [`${effects.crawler}: ${pluralize(group.count, noun)} would be ${what}`, ...samples];
  });
}

/** Replaces the configuration in force by the file and the rule files that it names. */
export async function applyConfiguration(options: FileOptions & WriteOptions): Promise<void> {
  const draft = await readDraft(options.file);
  const client = new ServerClient(options);
  client.nameFile = (file) => (basename(file) in draft.files ? basename(file) : options.file);
  const { etag } = await client.getText('/config');
  const query = options.yes ? '?confirm=true' : '';
  const state = await client.call<ConfigurationStateDto>('PUT', `/config${query}`, toJsonBody(draft), {
    'if-match': etag ?? '*',
  });
  reportInForce(state, options);
}

export async function restoreConfiguration(version: string, options: Options & WriteOptions): Promise<void> {
  const query = options.yes ? '?confirm=true' : '';
  const path = `/config/versions/${encodeURIComponent(version)}/restore${query}`;
  reportInForce(await new ServerClient(options).call<ConfigurationStateDto>('POST', path), options);
}

function reportInForce(state: ConfigurationStateDto, { json }: JsonOption): void {
  if (json) {
    printJson(state);
    return;
  }
  for (const { code, message, line } of state.warnings)
    process.stderr.write(toPrintableLines(`line ${line}: ${code} ${message} (warning)\n`));
  process.stdout.write(`version ${state.version} is in force\n`);
}
