/** Documents on a site, from the link to the index: by the processes of the built program. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_DOCUMENT_LIMITS,
  DocumentProcesses,
} from '../../../src/adapters/parsers/documents/document-processes.js';
import { DOCUMENT_EXTENSIONS } from '../../../src/domain/content/document-types.js';
import type { Shortfall } from '../../../src/domain/content/shortfall.js';
import { hours } from '../../../src/domain/time/units.js';
import type { AsyncExtractor } from '../../../src/engine/ports/content-extractor.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import * as legacy from '../../support/legacy-documents.js';
import * as sample from '../../support/sample-documents.js';

const ENTRY = new URL('../../../dist/program/documents.process.js', import.meta.url);

let site: FakeSite;
let world: CrawlWorld;
let documents: DocumentProcesses;

/** In every group by itself: all scenarios run once more in one file, on PostgreSQL. */
function processesAndSite(): void {
  beforeAll(() => {
    documents = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, ENTRY);
  });
  afterAll(() => documents.close());
  beforeEach(async () => {
    site = await FakeSite.start();
  });
  afterEach(async () => {
    await world.close();
    await site.close();
  });
}

const root = (): string => `<Root url="${site.url('/')}" site="true"/>`;
const start = (options: Partial<Parameters<typeof CrawlWorld.start>[0]> = {}): Promise<CrawlWorld> =>
  CrawlWorld.start({ crawler: root(), extractors: [documents], ...options });

const MAKERS = {
  pdf: sample.pdf,
  docx: sample.docx,
  xlsx: sample.xlsx,
  pptx: sample.pptx,
  odt: sample.odt,
  ods: sample.ods,
  odp: sample.odp,
  epub: sample.epub,
  rtf: sample.rtf,
  eml: sample.eml,
  doc: legacy.doc,
  xls: legacy.xls,
  ppt: legacy.ppt,
  msg: legacy.msg,
} as const;
type Extension = keyof typeof MAKERS;
const EXTENSIONS = Object.keys(MAKERS) as Extension[];

const served = new Map<Extension, Uint8Array>();

/** One document of each format, each with a word and a link of its own. */
function publish(): void {
  site.page(
    '/',
    EXTENSIONS.map((extension) => `/file.${extension}`),
  );
  for (const extension of EXTENSIONS) {
    const facts = {
      ...sample.FACTS,
      text: `${sample.FACTS.text} Word${extension}.`,
      link: site.url(`/from-${extension}`),
    };
    const headers = { 'content-type': DOCUMENT_EXTENSIONS.get(extension)! };
    const body = MAKERS[extension](facts);
    served.set(extension, body);
    site.set(`/file.${extension}`, { headers, body }).page(`/from-${extension}`);
  }
}

describe('documents of every format', () => {
  processesAndSite();

  it('are found in the bundled index by their text, and their links are followed', async () => {
    publish();
    world = await start();
    await world.untilIdle();
    for (const extension of EXTENSIONS) {
      const page = await (await fetch(`${world.index!.url}/?q=Word${extension}`)).text();
      expect(page, extension).toContain(`/file.${extension}`);
    }
    expect(await world.indexed()).toEqual(
      expect.arrayContaining(EXTENSIONS.map((extension) => site.url(`/from-${extension}`))),
    );
  });

  it.each(['false', 'true'])('reach other sinks with text, title, author and date (storeTextOnly %s)', async (only) => {
    publish();
    world = await start({ index: 'none', attributes: `storeTextOnly="${only}"` });
    await world.untilIdle();
    const pushed = world.pushed();
    for (const extension of EXTENSIONS) {
      const { text, metas, master } = pushed.get(site.url(`/file.${extension}`))!;
      expect(text, extension).toContain(`Word${extension}`);
      expect(metas).toContainEqual({ name: 'title', value: sample.FACTS.title });
      expect(metas).toContainEqual({ name: 'author', value: expect.stringContaining(sample.FACTS.author) });
      const bytes = Buffer.from(master.bytes, 'base64');
      if (only === 'true') expect(bytes.toString()).toContain(`Word${extension}`);
      else expect(bytes.equals(served.get(extension)!), extension).toBe(true);
    }
  });
});

describe('a document that cannot be read', () => {
  processesAndSite();

  const broken = (): void => {
    const headers = { 'content-type': 'application/pdf' };
    site.page('/', ['/bad.pdf', '/good']).page('/good');
    site.set('/bad.pdf', { headers, body: sample.pdf(sample.FACTS, true) });
  };

  it('is delivered with its bytes and metas, counted, and has the reason in its history', async () => {
    broken();
    world = await start({ index: 'none' });
    await world.untilIdle();
    const { text, metas, master } = world.pushed().get(site.url('/bad.pdf'))!;
    expect([text, Buffer.from(master.bytes, 'base64').toString('latin1', 0, 5)]).toEqual(['', '%PDF-']);
    expect(metas).toContainEqual({ name: 'content_type', value: 'application/pdf' });
    const { unread } = await world.engine.getMetrics();
    expect(unread).toEqual([{ crawler: 'test', reason: 'extract-encrypted', count: 1 }]);
  });

  it('is left out with its reason when configured', async () => {
    broken();
    world = await start({ attributes: 'whenUnreadable="skip"' });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/good')]);
    expect(await world.state(site.url('/bad.pdf'))).toMatchObject({ reason: 'extract-encrypted' });
  });
});

describe('a document with less text than it shows', () => {
  processesAndSite();

  const headers = { 'content-type': 'application/pdf', etag: '"1"' };

  it('is in the index with its reason, and counted for its host', async () => {
    site.page('/', ['/scan.pdf']).set('/scan.pdf', { headers, body: sample.scannedPdf() });
    world = await start();
    await world.untilIdle();
    const url = site.url('/scan.pdf');
    expect(await world.state(url)).toMatchObject({ status: 'indexed', reason: 'no-text-layer', etag: '"1"' });
    const { headline } = await world.engine.explanations.explain('test', url);
    expect(headline).toMatchObject({ fate: 'in-index', text: expect.stringContaining('1 of 1 pages have no text') });
    const { unread } = await world.engine.getMetrics();
    expect(unread).toEqual([{ crawler: 'test', reason: 'no-text-layer', count: 1 }]);
    expect(await world.engine.hosts.get(new URL(url).host)).toMatchObject({ shortTexts: { 'no-text-layer': 1 } });
  });

  it('that breaks off, or goes on beyond what is read, is in the index with the reason', async () => {
    const docx = { 'content-type': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' };
    const body = Buffer.from(sample.docx());
    site.page('/', ['/whole.docx', '/damaged.docx', '/deep.html']);
    site.set('/whole.docx', { headers: docx, body });
    site.set('/damaged.docx', { headers: docx, body: body.subarray(0, body.indexOf('PK\x01\x02', 0, 'latin1')) });
    site.set('/deep.html', { body: `<main><p>one</p>${'<b>'.repeat(250_000)}two</main>` });
    world = await start({ crawler: `${root()}<cw:Content><cw:Include select="main"/></cw:Content>` });
    await world.untilIdle();
    const reasons = ['/whole.docx', '/damaged.docx', '/deep.html'].map((path) => world.state(site.url(path)));
    expect((await Promise.all(reasons)).map((state) => state?.reason)).toEqual([
      'indexed',
      'text-incomplete',
      'text-incomplete',
    ]);
  });

  it('that was cut by time is read again at its next visit, and delivered again when it is whole', async () => {
    let shortfall: Shortfall | undefined = { reason: 'text-cut', detail: '1 of 2 pages were read in the time allowed' };
    const slow: AsyncExtractor = {
      kind: 'async',
      name: 'slow',
      mediaTypes: ['application/pdf'],
      timeLimit: hours(1),
      extract: async () => ({
        ...{ title: '', text: shortfall ? 'one' : 'one two', links: [], metas: [], robotsMetas: [], truncated: false },
        ...(shortfall ? { shortfall } : {}),
      }),
    };
    site.page('/', ['/long.pdf']).set('/long.pdf', { headers, body: sample.pdf() });
    world = await start({ index: 'none', extractors: [slow] });
    await world.untilIdle();
    const url = site.url('/long.pdf');
    expect(await world.state(url)).toMatchObject({ reason: 'text-cut' });
    expect((await world.state(url))?.etag).toBeUndefined();
    expect(world.pushed().get(url)).toMatchObject({ text: 'one' });
    shortfall = undefined;
    await world.engine.maintenance.refresh('test', { url });
    await world.untilIdle();
    expect(world.pushed().get(url)).toMatchObject({ text: 'one two' });
    expect(await world.state(url)).toMatchObject({ reason: 'indexed', etag: '"1"' });
  });
});
