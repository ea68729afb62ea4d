import { describe, expect, test } from 'vitest';
import { holding } from '../../../test/support/holding.js';
import { parseIndexerConf } from '../../../test/support/indexer-conf.js';
import { formatPlace } from '../crawl/place.js';

const read = (text: string) => parseIndexerConf(text, 'indexer.conf');

describe('other syntax of mnoGoSearch files', () => {
  test('a value of several words loses its quotes', () => {
    const { servers } = read('Tag "two words"\nServer http://www/');
    expect(servers.records[0]?.parameters.tag).toBe('two words');
  });

  test.each([
    ['Serv http://a/', 'did you mean Server?'],
    ['Servr http://a/', 'did you mean Server?'],
    ['Perid 7d', 'did you mean Period?'],
    ['Per 7d', 'did you mean Period?'],
    ['Tagg A', 'did you mean Tag?'],
    ['NetErrorDelay 1d', 'did you mean NetErrorDelayTime?'],
    ['Realm http://a/*', 'a crawl rule'],
    ['URL http://a/', 'Root'],
    ['ServerTable mysql://x/', 'Server commands'],
    ['Include more.conf', 'into this file'],
  ])('%s is skipped with a hint at the likely intent', (line, hint) => {
    const { problems } = read(`Server http://www/\n${line}`);
    expect(problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining(hint), place: { line: 2 } },
    ]);
  });

  test.each(['file:///etc/', 'junk'])('an Alias to %s is an error', (to) => {
    expect(read(`Server http://www/\nAlias http://www/ ${to}`).problems).toMatchObject([{ severity: 'error' }]);
  });
});

describe('parseIndexerConf', () => {
  test("reads mnoGoSearch's documented example: each Server takes the Period before it", () => {
    const { servers, problems } = read('Period 600000\nServer http://www/\nPeriod 200000\nServer http://www/news/\n');
    expect(problems).toEqual([]);
    expect(servers.records.map(({ url, parameters }) => [url, parameters.period])).toEqual([
      ['http://www/', 600_000_000],
      ['http://www/news/', 200_000_000],
    ]);
    expect(servers.defaults.period).toBe(200_000_000);
  });

  test('reads every supported command', () => {
    const { servers, problems } = read(`
      FollowOutside yes
      DeleteNoServer no
      Tag news
      Category AB01
      MaxHops 7
      ReadTimeOut 30
      DocTimeOut 1M30s
      Robots no
      Index yes
      Follow no
      MaxNetErrors 5
      NetErrorDelayTime 1d
      AuthBasic me:secret
      Server "http://www/" http://localhost:81/
    `);
    expect(problems).toEqual([]);
    expect(servers).toMatchObject({ followOutside: true, deleteNoServer: false });
    expect(servers.records[0]?.parameters).toEqual({
      tag: 'news',
      category: 'AB01',
      maxHops: 7,
      readTimeout: 30_000,
      documentTimeout: 90_000,
      robots: false,
      index: true,
      follow: false,
      maxNetworkErrors: 5,
      networkErrorDelay: 86_400_000,
      authentication: holding('me:secret'),
      alias: 'http://localhost:81/',
    });
  });

  test('an Alias covers the records below it, and creates one inside a record', () => {
    expect(read('Server http://www/a/\nAlias http://www/ http://x/').problems).toEqual([]);
    const { servers } = read(
      'Server http://www/a/\nTag t\nServer http://web/\nAlias http://www/ http://x/\nAlias http://web/b/ http://file.example/',
    );
    expect(servers.records.map(({ url, parameters }) => [url, parameters.alias, parameters.tag])).toEqual([
      ['http://www/a/', 'http://x/a/', undefined],
      ['http://web/', undefined, 't'],
      ['http://web/b/', 'http://file.example/', 't'],
    ]);
  });

  test('a backslash at the end of the file ends its last command, too', () => {
    const { servers } = read('Server http://a/\nServer http://b/ \\');
    expect(servers.records.map(({ url }) => url)).toEqual(['http://a/', 'http://b/']);
  });

  test.each([
    'Server http://h.test/ AuthBasic u:SECRET',
    'Server http://h.test/ http://m.test/ AuthBasic u:SECRET',
    'Server u:SECRET',
    'Server http://u:SECRET@h.test/ a b',
    'Server "http://h.test/ u:SECRET" a b',
    'Period AuthBasic u:SECRET',
    'Alias http://h.test/ AuthBasic u:SECRET',
    'AuthBasic SECRET',
    'Robots no AuthBasic u:SECRET',
  ])('quotes no password: %s', (line) => {
    const { problems } = read(line);
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
    expect(JSON.stringify(problems)).not.toContain('SECRET');
  });

  test.each(['file:///etc/', 'junk/', 'ftp://a/'])('refuses the alias %s, of which nothing can be fetched', (alias) => {
    const { servers, problems } = read(`Server http://www/ ${alias}\nServer http://web/\nAlias http://web/ ${alias}`);
    expect(servers.records.map(({ url, parameters }) => [url, parameters.alias])).toEqual([['http://web/', undefined]]);
    expect(problems.map(({ severity, place }) => `${severity} ${place.line}`)).toEqual(['error 1', 'error 3']);
  });

  test('warns about unsupported commands by line, and refuses invalid values', () => {
    const { servers, problems } = read(
      '# comment\nDBAddr mysql://x/\nDisallow *.gif \\\n  *.jpg\nPeriod soon\nRobots maybe\nServer site http://a/ b c\nAuthBasic pw\nAlias http://q/ http://r/',
    );
    expect(servers.records).toEqual([]);
    expect(problems.map(({ severity, place, message }) => `${severity} ${formatPlace(place)} ${message}`)).toEqual([
      'warning indexer.conf:2:1 DBAddr has no effect in Crawlway and is ignored',
      'warning indexer.conf:3:1 Disallow has no effect in Crawlway and is ignored; the URLs that it excluded will be crawled: write it as a crawl rule',
      'error indexer.conf:5:1 invalid value "soon" for Period: expected seconds, or a period such as 1d12h (s, M, h, d, m, y; M is a minute, m a month)',
      'error indexer.conf:6:1 invalid value "maybe" for Robots: expected yes or no',
      'error indexer.conf:7:1 invalid value "site …" for Server: expected a URL that begins with http:// or https://, and at most an alias after it; leave out site and write the URL of the home page',
      'error indexer.conf:8:1 invalid value (hidden) for AuthBasic: expected user:password',
      'warning indexer.conf:9:1 no Server record covers URLs that begin with http://q/, so this Alias has no effect',
    ]);
  });
});

test.each([
  'Server http://ada:pw@a/',
  'Server http://a/ http://ada:pw@b/',
  'Alias http://a/ http://ada:pw@b/',
  'Alias http://ada:pw@a/ http://b/ x',
])('%s: a user name in a URL is refused with a hint at where it belongs, and is not shown', (line) => {
  const { problems } = read(line);
  expect(problems.map(({ severity }) => severity)).toEqual(['error']);
  expect(JSON.stringify(problems)).not.toContain('pw');
});

test('an AuthBasic without a Server after it is reported', () => {
  const { problems } = read('Server http://a/\nAuthBasic ada:pw\n');
  expect(problems).toMatchObject([{ severity: 'warning', place: { line: 2 } }]);
});

describe('a mnoGoSearch file', () => {
  const urls = (text: string) =>
    read(text).servers.records.map(({ url, place }) => `${place.line}:${place.column} ${url}`);

  test.each([
    ['a byte order mark', '\uFEFFServer http://a/', ['1:1 http://a/']],
    [
      'comments and blank lines',
      '# x\n\n  # y \\\n  Server http://a/ \r\nSERVER http://b/\rserver http://c/',
      ['4:3 http://a/', '5:1 http://b/', '6:1 http://c/'],
    ],
    [
      'a command over several lines',
      'Server \\\n  http://a/\nServer\\\nhttp://b/\\',
      ['1:1 http://a/', '3:1 http://b/'],
    ],
    ['quotes', 'Server \'http://a/\'\nServer "http://b/"', ['1:1 http://a/', '2:1 http://b/']],
  ])('may have %s', (_, text, expected) => expect(urls(text)).toEqual(expected));

  test('that is not UTF-8 is reported where it is not, for commands that are known', () => {
    const { problems } = read('Server http://www/\nTag caf\uFFFD\nUnknown caf\uFFFD');
    expect(problems.map(({ code, place, message }) => [code, place.line, message.includes('UTF-8')])).toEqual([
      ['bad-rule-file', 2, true],
      ['ignored-command', 3, false],
    ]);
  });

  test('a login that no server uses is reported', () => {
    const used = read('AuthBasic me:secret\nServer http://www/');
    expect(used.problems).toEqual([]);
    const unused = read('Server http://www/\nAuthBasic me:secret').problems;
    expect(unused).toMatchObject([{ place: { line: 2 }, message: expect.stringContaining('AuthBasic') }]);
    expect(unused[0]!.message).not.toContain('secret');
  });
});
