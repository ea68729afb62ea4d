import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { FakeSite } from '../../../test/support/fake-site.js';
import { fetcherDefinition } from '../../../test/support/fetcher-definition.js';
import { sinkDefinition } from '../../../test/support/push-orders.js';
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import { createRootContext } from '../../domain/policy/site-mode.js';
import { Secret } from '../../domain/secret.js';
import { instant } from '../../domain/time/units.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import { WorkLost } from '../../engine/ports/page-processor.js';
import type { PageResult, PageTask } from '../../engine/ports/page-task.js';
import { ApiPriority } from './api-priority.js';
import { PageThreadPool } from './page-thread-pool.js';

const ENTRY = new URL('../../../test/support/hanging-pages.thread.ts', import.meta.url);
/** As in control/explanations.ts, this means that there is no stored URL. */
const FOR_A_PERSON = -1;

describe('a pool of page threads', () => {
  let site: FakeSite;
  let pool: PageThreadPool;
  const warnings: string[] = [];
  const note = (message: string): void => void warnings.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const definition = {
    crawlers: [crawlerDefinition()],
    fetchers: [fetcherDefinition({ allowedAddresses: ['127.0.0.0/8'] })],
    sinks: [sinkDefinition({ type: 'papi', url: 'http://127.0.0.1:9/' })],
  };

  // One pool for all tests, because a thread takes seconds to start. The pool survives whatever the tests do to its
  // threads.
  beforeAll(async () => {
    pool = new PageThreadPool({ entry: ENTRY, threads: 2, log, maxReadingMs: 1_000 });
    await pool.configure(definition);
  });
  afterAll(() => pool.close());
  beforeEach(async () => {
    warnings.length = 0;
    site = await FakeSite.start();
  });
  afterEach(() => site.close());

  const task = (id: number, path: string): PageTask => ({
    id,
    crawler: 'test',
    url: site.url(path),
    discoveredVia: 'link',
    hops: 1,
    redirects: 0,
    effects: { index: true, follow: true, priorityShift: 0, metas: [], options: {} },
    rereadLinks: true,
    inheritedMetas: [],
    now: instant(0),
  });
  const outcome = ({ outcome: end }: PageResult): string => (end.kind === 'error' ? end.code : end.kind);

  it('passes the credentials of a URL on to the thread that requests it', async () => {
    site.page('/private');
    const { effects, ...rest } = task(1, '/private');
    await pool.process({ ...rest, effects: { ...effects, options: { credentials: new Secret('reader:open') } } });
    expect(site.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('reader:open').toString('base64')}`);
  });

  it('aborts a page that takes too long to read, whoever asked for it', async () => {
    site.page('/bad', [], 'A page that never ends.').page('/good');
    for (const id of [99, FOR_A_PERSON]) expect(outcome(await pool.process(task(id, '/bad')))).toBe('parse-timeout');
    expect(warnings).toEqual([
      'a page thread has ended and is being replaced',
      'a page thread has ended and is being replaced',
    ]);
    expect(outcome(await pool.process(task(100, '/good')))).toBe('document');
  });

  it('replaces a thread that is blocked by something other than a page, and loses only its pages', async () => {
    site.page('/good');
    await pool.process(task(1, '/good')); // its threads are running
    await expect(pool.process(task(2, '/blocks'))).rejects.toThrow(WorkLost);
    expect(warnings).toEqual(['a page thread has ended and is being replaced']);
    expect(outcome(await pool.process(task(3, '/good')))).toBe('document');
  });

  it('reports how long a page waited for its turn in whole milliseconds', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `/p${i}`);
    for (const path of paths) site.page(path);
    const pages = await Promise.all(paths.map((path, i) => pool.process(task(i, path))));
    expect(pages.map(outcome)).toEqual(paths.map(() => 'document'));
    expect(pages.filter(({ age }) => !(Number.isInteger(age) && age! >= 0))).toEqual([]);
  });

  it('includes decoding in the reading time, also of a page that is too large', async () => {
    const html = gzipSync(`<!doctype html><title>x</title>${' '.repeat(1 << 18)}`);
    const bomb = gzipSync(Buffer.alloc(32 << 20));
    for (const [path, body] of [
      ['/long', html],
      ['/bomb', bomb],
    ] as const)
      site.set(path, { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body });
    const [long, large] = [await pool.process(task(1, '/long')), await pool.process(task(2, '/bomb'))];
    expect([outcome(long), outcome(large)]).toEqual(['document', 'body-too-large']);
    for (const { decodingTime, readingTime } of [long, large]) {
      expect(decodingTime).toBeGreaterThan(0);
      expect(readingTime).toBeGreaterThanOrEqual(Math.floor(decodingTime!));
    }
    site.page('/plain');
    expect((await pool.process(task(3, '/plain'))).decodingTime).toBeUndefined();
  });

  it('has the current roots in every thread, also in one that started later', async () => {
    site.page('/bad', [], 'A page that kills the thread.');
    let asked = 0;
    const url = toCrawlUrl(site.url('/'));
    const root = { url: url.href, site: false, entireSite: false, priority: 0, metas: [], followLinks: true };
    const links = async (): Promise<number[]> => {
      site.page('/', [`http://elsewhere.example/${++asked}`]);
      const pages = [1, 2].map((id) => pool.process({ ...task(id, '/'), root: url.href }));
      return (await Promise.all(pages)).map((page) => page.links.length);
    };
    pool.addRoot('test', createRootContext(root, url));
    expect(await links()).toEqual([1, 1]);
    expect(outcome(await pool.process(task(3, '/bad')))).toBe('parse-timeout');
    expect(await links()).toEqual([1, 1]);
    // A removed root no longer allows anything.
    pool.removeRoot('test', url.href);
    expect(await links()).toEqual([0, 0]);
  });

  it.each([1, 3_000_000 * 1024 + 7])('blames the page (%d) that crashes its thread, and none beside it', async (id) => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const bothAsked = Promise.withResolvers<void>();
    for (const path of ['/a', '/b']) {
      site.set(path, (_, response) => {
        asked.push(path);
        if (answers.push(() => response.end('fine')) === 2) bothAsked.resolve();
        return undefined;
      });
    }
    site.page('/bad', [], 'A page that kills the thread.');
    // The least busy thread is chosen, so one thread has either `/a` or `/b` as well as the bad page.
    const beside = ['/a', '/b'].map((path, i) => pool.process(task(10 + i, path)).catch((error: unknown) => error));
    await bothAsked.promise;
    expect(outcome(await pool.process(task(id, '/bad')))).toBe('parse-timeout');
    for (const answer of answers) answer();
    const ends = await Promise.all(beside);
    expect(ends.filter((end) => end instanceof WorkLost)).toHaveLength(1);
    expect(ends.flatMap((end) => (end instanceof WorkLost ? [] : [outcome(end as PageResult)]))).toEqual(['document']);
    expect(asked.sort()).toEqual(['/a', '/b']);
    expect(warnings).toHaveLength(1);
  });

  it('does not let a host with slow pages delay pages of others', async () => {
    const other = await FakeSite.start('127.0.0.2');
    try {
      site.page('/bad', [], 'A page that waits for ever.');
      const stopped = await pool.process(task(1, '/bad'));
      expect(stopped.readingTime).toBeGreaterThan(500);
      // The replacement thread is running: each thread has one of these.
      other.page('/up');
      await Promise.all([8, 9].map((id) => pool.process({ ...task(id, '/'), url: other.url('/up') })));
      let ended = false;
      const again = pool.process(task(2, '/bad')).finally(() => {
        ended = true;
      });
      const others = Array.from({ length: 8 }, (_, i) => {
        other.page(`/p${i}`);
        return pool.process({ ...task(10 + i, '/'), url: other.url(`/p${i}`) });
      });
      expect((await Promise.all(others)).map(outcome)).toEqual(others.map(() => 'document'));
      expect(ended).toBe(false);
      expect(outcome(await again)).toBe('parse-timeout');
    } finally {
      await other.close();
    }
  });

  it('frees the bytes of a document after use', async () => {
    site.page('/good');
    const { outcome: end, release } = await pool.process(task(1, '/good'));
    const bytes = end.kind === 'document' ? end.document!.master.bytes : undefined;
    expect(Buffer.from(bytes!).toString()).toContain('<html');
    release?.();
    expect(bytes).toHaveLength(0);
  });

  it('sets a page aside that crashes its thread', async () => {
    site.page('/bad', [], 'A page that kills the thread.').page('/good');
    expect(outcome(await pool.process(task(1, '/bad')))).toBe('parse-timeout');
    expect(outcome(await pool.process(task(2, '/good')))).toBe('document');
  });

  it('replaces its threads for a configuration that needs trees, and the old ones finish their work', async () => {
    const content: ContentDefinition = {
      include: ['p'],
      exclude: [],
      markers: [],
      main: false,
      omitRepeated: false,
      metas: true,
      fields: [],
      headings: false,
      markdown: false,
      changeDetection: 'content',
      place: { file: 'test', line: 1, column: 1 },
    };
    const withTrees = { ...definition, crawlers: [crawlerDefinition({ contents: [content] })] };
    const asked = Promise.withResolvers<() => void>();
    site.page('/bad', [], 'A page that waits for ever.').page('/good');
    site.set('/slow', (_, response) => {
      asked.resolve(() => response.end('fine'));
      return undefined;
    });
    const changing = new PageThreadPool({ entry: ENTRY, threads: 1, log, maxReadingMs: 1_000 });
    await changing.configure(definition);
    const hung = changing.process(task(1, '/bad'));
    await changing.configure(withTrees);
    const slow = changing.process(task(2, '/slow'));
    const answer = await asked.promise;
    expect(outcome(await hung)).toBe('parse-timeout');
    await changing.configure(definition);
    expect(outcome(await changing.process(task(3, '/good')))).toBe('document');
    answer();
    expect(outcome(await slow)).toBe('document');
    expect(warnings).toEqual([]);
    await changing.close();
  });

  it('gives priority to requests, and loses nothing that waits for them when a thread ends', async () => {
    site.page('/good').page('/bad', [], 'A page that waits for ever.');
    const waiting = Promise.withResolvers<void>();
    // A loop whose next turn never comes: results are handed out only when the thread ends.
    const loop = {
      now: () => 0,
      nextTurn: () => waiting.resolve(),
      afterMicrotasks: () => undefined,
      later: () => undefined,
    };
    const apiPriority = new ApiPriority(loop);
    const busy = new PageThreadPool({ entry: ENTRY, threads: 1, log, maxReadingMs: 1_000, apiPriority });
    await busy.configure(definition);
    apiPriority.startRequest();
    const good = busy.process(task(1, '/good'));
    await waiting.promise;
    const bad = busy.process(task(2, '/bad'));
    expect(outcome(await good)).toBe('document');
    expect(outcome(await bad)).toBe('parse-timeout');
    await busy.close();
  });

  it('starts one more thread when the only one is busy and the main thread is not', async () => {
    const grown = Promise.withResolvers<void>();
    const info = (message: string): void => (message.includes('one more page thread') ? grown.resolve() : undefined);
    const growing = new PageThreadPool({
      entry: ENTRY,
      threads: 1,
      maxThreads: 2,
      log: { ...log, info },
      maxReadingMs: 5_000,
    });
    site.page('/bad', [], 'A page that waits for ever.').page('/good');
    await growing.configure(definition);
    const hung = growing.process(task(1, '/bad'));
    await grown.promise;
    expect(outcome(await growing.process(task(2, '/good')))).toBe('document');
    expect(outcome(await hung)).toBe('parse-timeout');
    await growing.close();
  });
});
