import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import type { Nodes } from '../../../engine/ports/nodes.js';
import { openPostgresStore } from '../postgres/postgres-store.js';
import { openPostgresNodes } from './postgres-nodes.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A node that collects the events of others; its tables are in the schema that the URL names. */
async function openNode(url: string, events: string[] = [], onControlChanged = async () => {}): Promise<Nodes> {
  await (await openPostgresStore(new Secret(url))).close();
  const { nodes, partitions } = openPostgresNodes(new Secret(url), { crawls: true, log: SILENT });
  const listener = {
    onDue: () => {},
    onRequested: () => {},
    onCommand: async () => true,
    onControlChanged,
    onQuestion: async () => '',
    onEvent: (event: string) => void events.push(event),
  };
  await nodes.open(listener, () => true);
  onTestFinished(async () => {
    await partitions.close();
    await nodes.close();
  });
  return nodes;
}

it('a node adopts what another one has changed while it was starting', async () => {
  const url = await postgresDatabase();
  await (await openNode(url)).notifyControlChanged();
  const adopted = Promise.withResolvers<void>();
  await openNode(url, [], async () => adopted.resolve());
  await adopted.promise;
});

it('crawls in two schemas of one database do not hear each other', async () => {
  const url = await postgresDatabase();
  const other = `${url}?options=-c%20search_path%3Dother`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query('CREATE SCHEMA other').finally(() => client.end());
  const heard: Record<'here' | 'there', string[]> = { here: [], there: [] };
  await openNode(url, heard.here);
  await openNode(other, heard.there);
  (await openNode(url)).sendEvent('here');
  await expect.poll(() => heard.here).toEqual(['here']);
  (await openNode(other)).sendEvent('there');
  await expect.poll(() => heard.there.at(-1)).toBe('there');
  expect(heard).toEqual({ here: ['here'], there: ['there'] });
});
