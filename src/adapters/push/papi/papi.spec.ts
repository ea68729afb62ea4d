import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SearchResult } from '../../../../demo-index/search/search.js';
import { runningIndex } from '../../../../test/support/push-index.js';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../../../../test/support/push-orders.js';
import { startReceiver } from '../../../../test/support/receivers/http-receiver.js';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import { Secret } from '../../../domain/secret.js';
import { SinkUnavailable } from '../../../engine/ports/sink.js';
import { PapiSink } from './papi.js';

function papiSink(url: string, overrides: Partial<SinkDefinitionOf<'papi'>> = {}): PapiSink {
  const sink = new PapiSink(sinkDefinition({ type: 'papi', url, options: { connector: 'docs' }, ...overrides }));
  onTestFinished(() => sink.close());
  return sink;
}

describe('deliveries to the bundled index', () => {
  it('adds and deletes in the order given, each acknowledged', async () => {
    const sink = papiSink((await runningIndex()).url);
    const batch = [
      addOrder('http://a/'),
      addOrder('http://b/'),
      deleteOrder('http://a/'),
      addOrder('http://c/', { stamp: 'first' }),
      deleteOrder('http://c/'),
      addOrder('http://c/', { stamp: 'second' }),
    ];
    const answers = await sink.deliver(batch, stillWanted());
    expect(answers).toEqual(batch.map(() => ({ state: 'acknowledged' })));
    expect(await heldBy(sink)).toEqual(['http://b/ a1b2c3', 'http://c/ second']);
  });

  it('transfers metas, bytes, encoding and media type unchanged', async () => {
    const index = await runningIndex();
    const metas = [
      { name: 'title', value: 'Ünï "quoted"\r\nsecond line' },
      { name: 'author', value: 'one' },
      { name: 'author', value: 'two' },
    ];
    const bytes = Buffer.concat([
      Buffer.from('<p>caf'),
      Buffer.from([0xe9]),
      Buffer.from(' \r\n--crawlway-\r\n heron'),
    ]);
    const master = { bytes, mimeType: 'text/html', encoding: 'windows-1252', fileName: 'ä "1".html' };
    await papiSink(index.url).deliver([addOrder('http://a/é?q=1&r=2', { metas, master })], stillWanted());
    const { hits } = (await (await fetch(`${index.url}/search?q=café+heron`)).json()) as SearchResult;
    expect(hits).toMatchObject([{ uri: 'http://a/é?q=1&r=2', mimeType: 'text/html', metas }]);
  });

  it('names the checkpoint in the URL, and sends no body', async () => {
    const index = await runningIndex();
    const calls: { url: string; body: string }[] = [];
    const between = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      calls.push({ url: request.url ?? '', body: body.toString() });
      const { host: _, 'transfer-encoding': __, connection: ___, 'content-length': ____, ...headers } = request.headers;
      const answer = await fetch(index.url + request.url, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(request.method === 'POST' ? { body } : {}),
      });
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void between.close());
    const { port } = between.address() as AddressInfo;
    const answers = await papiSink(`http://127.0.0.1:${port}`).deliver([addOrder('http://a/')], stillWanted());
    expect(answers).toEqual([{ state: 'acknowledged' }]);
    const checkpoint = calls.filter(({ url }) => url.includes('/set_checkpoint'));
    expect(checkpoint).toEqual([{ url: expect.stringMatching(/PAPI_checkpoint=\d+.*PAPI_sync=true/), body: '' }]);
  });

  it('sets a synced checkpoint that names the last order of the batch', async () => {
    const index = await runningIndex();
    const batch = [addOrder('http://a/'), addOrder('http://b/')];
    await papiSink(index.url).deliver(batch, stillWanted());
    const status = await (await fetch(`${index.url}/status`)).json();
    expect(status).toMatchObject({ lastCheckpoint: { connector: 'docs', value: String(batch[1]?.id) } });
  });

  it('enumerates tens of thousands of entries', async () => {
    const sink = papiSink((await runningIndex()).url);
    const batch = Array.from({ length: 3_000 }, (_, i) => addOrder(`http://a/${i}?x=é y`));
    await sink.deliver(batch, stillWanted());
    expect(await heldBy(sink)).toEqual(batch.map(({ uri }) => `${uri} a1b2c3`).sort());
  });

  it('logs in, and reports a wrong login', async () => {
    const { url } = await runningIndex({ login: 'push', password: 'sécret' });
    const right = papiSink(url, { options: { connector: 'docs', login: 'push', password: new Secret('sécret') } });
    expect(await right.deliver([addOrder('http://a/')], stillWanted())).toEqual([{ state: 'acknowledged' }]);
    const wrong = papiSink(url, { options: { connector: 'docs', login: 'push', password: new Secret('guess') } });
    const failure = wrong.deliver([addOrder('http://a/')], stillWanted());
    await expect(failure).rejects.toThrow(SinkUnavailable);
    await expect(failure).rejects.toThrow(/status 401: login and password \(or key\) are missing or wrong/);
  });
});

describe('parameters that the description of the Push API leaves open', () => {
  async function startServer() {
    const receiver = await startReceiver(({ path }) => ({ status: 200, body: path.endsWith('_id') ? '7' : '' }));
    const call = (command: string) => receiver.exchanges.filter(({ path }) => path.endsWith(`/${command}`));
    return { ...receiver, call };
  }
  const batch = () => [addOrder('http://a/'), deleteOrder('http://b/?x=1&y=é'), deleteOrder('http://c/')];
  const uris = ['http://b/?x=1&y=é', 'http://c/'];

  it.each([
    ['form', [], uris],
    ['url', uris, []],
    ['both', uris, uris],
  ] as const)('are in the %s', async (place, inUrl, inForm) => {
    const server = await startServer();
    const options = { connector: 'docs', deleteUriIn: place, deleteUriName: 'PAPI_doc', checkpointIn: place } as const;
    const sink = papiSink(server.url, { options: { ...options, syncName: 'PAPI_wait', stampName: 'version' } });
    const answers = await sink.deliver(batch(), stillWanted());
    expect(answers).toEqual(batch().map(() => ({ state: 'acknowledged' })));
    const [deletion] = server.call('delete_documents');
    expect(deletion!.query.getAll('PAPI_doc')).toEqual(inUrl);
    expect(new URLSearchParams(deletion!.body.toString()).getAll('PAPI_doc')).toEqual(inForm);
    const [checkpoint] = server.call('set_checkpoint');
    expect(checkpoint!.query.get('PAPI_wait')).toBe(inUrl.length > 0 ? 'true' : null);
    expect(new URLSearchParams(checkpoint!.body.toString()).get('PAPI_wait')).toBe(inForm.length > 0 ? 'true' : null);
    for (const { query } of [deletion!, checkpoint!]) expect(query.get('PAPI_session')).toBe('7');
    expect(server.call('add_documents')[0]!.body.toString()).toContain('name="PAPI_0:version"\r\n\r\na1b2c3');
  });

  it('are in as many URLs as their length requires', async () => {
    const server = await startServer();
    const long = Array.from({ length: 30 }, (_, i) => deleteOrder(`http://a/${i}/${'x'.repeat(500)}`));
    const sink = papiSink(server.url, { options: { connector: 'docs', deleteUriIn: 'url' } });
    await sink.deliver(long, stillWanted());
    const named = server.call('delete_documents').map(({ query }) => query.getAll('PAPI_uri'));
    expect(named.flat()).toEqual(long.map(({ uri }) => uri));
    expect(named.every((list) => list.join('').length < 5_000)).toBe(true);
  });
});

describe('a document that the server refuses', () => {
  it("is isolated and reported with the server's message; the others are acknowledged in order", async () => {
    const sink = papiSink((await runningIndex()).url);
    const nameless = Array.from({ length: 21 }, (_, i) => addOrder(i === 13 ? '' : `http://a/${i}`));
    const answers = await sink.deliver(nameless, stillWanted());
    expect(answers[13]).toEqual({ state: 'refused', message: 'document 0 has no PAPI_0:uri' });
    expect(answers.filter(({ state }) => state === 'acknowledged')).toHaveLength(20);
    expect(await heldBy(sink)).toHaveLength(20);
  });

  it('does not hold up deletions of the same batch', async () => {
    const sink = papiSink((await runningIndex()).url);
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const answers = await sink.deliver([addOrder(''), deleteOrder('http://a/')], stillWanted());
    expect(answers.map(({ state }) => state)).toEqual(['refused', 'acknowledged']);
    expect(await heldBy(sink)).toEqual([]);
  });
});
