import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { ExtractorDefinition } from '../../../domain/crawl/fetcher-definition.js';
import { hours } from '../../../domain/time/units.js';
import type { OcrTask, PageResult } from '../../ports/page-task.js';
import { OcrVisits } from './ocr-visits.js';

const [SCAN, WAS_READ] = ['scan', 'ocr-'].map((mark) => `${'0'.repeat(64)}${mark}${'0'.repeat(12)}`) as [
  string,
  string,
];

/** The task of a visit to a scanned document, of which so many pages are read while `meanwhile` happens. */
async function visit(
  visits: OcrVisits,
  ocrPages = 0,
  meanwhile?: () => Promise<unknown>,
  stamp: string | undefined = SCAN,
) {
  let given: OcrTask | undefined;
  await visits.run({ state: { stamp }, onWait: () => undefined } as never, async (task) => {
    given = task;
    await meanwhile?.();
    return { outcome: { kind: 'document', ocrPages } } as PageResult;
  });
  return given;
}

it('scanned documents of the index are read one at a time, up to a number of pages a day', async () => {
  const clock = new ManualClock();
  const visits = new OcrVisits(clock);
  const extractor = { type: 'documents', ocr: { pagesPerDay: 10 } } as unknown as ExtractorDefinition;
  expect(await visit(visits)).toBeUndefined();
  expect(
    await visit(visits, 0, undefined, WAS_READ),
    'without OCR, its text is read as that of any document',
  ).toBeUndefined();
  visits.configure([extractor]);
  const read = { maxPages: 100, wasRead: false };
  let meanwhile: OcrTask | undefined = { ...read };
  expect(await visit(visits, 9, async () => (meanwhile = await visit(visits)))).toEqual(read);
  expect(meanwhile).toBeUndefined();
  expect(await visit(visits, 1)).toEqual(read);
  expect(await visit(visits)).toBeUndefined();
  expect(await visit(visits, 0, undefined, WAS_READ), 'its text stays').toEqual({ maxPages: 0, wasRead: true });
  clock.advance(hours(24));
  expect(await visit(visits)).toEqual(read);
  expect(await visit(visits, 0, undefined, '0'.repeat(80))).toBeUndefined();
  visits.configure([]);
  expect(await visit(visits, 0, undefined, WAS_READ)).toBeUndefined();
  expect(await visit(visits)).toBeUndefined();
});

it('a visit that begins when another one goes on without its host does not read as well', async () => {
  const visits = new OcrVisits(new ManualClock());
  visits.configure([{ type: 'documents', ocr: { pagesPerDay: 10 } } as unknown as ExtractorDefinition]);
  let other: Promise<OcrTask | undefined> | undefined;
  const first = { state: { stamp: SCAN }, onWait: () => (other = visit(visits)) } as never;
  await visits.run(first, async () => ({ outcome: { kind: 'document', ocrPages: 1 } }) as PageResult);
  expect(other).toBeDefined();
  expect(await other).toBeUndefined();
});
