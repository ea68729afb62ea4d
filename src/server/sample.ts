/** The bundled sample site and the bundled index, started beside the server if the configuration names their addresses. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSampleSite } from '../../demo-index/sample-site/server.js';
import { startIndex } from '../../demo-index/server.js';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { Log } from '../engine/ports/log.js';
import { UsageError } from './options.js';

const HOST = '127.0.0.1';
const FIRST_PORTS: SamplePorts = { site: 8741, index: 8742 };
/** Distance between the alternative ports, and number of them that are tried; after that, any free port is used. */
const PORT_STEP = 10;
const MAX_STEPS = 20;

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
 * @throws UsageError if the configuration would have to change and its file cannot be written
 */
export async function startSample(definition: ServerDefinition, settings: SampleSettings): Promise<Sample> {
  const { dataDirectory } = settings;
  const ports = readPorts(dataDirectory);
  const roots = definition.crawlers.flatMap((crawler) => crawler.roots);
  const needsSite = roots.some((root) => isOnPort(root.url, ports.site));
  const needsIndex = definition.sinks.some((sink) => isOnPort(sink.url, ports.index));
  const file = join(dataDirectory, 'index', 'index.sqlite');
  const runningServers: ListeningServer[] = [];
  const close = async (): Promise<void> => void (await Promise.all(runningServers.map((server) => server.close())));
  try {
    if (needsSite)
      runningServers.push(await startOnFreePort(ports.site, (port) => startSampleSite({ port, host: HOST })));
    const sitePort = findPort(runningServers[0]) ?? ports.site;
    const indexServer = needsIndex
      ? await startOnFreePort(ports.index, (port) => startIndex({ port, host: HOST, file }))
      : undefined;
    if (indexServer) runningServers.push(indexServer);
    const newPorts: SamplePorts = { site: sitePort, index: findPort(indexServer) ?? ports.index };
    const moved = newPorts.site !== ports.site || newPorts.index !== ports.index;
    if (moved) changePorts(ports, newPorts, settings);
    return { searchPage: indexServer ? `${indexServer.url}/` : '', moved, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startOnFreePort(
  firstPort: number,
  start: (port: number) => Promise<ListeningServer>,
): Promise<ListeningServer> {
  for (let step = 0; step <= MAX_STEPS; step++) {
    try {
      return await start(firstPort + step * PORT_STEP);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  return start(0);
}

const findPort = (server: ListeningServer | undefined): number | undefined =>
  server && Number(new URL(server.url).port);

const getPortsFilePath = (dataDirectory: string): string => join(dataDirectory, 'sample.json');

function readPorts(dataDirectory: string): SamplePorts {
  try {
    const { site, index } = JSON.parse(readFileSync(getPortsFilePath(dataDirectory), 'utf8')) as Partial<SamplePorts>;
    return { site: Number(site) || FIRST_PORTS.site, index: Number(index) || FIRST_PORTS.index };
  } catch {
    return FIRST_PORTS;
  }
}

/** Whether a sink's URL is that of the index that is started beside the server. */
export const isBundledIndex = (url: string, dataDirectory: string): boolean =>
  isOnPort(url, readPorts(dataDirectory).index);

/** Changes the configuration file before the crawl begins, so that the crawl uses the new ports. */
function changePorts(
  oldPorts: SamplePorts,
  newPorts: SamplePorts,
  { configFile, dataDirectory, log }: SampleSettings,
): void {
  try {
    let text = readFileSync(configFile, 'utf8');
    for (const service of ['index', 'site'] as const) {
      if (newPorts[service] === oldPorts[service]) continue;
      text = text.replaceAll(
        new RegExp(`127\\.0\\.0\\.1:${oldPorts[service]}(?!\\d)`, 'g'),
        `${HOST}:${newPorts[service]}`,
      );
      log.warn(
        `Port ${oldPorts[service]} is in use by another program: the bundled ${service === 'site' ? 'sample site' : 'index'} listens on ${newPorts[service]}, and ${configFile} now names that port`,
      );
    }
    writeFileSync(configFile, text);
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(getPortsFilePath(dataDirectory), `${JSON.stringify(newPorts)}\n`);
  } catch (error) {
    throw new UsageError(
      `the sample's ports are in use by another program, and ${configFile} cannot be changed to name others: ${(error as Error).message}. Free ports ${oldPorts.site} and ${oldPorts.index}, or run crawlway serve with a configuration of your own`,
    );
  }
}
