/** Assistants over the Model Context Protocol, driven by the client of its SDK, over HTTP and over stdio. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CrawlwayClient } from '../../client/index.js';
import { previewSchema } from '../../src/server/configuration/configuration.schema.js';
import { createAssistantTools } from '../../src/server/mcp/assistant-tools.js';
import { urlListOutcomeSchema } from '../../src/server/roots/root.schema.js';
import { urlPageSchema } from '../../src/server/urls/url-state.schema.js';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { ApiWorld } from './api-world.js';

const KEYS = { reader: 'r'.repeat(32), operator: 'o'.repeat(32), admin: 'a'.repeat(32) };

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
}

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly enum?: readonly string[];
}

describe('the MCP tools for assistants', () => {
  let world: ApiWorld;

  beforeAll(async () => {
    world = await ApiWorld.start({
      keys: `reader:read:${KEYS.reader},operator:operate:${KEYS.operator},admin:admin:${KEYS.admin}`,
      callsPerMinute: 1_000,
    });
  });
  afterAll(() => world.stop());

  async function connected(key: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.server.url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    // A client that knows the output schemas checks each result.
    await client.listTools();
    return client;
  }
  async function asked(client: Client, name: string, args: Record<string, unknown> = {}) {
    const {
      isError = false,
      content,
      structuredContent,
    } = (await client.callTool({ name, arguments: args })) as Result;
    const text = content[0]!.text;
    const value = isError ? undefined : JSON.parse(text);
    expect(structuredContent).toEqual(value);
    return { isError, text, value };
  }

  it('can look, submit and preview, and can neither delete nor change the configuration', async () => {
    const { tools } = await (await connected(KEYS.admin)).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'explain_url',
      'search_urls',
      'crawl_status',
      'list_errors',
      'submit_urls',
      'preview_rule',
    ]);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)).toEqual([
      'submit_urls',
    ]);
  });

  it('refuse an argument that they do not have, instead of answering without it', async () => {
    const client = await connected(KEYS.reader);
    for (const [name, args] of [
      ['list_errors', { code: 'http-404' }],
      ['crawl_status', { crawler: 'test' }],
      ['search_urls', { pattern: '%/a.html' }],
    ] as const) {
      const { isError, text } = await asked(client, name, args);
      expect([isError, text]).toEqual([true, expect.stringContaining(Object.keys(args)[0]!)]);
    }
    expect((await asked(client, 'crawl_status')).isError).toBe(false);
  });

  it('explain the state of a URL, list URLs, and report what limits the crawl and what fails', async () => {
    const client = await connected(KEYS.reader);
    const url = world.site.url('/a.html');
    const { value: explained } = await asked(client, 'explain_url', { url });
    expect(explained).toMatchObject({
      explanations: [{ crawler: 'test', explanation: { url }, isShortened: false }],
      otherCrawlers: [],
    });
    const { value: found } = await asked(client, 'search_urls', { like: '%/c.html', limit: 5 });
    expect(found.items.every(({ url }: { url: string }) => url.endsWith('/c.html'))).toBe(true);
    const { value: status } = await asked(client, 'crawl_status');
    expect(status.crawlers[0]).toMatchObject({ name: 'test', limitedBy: { kind: expect.any(String) } });
    expect(status.sinks).toHaveLength(1);
    expect((await asked(client, 'list_errors')).value.items).toEqual(expect.any(Array));
  });

  it('describe their results with the schemas of the API', async () => {
    const { tools } = await (await connected(KEYS.reader)).listTools();
    const properties = Object.fromEntries(
      tools.map(({ name, outputSchema }) => [name, Object.keys(outputSchema?.properties ?? {})]),
    );
    expect(properties).toEqual({
      explain_url: ['explanations', 'otherCrawlers'],
      search_urls: Object.keys(urlPageSchema.fields),
      crawl_status: ['crawlers', 'sinks'],
      list_errors: ['items', 'next'],
      submit_urls: Object.keys(urlListOutcomeSchema.fields),
      preview_rule: Object.keys(previewSchema.fields),
    });
    const explanation = tools[0]!.outputSchema!.properties!['explanations'] as { items: Described };
    expect(explanation.items.properties!['explanation']!.properties!['headline']!.properties!['fate']!.enum).toContain(
      'in-index',
    );
    expect(JSON.stringify(tools).length).toBeLessThan(60_000);
  });

  it('return nothing that people would not see', async () => {
    const hidden = [...'obey'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
    const { text } = await asked(await connected(KEYS.reader), 'list_errors', { crawler: `a${hidden}\u200bb` });
    expect(text).toContain('a?????b');
  });

  it('are limited to the rights of the key, and say what is not allowed', async () => {
    const reader = await connected(KEYS.reader);
    const urls = [world.site.url('/b.html')];
    expect(await asked(reader, 'submit_urls', { urls })).toMatchObject({
      isError: true,
      text: expect.stringContaining('requires the role operate; reader has read'),
    });
    const operator = await connected(KEYS.operator);
    expect((await asked(operator, 'submit_urls', { urls })).value).toMatchObject({ rejected: 0 });
    expect((await asked(operator, 'preview_rule', { rule: '<Rule/>' })).text).toContain('requires the role admin');
    expect((await asked(reader, 'explain_url', { url: 'no URL', crawler: 'test' })).isError).toBe(true);
  });

  it('do not return hundreds of results for one call', async () => {
    const list = (count: number) =>
      world.send(
        'POST',
        '/mcp',
        Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
        {
          authorization: `Bearer ${KEYS.reader}`,
          accept: 'application/json, text/event-stream',
        },
      );
    expect((await list(20)).body).toHaveLength(20);
    expect((await list(21)).status).toBe(400);
  });

  it('show the effect of a rule without changing the configuration', async () => {
    const client = await connected(KEYS.admin);
    const admin = { authorization: `Bearer ${KEYS.admin}` };
    const before = (await world.get('/api/v1/config', admin)).text;
    const { value } = await asked(client, 'preview_rule', { rule: '<Rule><Path value="/a"/><Ignore/></Rule>' });
    expect(value.done).toBe(true);
    expect((await asked(client, 'preview_rule', { rule: '<Rule><Nothing/></Rule>' })).isError).toBe(true);
    expect((await world.get('/api/v1/config', admin)).text).toBe(before);
  });

  it('shorten what is too long, but no page with a cursor', async () => {
    const client = await connected(KEYS.operator);
    const wrong = Array.from({ length: 1_000 }, (_, i) => `https://${'x'.repeat(150)}[${i}/`);
    const { text, value } = await asked(client, 'submit_urls', { urls: wrong });
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(value.rejected).toBe(1_000);
    expect(value.rejections).toHaveLength(250);
    const long = Array.from({ length: 40 }, (_, i) => world.site.url(`/long?${'x'.repeat(1_900)}${i}`));
    expect((await asked(client, 'submit_urls', { urls: long })).value).toMatchObject({ new: 40 });
    const search = { like: '%/long?%', limit: 39 };
    expect(await asked(client, 'search_urls', search)).toMatchObject({
      isError: true,
      text: expect.stringContaining('smaller `limit`'),
    });
    expect((await asked(client, 'search_urls', { ...search, limit: 5 })).value.items).toHaveLength(5);
  });

  it('ask ten crawlers at most, and name the others', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `crawler-${i}`);
    const headers = { authorization: `Bearer ${KEYS.reader}` };
    const asIfThereWereMore = async (url: string, init: RequestInit) => {
      const response = await fetch(url.replace(/crawler-\d+/, 'test'), { ...init, headers });
      if (!url.endsWith('/crawlers')) return response;
      const { items } = (await response.json()) as { items: object[] };
      return Response.json({ items: names.map((name) => ({ ...items[0], name })), next: null });
    };
    const tools = createAssistantTools(new CrawlwayClient({ server: world.server.url, fetch: asIfThereWereMore }));
    const client = new Client({ name: 'test', version: '1' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([tools.connect(theirs), client.connect(ours)]);
    onTestFinished(() => client.close());
    const { text, value } = await asked(client, 'explain_url', { url: world.site.url('/a.html') });
    expect(value.explanations.map(({ crawler }: { crawler: string }) => crawler)).toEqual(names.slice(0, 10));
    expect(value.otherCrawlers).toEqual(names.slice(10));
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect((await asked(client, 'list_errors')).text).toContain('Name one of these crawlers: crawler-0, ');
  });

  it('are the same over stdio with `crawlway mcp`', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...crawlwayCommand(), 'mcp', '--server', world.server.url],
      env: { PATH: process.env['PATH'] ?? '', CRAWLWAY_API_KEY: KEYS.reader },
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(6);
    expect((await asked(client, 'crawl_status')).value.crawlers[0].name).toBe('test');
    expect((await asked(client, 'submit_urls', { urls: [world.site.url('/')] })).isError).toBe(true);
  });

  it('are refused without a key, and for requests of a browser from another site', async () => {
    await expect(connected('x'.repeat(32))).rejects.toThrow(/API key/);
    const headers = { authorization: `Bearer ${KEYS.admin}`, 'sec-fetch-site': 'cross-site' };
    expect((await world.send('POST', '/mcp', {}, headers)).status).toBe(403);
    expect((await world.get('/mcp', { authorization: `Bearer ${KEYS.admin}` })).status).toBe(405);
  });
});
