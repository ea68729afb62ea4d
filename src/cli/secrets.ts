/**
 * `crawlway secrets`: manages the secrets to which the configuration refers, through the running server, or directly in
 * the database while no server is running.
 */

import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { formatPlace, type Place } from '../domain/crawl/place.js';
import { isSameDefinition } from '../domain/secret.js';
import type { AuditLog, SecretStore } from '../engine/ports/administration.js';
import type { LiteralSecret, SecretUse } from '../engine/ports/configuration-reading.js';
import { indexTextsByName } from '../server/configuration/configuration-draft.js';
import type { ConfigurationFile, LoadedConfiguration, Texts } from '../server/configuration/configuration-file.js';
import { openConfigurationFile, openIdleAdminStore, systemClock, XML_FORMAT } from '../server/engine.module.js';
import { DEFAULT_CONFIG, readStorageOptions, UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { MAX_SECRET_BYTES, requireSecretName, requireStorable } from '../server/secrets/secret-store.js';
import { ServerClient, type ServerOption, toJsonBody } from './client.js';
import { type JsonOption, pluralize, printJson } from './output.js';
import { formatTable } from './table.js';

export interface SecretsOptions extends ServerOption, JsonOption {
  readonly config?: string | undefined;
  readonly data?: string;
  readonly database?: string;
}

interface ListedSecret {
  readonly name: string;
  readonly setAt: string;
  readonly setBy: string;
  readonly uses: readonly Place[];
}

/** The secrets of one database. */
interface Secrets {
  list(): Promise<readonly ListedSecret[]>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export async function listSecrets(options: SecretsOptions): Promise<void> {
  const secrets = await withSecrets(options, (store) => store.list());
  if (options.json) return printJson(secrets);
  if (secrets.length === 0) {
    process.stdout.write('there are no secrets\n');
    return;
  }
  const rows = secrets.map(({ name, setAt, setBy, uses }) => [
    name,
    setAt,
    setBy,
    toPrintable(uses.map(formatPlace).join(' ') || 'not used'),
  ]);
  process.stdout.write(`${formatTable(['SECRET', 'SET', 'BY', 'USED AT'], rows)}\n`);
}

/** Reads the value from standard input; on a terminal, what is typed is not shown. */
export async function setSecret(name: string, options: SecretsOptions): Promise<void> {
  try {
    requireSecretName(name);
  } catch (error) {
    throwUsageError(error);
  }
  const value = process.stdin.isTTY ? await promptForSecret(name) : await readStandardInput();
  await withSecrets(options, (secrets) => secrets.set(name, value));
  if (options.json) printJson({ name, set: true });
  else process.stderr.write(`secret ${name} is set; write \${secret:${name}} where the configuration needs it\n`);
}

export async function removeSecret(name: string, options: SecretsOptions): Promise<void> {
  await withSecrets(options, (secrets) => secrets.remove(name));
  if (options.json) printJson({ name, removed: true });
  else process.stderr.write(`secret ${name} is removed\n`);
}

/**
 * Stores the literal secrets of a configuration and of its rule files, and replaces them with references. Everything else
 * in the files stays byte for byte the same. The secrets are stored before the files are written.
 */
export async function importSecrets(path: string | undefined, options: SecretsOptions): Promise<void> {
  const file = openFile({ ...options, config: path ?? options.config });
  const checked = await file.check();
  const before = file.toLoaded(checked);
  const imported =
    checked.literalSecrets.length === 0
      ? []
      : await withSecrets(options, async (store) => {
          const takenNames = (await store.list()).map(({ name }) => name);
          const { secrets, texts } = await replaceSecrets(file, before, checked.literalSecrets, takenNames);
          for (const { name, value } of secrets) await store.set(name, value);
          await (await file.stage(texts)).commit();
          return secrets;
        });
  if (options.json) return printJson({ imported: imported.map(({ name, place }) => ({ name, ...place })) });
  for (const { name, description, place } of imported)
    process.stdout.write(`${toPrintable(`${formatPlace(place)} ${description} is now \${secret:${name}}`)}\n`);
  process.stderr.write(
    imported.length === 0
      ? `${file.path} contains no secrets as plain text\n`
      : `${pluralize(imported.length, 'secret')} stored; ${file.path} refers to ${imported.length === 1 ? 'it' : 'them'}\n`,
  );
}

/** @throws UsageError if the configuration would not mean the same with references */
async function replaceSecrets(
  file: ConfigurationFile,
  before: LoadedConfiguration,
  literalSecrets: readonly LiteralSecret[],
  takenNames: readonly string[],
): Promise<{ readonly secrets: readonly LiteralSecret[]; readonly texts: Texts }> {
  const originals = new Map([[file.path, before.xml], ...indexTextsByName(before.ruleFiles)]);
  const { texts, secrets } = XML_FORMAT.replaceLiteralSecrets(originals, literalSecrets, takenNames);
  const newTexts: Texts = {
    xml: texts.get(file.path) as string,
    ruleFiles: before.ruleFiles.map((ruleFile) => ({ ...ruleFile, text: texts.get(ruleFile.name) as string })),
  };
  const after = await file.loadWith(newTexts, new Map(secrets.map(({ name, value }) => [name, value])));
  if (!isSameDefinition(before.definition, after.definition, 'place'))
    throw new UsageError(
      `nothing was changed: with references, ${file.path} would not mean the same. Use crawlway secrets set for each secret, and write the references by hand`,
    );
  return { secrets, texts: newTexts };
}

/** Uses the running server unless a database is named or no server responds. */
async function withSecrets<T>(options: SecretsOptions, action: (secrets: Secrets) => Promise<T>): Promise<T> {
  const client = new ServerClient(options);
  const namesDatabase = options.data !== undefined || options.database !== undefined;
  if (options.server !== undefined || (!namesDatabase && (await client.isReachable())))
    return action(createServerSecrets(client));
  const { store, close } = await openIdleAdminStore(readStorageOptions(options, process.env)).catch((error: Error) => {
    if (error.name !== 'DataDirectoryInUse') throw error;
    throw new UsageError('the server that uses this data directory is running: specify its address with --server');
  });
  try {
    return await action(createDatabaseSecrets(store, openFile(options)));
  } finally {
    await close();
  }
}

const createServerSecrets = (client: ServerClient): Secrets => ({
  list: () => client.list<ListedSecret>('/secrets'),
  set: async (name, value) => {
    await client.call('PUT', getPath(name), toJsonBody({ value }));
  },
  remove: async (name) => {
    await client.call('DELETE', getPath(name));
  },
});

const getPath = (name: string): string => `/secrets/${encodeURIComponent(name)}`;

const COMMAND_LINE = 'command line';

function createDatabaseSecrets(store: SecretStore & AuditLog, file: ConfigurationFile): Secrets {
  const findUses = async (): Promise<readonly SecretUse[]> =>
    existsSync(file.path) ? (await file.check()).secretUses : [];
  const record = (what: string, name: string): Promise<void> => {
    const target = `/api/v1${getPath(name)}`;
    return store.append({
      at: systemClock.now(),
      who: COMMAND_LINE,
      what,
      target,
      outcome: 'done',
      before: '',
      after: '',
    });
  };
  return {
    list: async () => {
      const uses = await findUses();
      return (await store.listSecrets()).map(({ name, setAt, setBy }) => ({
        name,
        setAt: new Date(setAt).toISOString(),
        setBy,
        uses: uses.filter((use) => use.name === name).map(({ place }) => place),
      }));
    },
    set: async (name, value) => {
      await requireStorable(store, name, value).catch(throwUsageError);
      await store.putSecret({ name, setAt: systemClock.now(), setBy: COMMAND_LINE }, value);
      await record('putSecret', name);
    },
    remove: async (name) => {
      const places = (await findUses()).filter((use) => use.name === name).map(({ place }) => formatPlace(place));
      if (places.length > 0)
        throw new UsageError(
          `the configuration refers to the secret ${name} (${places.join(', ')}): remove these references first`,
        );
      if (!(await store.removeSecret(name))) throw new UsageError(`there is no secret named ${name}`);
      await record('removeSecret', name);
    },
  };
}

function throwUsageError(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message) : error;
}

const openFile = (options: SecretsOptions): ConfigurationFile =>
  openConfigurationFile(options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG, {
    storage: readStorageOptions(options, process.env),
  });

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_SECRET_BYTES + 2) break; // too large, which is reported later
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

async function promptForSecret(name: string): Promise<string> {
  process.stderr.write(`Value of ${name} (not shown): `);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
