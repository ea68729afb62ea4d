/** Scanned documents are read by OCR behind everything else, and their text stays true. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from '../../src/adapters/parsers/documents/document-processes.js';
import { hours, instant, minutes } from '../../src/domain/time/units.js';
import type { AsyncExtractor } from '../../src/engine/ports/content-extractor.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { ManualClock } from '../support/manual-clock.js';
import { scanOf } from '../support/scan.js';

const ENTRY = new URL('../../dist/program/documents.process.js', import.meta.url);
const HERON = 'The grey heron wades through the shallow water of the lake.';
const OWL = 'The barn owl hunts at night in the open country.';

describe('scanned documents', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let processes: DocumentProcesses;
  let heron: Uint8Array;
  let owl: Uint8Array;
  beforeAll(async () => {
    processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, ocrLanguages: ['eng'] }, ENTRY);
    [heron, owl] = await Promise.all([scanOf(HERON), scanOf(OWL)]);
  });
  afterAll(() => processes.close());
  beforeEach(async () => {
    site = await FakeSite.start();
  });
  afterEach(async () => {
    await world.close();
    await site.close();
  });

  /** Visits that read by OCR count as waiting: without this, the world would, too. */
  const watched: AsyncExtractor = {
    kind: 'async',
    name: 'documents',
    mediaTypes: ['application/pdf'],
    timeLimit: hours(1),
    extract: (...asked) => world.delivered(processes.extract(...asked)),
  };

  const publish = (path: string, body: Uint8Array, etag?: string): void => {
    site.set(path, { headers: { 'content-type': 'application/pdf', ...(etag ? { etag } : {}) }, body });
  };
  const start = async (paths: readonly string[], extractor = 'ocr="eng" ocrPagesPerDay="1"'): Promise<void> => {
    world = await CrawlWorld.start({
      index: 'none',
      clock: new ManualClock(instant(Date.UTC(2026, 0, 1, 23, 30))),
      attributes: 'nearDuplicateDetector="false"',
      crawler: paths.map((path) => `<Root url="${site.url(path)}" site="false"/>`).join(''),
      more: `<cw:Extractor type="documents" ${extractor}/>`,
      extractors: [watched],
    });
    await world.untilIdle();
  };
  const visit = async (path: string): Promise<{ reason: string; text: string | undefined; orders: number }> => {
    world.clock.advance(minutes(1));
    const seen = world.orders().length;
    const url = site.url(path);
    await world.engine.maintenance.refresh('test', { url });
    await world.untilIdle();
    const { reason } = (await world.state(url))!;
    return { reason, text: world.pushed().get(url)?.text, orders: world.orders().length - seen };
  };

  it('are in the index at once, and have their text after the next visit', async () => {
    publish('/a.pdf', heron, '"1"');
    await start(['/a.pdf']);
    expect(world.pushed().get(site.url('/a.pdf'))?.text).toBe('');
    expect(await world.state(site.url('/a.pdf'))).toMatchObject({ reason: 'no-text-layer', etag: '"1"' });
    expect(await visit('/a.pdf')).toEqual({ reason: 'text-by-ocr', text: HERON, orders: 1 });
    const { metas } = world.pushed().get(site.url('/a.pdf'))!;
    expect(metas).toContainEqual({ name: 'pages_read_by_ocr', value: '1' });
  });

  it('keep their text while their bytes stay the same, whatever the site answers', async () => {
    publish('/a.pdf', heron);
    await start(['/a.pdf']);
    await visit('/a.pdf');
    expect(await visit('/a.pdf')).toEqual({ reason: 'text-by-ocr', text: HERON, orders: 0 });
  });

  it('wait for the next day once the pages of this one were read', async () => {
    publish('/a.pdf', heron);
    publish('/b.pdf', owl, '"1"');
    await start(['/a.pdf', '/b.pdf']);
    await visit('/a.pdf');
    expect(await visit('/b.pdf')).toEqual({ reason: 'no-text-layer', text: '', orders: 0 });
    world.clock.advance(hours(1));
    expect(await visit('/b.pdf')).toEqual({ reason: 'text-by-ocr', text: OWL, orders: 1 });
  });

  it('keep their text until another can be read', async () => {
    publish('/a.pdf', heron);
    await start(['/a.pdf']);
    await visit('/a.pdf');
    publish('/a.pdf', owl);
    expect(await visit('/a.pdf')).toEqual({ reason: 'extractor-unavailable', text: HERON, orders: 0 });
    world.clock.advance(hours(1));
    expect(await visit('/a.pdf')).toEqual({ reason: 'text-by-ocr', text: OWL, orders: 1 });
  });

  it('are not read if OCR is off', async () => {
    publish('/a.pdf', heron);
    await start(['/a.pdf'], '');
    expect(await visit('/a.pdf')).toEqual({ reason: 'no-text-layer', text: '', orders: 0 });
  });
});
