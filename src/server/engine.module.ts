/** The one place where ports meet adapters: creates the engine and everything else that the server's parts need. */

import { availableParallelism } from 'node:os';
import type { Writable } from 'node:stream';
import type { DynamicModule, Provider } from '@nestjs/common';
import { findBrowserProblem } from '../adapters/browser/find-browser.js';
import { removeCrawler, setCrawlerAttributes, setWeights } from '../adapters/config-xml/edit/crawler.js';
import { readPart, widenPart } from '../adapters/config-xml/edit/part.js';
import { deleteRule, insertRule, listRules, moveRule, replaceRule } from '../adapters/config-xml/edit/rules.js';
import { EditError } from '../adapters/config-xml/edit/scope.js';
import { replaceLiteralSecrets } from '../adapters/config-xml/literal-secrets.js';
import { readContentElement } from '../adapters/config-xml/read/content.js';
import { readConfigurationInSteps } from '../adapters/config-xml/read.js';
import { createElementForms } from '../adapters/config-xml/schema.js';
import { createKeyDirectory, generateSigningKey } from '../adapters/http/message-signature.js';
import { findOcrProblems } from '../adapters/parsers/documents/ocr-files.js';
import { PluginHost } from '../adapters/plugins/plugin-host.js';
import { createSink } from '../adapters/push/create-sink.js';
import { StreamSink } from '../adapters/push/file.js';
import { mapDocument } from '../adapters/push/map-document.js';
import { WebhookSender } from '../adapters/push/webhook-sender.js';
import { CookieSessions } from '../adapters/sessions/cookie-sessions.js';
import { createLogin } from '../adapters/sessions/logins/create-login.js';
import { openBackend } from '../adapters/storage/open-backend.js';
import type { AdminStore } from '../adapters/storage/shared/admin-store.js';
import { Seal } from '../adapters/storage/shared/seal.js';
import { exportStore, importStore, requireCompleteImport, type Summary } from '../adapters/storage/shared/transfer.js';
import type { StoreOptions } from '../adapters/storage/store-backend.js';
import { findNextCronTime } from '../adapters/system/cron.js';
import { ExternalSecrets, readSecretPlaces } from '../adapters/system/outside-secrets.js';
import { LOG_LEVELS, type LogLevel, PinoLog } from '../adapters/system/pino-log.js';
import { loadRegistrableDomains } from '../adapters/system/registrable-domain.js';
import { createTimeFollower, SystemClock } from '../adapters/system/system-clock.js';
import { enforceThreadHeapLimits } from '../adapters/system/thread-settings.js';
import type { OpenTelemetry } from '../adapters/telemetry/open-telemetry.js';
import { readTelemetrySettings } from '../adapters/telemetry/telemetry-settings.js';
import { ApiPriority } from '../adapters/threads/api-priority.js';
import { PageThreadPool } from '../adapters/threads/page-thread-pool.js';
import { choosePageThreadLimits } from '../adapters/threads/thread-load.js';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { Problem } from '../domain/crawl/place.js';
import type { SinkDefinition, WebhookDefinition } from '../domain/crawl/sink-definition.js';
import { lintInSteps } from '../domain/policy/linter.js';
import { usesRendering } from '../domain/render/renders.js';
import type { Secret } from '../domain/secret.js';
import { runAtOnce, type Steps } from '../domain/steps.js';
import { Engine } from '../engine/engine.js';
import type { EngineApi } from '../engine/engine-api.js';
import type {
  AuditLog,
  ConfigurationHistory,
  KeyStore,
  SecretStore,
  SessionStore,
} from '../engine/ports/administration.js';
import type { Clock } from '../engine/ports/clock.js';
import type { FormatContext, ReadConfiguration } from '../engine/ports/configuration-reading.js';
import type { FrontierStore } from '../engine/ports/frontier-store.js';
import type { Log } from '../engine/ports/log.js';
import type { PageProcessor } from '../engine/ports/page-processor.js';
import type { Sink } from '../engine/ports/sink.js';
import type { CreateKeyDirectory } from './bot-auth/key-directory.controller.js';
import { ConfigurationFile } from './configuration/configuration-file.js';
import type { ConfigurationFormat } from './configuration/configuration-format.js';
import { toProblemErrors } from './configuration/configuration-problem.schema.js';
import { fail } from './fail.js';
import { ProblemException } from './http/problem.js';
import {
  readFileSinkFolder,
  readStorageOptions,
  type ServerOptions,
  type StorageOptions,
  UsageError,
} from './options.js';
import type { DocumentMapper } from './sinks/mapping.controller.js';
import { createSinkTester, type SinkTester } from './sinks/sink-test.js';
import {
  AUDIT_LOG,
  CLOCK,
  CONFIGURATION_FILE,
  CONFIGURATION_FORMAT,
  CONFIGURATION_HISTORY,
  ENGINE,
  KEY_DIRECTORY,
  KEY_STORE,
  LOG,
  MAP_DOCUMENT,
  OPTIONS,
  PART_TOKENS,
  SEARCH_PAGE,
  SECRET_STORE,
  SESSION_STORE,
  TEST_SINK,
} from './tokens.js';
import { SERVER_VERSION } from './version.js';
import type { WebhookChannel } from './webhooks/webhook-queue.js';

export type { OpenTelemetry };

export interface Parts {
  readonly options: ServerOptions;
  readonly log: Log;
  readonly file: ConfigurationFile;
  readonly engine: Engine;
  /** Audit log and configuration history. */
  readonly adminStore: AdminStore;
  /** URL of the bundled index's search page; empty if the index is not running. */
  readonly searchPage: string;
}

/** Human-readable lines on a terminal, JSON otherwise; `CRAWLWAY_LOG_LEVEL` sets the lowest level. */
export function openLog(env: NodeJS.ProcessEnv): Log {
  const level = env['CRAWLWAY_LOG_LEVEL'] || 'info';
  if (!(LOG_LEVELS as readonly string[]).includes(level)) {
    throw new UsageError(`CRAWLWAY_LOG_LEVEL ${level} is not a log level; use one of ${LOG_LEVELS.join(', ')}`);
  }
  return PinoLog.create(level as LogLevel, process.stdout.isTTY === true);
}

const RENDER_THREAD = new URL('./render.thread.js', import.meta.url);
const PAGE_THREAD = new URL('./pages.thread.js', import.meta.url);

export const systemClock = new SystemClock();

/** Shared by the HTTP server, the page threads and the store: their requests and results arrive in the same event loop. */
export const apiPriority = new ApiPriority();

export interface EngineOptions {
  readonly databaseUrl: Secret;
  readonly log: Log;
  /** Receives all orders as JSON lines, regardless of the configured sinks. */
  readonly output?: Writable;
  /** Number of visits after which each crawler stops. */
  readonly maxVisits?: number;
  /** False if only the other servers that share the database crawl. */
  readonly crawls?: boolean;
  /** See openAdminStore. */
  readonly encryptionKey?: Secret;
  readonly telemetry?: OpenTelemetry;
}

/** @throws UsageError for an unsuitable database, or an error of the store if it cannot be opened. */
export async function openEngine({
  databaseUrl,
  log,
  output,
  maxVisits,
  crawls = true,
  encryptionKey,
  telemetry,
}: EngineOptions): Promise<Engine> {
  enforceThreadHeapLimits();
  const onTime = createTimeFollower(systemClock, log);
  const store = await openCompleteStore(databaseUrl, { onDamage: fail, onTime, onWait: (reason) => log.info(reason) });
  const plugins = new PluginHost({ clock: systemClock, log });
  const createTracedSink = (definition: SinkDefinition): Sink => {
    const sink = createSink(definition, plugins);
    return telemetry?.traceSink(sink, definition.type) ?? sink;
  };
  return new Engine({
    store,
    ...openBackend(databaseUrl).openNodes({ crawls, log, onTime }),
    processor: new PageThreadPool({
      entry: PAGE_THREAD,
      rendererEntry: RENDER_THREAD,
      ...choosePageThreadLimits(availableParallelism()),
      plugins,
      log,
      apiPriority,
    }),
    plugins,
    openProcessor: () => openPageProcessor(log),
    clock: systemClock,
    log,
    maxVisits,
    cron: findNextCronTime,
    loadDomains: loadRegistrableDomains,
    sessions: new CookieSessions(),
    createLogin,
    // Sessions of a crawl without a server need not outlive it.
    seal: output ? undefined : openSeal(databaseUrl, encryptionKey),
    createSink: (definition) => (output ? new StreamSink(definition.name, output) : createTracedSink(definition)),
    tracing: telemetry?.tracing,
  });
}

/** Undefined if no collector is configured; then no part of the SDK is loaded. */
export async function openTelemetry(env: NodeJS.ProcessEnv, log: Log): Promise<OpenTelemetry | undefined> {
  const settings = readTelemetrySettings(env, (message) => log.warn(message));
  if (!settings) return undefined;
  const { OpenTelemetry } = await import('../adapters/telemetry/open-telemetry.js');
  return new OpenTelemetry(settings, log, SERVER_VERSION);
}

/** Opens the seal that encrypts values which must not be readable in the database; see openAdminStore. */
const openSeal = (url: Secret, encryptionKey?: Secret): Seal | undefined =>
  encryptionKey ? Seal.fromText(encryptionKey.reveal()) : openBackend(url).openOwnSeal();

/** Opens a page processor that needs no engine. */
export const openPageProcessor = (log: Log): PageProcessor =>
  new PageThreadPool({
    entry: PAGE_THREAD,
    rendererEntry: RENDER_THREAD,
    threads: 1,
    plugins: new PluginHost({ clock: systemClock, log }),
    log,
  });

/**
 * @param encryptionKey encrypts what must not be readable in the database. Without it, SQLite uses a key file beside
 * the database; servers that share a PostgreSQL database then have no key and store no secrets.
 */
export function openAdminStore(url: Secret, encryptionKey?: Secret): Promise<AdminStore> {
  return openBackend(url).openAdminStore(openSeal(url, encryptionKey));
}

/** Like openAdminStore, but while no server uses the database, unless several can share it. Throws DataDirectoryInUse. */
export async function openIdleAdminStore({
  databaseUrl,
  encryptionKey,
}: StorageOptions): Promise<{ readonly store: AdminStore; readonly close: () => Promise<void> }> {
  const release = openBackend(databaseUrl).lock();
  try {
    const store = await openAdminStore(databaseUrl, encryptionKey);
    return { store, close: () => store.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function readStoredSecrets({ databaseUrl, encryptionKey }: StorageOptions): Promise<ReadonlyMap<string, string>> {
  const backend = openBackend(databaseUrl);
  return backend.exists() ? backend.readSecrets(openSeal(databaseUrl, encryptionKey)) : new Map();
}

/**
 * Exports all data of a store as lines; see adapters/storage/shared/transfer.ts.
 * @throws UsageError for a database that does not exist: a newly created one would be exported as an empty store.
 */
export async function* exportDatabase(databaseUrl: Secret, last: string | undefined): AsyncGenerator<string> {
  const { exists, displayName: place } = openBackend(databaseUrl);
  if (!exists()) {
    throw new UsageError(`there is no database ${place}: specify its location with --data or --database`);
  }
  const store = await openCompleteStore(databaseUrl);
  try {
    yield* exportStore(store, last);
  } finally {
    await store.close();
  }
}

/** Imports the lines of an export into an empty database, and checks that the data is complete. */
export async function importDatabase(databaseUrl: Secret, lines: AsyncIterable<string>): Promise<Summary> {
  const store = await openBackend(databaseUrl).openStore();
  try {
    return await importStore(store, lines);
  } finally {
    await store.close();
  }
}

/** Opens a store, but not the result of an incomplete import, which may lack the hosts that an operator paused. */
async function openCompleteStore(url: Secret, options?: Omit<StoreOptions, 'handOut'>): Promise<FrontierStore> {
  const store = await openBackend(url).openStore({ handOut: (reply) => apiPriority.handOut(reply), ...options });
  try {
    await requireCompleteImport(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

export { generateSigningKey };

export const testSink = createSinkTester(createSink, () => performance.now());
export const openWebhook = (definition: WebhookDefinition): WebhookChannel => new WebhookSender(definition);

/** Nest accepts any value for a token; the type argument is the type that its users expect. */
const provideValue = <T>(token: symbol, value: T): Provider => ({ provide: token, useValue: value });

/** Provides the parts to Nest. */
export function createPartsModule(parts: Parts): DynamicModule {
  const providers = [
    provideValue<EngineApi>(ENGINE, parts.engine),
    provideValue<ConfigurationFile>(CONFIGURATION_FILE, parts.file),
    provideValue<ConfigurationFormat>(CONFIGURATION_FORMAT, XML_FORMAT),
    provideValue<ConfigurationHistory>(CONFIGURATION_HISTORY, parts.adminStore),
    provideValue<AuditLog>(AUDIT_LOG, parts.adminStore),
    provideValue<KeyStore>(KEY_STORE, parts.adminStore),
    provideValue<SecretStore>(SECRET_STORE, parts.adminStore),
    provideValue<SessionStore>(SESSION_STORE, parts.adminStore),
    provideValue<Log>(LOG, parts.log),
    provideValue<Clock>(CLOCK, systemClock),
    provideValue<CreateKeyDirectory>(KEY_DIRECTORY, createKeyDirectory),
    provideValue<ServerOptions>(OPTIONS, parts.options),
    provideValue<string>(SEARCH_PAGE, parts.searchPage),
    provideValue<DocumentMapper>(MAP_DOCUMENT, mapDocument),
    provideValue<SinkTester>(TEST_SINK, testSink),
  ];
  return { module: class Parts {}, global: true, providers, exports: [...PART_TOKENS] };
}

/** The server's own variables, which a configuration must not be able to send out as part of a value. */
const OWN_VARIABLES = ['CRAWLWAY_API_KEYS', 'CRAWLWAY_API_KEY', 'CRAWLWAY_DATABASE_URL', 'CRAWLWAY_ENCRYPTION_KEY'];

/**
 * Variables that a configuration may name: an administrator of the crawl must not be able to read the process's whole
 * environment.
 */
function selectConfigurationVariables(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const allowedNames = new Set((env['CRAWLWAY_ALLOW_VARIABLES'] ?? '').split(',').map((name) => name.trim()));
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => (/^CRAWLWAY_(SECRET|ENV)_/.test(name) || allowedNames.has(name)) && !OWN_VARIABLES.includes(name),
    ),
  );
}

/** Warns if pages are to be rendered but this machine cannot do so, which the configuration alone does not show. */
function findBrowserProblems({ renderer, ...definition }: ServerDefinition): Problem[] {
  const message = renderer && usesRendering(definition) ? findBrowserProblem(renderer) : undefined;
  if (message === undefined) return [];
  const place = renderer?.place ?? definition.crawlers[0]!.place;
  return [{ severity: 'warning', code: 'no-browser', message, place }];
}

let externalSecrets: ExternalSecrets | undefined;

/** The external secrets of this process; created on first use, when the environment is complete. */
function getExternalSecrets(): ExternalSecrets {
  externalSecrets ??= new ExternalSecrets(readSecretPlaces(process.env), process.env);
  return externalSecrets;
}

function* readXmlInSteps(xml: string, context: FormatContext): Steps<ReadConfiguration> {
  const result = yield* readConfigurationInSteps(xml, {
    ...context,
    env: selectConfigurationVariables(process.env),
    readSecret: (reference) => getExternalSecrets().read(reference),
  });
  const { definition, problems } = result;
  if (!definition) return result;
  const ofMachine = [...findBrowserProblems(definition), ...findOcrProblems(definition)];
  return { ...result, problems: [...problems, ...(yield* lintInSteps(definition)), ...ofMachine] };
}

export const XML_FORMAT: ConfigurationFormat = {
  listElements: createElementForms,
  read: (xml, context) => runAtOnce(readXmlInSteps(xml, context)),
  readInSteps: readXmlInSteps,
  readContent: readContentElement,
  reloadSecrets: async () => (await externalSecrets?.reloadAndCompare()) ?? false,
  replaceLiteralSecrets,
  listRules: (xml, crawler) => runEdit(() => listRules(xml, crawler)),
  insertRule: (...change) => runEdit(() => insertRule(...change)),
  replaceRule: (...change) => runEdit(() => replaceRule(...change)),
  deleteRule: (...change) => runEdit(() => deleteRule(...change)),
  moveRule: (...change) => runEdit(() => moveRule(...change)),
  renameCrawler: (xml, crawler, name) => runEdit(() => setCrawlerAttributes(xml, crawler, { name })),
  removeCrawler: (...change) => runEdit(() => removeCrawler(...change)),
  setWeights: (...change) => runEdit(() => setWeights(...change)),
  readPart,
  widenPart,
};

interface ConfigurationFileOptions {
  readonly fileSinkFolder?: string;
  /** Database with the secrets to which the configuration may refer. */
  readonly storage?: StorageOptions;
}

/** By default, file sinks and secrets are where a server with the environment of this process has them. */
export const openConfigurationFile = (
  path: string,
  { fileSinkFolder = readFileSinkFolder({}, process.env), storage }: ConfigurationFileOptions = {},
): ConfigurationFile =>
  new ConfigurationFile(path, XML_FORMAT, fileSinkFolder, {
    pluginFolder: process.env['CRAWLWAY_PLUGINS'],
    readStoredSecrets: () => readStoredSecrets(storage ?? readStorageOptions({}, process.env)),
  });

function runEdit<T>(edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    const kind = error.code.startsWith('unknown-') ? 'not-found' : 'unacceptable';
    throw new ProblemException(kind, error.message, { errors: toProblemErrors(error.problems) });
  }
}
