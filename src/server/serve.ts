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
import { ConfigurationWatch, SecretWatch } from './configuration/configuration-watch.js';
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
import { RECOMMENDED_LENGTH } from './security/api-keys.js';
import { Webhooks } from './webhooks/webhooks.js';

/** Together with the time to close connections and files, this stays below the 15 s that a stop may take. */
const DRAIN_TIME = seconds(10);
const PROGRESS_INTERVAL = milliseconds(250);
const CAUGHT_UP_CHECK_INTERVAL_MS = 5_000;

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
  /** Whether to start the bundled site and index if the configuration names their addresses. */
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
  const file = openConfigurationFile(options.configFile, { fileSinkFolder: options.fileSinkFolder, storage: options });
  let loadedConfiguration = await file.load();
  for (const { place, code, message } of loadedConfiguration.problems)
    log.warn(`${formatPlace(place)} ${code} ${message}`);
  const closeSteps: CloseStep[] = [];
  if (telemetry) closeSteps.push(() => telemetry.close());
  const close = async (): Promise<void> => {
    for (const step of closeSteps.splice(0).reverse()) await step();
  };
  try {
    const engine = await openEngine({
      databaseUrl: options.databaseUrl,
      log,
      crawls: options.roles.has('crawl'),
      encryptionKey: options.encryptionKey,
      telemetry,
    });
    // The sample is started only once this server owns the data directory: the sample of a server that is already
    // running would otherwise be mistaken for another program.
    const sample = withSample
      ? await startSampleOrDrain(engine, loadedConfiguration.definition, options, log)
      : undefined;
    if (sample) closeSteps.push(() => sample.close());
    if (sample?.moved) loadedConfiguration = await file.load();
    const setup: Setup = { engine, options, log, closeSteps };
    const webhooks = await observeEvents(setup);
    closeSteps.push(() => engine.drain(DRAIN_TIME));
    const adminStore = await openAdminStore(options.databaseUrl, options.encryptionKey);
    closeSteps.push(() => adminStore.close());
    const parts = createPartsModule({ options, log, file, engine, adminStore, searchPage: sample?.searchPage ?? '' });
    const app = await createApp(parts, log, { api: options.roles.has('api') });
    closeSteps.push(() => app.close());
    telemetry?.sendMetrics(() => app.get(EngineMetricsExporter).getValues());
    const configuration = app.get(ConfigurationService);
    const { definition } = await configuration.initialize(loadedConfiguration, isSharedDatabase(options.databaseUrl));
    await listen(app, options);
    engine.onConfigurationChange(() => configuration.adoptNewest());
    // Without waiting for the next scheduled check.
    engine.logins.onTest(() => configuration.renewSecrets());
    await engine.open(definition);
    const configurationWatch = new ConfigurationWatch(configuration, systemClock, log);
    closeSteps.push(async () => configurationWatch.close());
    watchSecrets(configuration, setup);
    reportCaughtUpCrawlers(webhooks, setup);
    const url = await app.getUrl();
    log.info(`Crawlway is ready. Console: ${url}/  API: ${url}/docs`);
    if (sample) void announceCaughtUp(engine, log, { sample, url });
    return { url, engine, log, reload: (who) => configuration.reload(who), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a part of the server needs to begin, and where it adds how it ends; the steps are taken in reverse order. */
interface Setup {
  readonly engine: EngineApi;
  readonly options: ServerOptions;
  readonly log: Log;
  readonly closeSteps: CloseStep[];
}
type CloseStep = () => Promise<unknown>;

/** Sends the events of the crawl to the log, to webhooks, and to the log of fetches if there is one. */
async function observeEvents({ engine, options, log, closeSteps }: Setup): Promise<Webhooks> {
  engine.events.observe(new EventLog(log).logEvent);
  const webhooks = new Webhooks({
    clock: systemClock,
    log,
    getDefinition: () => engine.definition,
    openChannel: openWebhook,
  });
  engine.events.observe(webhooks.handleEvent);
  closeSteps.push(() => webhooks.close());
  if (options.fetchLog !== undefined) {
    const fetchLog = await FetchLog.open(options.fetchLog, log);
    closeSteps.push(() => fetchLog.close());
    engine.events.observe(fetchLog.write);
  }
  return webhooks;
}

function watchSecrets(configuration: ConfigurationService, { engine, options, log, closeSteps }: Setup): void {
  const secretWatch = new SecretWatch({
    renew: () => configuration.renewSecrets(),
    interval: options.secretsInterval,
    clock: systemClock,
    log,
  });
  engine.events.observe(secretWatch.onEvent);
  closeSteps.push(async () => secretWatch.close());
}

function reportCaughtUpCrawlers(webhooks: Webhooks, { engine, log, closeSteps }: Setup): void {
  const timer = setInterval(() => {
    for (const crawler of engine.takeCaughtUpCrawlers()) {
      log.info(`crawler ${crawler} has visited everything that is due`);
      webhooks.publishCaughtUp(crawler);
    }
  }, CAUGHT_UP_CHECK_INTERVAL_MS);
  closeSteps.push(async () => clearInterval(timer));
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
    `CRAWLWAY_API_KEYS: short keys can be guessed (${names.join(', ')}); use ${RECOMMENDED_LENGTH} characters or more: openssl rand -hex 16`,
  );
}

/** Checks that the port is available, before the sample may change its own ports in the configuration. */
async function requireFreePort(options: ServerOptions): Promise<void> {
  const server = createServer();
  await withPortErrors(options, () => once(server.listen(options.port, options.host), 'listening'));
  await new Promise((resolve) => server.close(resolve));
}

const listen = (app: NestFastifyApplication, options: ServerOptions): Promise<void> =>
  withPortErrors(options, () => app.listen(options.port, options.host));

/** @throws UsageError that says what to do if the port cannot be opened */
async function withPortErrors({ port, host }: ServerOptions, openPort: () => Promise<unknown>): Promise<void> {
  try {
    await openPort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${port} on ${host} is in use by another program; choose a different one with --port`);
    if (code === 'EACCES')
      throw new UsageError(`this user is not allowed to listen on port ${port}; choose a different one with --port`);
    if (code === 'EADDRNOTAVAIL')
      throw new UsageError(`this machine does not have the address ${host}; choose a different one with --host`);
    throw error;
  }
}

/** Once the crawl has caught up, logs what there is to see and where; the last message of a first start. */
async function announceCaughtUp(
  engine: EngineApi,
  log: Log,
  { sample, url }: { sample: Sample; url: string },
): Promise<void> {
  for (;;) {
    await systemClock.sleep(PROGRESS_INTERVAL);
    const crawlers = await engine.listCrawlers().catch(() => undefined);
    if (!crawlers) return;
    const indexedCount = crawlers.reduce((sum, { counts }) => sum + counts.indexed, 0);
    if (indexedCount === 0 || crawlers.some(({ idle, pendingOrders }) => !idle || pendingOrders > 0)) continue;
    const searchHint = sample.searchPage ? ` Search them: ${sample.searchPage}?q=storm` : '';
    const documents = indexedCount === 1 ? '1 document is' : `${indexedCount} documents are`;
    log.info(`The crawl has caught up: ${documents} indexed.${searchHint} Console: ${url}/`);
    return;
  }
}
