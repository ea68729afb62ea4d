import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { seconds } from '../../domain/time/units.js';
import type { AuditEntry } from '../../engine/ports/administration.js';
import { MAX_WRONG_KEYS_PER_MINUTE, RefusedCalls } from './refused-calls.js';

function refusedCalls() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const entries: AuditEntry[] = [];
  const say = (message: string, more: unknown): void => void lines.push(`${message} ${JSON.stringify(more)}`);
  const log = { debug: say, info: say, warn: say, error: say };
  const audit = { append: async (entry: AuditEntry) => void entries.push(entry), listEntries: async () => [] };
  return { clock, lines, entries, refused: new RefusedCalls(clock, log, audit) };
}

const call = (address: string, status = 401) => ({ status, address, method: 'POST', path: '/api/v1/config' });

it('counts every refused call, and reports the first ones of an address in each minute', () => {
  const { clock, lines, entries, refused } = refusedCalls();
  for (let i = 0; i < 1_000; i++) refused.record(call('192.0.2.1'));
  refused.record({ ...call('192.0.2.2', 403), who: 'ada' });
  expect([refused.counts.get(401), lines.length, entries.length]).toEqual([1_000, 6, 6]);
  expect(entries.at(-1)).toMatchObject({ who: 'ada', target: 'POST /api/v1/config', outcome: 'refused: 403' });
  clock.advance(seconds(60));
  refused.record(call('192.0.2.1'));
  expect(lines.slice(6)).toEqual(['further calls were refused {"calls":995}', expect.stringContaining('192.0.2.1')]);
  clock.advance(seconds(60));
  for (let i = 0; i < 5; i++) refused.record(call('192.0.2.1'));
  refused.record(call('192.0.2.1', 429));
  expect(lines.slice(8).map((line) => JSON.parse(/\{.*/.exec(line)![0]).status)).toEqual([
    401, 401, 401, 401, 401, 429,
  ]);
});

it('many addresses together flood neither the log nor the audit log', () => {
  const { entries, refused } = refusedCalls();
  for (let i = 0; i < 20_000; i++) refused.record(call(`2001:db8::${i.toString(16)}`));
  expect(entries.length).toBe(60);
});

it('an address may try a limited number of wrong keys per minute, without effect on others', () => {
  const { clock, refused } = refusedCalls();
  const tries = Array.from({ length: MAX_WRONG_KEYS_PER_MINUTE + 1 }, () => refused.consumeAttempt('192.0.2.1'));
  expect([tries.at(-2), tries.at(-1), refused.consumeAttempt('192.0.2.2'), refused.retryAfter]).toEqual([
    true,
    false,
    true,
    60,
  ]);
  clock.advance(seconds(60));
  expect(refused.consumeAttempt('192.0.2.1')).toBe(true);
  for (let i = 1; i < 10_000; i++) refused.consumeAttempt(`192.0.3.${i}`);
  expect(refused.consumeAttempt('192.0.2.3')).toBe(false);
});
