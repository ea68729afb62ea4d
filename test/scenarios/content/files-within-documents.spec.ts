/** Files in archives and messages are documents of their own: they come, change and go with the document they are in. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_DOCUMENT_LIMITS,
  DocumentProcesses,
} from '../../../src/adapters/parsers/documents/document-processes.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import * as sample from '../../support/sample-documents.js';

const ENTRY = new URL('../../../dist/program/documents.process.js', import.meta.url);
const TYPE = { 'content-type': 'application/zip' };
const docx = (text: string, title = ''): Uint8Array => sample.docx({ ...sample.FACTS, text, title });

describe('files within a document', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let processes: DocumentProcesses;
  let uri: string;

  beforeEach(async () => {
    site = await FakeSite.start();
    uri = site.url('/files.zip');
    processes = new DocumentProcesses({ ...DEFAULT_DOCUMENT_LIMITS, members: true }, ENTRY);
  });
  afterEach(async () => {
    processes.close();
    await world.close();
    await site.close();
  });

  const publish = (files: Record<string, string | Uint8Array>): void => {
    site.set('/files.zip', { headers: TYPE, body: sample.zip(files) });
  };
  const start = async (extractors = [processes], crawler = ''): Promise<void> => {
    world = await CrawlWorld.start({
      index: 'none',
      attributes: 'nearDuplicateDetector="false" mimeTypesMode="include"',
      crawler: `<Root url="${uri}" site="false"/><cw:MimeTypes types="application/zip"/><cw:Acl meta="audience"><cw:AclRule url="${uri}" allow="hr"/></cw:Acl>${crawler}`,
      extractors,
    });
    await world.untilIdle();
  };
  const visit = async (): Promise<string[]> => {
    const seen = world.orders().length;
    await world.engine.maintenance.refresh('test', { url: uri });
    await world.untilIdle();
    const orders = world.orders().slice(seen);
    return orders.map((order) => `${order.kind} ${order.uri.slice(uri.length)}`).sort();
  };
  const metasOf = (member: string, ...names: string[]) => {
    const { metas } = world.pushed().get(`${uri}#member=${member}`)!;
    return names.map((name) => metas.flatMap((meta) => (meta.name === name ? [meta.value] : [])).join());
  };

  it('are documents with their own text and metas, and the access rights of the document', async () => {
    publish({
      'reports/2024 plan.docx': docx('The plan for the lake.', 'The plan'),
      'page.html': '<title>A page</title><meta name="audience" content="everyone"><p>About herons.',
      'inner.zip': sample.zip({ 'notes.txt': 'Notes on fish.' }),
      'picture.png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
    });
    await start();
    expect([...world.pushed().keys()].map((key) => key.slice(uri.length)).sort()).toEqual([
      '',
      '#member=inner.zip',
      '#member=inner.zip%2Fnotes.txt',
      '#member=page.html',
      '#member=reports%2F2024%20plan.docx',
    ]);
    const plan = 'reports%2F2024%20plan.docx';
    expect(world.pushed().get(`${uri}#member=${plan}`)!.text).toContain('The plan for the lake.');
    expect(metasOf(plan, 'title', 'author', 'file_name', 'part_of')).toEqual([
      'The plan',
      sample.FACTS.author,
      '2024 plan.docx',
      uri,
    ]);
    expect(metasOf('inner.zip%2Fnotes.txt', 'title', 'content_type')).toEqual(['notes.txt', 'text/plain']);
    for (const member of [plan, 'page.html', 'inner.zip%2Fnotes.txt'])
      expect(metasOf(member, 'acl_allow'), member).toEqual(metasOf('inner.zip', 'acl_allow'));
    expect(metasOf('page.html', 'acl_allow')[0]).toContain('hr');
    expect(metasOf('page.html', 'acl_allow')[0]).not.toContain('everyone');
  });

  it('that have changed are pushed, those that have vanished are deleted, and all go with the document', async () => {
    publish({ 'a.txt': 'One', 'b.txt': 'Two' });
    await start();
    expect(await visit()).toEqual([]);
    publish({ 'a.txt': 'Other', 'c.txt': 'Three' });
    expect(await visit()).toEqual(['add ', 'add #member=a.txt', 'add #member=c.txt', 'delete #member=b.txt']);
    publish({ 'a.txt': 'Other', 'c.txt': 'Four' });
    expect(await visit()).toEqual(['add ', 'add #member=c.txt']);
    site.set('/files.zip', { status: 404 });
    const gone = await visit();
    await world.untilIdle();
    expect(gone).toEqual(['delete ', 'delete #member=a.txt', 'delete #member=c.txt']);
  });

  it('have chunks of their own texts where chunks are wanted', async () => {
    publish({ 'a.docx': docx('The plan for the lake. '.repeat(9)), 'b.txt': 'Two', 'c.html': '<h1>Lake</h1>Herons' });
    await start([processes], '<cw:Content><cw:Output chunks="30"/></cw:Content>');
    const chunked = [...world.pushed().values()];
    expect(chunked.map(({ chunks }) => chunks!.length > 1)).toEqual([false, true, false, false]);
    expect(chunked.map(({ chunks }) => chunks!.at(-1)!.path)).toEqual([[], [], [], ['Lake']]);
    for (const { text, chunks } of chunked)
      for (const chunk of chunks!) expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
  });

  it('stay when there was no time to read the document, and go when it is locked', async () => {
    publish({ 'a.txt': 'One' });
    let refusal: 'extract-timeout' | 'extract-encrypted' | undefined;
    const failing = new Proxy(processes, {
      get: (target, name) =>
        name === 'extract' && refusal !== undefined
          ? async () => ({ refused: refusal, detail: 'for the test' })
          : Reflect.get(target, name, target),
    });
    await start([failing]);
    refusal = 'extract-timeout';
    publish({ 'a.txt': 'One', 'b.txt': 'Two' });
    expect(await visit()).toEqual(['add ']);
    expect((await world.state(uri))!.parts!.map(({ id }) => id)).toEqual(['member=a.txt']);
    refusal = 'extract-encrypted';
    publish({ 'a.txt': 'One', 'c.txt': 'Three' });
    expect(await visit()).toEqual(['add ', 'delete #member=a.txt']);
  });
});
