import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readServerOptions, UsageError } from './options.js';

const KEY = 'k'.repeat(16);

describe('the options of the server', () => {
  it('take flags before environment before defaults', () => {
    expect(readServerOptions({}, {})).toMatchObject({
      configFile: 'config/CrawlConfig.xml',
      dataDirectory: 'data',
      port: 8740,
      host: '127.0.0.1',
    });
    const env = { CRAWLWAY_PORT: '1', CRAWLWAY_DATA: '/env', CRAWLWAY_CONFIG: '/env.xml' };
    expect(readServerOptions({ port: '2' }, env)).toMatchObject({
      port: 2,
      dataDirectory: '/env',
      configFile: '/env.xml',
    });
  });

  it('treat an empty value as unset: `CRAWLWAY_DATA=` is not the root of the file system', () => {
    const empty = { CRAWLWAY_PORT: '', CRAWLWAY_DATA: '', CRAWLWAY_CONFIG: '', CRAWLWAY_HOST: '' };
    expect(readServerOptions({}, empty)).toEqual(readServerOptions({}, {}));
    expect(readServerOptions({ data: '' }, {})).toEqual(readServerOptions({}, {}));
  });

  it('refuse to listen on public addresses without a key', () => {
    for (const host of ['0.0.0.0', '::', '192.168.0.1', 'crawl.example']) {
      expect(() => readServerOptions({ host }, {})).toThrow(/refusing to listen/);
      expect(readServerOptions({ host }, { CRAWLWAY_API_KEYS: `ada:admin:${KEY}` }).host).toBe(host);
    }
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1'])
      expect(readServerOptions({ host }, {}).host).toBe(host);
  });

  it('refuse invalid keys, and never repeat them', () => {
    const bad = [
      'ada',
      'ada:admin',
      'ada:root:kkkkkkkkkkkkkkkkkkk',
      'ada:admin:',
      `:admin:${KEY}`,
      `a:read:${KEY},a:admin:${KEY}`,
    ];
    for (const keys of bad) {
      const attempt = () => readServerOptions({}, { CRAWLWAY_API_KEYS: keys });
      expect(attempt).toThrow(UsageError);
      expect(attempt).not.toThrow(/kkkk/);
    }
    expect(() => readServerOptions({ port: '65536' }, {})).toThrow(UsageError);
    expect(() => readServerOptions({ port: 'x' }, {})).toThrow(UsageError);
  });

  it('show the location of the database, and never its password', () => {
    const place = (url: string) => inspect(readServerOptions({}, { CRAWLWAY_DATABASE_URL: url }).databaseUrl);
    expect(place('sqlite:/srv/a.sqlite')).toBe('sqlite:/srv/a.sqlite');
    expect(place('postgresql://ada:PlAnTeD@db.example:5433/crawl')).toBe('postgres://db.example:5433/crawl');
    expect(place('postgres://ada:PlAn@TeD@db.example/crawl?sslmode=disable')).toBe('postgres://db.example/crawl');
    expect(place('postgres://ada:PlAnTeD@/crawl?host=/run/postgresql')).toBe('postgres:///run/postgresql/crawl');
    expect(place('postgres://db.example/crawl?password=PlAnTeD&user=ada')).toBe('postgres://db.example/crawl');
  });

  it('refuse an ambiguous database URL, and repeat nothing of it', () => {
    const misread = ['', '1/', 'x/', '1?', '1#', '%'].map(
      (start) => `postgres://ada:${start}PlAnTeD@db.example:x/crawl`,
    );
    const legible = ['1/', '1?', '1#'].map((start) => `postgres://ada:${start}PlAnTeD@db.example/crawl`);
    for (const url of [...misread, ...legible, 'postgre://ada:PlAnTeD@db/crawl', 'ada:PlAnTeD@db', 'PlAnTeD']) {
      const attempt = () => readServerOptions({}, { CRAWLWAY_DATABASE_URL: url });
      expect(attempt, url).toThrow(UsageError);
      expect(attempt, url).not.toThrow(/PlAnTeD|ada/);
    }
  });

  it('keep only the digest of a key', () => {
    const { apiKeys } = readServerOptions({}, { CRAWLWAY_API_KEYS: ` ada:admin:${KEY} , bob:read:with:colons:${KEY}` });
    expect(apiKeys.map(({ name, role }) => [name, role])).toEqual([
      ['ada', 'admin'],
      ['bob', 'read'],
    ]);
    expect(JSON.stringify(apiKeys)).not.toContain(KEY);
  });
});
