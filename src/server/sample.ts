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
const STEP = 10;
const STEPS = 20;

/** The sample's ports, kept in the data folder: after a port was found in use, the sample is moved permanently. */
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

interface SampleSetting {
  readonly configFile: string;
  readonly dataDirectory: string;
  readonly log: Log;
}

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

const isOnPort = (text: string, port: number): boolean => URL.parse(text)?.host === `${HOST}:${port}`;

/**
 * A port that another program is using is never crawled or pushed to: the sample takes a free one, and the
 * configuration is changed accordingly.
 * @throws UsageError if the configuration would have to change and its file cannot be written
 */
export async function startSample(definition: ServerDefinition, setting: SampleSetting): Promise<Sample> {
  const { dataDirectory } = setting;
  const ports = readPorts(dataDirectory);
  const roots = definition.crawlers.flatMap((crawler) => crawler.roots);
  const wantsSite = roots.some((root) => isOnPort(root.url, ports.site));
  const wantsIndex = definition.sinks.some((sink) => isOnPort(sink.url, ports.index));
  const file = join(dataDirectory, 'index', 'index.sqlite');
  const running: Listening[] = [];
  const close = async (): Promise<void> => void (await Promise.all(running.map((one) => one.close())));
  try {
    if (wantsSite) running.push(await startOnFreePort(ports.site, (port) => startSampleSite({ port, host: HOST })));
    const site = findPort(running[0]) ?? ports.site;
    const index = wantsIndex
      ? await startOnFreePort(ports.index, (port) => startIndex({ port, host: HOST, file }))
      : undefined;
    if (index) running.push(index);
    const now: SamplePorts = { site, index: findPort(index) ?? ports.index };
    const moved = now.site !== ports.site || now.index !== ports.index;
    if (moved) changePorts(ports, now, setting);
    return { searchPage: index ? `${index.url}/` : '', moved, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startOnFreePort(first: number, start: (port: number) => Promise<Listening>): Promise<Listening> {
  for (let step = 0; step <= STEPS; step++) {
    try {
      return await start(first + step * STEP);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  return start(0);
}

const findPort = (running: Listening | undefined): number | undefined => running && Number(new URL(running.url).port);

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
function changePorts(from: SamplePorts, to: SamplePorts, { configFile, dataDirectory, log }: SampleSetting): void {
  try {
    let text = readFileSync(configFile, 'utf8');
    for (const part of ['index', 'site'] as const) {
      if (to[part] === from[part]) continue;
      text = text.replaceAll(new RegExp(`127\\.0\\.0\\.1:${from[part]}(?!\\d)`, 'g'), `${HOST}:${to[part]}`);
      log.warn(
        `Port ${from[part]} is in use by another program: the bundled ${part === 'site' ? 'sample site' : 'index'} listens on ${to[part]}, and ${configFile} now names that port`,
      );
    }
    writeFileSync(configFile, text);
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(getPortsFilePath(dataDirectory), `${JSON.stringify(to)}\n`);
  } catch (error) {
    throw new UsageError(
      `the sample's ports are in use by another program, and ${configFile} can't be changed to name others: ${(error as Error).message}. Free port ${from.site} and ${from.index}, or run crawlway serve with a configuration of your own`,
    );
  }
}
