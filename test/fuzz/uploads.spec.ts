/** Whatever is uploaded as a list or searched for: an answer that adds up, in time and of bounded length, never a failure of the server. */
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { iterateUrlListEntries } from '../../src/domain/url/url-list.js';
import { ApiWorld } from '../api/api-world.js';
import { anyText } from '../support/any-text.js';
import { onPostgres, postgresDatabase } from '../support/postgres.js';

const LONGEST_ANSWER = 2_000_000;
const runs = { numRuns: 15, seed: 20_261_123 };

async function crawled(database?: string): Promise<ApiWorld> {
  const world = await ApiWorld.start({ database });
  onTestFinished(() => world.stop());
  await world.caughtUp();
  return world;
}

/** Hours of fuzzing meet the limit on calls a minute, which is no answer to the input. */
async function patiently<Answer extends { status: number; headers: Headers }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 429) return answer;
    await wait(1_000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        'http://a.test/',
        'https://u:p@b.test/',
        '\n',
        '\r\n',
        '\n',
        ' ',
        '\t',
        '#',
        ' #',
        '\\\n',
        '\\',
        '%',
        '%00',
        '\0',
        '@',
        '?',
        '*',
      ],
      ...[
        '\uFEFF',
        '\uD800',
        '//',
        '..',
        '[::1]',
        '127.1',
        '\u202e',
        'http:',
        'javascript:alert(1)',
        '\x1b[2J',
        '1\t2\t3',
        ',',
      ],
    ),
  },
  { weight: 1, arbitrary: anyText(6) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }).map((length) => `http://a.test/${'x'.repeat(length)}`) },
);
const text = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''));
const wellFormed = text.map((written) => written.toWellFormed());

const DATABASES: readonly [name: string, database: () => Promise<string | undefined>][] = [
  ['SQLite', async () => undefined],
  ...onPostgres<[string, () => Promise<string>]>(['PostgreSQL', postgresDatabase]),
];

describe.each(DATABASES)('on %s', (_, database) => {
  it('a list of roots: each entry is new, known or rejected with a line of the list', async () => {
    const world = await crawled(await database());
    await fc.assert(
      fc.asyncProperty(wellFormed, async (list) => {
        const {
          status,
          body,
          text: answer,
        } = await patiently(() => world.send('POST', 'crawlers/test/roots/list', list));
        expect([200, 400], answer).toContain(status);
        expect(answer.length).toBeLessThan(LONGEST_ANSWER);
        if (status !== 200) return;
        const entries = [...iterateUrlListEntries(list)];
        expect(body.new + body.known + body.rejected).toBe(entries.length);
        const lines = new Set(entries.map(({ line }) => line));
        for (const { line, url, message } of body.rejections) {
          expect(lines).toContain(line);
          expect(url.length).toBeLessThanOrEqual(200);
          expect(message).not.toBe('');
        }
      }),
      runs,
    );
  });

  it('a pending file: the response says what was imported, or why nothing was', async () => {
    const world = await crawled(await database());
    await fc.assert(
      fc.asyncProperty(wellFormed, async (list) => {
        const { status, text: answer } = await patiently(() => world.send('PUT', 'crawlers/test/pending', list));
        expect([200, 400, 422], answer).toContain(status);
        expect(answer.length).toBeLessThan(LONGEST_ANSWER);
      }),
      runs,
    );
  });

  it('a search by any pattern: matching URLs, or what is wrong with the pattern', async () => {
    const world = await crawled(await database());
    const pattern = fc.array(
      fc.oneof(
        fc.constantFrom('%', '_', '*', '?', '\\', '[', ']', '^', 'http://', 'a', '.', '\0', '\uD800', "'", '"', '--'),
        anyText(3),
      ),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.constantFrom('urls', 'refused', 'urls/export'),
        fc.constantFrom('like', 'like', 'prefix', 'host', 'reason'),
        async (parts, list, name): Promise<void> => {
          const value = encodeURIComponent(parts.join('').toWellFormed());
          const { status, text: answer } = await patiently(() => world.get(`crawlers/test/${list}?${name}=${value}`));
          expect([200, 400, 422], answer).toContain(status);
          expect(answer.length).toBeLessThan(LONGEST_ANSWER);
        },
      ),
      runs,
    );
  });
});
