/** Opens tunnels to servers behind a proxy, over an open connection to the proxy. */
import { request as httpRequest } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { FetchFailure } from './fetch-failure.js';
import type { ProxyServer } from './proxy.js';

interface Destination {
  /** Name or address, without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** Establishes a tunnel to the destination over the socket. Rejects with FetchFailure or the socket's error. */
export function openTunnel(socket: Socket, destination: Destination, proxy: ProxyServer): Promise<void> {
  return proxy.kind === 'http'
    ? openHttpTunnel(socket, destination, proxy)
    : openSocksTunnel(socket, destination, proxy);
}

function openHttpTunnel(
  socket: Socket,
  { hostname, port }: Destination,
  { authorization }: Extract<ProxyServer, { kind: 'http' }>,
): Promise<void> {
  const path = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const headers = { host: path, ...(authorization ? { 'proxy-authorization': authorization.reveal() } : {}) };
  return new Promise((resolve, reject) => {
    const rejectTunnel = (status: number | undefined): void => {
      socket.destroy();
      const reason = status === 407 ? 'it rejected the login' : `status ${status}`;
      reject(new FetchFailure('proxy-failed', `The proxy refused the tunnel (${reason}).`));
    };
    httpRequest({ method: 'CONNECT', path, headers, createConnection: () => socket })
      .on('connect', (response, _socket, head) => {
        if (response.statusCode !== 200) return rejectTunnel(response.statusCode);
        if (head.length > 0) socket.unshift(head);
        resolve();
      })
      .on('response', (response) => rejectTunnel(response.statusCode))
      .on('error', reject)
      .end();
  });
}

/**
 * The connection's deadline closes the socket, and with it the tunnel. The library also has a timer of its own, which
 * keeps everything that it references in memory until it fires.
 */
const LIBRARY_TIMEOUT_MS = 60_000;

/** Follows RFC 1928 and 1929. The library is loaded when the first such proxy is used. */
async function openSocksTunnel(
  socket: Socket,
  { hostname, port }: Destination,
  { hostname: host, port: proxyPort, login }: Extract<ProxyServer, { kind: 'socks5' }>,
): Promise<void> {
  try {
    const { SocksClient } = await import('socks');
    await SocksClient.createConnection({
      command: 'connect',
      destination: { host: hostname, port },
      // The library requires an address of the proxy but does not use it, because the socket is already connected.
      proxy: {
        type: 5,
        ...(isIP(host) === 0 ? { host } : { ipaddress: host }),
        port: proxyPort,
        ...(login ? { userId: login.user, password: login.password.reveal() } : {}),
      },
      existing_socket: socket,
      timeout: LIBRARY_TIMEOUT_MS,
    });
    socket.resume();
  } catch (error) {
    socket.destroy();
    // The library's message names the step; the error's `options` contain the password and must not be shown.
    throw new FetchFailure('proxy-failed', `The SOCKS proxy refused the connection (${(error as Error).message}).`);
  }
}
