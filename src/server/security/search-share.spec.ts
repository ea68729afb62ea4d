import { expect, it } from 'vitest';
import { SearchShare } from './search-share.js';

const client = () => new AbortController().signal;
const share = () => new SearchShare({} as never);

it('runs two searches per key at a time, and queues the others', async () => {
  const searches = share();
  const done: string[] = [];
  const search = (key: string, name: string) => searches.acquire(key, client()).then(() => void done.push(name));
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => search('a', name));
  await search('b', 'b1');
  expect(done).toEqual(['a1', 'a2', 'b1']);
  searches.release('a');
  await all[2];
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3']);
  searches.release('a');
  await all[3];
  for (let i = 0; i < 2; i++) searches.release('a');
  await Promise.all([search('a', 'a5'), search('a', 'a6')]);
  expect(done.slice(-2)).toEqual(['a5', 'a6']);
});

it('drops a queued call whose client disconnects', async () => {
  const searches = share();
  await Promise.all([searches.acquire('a', client()), searches.acquire('a', client())]);
  const going = new AbortController();
  const left = searches.acquire('a', going.signal);
  const stays = searches.acquire('a', client());
  going.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  searches.release('a');
  await stays;
});

it('refuses more than fifty queued searches', async () => {
  const searches = share();
  for (let i = 0; i < 52; i++) void searches.acquire('a', client());
  await expect(searches.acquire('a', client())).rejects.toMatchObject({ status: 429 });
  await searches.acquire('b', client());
});

it('refuses no call because of streamed answers, however many wait', async () => {
  const searches = share();
  for (let i = 0; i < 60; i++) void searches.acquire('a', client(), 'step');
  const call = searches.acquire('a', client());
  for (let i = 0; i < 59; i++) searches.release('a');
  await call;
});
