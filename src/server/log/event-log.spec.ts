import { expect, it } from 'vitest';
import { instant } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';
import { EventLog } from './event-log.js';

it('says why a host is left alone, once until it responds again', () => {
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const log = { debug: () => {}, info: note, warn: note, error: note };
  const events = new EventLog(log);
  const report = (hostKey: string, state: string, cause?: string): void =>
    events.logEvent({ type: 'host', at: instant(0), hostKey, state, cause } satisfies CrawlEvent);
  report('a.example', 'backing off', 'http-429');
  report('b.example', 'backing off', 'connect-timeout');
  report('b.example', 'backing off', 'connect-timeout');
  report('b.example', 'answers again');
  expect(lines).toEqual([
    'a host asks crawlers to slow down, and is left alone',
    'a host is not responding, and is left alone',
    'the host is responding again',
  ]);
});
