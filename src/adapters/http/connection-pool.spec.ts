import { describe, expect, it, onTestFinished } from 'vitest';
import { testServer } from '../../../test/support/fetch-harness.js';
import { fetcherDefinition } from '../../../test/support/fetcher-definition.js';
import { answer } from '../../../test/support/raw-server.js';
import { Connection, ConnectionPool } from './connection-pool.js';
import { Connector } from './connector.js';
import { DnsCache } from './dns-cache.js';

/** A pool and connections that have served one request each. */
async function pooled(count: number, maxIdle: number) {
  const closing: (() => void)[] = [];
  const site = await testServer((socket) => {
    closing.push(() => socket.destroy());
    socket.write(answer('x'));
  });
  const pool = new ConnectionPool(maxIdle);
  onTestFinished(() => pool.close());
  const connector = new Connector(new DnsCache(), fetcherDefinition());
  const target = { secure: false, hostname: '127.0.0.1', port: site.port };
  const connections = Array.from({ length: count }, () => pool.add(new Connection('key', site.url, target, connector)));
  for (const { client } of connections) await (await client.request({ path: '/', method: 'GET' })).body.text();
  return { pool, connections, closing };
}

describe('the connection pool', () => {
  it('returns the most recently used connection', async () => {
    const { pool, connections } = await pooled(2, 10);
    for (const connection of connections) pool.release(connection);
    expect(pool.acquire('other')).toBeUndefined();
    expect([pool.acquire('key'), pool.acquire('key'), pool.acquire('key')]).toEqual([
      connections[1],
      connections[0],
      undefined,
    ]);
  });

  it('closes the least recently used connection beyond its limit', async () => {
    const { pool, connections } = await pooled(3, 2);
    for (const connection of connections) pool.release(connection);
    expect(connections.map(({ client }) => client.destroyed)).toEqual([true, false, false]);
    expect([pool.acquire('key'), pool.acquire('key'), pool.acquire('key')]).toEqual([
      connections[2],
      connections[1],
      undefined,
    ]);
  });

  it('takes a connection again once, after which it is not idle', async () => {
    const { pool, connections } = await pooled(2, 1);
    const [first, second] = connections as [Connection, Connection];
    pool.release(first);
    expect([pool.reacquire(first), pool.reacquire(first), pool.acquire('key')]).toEqual([true, false, undefined]);
    pool.release(second);
    expect(first.client.destroyed).toBe(false);
  });

  it('drops connections that the server has closed', async () => {
    const { pool, connections, closing } = await pooled(1, 10);
    pool.release(connections[0]!);
    closing[0]!();
    await expect.poll(() => connections[0]!.client.destroyed).toBe(true);
    expect(pool.acquire('key')).toBeUndefined();
  });

  it('accepts no connection once it is closed', async () => {
    const { pool, connections } = await pooled(1, 10);
    pool.close();
    pool.release(connections[0]!);
    expect(pool.acquire('key')).toBeUndefined();
  });
});
