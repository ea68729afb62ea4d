import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { SearchShare } from './search-share.js';

const client = () => ({ raw: new EventEmitter() as unknown as FastifyReply['raw'] });
const share = () => new SearchShare({} as never);

it('lets two searches of one key run, and the others of it wait their turn', async () => {
  const searches = share();
  const done: string[] = [];
  const search = (key: string, name: string) => searches.enter(key, client()).then(() => void done.push(name));
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => search('a', name));
  await search('b', 'b1');
  expect(done).toEqual(['a1', 'a2', 'b1']);
  searches.leave('a');
  await all[2];
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3']);
  searches.leave('a');
  await all[3];
  for (let i = 0; i < 2; i++) searches.leave('a');
  await Promise.all([search('a', 'a5'), search('a', 'a6')]);
  expect(done.slice(-2)).toEqual(['a5', 'a6']);
});

it('forgets a call whose client goes while it waits', async () => {
  const searches = share();
  await Promise.all([searches.enter('a', client()), searches.enter('a', client())]);
  const [going, staying] = [client(), client()];
  const left = searches.enter('a', going);
  const stays = searches.enter('a', staying);
  (going.raw as unknown as EventEmitter).emit('close');
  await expect(left).rejects.toMatchObject({ status: 499 });
  searches.leave('a');
  await stays;
});

it('refuses more than fifty that wait', async () => {
  const searches = share();
  for (let i = 0; i < 52; i++) void searches.enter('a', client());
  await expect(searches.enter('a', client())).rejects.toMatchObject({ status: 429 });
  await searches.enter('b', client());
});
