/** Documents on a site, from the link to the index: by the processes of the built program. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_DOCUMENT_LIMITS,
  DocumentProcesses,
} from '../../../src/adapters/parsers/documents/document-processes.js';
import { DOCUMENT_EXTENSIONS } from '../../../src/domain/content/document-types.js';
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
