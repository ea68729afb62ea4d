import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { WarcSink } from './warc.js';

interface Record_ {
  readonly fields: Readonly<Record<string, string>>;
  readonly block: string;
}

/** Reads records by their lengths, as the standard specifies. */
function recordsOf(bytes: Buffer): Record_[] {
  const records: Record_[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    const [version, ...lines] = bytes.toString('utf8', at, end).split('\r\n');
    expect(version).toBe('WARC/1.1');
    const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
    const length = Number(fields['Content-Length']);
    records.push({ fields, block: bytes.toString('utf8', end + 4, end + 4 + length) });
    at = end + 4 + length;
    expect(bytes.toString('latin1', at, at + 4)).toBe('\r\n\r\n');
    at += 4;
  }
  return records;
}

async function archived(name: string, rotateBytes?: number) {
  const folder = temporaryDirectory();
  const sink = new WarcSink(sinkDefinition({ type: 'warc', url: join(folder, name), options: { rotateBytes } }));
  onTestFinished(() => sink.close());
  const batch = [addOrder('http://a/'), addOrder('http://a/', { stamp: 'b' }), deleteOrder('http://a/')];
  expect(await sink.deliver(batch, stillWanted())).toEqual(batch.map(() => ({ state: 'acknowledged' })));
  await sink.deliver([addOrder('http://b/')], stillWanted());
  return readdirSync(folder)
    .sort()
    .map((file) => ({ file, bytes: readFileSync(join(folder, file)) }));
}

describe('the WARC sink', () => {
  it('archives bytes once, and writes revisit records for later visits', async () => {
    const [only, ...more] = await archived('pages.warc');
    expect(more).toEqual([]);
    expect(only?.file).toMatch(/^pages-\d{17}-00001\.warc$/);
    const records = recordsOf(only!.bytes);
    const types = records.map(({ fields }) => fields['WARC-Type']);
    expect(types).toEqual([
      'warcinfo',
      'resource',
      'metadata',
      'revisit',
      'metadata',
      'metadata',
      'resource',
      'metadata',
    ]);
    const [, resource, metadata, revisit, , deletion] = records;
    expect(resource?.block).toContain('Some words about herons.');
    expect(resource?.fields['Content-Type']).toBe('text/html; charset=utf-8');
    expect(metadata?.block).toContain('title: Title of http://a/\r\n');
    expect(revisit?.fields).toMatchObject({
      'WARC-Refers-To': resource?.fields['WARC-Record-ID'],
      'WARC-Payload-Digest': resource?.fields['WARC-Payload-Digest'],
      'Content-Length': '0',
    });
    expect(deletion?.block).toBe('deleted: indexed\r\n');
  });

  it('compresses each record separately, and starts another file when one is full', async () => {
    const files = await archived('pages.warc.gz', 1000);
    expect(files.map(({ file }) => file.slice(-14))).toEqual(['-00001.warc.gz', '-00002.warc.gz']);
    const records = files.map(({ bytes }) => recordsOf(gunzipSync(bytes)).map(({ fields }) => fields['WARC-Type']));
    expect(records[1]).toEqual(['warcinfo', 'resource', 'metadata']);
  });

  it('begins a new file with the whole bytes when somebody has deleted the one that is open', async () => {
    const folder = temporaryDirectory();
    const sink = new WarcSink(sinkDefinition({ type: 'warc', url: join(folder, 'pages.warc') }));
    onTestFinished(() => sink.close());
    await sink.deliver([addOrder('http://a/')], stillWanted());
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const [file] = readdirSync(folder);
    const records = recordsOf(readFileSync(join(folder, file!)));
    expect(records.map(({ fields }) => fields['WARC-Type'])).toEqual(['warcinfo', 'resource', 'metadata']);
  });

  it('stores headings, Markdown and chunks with the metas, one line each', async () => {
    const folder = temporaryDirectory();
    const sink = new WarcSink(sinkDefinition({ type: 'warc', url: join(folder, 'pages.warc') }));
    onTestFinished(() => sink.close());
    const chunk = { text: 'One', path: ['T'], start: 0, end: 3 };
    const forms = { headings: [{ level: 2, text: 'T', start: 0 }], markdown: '## T\n\nOne', chunks: [chunk] };
    await sink.deliver([addOrder('http://a/', forms)], stillWanted());
    const [file] = readdirSync(folder);
    const records = recordsOf(readFileSync(join(folder, file!)));
    expect(records.at(-1)!.block.split('\r\n').slice(-4, -1)).toEqual([
      'headings: ## T',
      'markdown: "## T\\n\\nOne"',
      `chunks: ${JSON.stringify(chunk)}`,
    ]);
  });
});
