/**
 * The bundled sample site and the bundled index, started beside the server when the configuration names their addresses.
 */
import { join } from 'node:path';
import { startSampleSite } from '../../index/sample-site/server.js';
import { startIndex } from '../../index/server.js';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { Log } from '../engine/ports/log.js';

const HOST = '127.0.0.1';
const SITE_PORT = 8741;
const INDEX_PORT = 8742;

export interface Sample {
  /** Address of the search page, with a slash at the end; empty when the bundled index does not run. */
  readonly searchPage: string;
  close(): Promise<void>;
}

const isAt = (text: string, port: number): boolean => URL.parse(text)?.host === `${HOST}:${port}`;

export async function startSample(definition: ServerDefinition, dataDirectory: string, log: Log): Promise<Sample> {
  const roots = definition.crawlers.flatMap((crawler) => crawler.roots);
  const wantsSite = roots.some((root) => isAt(root.url, SITE_PORT));
  const wantsIndex = definition.sinks.some((sink) => isAt(sink.url, INDEX_PORT));
  const file = join(dataDirectory, 'index', 'index.sqlite');
  const site = wantsSite
    ? await unlessTaken(startSampleSite({ port: SITE_PORT, host: HOST }), 'sample site', log)
    : undefined;
  const index = wantsIndex
    ? await unlessTaken(startIndex({ port: INDEX_PORT, host: HOST, file }), 'index', log)
    : undefined;
  return {
    searchPage: index ? `${index.url}/` : '',
    close: async () => void (await Promise.all([site?.close(), index?.close()])),
  };
}

/** A port that is taken is no reason to stop: the index may run on its own, or beside another server. */
async function unlessTaken<T>(start: Promise<T>, name: string, log: Log): Promise<T | undefined> {
  try {
    return await start;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    log.warn(`The bundled ${name} is not started: another program has its port. The crawl goes to that program`, {
      message,
    });
    return undefined;
  }
}
