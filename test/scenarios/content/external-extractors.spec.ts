import { execFile } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/time/units.js';
import type { AsyncExtractor, Extraction } from '../../../src/engine/ports/content-extractor.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

/** Each line of a body is a link; a process of its own reads them, and ends with an error when there is none. */
const lists: AsyncExtractor = {
  kind: 'async',
  name: 'lists',
  mediaTypes: ['application/x-list'],
  timeLimit: seconds(60),
  extract: (body, _type, _context, signal) =>
    new Promise((resolve, reject) => {
      const child = execFile(process.execPath, ['-e', LISTER], { signal }, (error, output) => {
        if (error) reject(error);
        else resolve(JSON.parse(output) as Extraction);
      });
      child.stdin!.end(body);
    }),
};

const LISTER = `
let text = '';
process.stdin.on('data', (chunk) => { text += chunk; }).on('end', () => {
  const lines = text.split('\\n').filter(Boolean);
  if (lines.length === 0) process.exit(1);
  const links = lines.map((href) => ({ href, kind: 'a', nofollow: false }));
  const fields = [{ name: 'lines', value: String(lines.length) }];
  console.log(JSON.stringify({ title: 'A list', text: 'read elsewhere', links, fields, metas: [], robotsMetas: [], truncated: false }));
});`;

describe('content extracted by an external process', () => {
  let site: FakeSite;
  let world: CrawlWorld;

  beforeEach(async () => {
    const list = (body: string) => ({ body, headers: { 'content-type': 'application/x-list' } });
    site = (await FakeSite.start())
      .page('/', ['/list', '/empty', '/plain'])
      .set('/list', list('/a\n/b\n'))
      .set('/empty', list(''))
      .page('/plain')
      .page('/a')
      .page('/b');
    world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none', extractors: [lists] });
    await world.untilIdle();
  });

  afterEach(async () => {
    await world.close();
    await site.close();
  });

  it('is delivered with its text, title and fields, and its links are crawled', () => {
    const document = world.pushed().get(site.url('/list'));
    expect(document).toMatchObject({ text: 'read elsewhere' });
    expect(document?.metas).toEqual(
      expect.arrayContaining([
        { name: 'title', value: 'A list' },
        { name: 'lines', value: '2' },
      ]),
    );
    expect(site.fetched).toEqual(['/', '/a', '/b', '/empty', '/list', '/plain']);
    expect(world.pushed().size).toBe(6);
  });

  it('goes out without text when the process ends with an error, and the visit says so', async () => {
    expect(world.pushed().get(site.url('/empty'))).toMatchObject({ text: '' });
    const state = await world.state(site.url('/empty'));
    const [visit] = await world.store.listVisits(state!.id, 1);
    expect(visit).toMatchObject({ outcome: 'document', detail: expect.stringMatching(/^extract-corrupt: .*lists/) });
  });
});
