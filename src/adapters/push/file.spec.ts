import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { FileSink, StreamSink } from './file.js';
import { toOrderRecord } from './order-record.js';

function fileSink(path: string): FileSink {
  const sink = new FileSink(sinkDefinition({ type: 'file', url: path }));
  onTestFinished(() => sink.close());
  return sink;
}

const written = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('the file sink', () => {
  it('appends one line of JSON for every order, in a directory that it creates', async () => {
    const path = join(temporaryDirectory(), 'new', 'orders.jsonl');
    const batch = [addOrder('http://a/'), deleteOrder('http://b/')];
    expect(await fileSink(path).deliver(batch, stillWanted())).toEqual([
      { state: 'acknowledged' },
      { state: 'acknowledged' },
    ]);
    await fileSink(path).deliver([deleteOrder('http://c/')], stillWanted());
    expect(written(path).slice(0, 2)).toEqual(batch.map((order) => toOrderRecord(order)));
    expect(written(path)).toHaveLength(3);
  });

  it('does not mix the lines of concurrent deliveries', async () => {
    const path = join(temporaryDirectory(), 'orders.jsonl');
    const sink = fileSink(path);
    const batches = Array.from({ length: 5 }, (_, b) =>
      Array.from({ length: 20 }, (_, i) => addOrder(`http://a/${b}/${i}`, { text: 'x'.repeat(20_000) })),
    );
    await Promise.all(batches.map((batch) => sink.deliver(batch, stillWanted())));
    expect(written(path).map(({ id }) => id)).toEqual(batches.flat().map(({ id }) => id));
  });

  it.each(['moved', 'deleted'])('begins a new file when somebody has %s the one that is open', async (change) => {
    const path = join(temporaryDirectory(), 'orders.jsonl');
    const sink = fileSink(path);
    await sink.deliver([deleteOrder('http://a/')], stillWanted());
    if (change === 'moved') renameSync(path, `${path}.taken`);
    else rmSync(path);
    await sink.deliver([deleteOrder('http://b/')], stillWanted());
    expect(written(path).map(({ uri }) => uri)).toEqual(['http://b/']);
    if (change === 'moved') expect(written(`${path}.taken`).map(({ uri }) => uri)).toEqual(['http://a/']);
  });

  it('removes a line that a crash cut short', async () => {
    const path = join(temporaryDirectory(), 'orders.jsonl');
    const whole = `${JSON.stringify(toOrderRecord(deleteOrder('http://a/')))}\n`;
    writeFileSync(path, `${whole}{"kind":"add","id":7,"text":"${'x'.repeat(200_000)}`);
    await fileSink(path).deliver([deleteOrder('http://b/')], stillWanted());
    expect(written(path).map(({ uri }) => uri)).toEqual(['http://a/', 'http://b/']);
  });

  it('does not touch a file whose last line it has not written', async () => {
    const path = join(temporaryDirectory(), 'notes.txt');
    writeFileSync(path, 'first\nremember the milk');
    const delivery = fileSink(path).deliver([deleteOrder('http://b/')], stillWanted());
    await expect(delivery).rejects.toThrow(/specify a different file/);
    expect(readFileSync(path, 'utf8')).toBe('first\nremember the milk');
  });

  it('is unavailable while the file cannot be written, and goes on when it can', async () => {
    const path = join(temporaryDirectory(), 'orders.jsonl');
    mkdirSync(path);
    const sink = fileSink(path);
    await expect(sink.deliver([deleteOrder('http://a/')], stillWanted())).rejects.toThrow(SinkUnavailable);
    rmdirSync(path);
    expect(await sink.deliver([deleteOrder('http://a/')], stillWanted())).toEqual([{ state: 'acknowledged' }]);
  });
});

describe('rotated files', () => {
  const line = (uri: string) => addOrder(uri, { text: 'x'.repeat(600) });

  async function rotating(compress?: 'gzip') {
    const url = join(temporaryDirectory(), 'orders.jsonl');
    const sink = new FileSink(sinkDefinition({ type: 'file', url, options: { rotateBytes: 1000, compress } }));
    onTestFinished(() => sink.close());
    for (const name of ['a', 'b', 'c']) await sink.deliver([line(`http://${name}/`)], stillWanted());
    const files = readdirSync(dirname(url)).sort();
    return { sink, files, folder: dirname(url) };
  }

  it('are renamed with their time, and give their documents back', async () => {
    const { sink, files } = await rotating();
    expect(files.filter((name) => /^orders-\d{17}\.jsonl$/.test(name)).length).toBeGreaterThan(0);
    const kept = await sink.readDocuments(['http://a/', 'http://c/', 'http://never/'], stillWanted());
    expect(kept.map(({ document }) => document.uri).sort()).toEqual(['http://a/', 'http://c/']);
  });

  it('do not overwrite each other if they are full in the same millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const { sink } = await rotating();
    const uris = ['a', 'b', 'c'].map((name) => `http://${name}/`);
    const kept = await sink.readDocuments(uris, stillWanted());
    expect(kept.map(({ document }) => document.uri).sort()).toEqual(uris);
  });

  it('are still read after another one is full', async () => {
    const { sink } = await rotating();
    const uris = ['a', 'b', 'c', 'd', 'e'].map((name) => `http://${name}/`);
    await sink.readDocuments(uris, stillWanted());
    for (const uri of uris.slice(3)) await sink.deliver([line(uri)], stillWanted());
    const kept = await sink.readDocuments(uris, stillWanted());
    expect(kept.map(({ document }) => document.uri).sort()).toEqual(uris);
  });

  it('give documents back with headings, Markdown and chunks', async () => {
    const { sink } = await rotating();
    const forms = {
      headings: [{ level: 1, text: 'Herons', start: 0 }],
      markdown: '# Herons',
      chunks: [{ text: 'Herons', path: ['Herons'], start: 0, end: 6 }],
    };
    await sink.deliver([addOrder('http://forms/', forms)], stillWanted());
    const [kept] = await sink.readDocuments(['http://forms/'], stillWanted());
    expect(kept!.document).toMatchObject(forms);
  });

  it('are compressed completely when configured', async () => {
    const { files, folder } = await rotating('gzip');
    const packed = files.filter((name) => name.endsWith('.jsonl.gz'));
    expect(files.filter((name) => /-\d{17}\.jsonl$/.test(name))).toEqual([]);
    const lines = packed.flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trimEnd()
        .split('\n'),
    );
    expect(lines.map((text) => JSON.parse(text).uri)).toContain('http://a/');
  });
});

it('a stream that is read slowly slows down the deliveries, and one that nobody reads takes none', async () => {
  const lines: string[] = [];
  let take = (): void => undefined;
  const stream = new Writable({
    highWaterMark: 1,
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      take = done;
    },
  });
  stream.on('error', () => undefined);
  const sink = new StreamSink('out', stream);
  const delivery = sink.deliver([addOrder('http://a/'), addOrder('http://b/')], stillWanted());
  await setImmediate();
  expect([lines.length, stream.writableLength]).toEqual([1, Buffer.byteLength(lines[0]!)]);
  take();
  await expect.poll(() => lines).toHaveLength(2);
  take();
  expect(await delivery).toHaveLength(2);
  stream.destroy();
  await expect(sink.deliver([addOrder('http://c/')], stillWanted())).rejects.toThrow(SinkUnavailable);
});
