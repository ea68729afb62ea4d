/**
 * The console's only access to the REST API: the client that the package publishes, with the API key that the user has
 * entered.
 */
import { type Answer, ApiProblem, type CallOptions, CrawlwayClient, problemIn } from '../../../client/index.js';
import type { Calls } from './schema.js';

export {
  type Answer,
  ApiProblem,
  type CallOptions,
  describeLimit,
  explainPause,
  type ProblemError,
  queryText,
} from '../../../client/index.js';

const STORAGE_KEY = 'crawlway-key';

const client = new CrawlwayClient({ key: () => getStoredKey() ?? undefined });

/** The key stored for this tab, or else the one stored for this browser. */
const getStoredKey = (): string | null => sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY);

export const hasKey = (): boolean => getStoredKey() !== null;

/** Stores the key until the tab is closed, or in this browser until the user signs out. Undefined removes it. */
export function setKey(key: string | undefined, { inBrowser = false } = {}): void {
  sessionStorage.removeItem(STORAGE_KEY);
  localStorage.removeItem(STORAGE_KEY);
  if (key !== undefined) (inBrowser ? localStorage : sessionStorage).setItem(STORAGE_KEY, key);
}

export const getAccessHeaders = (): Record<string, string> => client.accessHeaders();

/** @throws ApiProblem if the server refuses the call or is not responding */
export async function call<Name extends keyof Calls>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Calls[Name]['answer']> {
  return (await callForAnswer(name, options)).value;
}

/** Like call, but includes the ETag of the response. */
export async function callForAnswer<Name extends keyof Calls>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Answer<Calls[Name]['answer']>> {
  try {
    return await client.callForAnswer(name, options);
  } catch (error) {
    // The session is checked whenever a key is required, so the refusal of that check must not trigger another one.
    const needsKey = error instanceof ApiProblem && error.status === 401 && name !== 'GET /api/v1/session';
    if (needsKey) dispatchEvent(new Event('crawlway:key-wanted'));
    throw error;
  }
}

/** Downloads the server's response as a file. @throws ApiProblem */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: getAccessHeaders() }).catch(() => {
    throw new ApiProblem(0, 'The server is not responding. Is it running?');
  });
  if (!response.ok) throw await problemIn(response);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
