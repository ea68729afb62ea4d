import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../support/postgres.js';
import { ApiWorld } from './api-world.js';

it('a server on PostgreSQL crawls, serves the API and stores its history there', async () => {
  const world = await ApiWorld.start({ database: await postgresDatabase() });
  onTestFinished(() => world.stop());
  await world.caughtUp(4);
  expect((await world.get('crawlers/test/urls?status=error')).body.items).toHaveLength(1);
  expect((await world.get('orders?state=acknowledged')).body.items).toHaveLength(4);
  const text = (await world.get('config')).text;
  expect((await world.sendXml('PUT', 'config', text.replace('/print/', '/printed/'))).status).toBe(200);
  expect((await world.get('config/versions')).body.items).toHaveLength(2);
  expect((await world.get('audit')).body.items[0]).toMatchObject({ what: 'putConfiguration', outcome: 'done' });
});
