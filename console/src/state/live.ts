/**
 * Returns the newest events, for screens that show what is happening now. Updates are limited to a few per second.
 */
import { useEffect, useState } from 'preact/hooks';
import { followEvents, type LiveEvent } from '../api/events.js';

const MAX_EVENTS = 60;
const UPDATE_INTERVAL_MS = 250;

export interface LiveState {
  readonly connected: boolean;
  /** Newest first. */
  readonly events: readonly LiveEvent[];
}

export function useLiveEvents(isWanted: (event: LiveEvent) => boolean = () => true): LiveState {
  const [live, setLive] = useState<LiveState>({ connected: false, events: [] });
  useEffect(() => {
    const abort = new AbortController();
    let pendingEvents: LiveEvent[] = [];
    const timer = setInterval(() => {
      if (pendingEvents.length === 0 || document.hidden) return;
      const newEvents = pendingEvents.reverse();
      pendingEvents = [];
      setLive(({ connected, events }) => ({ connected, events: [...newEvents, ...events].slice(0, MAX_EVENTS) }));
    }, UPDATE_INTERVAL_MS);
    void followEvents(
      {
        onEvents: (events) => {
          pendingEvents = [...pendingEvents, ...events.filter(isWanted)].slice(-MAX_EVENTS);
        },
        onConnected: (connected) => setLive(({ events }) => ({ connected, events })),
      },
      abort.signal,
    );
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, []);
  return live;
}
