import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../support/free-port.js';
import { type JavaEngine, javaIsMissing, startJavaEngine } from './java-engine.js';

export type SearchEngineType = 'elasticsearch' | 'opensearch';

/** An engine of the tests' own, or the one that `CRAWLWAY_TEST_OPENSEARCH_URL` (`…_ELASTICSEARCH_URL`) names, which can't be restarted. */
export interface SearchEngine {
  readonly url: string;
  /** Absent for a server that is somebody else's. */
  readonly process?: {
    restart(settings?: Readonly<Record<string, string>>): Promise<void>;
    kill(): Promise<void>;
  };
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** What the tests start: a version that Maven has, and the oldest Java that it runs on. The first of a type is what most tests take. */
export interface Release {
  readonly type: SearchEngineType;
  readonly version: string;
  readonly java: number;
}

export const RELEASES: readonly Release[] = [
  { type: 'elasticsearch', version: '8.19.21', java: 17 },
  { type: 'elasticsearch', version: '9.5.3', java: 21 },
  { type: 'opensearch', version: '2.19.1', java: 17 },
  { type: 'opensearch', version: '3.8.0', java: 21 },
];

const firstOf = (type: SearchEngineType): Release => RELEASES.find((release) => release.type === type)!;

const MAIN = { elasticsearch: 'ElasticsearchEngine', opensearch: 'OpenSearchEngine' };
const variable = (type: SearchEngineType): string => `CRAWLWAY_TEST_${type.toUpperCase()}_URL`;
/** The address of somebody else's server. */
export const givenUrl = (type: SearchEngineType): string | undefined => process.env[variable(type)];

/** Why the tests of this engine are left out; undefined when they run. */
export const searchEngineIsMissing = (type: SearchEngineType, release = firstOf(type)): string | undefined => {
  if (givenUrl(type) !== undefined) return release === firstOf(type) ? undefined : `${variable(type)} is set`;
  const missing = javaIsMissing(release.java);
  return missing && `${missing} is not installed and ${variable(type)} is not set`;
};

export async function startSearchEngine(type: SearchEngineType, release = firstOf(type)): Promise<SearchEngine> {
  const given = givenUrl(type);
  if (given !== undefined) return { ...connect(given), close: async () => undefined };
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), `crawlway-${type}-`));
  const begin = (settings: Readonly<Record<string, string>> = {}): Promise<JavaEngine> =>
    startJavaEngine(
      type,
      MAIN[type],
      [String(port), folder, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)],
      release,
    );
  let engine = await begin();
  const process = {
    restart: async (settings?: Readonly<Record<string, string>>) => {
      await engine.stop();
      engine = await begin(settings);
    },
    kill: () => engine.kill(),
  };
  const close = async (): Promise<void> => {
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...connect(`http://127.0.0.1:${port}`), process, close };
}

function connect(url: string): Pick<SearchEngine, 'url' | 'call'> {
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return answer.json() as Promise<Record<string, unknown>>;
  };
  return { url, call };
}
