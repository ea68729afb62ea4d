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

interface Loaded<T> {
  readonly key: string;
  readonly value?: T;
  readonly problem?: ApiProblem;
}

/**
 * @param key identifies the inputs: a new key loads again and discards the old value; undefined loads nothing. @param
 * every milliseconds between loads. Absent: load only once.
 */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  every?: number,
): Resource<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ key: '' });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    let timer = 0;
    const run = async (): Promise<void> => {
      if (!document.hidden) await loadInto(key, latest.current, abort.signal, setLoaded);
      if (every !== undefined && !abort.signal.aborted) timer = setTimeout(run, every);
    };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, every, round]);
  const reload = useCallback(() => setRound((number) => number + 1), []);
  return loaded.key === key ? { value: loaded.value, problem: loaded.problem, reload } : { reload };
}

async function loadInto<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  set: (update: (before: Loaded<T>) => Loaded<T>) => void,
): Promise<void> {
  try {
    const value = await load(signal);
    if (!signal.aborted) set(() => ({ key, value }));
  } catch (error) {
    if (signal.aborted) return;
    const problem = toApiProblem(error);
    // The last value stays visible while the server is unavailable, with the problem beside it.
    set((before) => ({ key, value: before.key === key ? before.value : undefined, problem }));
  }
}

export const toApiProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem ? error : new ApiProblem(0, error instanceof Error ? error.message : String(error));
