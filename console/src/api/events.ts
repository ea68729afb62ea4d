/**
 * The server's event stream, read with fetch because EventSource cannot send an API key. It reconnects after an
 * interruption; in the meantime, the screens continue by polling.
 */
import { accessHeaders } from './client.js';

interface Moment {
  readonly at: string;
}

export type LiveEvent =
  | (Moment & {
      readonly type: 'visit';
      readonly crawler: string;
      readonly url: string;
      readonly outcome: string;
      readonly status?: number;
      readonly durationMs: number;
      readonly bytes: number;
      readonly changed: boolean;
    })
  | (Moment & { readonly type: 'verdict'; readonly crawler: string; readonly url: string; readonly reason: string })
  | (Moment & {
      readonly type: 'order';
      readonly crawler: string;
      readonly id: number;
      readonly uri: string;
      readonly kind: 'add' | 'delete';
      readonly state: string;
      readonly reason: string;
      readonly message?: string;
    })
  | (Moment & { readonly type: 'crawler'; readonly crawler: string; readonly state: string })
  | (Moment & { readonly type: 'sink'; readonly sink: string; readonly state: string; readonly message?: string })
  | (Moment & { readonly type: 'login'; readonly login: string; readonly state: string; readonly message?: string })
  | (Moment & { readonly type: 'host'; readonly hostKey: string; readonly state: string; readonly until?: string })
  | (Moment & { readonly type: 'configuration'; readonly version?: number; readonly message: string });

interface Listener {
  readonly onEvents: (events: readonly LiveEvent[]) => void;
  readonly onConnected: (connected: boolean) => void;
}

const RETRY_MS = 3000;
const MAX_LINE = 1_000_000;

/** Reads events until `signal` aborts. */
export async function followEvents({ onEvents, onConnected }: Listener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch('/api/v1/events', { headers: accessHeaders(), signal });
      if (response.ok && response.body) {
        onConnected(true);
        for await (const events of readBatches(response.body)) onEvents(events);
      }
    } catch {
      // The connection was lost, which onConnected reports; it is retried.
    }
    onConnected(false);
    await pause(RETRY_MS, signal);
  }
}

async function* readBatches(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<readonly LiveEvent[]> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_LINE) throw new Error('an event that does not end');
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
