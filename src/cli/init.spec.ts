import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { XML_FORMAT } from '../server/engine.module.js';
import { UsageError } from '../server/options.js';
import { type InitOptions, init } from './init.js';

describe('a first configuration', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'crawlway-init-'));
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  const written = async (url: string, options: InitOptions) => {
    const config = join(folder, 'CrawlConfig.xml');
    await init(url, { offline: true, ...options, config, force: true });
    const { definition, problems } = XML_FORMAT.read(readFileSync(config, 'utf8'), {
      file: config,
      readFile: () => '',
    });
    expect(problems).toEqual([]);
    return definition!.fetchers.map(({ userAgent, headers, allowedAddresses }) => ({
      userAgent,
      headers,
      allowedAddresses,
    }));
  };

  it('names the contact for operators of sites, if given', async () => {
    const [site, intranet] = ['https://93.184.215.14/', 'http://127.0.0.1:1/'];
    const allowedAddresses = ['127.0.0.1/32'];
    expect(await written(site, { contact: 'https://a.example/bot' })).toEqual([
      { userAgent: 'Crawlway/0.1 (+https://a.example/bot)', headers: {}, allowedAddresses: [] },
    ]);
    expect(await written(intranet, { contact: 'ops@a.example' })).toEqual([
      { userAgent: 'Crawlway/0.1 (ops@a.example)', headers: { from: 'ops@a.example' }, allowedAddresses },
    ]);
    expect(await written(intranet, {})).toEqual([{ userAgent: 'Crawlway/0.1', headers: {}, allowedAddresses }]);
    expect(await written(site, {})).toEqual([{ userAgent: 'Crawlway/0.1', headers: {}, allowedAddresses: [] }]);
  });

  it('delivers headings to a search engine, for which they are a field', async () => {
    const config = join(folder, 'CrawlConfig.xml');
    const contents = async (options: InitOptions) => {
      await init('https://93.184.215.14/', { ...options, offline: true, config, force: true });
      const { definition } = XML_FORMAT.read(readFileSync(config, 'utf8'), { file: config, readFile: () => '' });
      return definition!.crawlers[0]!.contents?.map(({ headings }) => headings) ?? [];
    };
    const address = { sinkUrl: 'https://93.184.215.15:9200', index: 'web' };
    expect(await contents({ sink: 'opensearch', ...address })).toEqual([true]);
    expect(await contents({})).toEqual([]);
  });

  it('names no secret for the sample, which needs none', async () => {
    await init(undefined, { config: join(folder, 'CrawlConfig.xml') });
    expect(vi.mocked(process.stdout.write).mock.calls.join()).toMatch(/sample site[\s\S]*Next: /);
    expect(vi.mocked(process.stdout.write).mock.calls.join()).not.toContain('secret');
  });

  it('is not the sample when an option concerns a site whose URL is missing', async () => {
    const config = join(folder, 'CrawlConfig.xml');
    await expect(init(undefined, { config, sinkUrl: 'http://a.example/' })).rejects.toThrow(
      '--sink-url applies only when crawling a site: specify its URL as well',
    );
    await init(undefined, { config });
    expect(readFileSync(config, 'utf8')).toContain('CrawlConfig');
  });

  it('says which addresses are allowed, and which name has none', async () => {
    await written('http://localhost:1/', { json: true });
    await written('http://a.invalid/', { json: true });
    const notes = vi.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)).notes);
    expect(notes).toEqual([
      [expect.stringMatching(/^localhost is not public: the configuration allows .*127\.0\.0\.1\/32/)],
      ['a.invalid has no address: check the name, or DNS.'],
    ]);
  });

  it('says whether the site answers', async () => {
    const server = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await written(url, { offline: false, json: true });
    server.close();
    await once(server, 'close');
    await written(url, { offline: false, json: true });
    const notes = vi.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)).notes[1]);
    expect(notes).toEqual([
      `${url} answers 401: check the URL, or whether it needs a login.`,
      expect.stringContaining(`${url} cannot be reached from here (ECONNREFUSED)`),
    ]);
  });

  it('refuses a word that is neither an address nor the name of a host', async () => {
    await expect(written('not_a_url', {})).rejects.toThrow(
      'not_a_url is not a web site address such as https://www.example.com/',
    );
    await written('localhost:1', {});
    expect(readFileSync(join(folder, 'CrawlConfig.xml'), 'utf8')).toContain('"http://localhost:1/"');
  });

  it('refuses an invalid contact', async () => {
    await expect(written('https://93.184.215.14/', { contact: 'me' })).rejects.toThrow(UsageError);
  });
});
