import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newUrl } from '../../../../test/support/frontier-samples.js';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import { instant } from '../../../domain/time/units.js';
import type { Log } from '../../../engine/ports/log.js';
import { FencedOut, NodesDiffer, type PartitionListener } from '../../../engine/ports/partitions.js';
import { PostgresPool } from '../postgres/postgres-pool.js';
import { openPostgresDataSource, openPostgresStore } from '../postgres/postgres-store.js';
import { PARTITIONS } from '../shared/partition.js';
import { Leases } from './leases.js';
import { PostgresPartitions } from './postgres-partitions.js';

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A node whose monotonic clock stands still until the test advances it; it renews only when told to. */
class Node implements PartitionListener {
  uptime = 0;
  readonly gainedAbruptly: number[] = [];
  readonly lost: number[] = [];
  report: Promise<void> = Promise.resolve();
  readonly partitions: PostgresPartitions;

  constructor(pool: PostgresPool, crawls = true, urlParser?: string) {
    this.partitions = new PostgresPartitions(new Leases(pool, urlParser), {
      crawls,
      log: SILENT,
      renewEveryMs: 2 ** 30,
      readUptime: () => this.uptime,
    });
    onTestFinished(() => this.partitions.close());
  }

  async open(): Promise<this> {
    await this.partitions.open(this);
    return this;
  }

  async onAssigning(_: readonly number[], abruptly: readonly number[]): Promise<void> {
    this.gainedAbruptly.push(...abruptly);
  }

  onAssigned(): void {}

  onRevoking(partitions: readonly number[]): Promise<void> {
    this.lost.push(...partitions);
    return this.report;
  }

  get size(): number {
    return this.partitions.owned.length;
  }
}

describe('partitions of several nodes', () => {
  let url: string;
  let pool: PostgresPool;

  beforeEach(async () => {
    url = await postgresDatabase();
    await (await openPostgresDataSource(new Secret(url))).destroy();
    pool = new PostgresPool(new Secret(url));
    onTestFinished(() => pool.close());
  });

  const node = (crawls?: boolean): Promise<Node> => new Node(pool, crawls).open();
  /** Makes the database see every node that does not renew afterwards as silent for longer than its lease. */
  const expire = async (): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`UPDATE node SET expires_at = clock_timestamp() - interval '1 second'`);
    await client.end();
  };
  const settled = async (...nodes: Node[]): Promise<void> => {
    for (let round = 0; round < 4; round++) {
      for (const each of nodes) await each.partitions.runRound();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('belong to the first node, and are shared equally as nodes join', async () => {
    const first = await node();
    expect(first.size).toBe(PARTITIONS);
    const others = [await node(), await node()];
    await settled(first, ...others);
    const sizes = [first, ...others].map(({ size }) => size).sort((a, b) => a - b);
    expect(sizes[0]).toBeGreaterThanOrEqual(340);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(PARTITIONS);
    const all = [first, ...others].flatMap(({ partitions }) => partitions.owned);
    expect(new Set(all).size).toBe(PARTITIONS);
    expect(others.flatMap(({ gainedAbruptly }) => gainedAbruptly)).toEqual([]);
  });

  it('never belong to an API-only node', async () => {
    const api = await node(false);
    const crawler = await node();
    await settled(api, crawler);
    expect([api.size, crawler.size]).toEqual([0, PARTITIONS]);
  });

  it('are refused to a node that canonicalizes URLs differently from the live ones', async () => {
    const first = await node();
    const other = new Node(pool, true, 'another parser');
    await expect(other.open()).rejects.toThrow(NodesDiffer);
    await expect(new Node(pool, false, 'another parser').open()).rejects.toThrow(/Run the same version/);
    expect(first.size).toBe(PARTITIONS);
    await first.partitions.close();
    await other.open();
    expect(other.size).toBe(PARTITIONS);
    await expect(node()).rejects.toThrow(NodesDiffer);
  });

  it('are reassigned at once when their node leaves', async () => {
    const first = await node();
    const second = await node();
    await settled(first, second);
    await first.partitions.close();
    await second.partitions.runRound();
    expect(second.size).toBe(PARTITIONS);
    expect(second.gainedAbruptly).toEqual([]);
  });

  it('are reassigned, with a warning, when their node has been silent for longer than its lease', async () => {
    const first = await node();
    const fence = first.partitions.findFence('a.example')!;
    await expire();
    const second = await node();
    expect(second.size).toBe(PARTITIONS);
    expect(second.gainedAbruptly).toHaveLength(PARTITIONS);
    expect(second.partitions.findFence('a.example')!.epoch).toBe(fence.epoch + 1);
    await first.partitions.runRound();
    expect(first.lost).toHaveLength(PARTITIONS);
    expect(first.partitions.holds(fence)).toBe(false);
  });

  it('are not used by a node whose own clock says that the lease nearly expired, whatever the database says', async () => {
    const first = await node();
    const fence = first.partitions.findFence('a.example')!;
    first.uptime = 8_999;
    expect([first.partitions.owns('a.example'), first.partitions.holds(fence)]).toEqual([true, true]);
    first.uptime = 9_000;
    expect([first.partitions.owns('a.example'), first.partitions.holds(fence)]).toEqual([false, false]);
    expect(first.partitions.owned).toEqual([]);
  });

  it('return to a node that was frozen with new fences only', async () => {
    const first = await node();
    const fence = first.partitions.findFence('a.example')!;
    first.uptime = 60_000;
    await first.partitions.runRound();
    expect(first.lost).toHaveLength(PARTITIONS);
    await settled(first);
    expect(first.size).toBe(PARTITIONS);
    expect(first.partitions.holds(fence)).toBe(false);
  });

  it('keep their fences while they are handed over, until work in flight has ended', async () => {
    const first = await node();
    let ended = (): void => {};
    first.report = new Promise((resolve) => {
      ended = resolve;
    });
    const fences = Array.from({ length: 40 }, (_, i) => first.partitions.findFence(`h${i}.example`)!);
    const second = await node();
    await first.partitions.runRound();
    const leaving = fences.filter((_, i) => !first.partitions.owns(`h${i}.example`));
    expect(leaving.length).toBeGreaterThan(0);
    for (const fence of leaving) expect(first.partitions.holds(fence)).toBe(true);
    await second.partitions.runRound();
    expect(second.size).toBe(0);
    ended();
    await settled(first, second);
    for (const fence of leaving) expect(first.partitions.holds(fence)).toBe(false);
    expect(second.size).toBe(PARTITIONS / 2);
  });

  it('reject settlements of their previous owner as a whole', async () => {
    const first = await node();
    const store = await openPostgresStore(new Secret(url));
    onTestFinished(() => store.close());
    const [a, b] = await store.discover([newUrl('http://a.example/'), newUrl('http://b.example/')]);
    const settlement = (id: number, fence = first.partitions.findFence('a.example')!) => ({
      id,
      fence,
      changes: { dueAt: instant(77) },
    });
    await store.settle([settlement(a!.id)]);
    const stale = first.partitions.findFence('b.example')!;
    await expire();
    const second = await node();
    const refused = await store
      .settle([
        settlement(a!.id, second.partitions.findFence('a.example')),
        { ...settlement(b!.id, stale), changes: { dueAt: instant(78) } },
      ])
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FencedOut);
    expect((refused as FencedOut).fences).toEqual([stale]);
    expect((await store.get([b!.id]))[0]!.dueAt).not.toBe(instant(78));
  });
});
