import { expect, it } from 'vitest';
import { type Duration, type Instant, instant, milliseconds, seconds } from '../../../domain/time/units.js';
import { PacedRequests } from './login-limits.js';

/** Sends requests that take a second each, and returns when each of them was sent. */
async function send(pause: Duration, urls: readonly string[]): Promise<Instant[]> {
  let now = instant(1_000_000);
  const times: Instant[] = [];
  const wait = async (time: Duration): Promise<void> => {
    now = instant(now + time);
  };
  const requests = new PacedRequests({
    now: () => now,
    sleep: wait,
    fetch: async () => {
      times.push(now);
      await wait(seconds(1));
      return {
        kind: 'failure',
        code: 'connection-failed',
        detail: '',
        timings: { header: seconds(1), total: seconds(1) },
      };
    },
  });
  requests.setPause(pause);
  for (const url of urls) await requests.fetch({ url });
  return times.map((time) => instant(time - 1_000_000));
}

const LOGIN = 'https://app.example/login';
const IDP = 'https://id.example/';

it('the requests of a login keep the pause of each host, from the end of one to the next', async () => {
  expect(await send(seconds(3), [LOGIN, LOGIN, IDP, LOGIN, IDP])).toEqual([0, 4_000, 5_000, 8_000, 9_000]);
});

it('a pause of more than five seconds is cut, because codes of sign-in servers expire', async () => {
  expect(await send(seconds(60), [LOGIN, LOGIN])).toEqual([0, 6_000]);
  expect(await send(milliseconds(0), [LOGIN, LOGIN])).toEqual([0, 1_000]);
});
