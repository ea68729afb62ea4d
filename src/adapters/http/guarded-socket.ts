/** Opens WebSockets with the address guard, proxies and headers that a fetcher uses for pages. */
import { WebSocket } from 'undici';
import type { FetchedSocket, FetchRequest, SocketEvents } from '../../engine/ports/fetcher.js';
import { Connection } from './connection-pool.js';
import { FetchFailure } from './fetch-failure.js';
import type { FetcherProfile } from './fetcher-profile.js';

/** Maximum size of one message in bytes. */
const MAX_MESSAGE_SIZE = 8 * 1024 * 1024;
/** Headers that apply only to page requests, or to requests that a proxy forwards. */
const PAGE_ONLY_HEADERS = new Set(['accept', 'accept-encoding', 'proxy-authorization']);

export function openGuardedSocket(
  profile: FetcherProfile,
  { request, protocols }: { readonly request: FetchRequest; readonly protocols: readonly string[] },
  events: SocketEvents,
): FetchedSocket {
  const plan = profile.planRequest(request);
  const target = { ...plan.target, tunneled: true };
  const limits = { maxPayloadSize: MAX_MESSAGE_SIZE };
  const connection = new Connection(plan.poolKey, plan.origin, target, profile.connector, limits);
  const headers: [string, string][] = [];
  for (let index = 0; index < plan.headers.length; index += 2)
    if (!PAGE_ONLY_HEADERS.has(plan.headers[index]!)) headers.push([plan.headers[index]!, plan.headers[index + 1]!]);
  const url = request.url.replace(/^http/, 'ws');
  const socket = new WebSocket(url, { protocols: [...protocols], headers, dispatcher: connection.client });
  socket.binaryType = 'arraybuffer';
  const destroy = (): void => {
    connection.destroy();
    // After the upgrade, the client no longer owns the socket.
    connection.socket?.destroy();
  };
  const timeout = setTimeout(destroy, plan.timeLimits.connect + plan.timeLimits.header);
  socket.addEventListener('open', () => {
    clearTimeout(timeout);
    events.onOpen();
  });
  socket.addEventListener('message', ({ data }: { readonly data: string | ArrayBuffer }) =>
    events.onMessage(typeof data === 'string' ? data : new Uint8Array(data)),
  );
  // The close event follows and reports the error.
  socket.addEventListener('error', () => undefined);
  socket.addEventListener('close', () => {
    clearTimeout(timeout);
    destroy();
    const { failure } = connection;
    events.onClose(failure instanceof FetchFailure ? failure.code : undefined);
  });
  return { send: (message) => socket.send(message), close: () => socket.close(), destroy };
}
