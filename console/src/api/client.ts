/** The only access to the REST API: the client that the package publishes, with the API key that a person has entered. */
import { type Answer, ApiProblem, type CallOptions, CrawlwayClient, problemIn } from '../../../client/index.js';
import type { Calls } from './schema.js';

export { type Answer, ApiProblem, type CallOptions, type ProblemError, queryText } from '../../../client/index.js';

const KEY = 'crawlway-key';

const client = new CrawlwayClient({ key: () => storedKey() ?? undefined });

/** This tab's key, or else this browser's. */
const storedKey = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

export const hasKey = (): boolean => storedKey() !== null;

/** Kept until the tab is closed, or in this browser until a person signs out. Undefined: it is forgotten. */
export function setKey(key: string | undefined, { inBrowser = false } = {}): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  if (key !== undefined) (inBrowser ? localStorage : sessionStorage).setItem(KEY, key);
}

export const accessHeaders = (): Record<string, string> => client.accessHeaders();

/** @throws ApiProblem */
export async function call<Name extends keyof Calls>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Calls[Name]['answer']> {
  return (await callForAnswer(name, options)).value;
}

/** Like call, including the ETag of the answer. */
export async function callForAnswer<Name extends keyof Calls>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Answer<Calls[Name]['answer']>> {
  try {
    return await client.callForAnswer(name, options);
  } catch (error) {
    // The session is checked whenever a key is required: its own refusal must not trigger another check.
    const wantsKey = error instanceof ApiProblem && error.status === 401 && name !== 'GET /api/v1/session';
    if (wantsKey) dispatchEvent(new Event('crawlway:key-wanted'));
    throw error;
  }
}

/**
 * Saves the server's answer as a file of this browser.
 * @throws ApiProblem
 */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: accessHeaders() }).catch(() => {
    throw new ApiProblem(0, 'The server does not respond. Is it running?');
  });
  if (!response.ok) throw await problemIn(response);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
