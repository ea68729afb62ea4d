import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { DEFAULT_INDEXNOW, IndexNow } from './indexnow.js';

/** The number of hosts whose submission of so many characters waits while no key file can be requested. */
async function countWaiting(length: number): Promise<number> {
  const crawler = { context: { definition: crawlerDefinition() } };
  const indexNow = new IndexNow(
    { clock: new ManualClock(), slots: { claimHost: async () => undefined } } as never,
    { findCrawlers: async () => [crawler] } as never,
    { list: () => [] },
    () => DEFAULT_INDEXNOW,
  );
  let waiting = 0;
  for (let i = 0; i < 200; i++) {
    const host = `h${i}.example`;
    const url = `http://${host}/`.padEnd(length, 'x');
    const { status } = await indexNow.submit({ host, key: 'k', keyLocation: `http://${host}/k.txt`, urls: [url] });
    if (status === 202) waiting++;
  }
  return waiting;
}

it.each([
  ['100 submissions', 50, 100],
  ['ten million characters', 400_000, 25],
])('of all hosts together, at most %s wait for their key to be checked', async (_, length, expected) =>
  expect(await countWaiting(length)).toBe(expected),
);
