/**
 * The newest events, for screens that show what is happening now. The screen is updated at most a few times a second.
 */
import { useEffect, useState } from 'preact/hooks';
import { followEvents, type LiveEvent } from '../api/events.js';

const KEPT = 60;
const SHOW_EVERY_MS = 250;

export interface Live {
  readonly connected: boolean;
  /** Newest first. */
  readonly events: readonly LiveEvent[];
}

export function useLiveEvents(wanted: (event: LiveEvent) => boolean = () => true): Live {
  const [live, setLive] = useState<Live>({ connected: false, events: [] });
  useEffect(() => {
    const abort = new AbortController();
    let waiting: LiveEvent[] = [];
    const show = setInterval(() => {
      if (waiting.length === 0 || document.hidden) return;
      const fresh = waiting.reverse();
      waiting = [];
      setLive(({ connected, events }) => ({ connected, events: [...fresh, ...events].slice(0, KEPT) }));
    }, SHOW_EVERY_MS);
    void followEvents(
      {
        onEvents: (events) => {
          waiting = [...waiting, ...events.filter(wanted)].slice(-KEPT);
        },
        onConnected: (connected) => setLive(({ events }) => ({ connected, events })),
      },
      abort.signal,
    );
    return () => {
      clearInterval(show);
      abort.abort();
    };
  }, []);
  return live;
}
