/** Documents made to harm whoever reads them, on a host beside a healthy one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_DOCUMENT_LIMITS,
  DocumentProcesses,
} from '../../../src/adapters/parsers/documents/document-processes.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import { type HostileDocument, hostileDocuments } from '../../support/hostile-documents.js';
import { FACTS, pdf } from '../../support/sample-documents.js';

const ENTRY = new URL('../../../dist/program/documents.process.js', import.meta.url);
const HEALTHY = Array.from({ length: 40 }, (_, i) => `/page-${i}`);

describe('hostile documents', () => {
  let hostile: FakeSite;
  let healthy: FakeSite;
  let processes: DocumentProcesses;
  let world: CrawlWorld;
  let documents: HostileDocument[];

  beforeEach(async () => {
    hostile = await FakeSite.start('127.0.0.2');
    healthy = await FakeSite.start('127.0.0.3');
    // Archives are excluded by default.
    documents = hostileDocuments(1, ['pdf', 'docx', 'epub', 'rtf', 'eml']).filter(
      ({ extension }) => extension !== 'zip',
    );
    hostile.page(
      '/',
      documents.map(({ name }) => `/${name}`),
    );
    for (const { name, mediaType, make } of documents)
      hostile.set(`/${name}`, () => ({ headers: { 'content-type': mediaType }, body: make() }));
    healthy.page('/', [...HEALTHY, '/last.pdf']);
    for (const path of HEALTHY) healthy.page(path);
    healthy.set('/last.pdf', { headers: { 'content-type': 'application/pdf' }, body: pdf() });
    processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, timeLimit: 20_000, members: true }, ENTRY);
    world = await CrawlWorld.start({
      crawler: `<Root url="${hostile.url('/')}" site="true"/><Root url="${healthy.url('/')}" site="true"/>`,
      index: 'none',
      extractors: [processes],
    });
    await world.untilIdle();
  });

  afterEach(async () => {
    processes.close();
    await world.close();
    await hostile.close();
    await healthy.close();
  });

  it('have an error code each, and the pages beside them are crawled and read', async () => {
    const pushed = world.pushed();
    for (const { name, ends } of documents) {
      const url = hostile.url(`/${name}`);
      const [visit] = await world.store.listVisits((await world.state(url))!.id, 1);
      const code = /^(extract-\w+): /.exec(visit?.detail ?? '')?.[1] ?? 'read';
      expect(ends, `${name}: ${visit?.outcome} ${visit?.detail}`).toContain(code);
      expect(pushed.has(url), name).toBe(true);
      if (code !== 'read') expect(pushed.get(url)?.text, name).toBe('');
    }
    expect([...pushed.keys()]).toEqual(expect.arrayContaining(HEALTHY.map((path) => healthy.url(path))));
    expect(pushed.get(healthy.url('/last.pdf'))?.text).toContain(FACTS.text);
    expect(processes.processIds.length).toBeLessThanOrEqual(DEFAULT_DOCUMENT_LIMITS.processes);
    expect(world.errors).toEqual([]);
  });
});
