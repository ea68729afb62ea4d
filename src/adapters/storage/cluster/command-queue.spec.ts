import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import type { Log } from '../../../engine/ports/log.js';
import { PostgresPool } from '../postgres/postgres-pool.js';
import { openPostgresDataSource } from '../postgres/postgres-store.js';
import { CommandQueue, MAX_TRIES, PostgresCommands } from './command-queue.js';

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function started(carryOut: (text: string) => Promise<boolean>) {
  const url = await postgresDatabase();
  await (await openPostgresDataSource(new Secret(url))).destroy();
  const pool = new PostgresPool(new Secret(url));
  onTestFinished(() => pool.close());
  const table = new PostgresCommands(pool);
  const errors: unknown[] = [];
  const log: Log = { ...SILENT, error: (_, particulars) => errors.push(particulars) };
  const queue = new CommandQueue(table, { log, getOwnedPartitions: () => [3], carryOut: ({ text }) => carryOut(text) });
  const send = (text: string, delivers = false) =>
    pool.rows('INSERT INTO owner_command (part, host, text, delivers) VALUES (3, $1, $2, $3)', ['h', text, delivers]);
  /** Waits for commands that were started and need no sink. */
  const done = async () => {
    await queue.start();
    await expect.poll(() => pool.rows('SELECT 1 FROM owner_command WHERE NOT delivers AND tries = 0')).toEqual([]);
  };
  return { pool, table, queue, errors, send, done };
}

it('commands that wait for a sink, however many, do not delay others', async () => {
  const sink = Promise.withResolvers<boolean>();
  const startedAt: string[] = [];
  const { pool, queue, send, done } = await started((text) => {
    startedAt.push(text);
    return text === 'delete' ? sink.promise : Promise.resolve(true);
  });
  await pool.rows(
    `INSERT INTO owner_command (part, host, text, delivers) SELECT 3, 'h', 'delete', true FROM generate_series(1, 600)`,
  );
  await queue.start();
  await send('pause');
  await done();
  expect(startedAt.filter((text) => text === 'pause')).toHaveLength(1);
  expect(startedAt).toHaveLength(501);
  sink.resolve(true);
  await expect.poll(() => pool.rows('SELECT 1 FROM owner_command')).toEqual([]);
  expect(startedAt).toHaveLength(601);
});

it('a command that fails is retried, set aside in the end, and blocks none behind it', async () => {
  const startedAt: string[] = [];
  const { pool, table, errors, send, done } = await started(async (text) => {
    startedAt.push(text);
    if (text === 'senseless') throw new Error('no such command');
    return true;
  });
  await send('senseless');
  await send('pause');
  await done();
  expect(startedAt).toEqual(['senseless', 'pause']);
  expect(await pool.rows('SELECT tries, failure, retry_at > now() AS later FROM owner_command')).toEqual([
    { tries: 1, failure: 'Error: no such command', later: true },
  ]);
  for (let tries = 2; tries <= MAX_TRIES; tries++) {
    await pool.rows('UPDATE owner_command SET retry_at = now()');
    await done();
    await expect.poll(() => pool.rows('SELECT tries FROM owner_command')).toEqual([{ tries }]);
  }
  await expect.poll(() => errors).toMatchObject([{ host: 'h', command: 'senseless', tries: MAX_TRIES }]);
  expect(await table.countSetAside()).toBe(1);
  await done();
  expect(startedAt.filter((text) => text === 'senseless')).toHaveLength(MAX_TRIES);
});

it('a command that is not possible yet is delivered again', async () => {
  let possible = false;
  const { pool, queue, send } = await started(async () => possible);
  await send('decide');
  await queue.start();
  expect(await pool.rows('SELECT tries FROM owner_command')).toEqual([{ tries: 0 }]);
  possible = true;
  await expect
    .poll(async () => {
      queue.retryDeferred();
      await queue.start();
      return pool.rows('SELECT 1 FROM owner_command');
    })
    .toEqual([]);
});
