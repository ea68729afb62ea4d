/**
 * WebSockets from rendered pages to the hosts that the configuration names, opened by the crawl's own fetcher instead
 * of the browser. They carry neither credentials nor cookies, because it is unknown which of the page's frames opens
 * one.
 */
import type { WebSocketRoute } from 'playwright-core';
import type { SocketOpener } from '../../engine/ports/fetcher.js';
import {
  type Guest,
  type GuestRequests,
  isPublicPage,
  MAX_BYTES,
  matchesHost,
  type Refusal,
} from './guest-requests.js';

/** Maximum number of sockets that one page may have open at once. */
const MAX_SOCKETS = 8;

export class GuestSockets {
  private readonly openCounts = new WeakMap<Guest, number>();

  constructor(
    private readonly opener: SocketOpener,
    private readonly requests: GuestRequests,
    private readonly hosts: readonly string[],
  ) {}

  /** Never rejects: a page that has been closed needs no response. */
  async handle(route: WebSocketRoute, guest: Guest | undefined): Promise<void> {
    if (!guest) return closeRoute(route);
    const refuse = (refusal: Refusal): Promise<void> => {
      guest.refusalCounts.set(refusal, (guest.refusalCounts.get(refusal) ?? 0) + 1);
      return closeRoute(route);
    };
    guest.inFlight++;
    guest.activityCount++;
    try {
      const url = URL.parse(route.url().replace(/^ws/, 'http'));
      const refusal = url
        ? ((await this.findSocketRefusal(url, guest)) ?? (await this.connect(route, url, guest)))
        : 'scheme';
      if (refusal) await refuse(refusal);
    } catch {
      await refuse('failed');
    } finally {
      guest.inFlight--;
      guest.activityCount++;
    }
  }

  private async findSocketRefusal(url: URL, guest: Guest): Promise<Refusal | undefined> {
    if (!matchesHost(url.hostname, this.hosts)) return 'kind';
    if (url.protocol === 'http:' && guest.url.startsWith('https:')) return 'scheme';
    if ((this.openCounts.get(guest) ?? 0) >= MAX_SOCKETS) return 'limit';
    return this.requests.admitSocket(url, guest);
  }

  /**
   * Resolves when the server has responded. Messages are passed on until one side closes the socket or the page has
   * been read.
   */
  private connect(route: WebSocketRoute, url: URL, guest: Guest): Promise<Refusal | undefined> {
    const { fetcher, userAgent, proxy } = guest.request;
    const headers = { origin: URL.parse(guest.url)!.origin };
    const request = {
      url: url.href,
      fetcher,
      userAgent,
      proxy,
      headers,
      anonymous: true,
      publicOnly: isPublicPage(guest),
    };
    const queuedMessages: (string | Uint8Array<ArrayBuffer>)[] = [];
    let isOpen = false;
    this.adjustOpenCount(guest, 1);
    return new Promise((resolve) => {
      const socket = this.opener.openSocket(request, route.protocols(), {
        onOpen: () => {
          isOpen = true;
          for (const message of queuedMessages.splice(0)) socket.send(message);
          resolve(undefined);
        },
        onMessage: (message) => {
          if (!countMessage(guest, message)) return socket.destroy();
          try {
            route.send(typeof message === 'string' ? message : Buffer.from(message));
          } catch {
            socket.destroy(); // the page is closed
          }
        },
        onClose: (failure) => {
          guest.signal.removeEventListener('abort', destroy);
          this.adjustOpenCount(guest, -1);
          resolve(failure === 'address-forbidden' ? 'address' : 'failed');
          void closeRoute(route);
        },
      });
      const destroy = (): void => socket.destroy();
      guest.signal.addEventListener('abort', destroy, { once: true });
      route.onMessage((message) => {
        const payload = typeof message === 'string' ? message : new Uint8Array(message);
        if (!countMessage(guest, payload)) destroy();
        else if (isOpen) socket.send(payload);
        else queuedMessages.push(payload);
      });
      route.onClose((code) => (code === undefined || code === 1000 ? socket.close() : destroy()));
    });
  }

  private adjustOpenCount(guest: Guest, delta: 1 | -1): void {
    this.openCounts.set(guest, (this.openCounts.get(guest) ?? 0) + delta);
  }
}

/** Counts a message; returns false once the page has used up its byte limit. */
function countMessage(guest: Guest, message: string | Uint8Array): boolean {
  guest.activityCount++;
  guest.byteCount += message.length;
  return guest.byteCount <= MAX_BYTES;
}

const closeRoute = (route: WebSocketRoute): Promise<void> => route.close().catch(() => undefined);
