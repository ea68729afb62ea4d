import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackfillDto, SinkDto } from '../../client/index.js';
import type { OrderRecord } from '../../src/adapters/push/order-record.js';
import { ApiWorld } from './api-world.js';

const MAP = `<cw:Map field="title" copyTo="heading"/><cw:Map field="file_*" drop="true"/>`;

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
  const file = join(world.folder, 'mapped.jsonl');
  const xml = world
    .configuration()
    .replace('<cw:PushTo sink="main"/>', '$&<cw:PushTo sink="mapped"/>')
    .replace(
      '</CrawlConfig>',
      `<cw:Sink name="mapped" type="file" url="${file}">${MAP}</cw:Sink><cw:Sink name="away" type="papi" url="${world.site.origin}"/></CrawlConfig>`,
    );
  expect((await world.sendXml('PUT', 'config', xml)).status).toBe(200);
});
afterAll(() => world.stop());

const mapped = (): OrderRecord[] =>
  readFileSync(join(world.folder, 'mapped.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function filled(): Promise<BackfillDto> {
  for (;;) {
    const sinks = (await world.get<{ items: SinkDto[] }>('sinks')).body.items;
    const backfill = sinks.find(({ name }) => name === 'mapped')?.backfills[0];
    if (backfill?.state === 'done') return backfill;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('sinks', () => {
  it('that are added receive what is indexed, with their own mapping', async () => {
    expect(await filled()).toMatchObject({ crawler: 'test', why: 'added', total: 4, done: 4, sent: 4, from: 'main' });
    const orders = mapped();
    expect(orders.map(({ uri }) => new URL(uri).pathname).sort()).toEqual(['/', '/a.html', '/b.html', '/c.html']);
    const metas = new Map(orders[0]!.document!.metas.map(({ name, value }) => [name, value]));
    expect(metas.get('heading')).toBe(metas.get('title'));
    expect([...metas.keys()].filter((name) => name.startsWith('file_'))).toEqual([]);
  });

  it('receive everything again on request', async () => {
    const { status, body } = await world.send('POST', 'sinks/mapped/push-again?crawler=test');
    expect([status, body[0].why]).toEqual([202, 'asked']);
    await filled();
    expect(mapped()).toHaveLength(8);
    expect((await world.send('POST', 'sinks/nobody/push-again')).status).toBe(404);
    expect((await world.send('POST', 'sinks/mapped/push-again?crawler=nobody')).status).toBe(422);
  });

  it('that do not respond cannot be compared, and the reason is returned', async () => {
    const { status, body } = await world.send('POST', 'sinks/away/reconcile?repair=true');
    expect([status, body.detail]).toEqual([503, expect.stringContaining('sink away at http://127.0.0.1')]);
    expect(body.detail).toContain('there is nothing at this path');
  });

  it('show the mapped form of a document', async () => {
    const url = `${world.site.origin}/a.html`;
    const { status, body } = await world.send('POST', 'sinks/mapped/map/preview', { crawler: 'test', url });
    expect(status).toBe(200);
    const names = (fields: readonly { name: string }[]) => new Set(fields.map(({ name }) => name));
    expect([names(body.before).has('file_name'), names(body.before).has('heading')]).toEqual([true, false]);
    expect([names(body.after).has('file_name'), names(body.after).has('heading')]).toEqual([false, true]);
    const fields = [{ name: 'title', value: 'T' }];
    expect((await world.send('POST', 'sinks/mapped/map/preview', { fields })).body.after).toEqual([
      { name: 'title', value: 'T' },
      { name: 'heading', value: 'T' },
    ]);
    expect((await world.send('POST', 'sinks/mapped/map/preview', {})).status).toBe(422);
    expect((await world.send('POST', 'sinks/mapped/map/preview', { crawler: 'test', url: 'http://x/' })).status).toBe(
      422,
    );
  });
});
