/**
 * Data from the server that a screen shows: it is loaded when the screen opens, again when its inputs change, and
 * periodically while the tab is visible.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem } from '../api/client.js';

export interface Resource<T> {
  readonly value?: T;
  readonly problem?: ApiProblem;
  readonly reload: () => void;
}

interface LoadResult<T> {
  readonly key: string;
  readonly value?: T;
  readonly problem?: ApiProblem;
}

/**
 * Loads only once if no interval is given. @param key identifies the inputs: a new key loads again and discards the old
 * value; undefined loads nothing
 */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  intervalMs?: number,
): Resource<T> {
  const [result, setResult] = useState<LoadResult<T>>({ key: '' });
  const [reloadCount, setReloadCount] = useState(0);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    let timer = 0;
    const run = async (): Promise<void> => {
      if (!document.hidden) await loadInto(key, latestLoad.current, abort.signal, setResult);
      if (intervalMs !== undefined && !abort.signal.aborted) timer = setTimeout(run, intervalMs);
    };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, intervalMs, reloadCount]);
  const reload = useCallback(() => setReloadCount((count) => count + 1), []);
  return result.key === key ? { value: result.value, problem: result.problem, reload } : { reload };
}

async function loadInto<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  set: (update: (previous: LoadResult<T>) => LoadResult<T>) => void,
): Promise<void> {
  try {
    const value = await load(signal);
    if (!signal.aborted) set(() => ({ key, value }));
  } catch (error) {
    if (signal.aborted) return;
    const problem = toApiProblem(error);
    // The last value stays visible while the server is unavailable, with the problem beside it.
    set((previous) => ({ key, value: previous.key === key ? previous.value : undefined, problem }));
  }
}

export const toApiProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem ? error : new ApiProblem(0, error instanceof Error ? error.message : String(error));
