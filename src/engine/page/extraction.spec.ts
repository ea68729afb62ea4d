import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { after, seconds } from '../../domain/time/units.js';
import type { AsyncExtractor, Extraction } from '../ports/content-extractor.js';
import { extract, NO_CONTENT } from './extraction.js';

const clock = new ManualClock();
const CONTEXT = { url: 'http://a/', contentType: undefined, maxLinks: 2, maxTextLength: 5 };

const extracted = (work: AsyncExtractor['extract']) => {
  const slow: AsyncExtractor = { kind: 'async', name: 'slow', mediaTypes: [], timeLimit: seconds(3), extract: work };
  const reader = { findExtractor: () => slow, detectMediaType: () => '', readSitemap: () => undefined };
  return extract({ reader, clock }, new Uint8Array(0), 'application/x-slow', CONTEXT);
};

it('an extractor that takes too long is aborted, and its document has no text', async () => {
  let reported: AbortSignal | undefined;
  const read = extracted((_body, _type, _context, signal) => {
    reported = signal;
    return new Promise(() => undefined);
  });
  clock.advanceTo(after(clock.now(), seconds(3)));
  expect(await read).toEqual({ refused: 'extract-timeout', detail: 'the extractor slow took longer than 3 s' });
  expect(reported?.aborted).toBe(true);
  expect(clock.nextTimer).toBeUndefined();
});

it('an extractor that fails refuses the document', async () => {
  const read = extracted(() => Promise.reject(new Error('no such page')));
  expect(await read).toMatchObject({ refused: 'extract-corrupt', detail: expect.stringContaining('no such page') });
});

it('the result of an external extractor is bounded by the limits', async () => {
  const link = { href: '/', kind: 'a', nofollow: false } as const;
  const long = { name: 'x', value: 'y'.repeat(20_000) };
  const much: Extraction = { ...NO_CONTENT, text: '123456', links: [link, link, link], fields: [long] };
  expect(await extracted(async () => much)).toMatchObject({
    text: '12345',
    links: [link, link],
    fields: [],
    truncated: true,
  });
  const fitting: Extraction = { ...NO_CONTENT, text: '12345', links: [link, link] };
  expect(await extracted(async () => fitting)).toBe(fitting);
  const cutLinks = { count: 7, most: 2, samples: [] };
  const few: Extraction = { ...much, links: [link], cutLinks };
  expect(await extracted(async () => few)).toMatchObject({ links: [link], cutLinks });
  const { parts } = (await extracted(async () => ({
    ...NO_CONTENT,
    parts: Array.from({ length: 2_000 }, (_, index) => ({ id: String(index) }) as never),
  }))) as Extraction;
  expect(parts).toHaveLength(500);
});

it('a format that nothing reads is named, and what to do about an archive of another kind', () => {
  const reader = { findExtractor: () => undefined, detectMediaType: () => '', readSitemap: () => undefined };
  const detailOf = (mediaType: string): unknown => extract({ reader, clock }, new Uint8Array(0), mediaType, CONTEXT);
  const instead = ': offer the files as zip or tar.gz, or have a Tika server read this media type';
  for (const type of ['x-7z-compressed', 'vnd.rar', 'x-xz', 'x-bzip2'])
    expect(detailOf(`application/${type}`)).toEqual({
      refused: 'extract-unsupported',
      detail: `no extractor reads application/${type}${instead}`,
    });
  expect(detailOf('image/x-dwg')).toMatchObject({ detail: 'no extractor reads image/x-dwg' });
});
