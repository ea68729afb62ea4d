import { useEffect, useState } from 'preact/hooks';

const REST_MS = 300;

/** The typed text as of the last pause, so that a request is not sent for every letter. */
export function useDebounced(typed: string): string {
  const [rested, setRested] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return rested;
}
