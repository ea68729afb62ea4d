import { useEffect, useState } from 'preact/hooks';

const DEBOUNCE_MS = 300;

/** Returns the text as it was when typing last paused, so that not every keystroke sends a request. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
