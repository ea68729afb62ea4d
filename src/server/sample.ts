/** The bundled sample site and the bundled index, started beside the server if the configuration names their addresses. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_HEADER, startSampleSite } from '../../demo-index/sample-site/server.js';
import { startIndex } from '../../demo-index/server.js';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { Log } from '../engine/ports/log.js';
import { UsageError } from './options.js';

const HOST = '127.0.0.1';
const FIRST_PORTS: SamplePorts = { site: 8741, index: 8742 };
/** Distance between the alternative ports, and number of them that are tried; after that, any free port is used. */
const PORT_STEP = 10;
const MAX_STEPS = 20;
const OWNER_TIMEOUT_MS = 2_000;
/** The crawler of the example configuration. */
const SAMPLE_CRAWLER = 'sample';

/** The sample's ports, stored in the data directory: a sample that had to move to other ports stays there. */
interface SamplePorts {
  readonly site: number;
  readonly index: number;
}

export interface Sample {
  /** Address of the search page, with a slash at the end; empty if the bundled index is not running. */
  readonly searchPage: string;
  /** Whether the configuration file now names a different port and must be reread. */
  readonly moved: boolean;
  close(): Promise<void>;
}

interface SampleSettings {
  readonly configFile: string;
  readonly dataDirectory: string;
  /** Port of the sample site; the index has the next one. Absent: as stored, otherwise 8741. */
  readonly samplePort?: number;
  readonly log: Log;
}

interface ListeningServer {
  readonly url: string;
  close(): Promise<void>;
}

const isOnPort = (text: string, port: number): boolean => URL.parse(text)?.host === `${HOST}:${port}`;

/**
 * A port that another program is using is never crawled or pushed to: the sample takes a free one, and the
 * configuration is changed accordingly.
 * @throws UsageError if the configuration would have to change, but its file cannot be written, or another server has it
 *   in force
 */
export async function startSample(definition: ServerDefinition, settings: SampleSettings): Promise<Sample> {
  const { dataDirectory, samplePort } = settings;
  const roots = definition.crawlers.flatMap((crawler) => crawler.roots);
  const storedPorts = readPorts(dataDirectory);
  const ports = storedPorts ?? findMovedPorts(definition);
  // What listens on a port that only looks like that of a sample is what the configuration means.
  const mayMove = storedPorts !== undefined || samplePort !== undefined || isFirst(ports);
  const owner = identifyConfiguration(settings.configFile);
  const firstPorts = samplePort === undefined ? ports : { site: samplePort, index: samplePort + 1 };
  const startOnFree = (port: number, start: (port: number) => Promise<ListeningServer>) =>
    startOnFreePort(port, start, { owner, mayMove });
  // Other ports would be written to the configuration, and a server that has it in force would follow.
  if (firstPorts.site !== ports.site)
    for (const port of [ports.site, ports.index]) await requireNoOtherServer(port, owner);
  const needsSite = roots.some((root) => isOnPort(root.url, ports.site));
  const needsIndex = definition.sinks.some((sink) => isOnPort(sink.url, ports.index));
  const file = join(dataDirectory, 'index', 'index.sqlite');
  const runningServers: ListeningServer[] = [];
  const close = async (): Promise<void> => void (await Promise.all(runningServers.map((server) => server.close())));
  try {
    const site = needsSite
      ? await startOnFree(firstPorts.site, (port) => startSampleSite({ port, host: HOST, owner }))
      : undefined;
    if (site) runningServers.push(site);
    const indexServer = needsIndex
      ? await startOnFree(firstPorts.index, (port) => startIndex({ port, host: HOST, file, owner }))
      : undefined;
    if (indexServer) runningServers.push(indexServer);
    const newPorts: SamplePorts = { site: findPort(site) ?? ports.site, index: findPort(indexServer) ?? ports.index };
    const moved = newPorts.site !== ports.site || newPorts.index !== ports.index;
    if (moved) changePorts(ports, newPorts, settings);
    else if (!storedPorts && !isFirst(ports) && runningServers.length > 0) savePorts(dataDirectory, ports);
    return { searchPage: indexServer ? `${indexServer.url}/` : '', moved, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startOnFreePort(
  firstPort: number,
  start: (port: number) => Promise<ListeningServer>,
  { owner, mayMove }: { readonly owner: string; readonly mayMove: boolean },
): Promise<ListeningServer | undefined> {
  for (let step = 0; step <= MAX_STEPS; step++) {
    const port = firstPort + step * PORT_STEP;
    try {
      return await start(port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
    await requireNoOtherServer(port, owner);
    if (!mayMove) return undefined;
  }
  return start(0);
}

async function requireNoOtherServer(port: number, owner: string): Promise<void> {
  if ((await findOwner(port)) !== owner) return;
  throw new UsageError(
    `port ${port} is that of the sample of another server, which has this configuration in force: give this server a configuration of its own (--config), or start it with --no-sample`,
  );
}

/** Returns to whom the sample that listens on the port belongs; undefined for any other program. */
async function findOwner(port: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(OWNER_TIMEOUT_MS);
  const response = await fetch(`http://${HOST}:${port}/`, { method: 'HEAD', redirect: 'manual', signal }).catch(
    () => undefined,
  );
  return response?.headers.get(OWNER_HEADER) ?? undefined;
}

/** A digest, because any program on this machine may read it. */
const identifyConfiguration = (file: string): string =>
  createHash('sha256').update(realpathSync(file)).digest('hex').slice(0, 16);

const findPort = (server: ListeningServer | undefined): number | undefined =>
  server && Number(new URL(server.url).port);

const isFirst = ({ site, index }: SamplePorts): boolean => site === FIRST_PORTS.site && index === FIRST_PORTS.index;

const getPortsFilePath = (dataDirectory: string): string => join(dataDirectory, 'sample.json');

function readPorts(dataDirectory: string): SamplePorts | undefined {
  try {
    const { site, index } = JSON.parse(readFileSync(getPortsFilePath(dataDirectory), 'utf8')) as Partial<SamplePorts>;
    return { site: Number(site) || FIRST_PORTS.site, index: Number(index) || FIRST_PORTS.index };
  } catch {
    return undefined;
  }
}

/** With a new data directory: the ports to which the sample of the configuration was moved before. */
function findMovedPorts({ crawlers, sinks }: ServerDefinition): SamplePorts {
  const sample = crawlers.find(({ name }) => name === SAMPLE_CRAWLER);
  const findPortOf = (urls: readonly { readonly url: string }[]): number | undefined =>
    urls.flatMap(({ url }) => /^http:\/\/127\.0\.0\.1:(\d+)\//.exec(`${url}/`)?.[1] ?? []).map(Number)[0];
  return {
    site: findPortOf(sample?.roots ?? []) ?? FIRST_PORTS.site,
    index: (sample && findPortOf(sinks.filter(({ type }) => type === 'papi'))) ?? FIRST_PORTS.index,
  };
}

function savePorts(dataDirectory: string, ports: SamplePorts): void {
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(getPortsFilePath(dataDirectory), `${JSON.stringify(ports)}\n`);
}

/** Whether a sink's URL is that of the index that is started beside the server. */
export const isBundledIndex = (url: string, dataDirectory: string): boolean =>
  isOnPort(url, (readPorts(dataDirectory) ?? FIRST_PORTS).index);

/** Changes the configuration file before the crawl begins, so that the crawl uses the new ports. */
function changePorts(
  oldPorts: SamplePorts,
  newPorts: SamplePorts,
  { configFile, dataDirectory, samplePort, log }: SampleSettings,
): void {
  try {
    let text = readFileSync(configFile, 'utf8');
    for (const service of ['index', 'site'] as const) {
      if (newPorts[service] === oldPorts[service]) continue;
      text = text.replaceAll(
        new RegExp(`127\\.0\\.0\\.1:${oldPorts[service]}(?!\\d)`, 'g'),
        `${HOST}:${newPorts[service]}`,
      );
      const name = service === 'site' ? 'sample site' : 'index';
      const reason = samplePort === undefined ? `Port ${oldPorts[service]} is in use by another program: the` : 'The';
      log.warn(`${reason} bundled ${name} listens on ${newPorts[service]}, and ${configFile} now names that port`);
    }
    writeFileSync(configFile, text);
    savePorts(dataDirectory, newPorts);
  } catch (error) {
    throw new UsageError(
      `the sample's ports are in use by another program, and ${configFile} cannot be changed to name others: ${(error as Error).message}. Free ports ${oldPorts.site} and ${oldPorts.index}, or run crawlway serve with a configuration of your own`,
    );
  }
}
