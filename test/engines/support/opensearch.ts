import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type JavaEngine, javaIsMissing, startJavaEngine } from './java-engine.js';

/** An OpenSearch of the tests' own, or the one that `CRAWLWAY_TEST_OPENSEARCH_URL` names, which can't be restarted. */
export interface OpenSearch {
  readonly url: string;
  readonly version: string;
  /** Absent for a server that is somebody else's. */
  readonly process?: {
    restart(settings?: Readonly<Record<string, string>>): Promise<void>;
    kill(): Promise<void>;
  };
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const GIVEN = process.env['CRAWLWAY_TEST_OPENSEARCH_URL'];

/** Why these tests are left out; undefined when they run. */
export const openSearchIsMissing = (): string | undefined => {
  if (GIVEN !== undefined) return undefined;
  const missing = javaIsMissing();
  return missing && `${missing} is not installed and CRAWLWAY_TEST_OPENSEARCH_URL is not set`;
};

export async function startOpenSearch(): Promise<OpenSearch> {
  if (GIVEN !== undefined) return { ...(await connect(GIVEN)), close: async () => undefined };
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'crawlway-opensearch-'));
  const begin = (settings: Readonly<Record<string, string>> = {}): Promise<JavaEngine> =>
    startJavaEngine('opensearch', 'OpenSearchEngine', [
      String(port),
      folder,
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ]);
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
  return { ...(await connect(`http://127.0.0.1:${port}`)), process, close };
}

async function connect(url: string): Promise<Pick<OpenSearch, 'url' | 'version' | 'call'>> {
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return answer.json() as Promise<Record<string, unknown>>;
  };
  const { version } = await call('GET', '');
  return { url, version: String((version as { number: string }).number), call };
}
