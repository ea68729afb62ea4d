/**
 * The bundled sample site and the bundled index, started beside the server when the configuration names their addresses.
 */
import { join } from 'node:path';
import { startSampleSite } from '../../index/sample-site/server.js';
import { startIndex } from '../../index/server.js';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import { UsageError } from './options.js';

const HOST = '127.0.0.1';
const SITE_PORT = 8741;
const INDEX_PORT = 8742;

export interface Sample {
  /** Address of the search page, with a slash at the end; empty when the bundled index does not run. */
  readonly searchPage: string;
  close(): Promise<void>;
}

const isAt = (text: string, port: number): boolean => URL.parse(text)?.host === `${HOST}:${port}`;

/** @throws UsageError when a port that the configuration names is taken by another program. */
export async function startSample(definition: ServerDefinition, dataDirectory: string): Promise<Sample> {
  const roots = definition.crawlers.flatMap((crawler) => crawler.roots);
  const wantsSite = roots.some((root) => isAt(root.url, SITE_PORT));
  const wantsIndex = definition.sinks.some((sink) => isAt(sink.url, INDEX_PORT));
  const site = wantsSite
    ? await listening('sample site', SITE_PORT, startSampleSite({ port: SITE_PORT, host: HOST }))
    : undefined;
  try {
    const file = join(dataDirectory, 'index', 'index.sqlite');
    const index = wantsIndex
      ? await listening('index', INDEX_PORT, startIndex({ port: INDEX_PORT, host: HOST, file }))
      : undefined;
    return {
      searchPage: index ? `${index.url}/` : '',
      close: async () => void (await Promise.all([site?.close(), index?.close()])),
    };
  } catch (error) {
    await site?.close();
    throw error;
  }
}

async function listening<T>(name: string, port: number, start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UsageError(
      `the bundled ${name} wants port ${port}, and another program has it. Stop that program, or change the address ` +
        'in the configuration to another index or site',
    );
  }
}
