/**
 * The server's event stream, read with fetch because EventSource cannot send an API key. It reconnects after an
 * interruption; in the meantime, the screens continue by polling.
 */
import { getAccessHeaders } from './client.js';

interface TimedEvent {
  readonly at: string;
}

export type LiveEvent =
  | (TimedEvent & {
      readonly type: 'visit';
      readonly crawler: string;
      readonly url: string;
      readonly outcome: string;
      readonly status?: number;
      readonly durationMs: number;
      readonly bytes: number;
      readonly changed: boolean;
    })
  | (TimedEvent & { readonly type: 'verdict'; readonly crawler: string; readonly url: string; readonly reason: string })
  | (TimedEvent & {
      readonly type: 'order';
      readonly crawler: string;
      readonly id: number;
      readonly uri: string;
      readonly kind: 'add' | 'delete';
      readonly state: string;
      readonly reason: string;
      readonly message?: string;
    })
  | (TimedEvent & { readonly type: 'crawler'; readonly crawler: string; readonly state: string })
  | (TimedEvent & { readonly type: 'sink'; readonly sink: string; readonly state: string; readonly message?: string })
  | (TimedEvent & { readonly type: 'login'; readonly login: string; readonly state: string; readonly message?: string })
  | (TimedEvent & { readonly type: 'host'; readonly hostKey: string; readonly state: string; readonly until?: string })
  | (TimedEvent & { readonly type: 'configuration'; readonly version?: number; readonly message: string });

interface Listener {
  readonly onEvents: (events: readonly LiveEvent[]) => void;
  readonly onConnected: (connected: boolean) => void;
}

const RETRY_MS = 3000;
const MAX_EVENT_LENGTH = 1_000_000;

/** Reads events until `signal` aborts. */
export async function followEvents({ onEvents, onConnected }: Listener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch('/api/v1/events', { headers: getAccessHeaders(), signal });
      if (response.ok && response.body) {
        onConnected(true);
        for await (const events of readBatches(response.body)) onEvents(events);
      }
    } catch {
      // The connection was lost: onConnected reports it, and the loop reconnects.
    }
    onConnected(false);
    await pause(RETRY_MS, signal);
  }
}

async function* readBatches(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<readonly LiveEvent[]> {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_EVENT_LENGTH) throw new Error(`an event is longer than ${MAX_EVENT_LENGTH} characters`);
    const events = blocks.flatMap(parseEvent);
    if (events.length > 0) yield events;
  }
}

function parseEvent(block: string): LiveEvent[] {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  if (!data || block.startsWith('event: dropped')) return [];
  return [JSON.parse(data) as LiveEvent];
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
