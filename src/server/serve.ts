/** A running server: configuration, engine, API, and the bundled sample if requested. */
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { formatPlace } from '../domain/crawl/place.js';
import { isSharedDatabase } from '../domain/database-kind.js';
import { milliseconds, seconds } from '../domain/time/units.js';
import type { EngineApi } from '../engine/engine-api.js';
import type { Log } from '../engine/ports/log.js';
import { createApp } from './app.js';
import { ConfigurationService } from './configuration/configuration.service.js';
import { ConfigurationWatch } from './configuration/configuration-watch.js';
import { SecretWatch } from './configuration/secret-watch.js';
import {
  createPartsModule,
  type OpenTelemetry,
  openAdminStore,
  openConfigurationFile,
  openEngine,
  openWebhook,
  systemClock,
} from './engine.module.js';
import { EventLog } from './log/event-log.js';
import { FetchLog } from './log/fetch-log.js';
import { EngineMetricsExporter } from './metrics/engine-metrics.js';
import { DEFAULT_CONFIG, type ServerOptions, UsageError } from './options.js';
import { PROJECT_ROOT } from './project-root.js';
import { type Sample, startSample } from './sample.js';
import { ADVISED_LENGTH } from './security/api-keys.js';
import { Webhooks } from './webhooks/webhooks.js';

/** Including the time to close connections and files, this stays below the 15 s that a stop may take. */
const DRAIN_TIME = seconds(10);
const PROGRESS_EVERY = milliseconds(250);
const CAUGHT_UP_EVERY_MS = 5_000;

export interface RunningServer {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly engine: EngineApi;
  readonly log: Log;
  reload(who: string): Promise<unknown>;
  /** Starts no new fetches and accepts no new calls; orders in memory are delivered or left for the next start. */
  close(): Promise<void>;
}

export interface ServeExtras {
  readonly log: Log;
  /** Start the bundled site and index if the configuration names their addresses. */
  readonly withSample: boolean;
  /** Exporter of traces and metrics. Absent if they are not exported. It is closed with the server. */
  readonly telemetry?: OpenTelemetry;
}

export async function serve(
  options: ServerOptions,
  { log, withSample, telemetry }: ServeExtras,
): Promise<RunningServer> {
  if (options.configFile === DEFAULT_CONFIG) createFirstConfiguration(log);
  warnAboutShortKeys(options, log);
  const file = openConfigurationFile(options.configFile, options.fileSinks);
  let loaded = file.load();
  for (const { place, code, message } of loaded.problems) log.warn(`${formatPlace(place)} ${code} ${message}`);
  const opened: (() => Promise<unknown>)[] = [];
  if (telemetry) opened.push(() => telemetry.close());
  const close = async (): Promise<void> => {
    for (const step of opened.splice(0).reverse()) await step();
  };
  try {
    const engine = await openEngine({
      databaseUrl: options.databaseUrl,
      log,
      crawls: options.roles.has('crawl'),
      encryptionKey: options.encryptionKey,
      telemetry,
    });
    // Not before this server owns the data directory: the sample of a server that is already running would be taken for
    // another program.
    const sample = withSample ? await startSampleOrDrain(engine, loaded.definition, options, log) : undefined;
    if (sample) opened.push(() => sample.close());
    if (sample?.moved) loaded = file.load();
    engine.observe(new EventLog(log).logEvent);
    const webhooks = new Webhooks({ clock: systemClock, log, definition: () => engine.definition, open: openWebhook });
    engine.observe(webhooks.handleEvent);
    opened.push(() => webhooks.close());
    if (options.fetchLog !== undefined) {
      const fetchLog = await FetchLog.open(options.fetchLog, log);
      opened.push(() => fetchLog.close());
      engine.observe(fetchLog.write);
    }
    opened.push(() => engine.drain(DRAIN_TIME));
    const admin = await openAdminStore(options.databaseUrl, options.encryptionKey);
    opened.push(() => admin.close());
    const parts = createPartsModule({ options, log, file, engine, admin, searchPage: sample?.searchPage ?? '' });
    const app = await createApp(parts, log, { api: options.roles.has('api') });
    opened.push(() => app.close());
    telemetry?.sendMetrics(() => app.get(EngineMetricsExporter).getValues());
    const configuration = app.get(ConfigurationService);
    const { definition } = await configuration.initialize(loaded, isSharedDatabase(options.databaseUrl));
    await listen(app, options);
    engine.onConfigurationChange(() => configuration.adoptNewest());
    await engine.open(definition);
    const watch = new ConfigurationWatch(configuration, systemClock, log);
    opened.push(async () => watch.close());
    const secrets = new SecretWatch({
      renew: () => configuration.renewSecrets(),
      every: options.secretsEvery,
      clock: systemClock,
      log,
    });
    engine.observe(secrets.onEvent);
    opened.push(async () => secrets.close());
    const watching = setInterval(() => {
      for (const crawler of engine.listCaughtUp()) {
        log.info(`crawler ${crawler} has caught up; nothing is due`);
        webhooks.publishCaughtUp(crawler);
      }
    }, CAUGHT_UP_EVERY_MS);
    opened.push(async () => clearInterval(watching));
    const url = await app.getUrl();
    log.info(`Crawlway is ready. Console: ${url}/  API: ${url}/docs`);
    if (sample) void announceCaughtUp(engine, log, { sample, url });
    return { url, engine, log, reload: (who) => configuration.reload(who), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Drains the engine if the port is taken or the sample cannot be started. */
async function startSampleOrDrain(
  engine: EngineApi,
  definition: Parameters<typeof startSample>[0],
  options: ServerOptions,
  log: Log,
): Promise<Sample> {
  try {
    await requireFreePort(options);
    return await startSample(definition, { ...options, log });
  } catch (error) {
    await engine.drain(DRAIN_TIME);
    throw error;
  }
}

/**
 * Creates only the file at the default location: elsewhere, a missing file is a mistake, and the example would start an
 * unrelated crawl.
 */
function createFirstConfiguration(log: Log): void {
  if (existsSync(DEFAULT_CONFIG)) return;
  mkdirSync(dirname(DEFAULT_CONFIG), { recursive: true });
  copyFileSync(join(PROJECT_ROOT, 'CrawlConfig.xml.example'), DEFAULT_CONFIG);
  log.info(`There was no ${DEFAULT_CONFIG}: it was created from CrawlConfig.xml.example`);
}

function warnAboutShortKeys({ apiKeys }: ServerOptions, log: Log): void {
  const names = apiKeys.filter(({ short }) => short).map(({ name }) => name);
  if (names.length === 0) return;
  log.warn(
    `CRAWLWAY_API_KEYS: short keys can be guessed (${names.join(', ')}); use ${ADVISED_LENGTH} characters or more: openssl rand -hex 16`,
  );
}

/** Checks that the port is available before the sample may change the configuration because of its own ports. */
async function requireFreePort(options: ServerOptions): Promise<void> {
  const server = createServer();
  await withPortErrors(options, () => once(server.listen(options.port, options.host), 'listening'));
  await new Promise((resolve) => server.close(resolve));
}

const listen = (app: NestFastifyApplication, options: ServerOptions): Promise<void> =>
  withPortErrors(options, () => app.listen(options.port, options.host));

/** @throws UsageError that says what to do if the port cannot be opened */
async function withPortErrors({ port, host }: ServerOptions, open: () => Promise<unknown>): Promise<void> {
  try {
    await open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${port} on ${host} is in use by another program; choose a different one with --port`);
    if (code === 'EACCES')
      throw new UsageError(`this user may not listen on port ${port}; choose a different one with --port`);
    if (code === 'EADDRNOTAVAIL')
      throw new UsageError(`this machine does not have the address ${host}; choose a different one with --host`);
    throw error;
  }
}

/** Logs the last message of a first start: what there is to see now, and where. */
async function announceCaughtUp(
  engine: EngineApi,
  log: Log,
  { sample, url }: { sample: Sample; url: string },
): Promise<void> {
  for (;;) {
    await systemClock.sleep(PROGRESS_EVERY);
    const crawlers = await engine.listCrawlers().catch(() => undefined);
    if (!crawlers) return;
    const indexed = crawlers.reduce((sum, { counts }) => sum + counts.indexed, 0);
    if (indexed === 0 || crawlers.some(({ idle, pendingOrders }) => !idle || pendingOrders > 0)) continue;
    const search = sample.searchPage ? ` Search them: ${sample.searchPage}?q=storm` : '';
    log.info(`The crawl has caught up: ${indexed} documents are indexed.${search}  Console: ${url}/`);
    return;
  }
}
