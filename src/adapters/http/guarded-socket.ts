/** WebSockets, opened as pages are fetched: with the address guard, proxies and headers of a fetcher. */
import { WebSocket } from 'undici';
import type { FetchedSocket, FetchRequest, SocketEvents } from '../../engine/ports/fetcher.js';
import { Connection } from './connection-pool.js';
import { FetchFailure } from './fetch-failure.js';
import type { FetcherProfile } from './fetcher-profile.js';

/** Maximum size of one message in bytes. */
const LARGEST_MESSAGE = 8 * 1024 * 1024;
/** Headers for fetching pages, or for requests that a proxy forwards. */
const NOT_OF_SOCKETS = new Set(['accept', 'accept-encoding', 'proxy-authorization']);

export function openGuardedSocket(
  profile: FetcherProfile,
  { request, protocols }: { readonly request: FetchRequest; readonly protocols: readonly string[] },
  events: SocketEvents,
): FetchedSocket {
  const plan = profile.planRequest(request);
  const target = { ...plan.target, tunnelled: true };
  const limits = { maxPayloadSize: LARGEST_MESSAGE };
  const connection = new Connection(plan.poolKey, plan.origin, target, profile.connector, limits);
  const headers: [string, string][] = [];
  for (let index = 0; index < plan.headers.length; index += 2)
    if (!NOT_OF_SOCKETS.has(plan.headers[index]!)) headers.push([plan.headers[index]!, plan.headers[index + 1]!]);
  const url = request.url.replace(/^http/, 'ws');
  const socket = new WebSocket(url, { protocols: [...protocols], headers, dispatcher: connection.client });
  socket.binaryType = 'arraybuffer';
  const destroy = (): void => {
    connection.destroy();
    // After the upgrade, the client no longer owns the socket.
    connection.socket?.destroy();
  };
  const late = setTimeout(destroy, plan.times.connect + plan.times.header);
  socket.addEventListener('open', () => {
    clearTimeout(late);
    events.onOpen();
  });
  socket.addEventListener('message', ({ data }: { readonly data: string | ArrayBuffer }) =>
    events.onMessage(typeof data === 'string' ? data : new Uint8Array(data)),
  );
  // The close event follows and reports the error.
  socket.addEventListener('error', () => undefined);
  socket.addEventListener('close', () => {
    clearTimeout(late);
    destroy();
    const { failure } = connection;
    events.onClose(failure instanceof FetchFailure ? failure.code : undefined);
  });
  return { send: (message) => socket.send(message), close: () => socket.close(), destroy };
}
