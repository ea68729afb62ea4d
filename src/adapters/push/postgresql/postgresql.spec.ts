import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../../../../test/support/push-orders.js';
import type { SinkOptions } from '../../../domain/push/sink-types.js';
import { Secret } from '../../../domain/secret.js';
import { SinkUnavailable } from '../../../engine/ports/sink.js';
import { createSink } from '../create-sink.js';

function sinkAt(url: string, options: Partial<SinkOptions['postgresql']> = {}) {
  const sink = createSink(sinkDefinition({ type: 'postgresql', url, options }));
  onTestFinished(() => sink.close());
  return sink;
}

async function started(options: Partial<SinkOptions['postgresql']> = {}) {
  const url = await postgresDatabase();
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  const rows = async (sql: string) => (await client.query(sql)).rows;
  return { url, sink: sinkAt(url, options), rows };
}

const titled = (title: string) => ({ metas: [{ name: 'title', value: title }] });

describe('a table of documents', () => {
  it('is created on the first delivery, by several nodes at once, and has what was added and not deleted', async () => {
    const { url, sink, rows } = await started({ table: 'search.pages' });
    const other = sinkAt(url, { table: 'search.pages' });
    await Promise.all([
      sink.deliver([addOrder('http://a/'), addOrder('http://b/')], stillWanted()),
      other.deliver([addOrder('http://c/')], stillWanted()),
    ]);
    const batch = [deleteOrder('http://a/'), addOrder('http://b/', { stamp: 'second', text: 'herons' })];
    expect(await sink.deliver(batch, stillWanted())).toEqual(batch.map(() => ({ state: 'acknowledged' })));
    expect(await heldBy(sink)).toEqual(['http://b/ second', 'http://c/ a1b2c3']);
    expect(await rows(`SELECT uri, title, text, metas, mime_type FROM search.pages WHERE uri = 'http://b/'`)).toEqual([
      {
        uri: 'http://b/',
        title: 'Title of http://b/',
        text: 'herons',
        metas: { title: ['Title of http://b/'] },
        mime_type: 'text/html',
      },
    ]);
  });

  it('accepts texts that PostgreSQL rejects, and URLs longer than its indexes allow', async () => {
    const { sink, rows } = await started();
    const uri = `http://a/${'x'.repeat(20_000)}`;
    const order = addOrder(uri, { text: 'a\0b\ud800c', metas: [{ name: 'k\0', value: 'v\udc00\0' }] });
    expect(await sink.deliver([order], stillWanted())).toEqual([{ state: 'acknowledged' }]);
    expect(await rows('SELECT text, metas FROM documents')).toEqual([{ text: 'ab\ufffdc', metas: { k: ['v\ufffd'] } }]);
  });

  it('finds words with the configured text search, also in a table that existed before', async () => {
    const { url, sink, rows } = await started();
    await sink.deliver([addOrder('http://a/', { text: 'Two herons were fishing.' })], stillWanted());
    const searching = sinkAt(url, { search: 'english' });
    const long = Array.from({ length: 200_000 }, (_, i) => `word${i}`).join(' ');
    const answers = await searching.deliver([addOrder('http://b/', { text: `${long} heron` })], stillWanted());
    expect(answers).toEqual([{ state: 'acknowledged' }]);
    await searching.deliver([addOrder('http://c/', { ...titled('A heron'), text: '' })], stillWanted());
    const found = `SELECT uri FROM documents, websearch_to_tsquery('english', 'heron fish') AS q WHERE search @@ q`;
    expect(await rows(found)).toEqual([{ uri: 'http://a/' }]);
    expect(await rows(`SELECT uri FROM documents WHERE search @@ 'heron:A'::tsquery`)).toEqual([{ uri: 'http://c/' }]);
  });

  it('has an id that stays while documents change, and is another one when the table was created again', async () => {
    const { sink, rows } = await started({ table: 'search.pages' });
    expect(await sink.identify!(stillWanted())).toEqual([]);
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const ids = await sink.identify!(stillWanted());
    expect(ids).toEqual([expect.stringMatching(/^\d+$/)]);
    await sink.deliver([deleteOrder('http://a/')], stillWanted());
    expect(await sink.identify!(stillWanted())).toEqual(ids);
    await rows('DROP TABLE search.pages');
    expect(await sink.identify!(stillWanted())).toEqual([]);
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(SinkUnavailable);
    await sink.deliver([addOrder('http://a/')], stillWanted());
    expect(await sink.identify!(stillWanted())).not.toEqual(ids);
  });

  it('says when it was emptied under the same id', async () => {
    const { sink, rows } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const ids = await sink.identify!(stillWanted());
    expect(await sink.isEmpty!(stillWanted())).toBe(false);
    await rows('TRUNCATE documents');
    expect([await sink.isEmpty!(stillWanted()), await sink.identify!(stillWanted())]).toEqual([true, ids]);
  });

  it('lists more documents than one query returns', async () => {
    const { sink } = await started();
    const batch = Array.from({ length: 2_000 }, (_, i) => addOrder(`http://a/${i}`, { stamp: `s${i}` }));
    await sink.deliver(batch, stillWanted());
    expect(await heldBy(sink)).toEqual(batch.map(({ uri }, i) => `${uri} s${i}`).sort());
  });
});

describe('failures', () => {
  it("refuse the one document that the table rejects, with the database's message", async () => {
    const { sink, rows } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    await rows(`ALTER TABLE documents ADD CHECK (title <> 'bad')`);
    const batch = [addOrder('http://b/'), addOrder('http://c/', titled('bad')), deleteOrder('http://a/')];
    expect(await sink.deliver(batch, stillWanted())).toMatchObject([
      { state: 'acknowledged' },
      { state: 'refused', message: expect.stringContaining('documents_title_check') },
      { state: 'acknowledged' },
    ]);
    expect(await heldBy(sink)).toEqual(['http://b/ a1b2c3']);
  });

  it('include a dropped table, which is created again', async () => {
    const { sink, rows } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    await rows('DROP TABLE documents');
    await expect(sink.deliver([addOrder('http://b/')], stillWanted())).rejects.toThrow(SinkUnavailable);
    await sink.deliver([addOrder('http://b/')], stillWanted());
    expect(await heldBy(sink)).toEqual(['http://b/ a1b2c3']);
  });

  it('include another table of that name, which is not touched', async () => {
    const { sink, rows } = await started();
    await rows('CREATE TABLE documents (id text, uri text)');
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(
      /lacks the columns content_hash text/,
    );
  });

  it('include closed connections, after which deliveries go on', async () => {
    const { sink, rows } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    await rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crawlway'`);
    const again = sink.deliver([addOrder('http://b/')], stillWanted());
    await again.catch((error) => expect(error).toBeInstanceOf(SinkUnavailable));
    await sink.deliver([addOrder('http://b/')], stillWanted());
    expect(await heldBy(sink)).toEqual(['http://a/ a1b2c3', 'http://b/ a1b2c3']);
  });

  it.each([
    ['postgresql://10.1.2.3/docs', /10\.1\.2\.3 is neither loopback nor public/],
    ['postgresql://169.254.169.254/docs?sslmode=disable', /neither loopback nor public/],
    ['postgresql://127.0.0.1:1/docs', /sink main at 127\.0\.0\.1:1\/docs: connect ECONNREFUSED/],
  ])('include %s, with the reason', async (url, reason) => {
    const delivery = sinkAt(url, { login: 'u', password: new Secret('secret') }).deliver(
      [addOrder('http://a/')],
      stillWanted(),
    );
    await expect(delivery).rejects.toThrow(reason);
    await expect(delivery).rejects.toThrow(SinkUnavailable);
  });
});
