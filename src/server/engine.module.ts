/**
 * The one place where ports meet adapters: makes the engine and everything else that the server's parts ask for.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Writable } from 'node:stream';
import type { DynamicModule } from '@nestjs/common';
import { setWeights } from '../adapters/config-xml/edit/crawler.js';
import { EditError } from '../adapters/config-xml/edit/error.js';
import { deleteRule, insertRule, listRules, moveRule, replaceRule } from '../adapters/config-xml/edit/rules.js';
import { readConfiguration } from '../adapters/config-xml/read.js';
import { redact, redactRules, restoreSecrets } from '../adapters/config-xml/secrets.js';
import { createSink } from '../adapters/push/create-sink.js';
import { StreamSink } from '../adapters/push/stream.js';
import { AdminStore } from '../adapters/storage/admin-store.js';
import { openPostgresNodes } from '../adapters/storage/cluster/open.js';
import { openPostgresDataSource } from '../adapters/storage/postgres-data-source.js';
import { placeOf, postgresError } from '../adapters/storage/postgres-pool.js';
import { openPostgresStore } from '../adapters/storage/postgres-store.js';
import { openSqliteDataSource } from '../adapters/storage/sqlite-data-source.js';
import { storeError } from '../adapters/storage/sqlite-handle.js';
import { openSqliteStore } from '../adapters/storage/sqlite-store.js';
import { exportStore, importStore, requireWhole, type Summary } from '../adapters/storage/transfer.js';
import { nextCronTime } from '../adapters/system/cron.js';
import { LOG_LEVELS, type LogLevel, PinoLog } from '../adapters/system/pino-log.js';
import { SystemClock } from '../adapters/system/system-clock.js';
import { PageThreadPool } from '../adapters/threads/page-thread-pool.js';
import { lint } from '../domain/policy/linter.js';
import { Engine } from '../engine/engine.js';
import type { Clock } from '../engine/ports/clock.js';
import type { FrontierStore } from '../engine/ports/frontier-store.js';
import type { Log } from '../engine/ports/log.js';
import { ConfigurationFile } from './configuration/configuration-file.js';
import type { ConfigurationFormat } from './configuration/configuration-format.js';
import { configurationErrors } from './configuration/problems.dto.js';
import { ProblemException } from './http/problem.js';
import { isPostgres, type ServerOptions, UsageError } from './options.js';
import {
  AUDIT_LOG,
  CLOCK,
  CONFIGURATION_FILE,
  CONFIGURATION_FORMAT,
  CONFIGURATION_HISTORY,
  ENGINE,
  LOG,
  OPTIONS,
  PART_TOKENS,
  SEARCH_PAGE,
} from './tokens.js';

export interface Parts {
  readonly options: ServerOptions;
  readonly log: Log;
  readonly file: ConfigurationFile;
  readonly engine: Engine;
  /** Audit log and configuration history. */
  readonly admin: AdminStore;
  /** Of the bundled index; empty when it does not run. */
  readonly searchPage: string;
}

/** Lines for a person on a terminal, JSON otherwise; `CRAWLWAY_LOG_LEVEL` says from which level on. */
export function openLog(env: NodeJS.ProcessEnv): Log {
  const level = env['CRAWLWAY_LOG_LEVEL'] || 'info';
  if (!(LOG_LEVELS as readonly string[]).includes(level)) {
    throw new UsageError(`CRAWLWAY_LOG_LEVEL ${level} is none of ${LOG_LEVELS.join(', ')}`);
  }
  return PinoLog.create(level as LogLevel, process.stdout.isTTY === true);
}

const PAGE_THREAD = new URL('./pages.thread.js', import.meta.url);

/**
 * Pages cost more than everything else together, so they get every core but one, which schedules, stores and delivers: two
 * page threads on two cores cost a tenth more time (each compiles the same code) and 40 MB. Past a few the store is the limit.
 */
const pageThreads = (): number => Math.min(8, Math.max(1, availableParallelism() - 1));

export const systemClock: Clock = new SystemClock();

export interface EngineOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  /** Orders go here as JSON lines, whatever sinks the configuration has. */
  readonly output?: Writable;
  /** Each crawler ends after so many visits. */
  readonly mostVisits?: number;
  /** False: on a database that is shared, others crawl. */
  readonly crawls?: boolean;
}

/** @throws UsageError for a database that is none of ours, and what the store throws when it cannot be opened. */
export async function openEngine({
  databaseUrl,
  log,
  output,
  mostVisits,
  crawls = true,
}: EngineOptions): Promise<Engine> {
  const store = await openWhole(databaseUrl);
  return new Engine({
    store,
    ...(isPostgres(databaseUrl) ? openPostgresNodes(databaseUrl, { crawls, log }) : {}),
    processor: new PageThreadPool({ entry: PAGE_THREAD, threads: pageThreads(), log }),
    clock: systemClock,
    log,
    mostVisits,
    cron: nextCronTime,
    createSink: (definition) => (output ? new StreamSink(definition.name, output) : createSink(definition)),
  });
}

export const openAdminStore = async (url: string): Promise<AdminStore> =>
  isPostgres(url)
    ? new AdminStore(await openPostgresDataSource(url), (error) => postgresError(error, placeOf(url)))
    : new AdminStore(await openSqliteDataSource(sqliteFile(url)), (error) => storeError(error, sqliteFile(url)));

/**
 * The lines of a whole store; see adapters/storage/transfer.ts.
 * @throws UsageError for a SQLite file that is not there: one that is made now would be exported as an empty store.
 */
export async function* exportDatabase(databaseUrl: string, last: string | undefined): AsyncGenerator<string> {
  if (!isPostgres(databaseUrl) && !existsSync(sqliteFile(databaseUrl))) {
    throw new UsageError(`there is no database ${sqliteFile(databaseUrl)}: say with --data or --database where it is`);
  }
  const store = await openWhole(databaseUrl);
  try {
    yield* exportStore(store, last);
  } finally {
    await store.close();
  }
}

/** Stores such lines in a database that is empty, and checks that all has arrived. */
export async function importDatabase(databaseUrl: string, lines: AsyncIterable<string>): Promise<Summary> {
  const store = await openStore(databaseUrl);
  try {
    return await importStore(store, lines);
  } finally {
    await store.close();
  }
}

const openStore = (url: string): Promise<FrontierStore> =>
  isPostgres(url) ? openPostgresStore(url) : openSqliteStore(sqliteFile(url));

/** Not what an import has left half-way: hosts that a person has paused are among the last of its lines. */
async function openWhole(url: string): Promise<FrontierStore> {
  const store = await openStore(url);
  try {
    await requireWhole(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Hands the parts to Nest. */
export function partsModule(parts: Parts): DynamicModule {
  const providers = [
    { provide: ENGINE, useValue: parts.engine },
    { provide: CONFIGURATION_FILE, useValue: parts.file },
    { provide: CONFIGURATION_FORMAT, useValue: XML_FORMAT },
    { provide: CONFIGURATION_HISTORY, useValue: parts.admin },
    { provide: AUDIT_LOG, useValue: parts.admin },
    { provide: LOG, useValue: parts.log },
    { provide: CLOCK, useValue: systemClock },
    { provide: OPTIONS, useValue: parts.options },
    { provide: SEARCH_PAGE, useValue: parts.searchPage },
  ];
  return { module: class Parts {}, global: true, providers, exports: [...PART_TOKENS] };
}

/** Variables of the server itself: a configuration that names them would send them out as part of a value. */
const OWN_VARIABLES = ['CRAWLWAY_API_KEYS', 'CRAWLWAY_API_KEY', 'CRAWLWAY_DATABASE_URL'];

function configurationVariables(): Record<string, string | undefined> {
  const env = { ...process.env };
  for (const name of OWN_VARIABLES) delete env[name];
  return env;
}

export const XML_FORMAT: ConfigurationFormat = {
  read: (xml, context) => {
    const { definition, problems } = readConfiguration(xml, { ...context, env: configurationVariables() });
    return definition ? { definition, problems: [...problems, ...lint(definition)] } : { problems };
  },
  redact,
  restoreSecrets,
  redactRules,
  rules: (xml, crawler) => editing(() => listRules(xml, crawler)),
  insertRule: (...change) => editing(() => insertRule(...change)),
  replaceRule: (...change) => editing(() => replaceRule(...change)),
  deleteRule: (...change) => editing(() => deleteRule(...change)),
  moveRule: (...change) => editing(() => moveRule(...change)),
  setWeights: (...change) => editing(() => setWeights(...change)),
};

export const configurationFile = (path: string): ConfigurationFile => new ConfigurationFile(path, XML_FORMAT);

function editing<T>(edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    const kind = error.code.startsWith('unknown-') ? 'not-found' : 'unacceptable';
    throw new ProblemException(kind, error.message, { errors: configurationErrors(error.problems) });
  }
}

function sqliteFile(databaseUrl: string): string {
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (file) return file;
  throw new UsageError(
    `CRAWLWAY_DATABASE_URL ${databaseUrl.replace(/\/\/[^@/]*@/, '//')} is neither sqlite:FILE nor postgres://…`,
  );
}
