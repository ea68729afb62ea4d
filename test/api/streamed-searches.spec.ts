import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StoreUnavailable } from '../../src/engine/ports/frontier-store.js';
import { ApiWorld } from './api-world.js';

/** More than a socket keeps for a client that does not read. */
const LINES = 3_500;
const EXPORT = 'crawlers/test/urls/export?status=error';

describe('exports of one key', () => {
  let world: ApiWorld;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    world = await ApiWorld.start();
    const url = world.site.url(`/${'x'.repeat(1_900)}`);
    const { body } = await world.send(
      'PUT',
      'crawlers/test/pending',
      Array.from({ length: LINES }, (_, i) => `${url}${i} test 2\n`).join(''),
    );
    expect(body.imported).toBe(LINES);
  });
  afterAll(async () => {
    await world.stop();
    for (const socket of sockets) socket.destroy();
  });

  async function openUnread(): Promise<Socket> {
    const { hostname, port } = new URL(world.server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    socket.write(`GET /api/v1/${EXPORT} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await once(socket, 'data');
    return socket.pause();
  }

  async function openAndLeave(turns: number): Promise<void> {
    const leaving = new AbortController();
    const answer = fetch(`${world.server.url}/api/v1/${EXPORT}`, { signal: leaving.signal });
    const read = answer.then((response) => response.text()).catch(() => undefined);
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    leaving.abort();
    await read;
  }

  it('run two steps at a time; those that are read slowly, given up or cut short hold up no others', async () => {
    const { urls } = world.server.engine;
    const { search } = urls;
    let running = 0;
    let most = 0;
    const spy = vi.spyOn(urls, 'search').mockImplementation((...query) => {
      if (query[0].status === 'visited') return Promise.reject(new StoreUnavailable('away'));
      most = Math.max(most, ++running);
      return search.apply(urls, query).finally(() => running--);
    });
    await Promise.all(Array.from({ length: 4 }, openUnread));
    await Promise.all(Array.from({ length: 30 }, (_, i) => openAndLeave(i)));
    for (let i = 0; i < 3; i++)
      expect((await world.get('crawlers/test/urls/export?status=visited&format=ndjson')).status).toBe(503);
    const whole = await Promise.all(Array.from({ length: 3 }, () => world.get(EXPORT)));
    expect(whole.map(({ text }) => text.match(/,error,/g)?.length)).toEqual(Array.from({ length: 3 }, () => LINES + 1));
    spy.mockRestore();
    expect([most, running]).toEqual([2, 0]);
  });
});
