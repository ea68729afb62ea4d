/** Sentences in quotes are from the reference system: mnoGoSearch, "How does indexer walk through the hypertext links". */
import { describe, expect, test } from 'vitest';
import { candidate, crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { holding } from '../../../test/support/holding.js';
import { parseIndexerConf } from '../../../test/support/indexer-conf.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import { compileServers, getServerScope } from './server-records.js';
import type { Candidate } from './verdict.js';

function judge(conf: string, url: string, parts: Partial<Candidate> = {}) {
  const { servers, problems } = parseIndexerConf(conf, 'indexer.conf');
  expect(problems).toEqual([]);
  return compilePolicy(crawlerDefinition({ servers }), undefined).judge(candidate(url, parts));
}

const onPage1 = { from: toCrawlUrl('http://www/page1.html') };
const BOTH = 'Server http://www/\nServer http://web/\n';

describe('server records', () => {
  test('"indexer will choose the second Server record for the http://www/news/page1.html"', () => {
    const conf = 'Period 600000\nServer http://www/\nPeriod 200000\nServer http://www/news/\n';
    expect(judge(conf, 'http://www/news/page1.html').effects.period).toBe(200_000_000);
    expect(judge(conf, 'http://www/page1.html').effects.period).toBe(600_000_000);
  });

  test('the longest prefix wins whatever the order of writing', () => {
    const conf = 'Period 200000\nServer http://www/news/\nPeriod 600000\nServer http://www/\n';
    expect(judge(conf, 'http://www/news/page1.html').effects.period).toBe(200_000_000);
  });

  test('1) "It also jumps between servers if both of them are represented in indexer.conf"', () => {
    expect(judge(BOTH, 'http://web/page2.html', onPage1).accepted).toBe(true);
    expect(judge(BOTH, 'http://other/', onPage1)).toMatchObject({ accepted: false, reason: 'no-server-record' });
  });

  test('1) "If one of the Server command will be deleted, indexer will remove all expired URLs from this server"', () => {
    expect(judge('Server http://www/', 'http://web/page2.html', { discoveredVia: 'stored' })).toMatchObject({
      accepted: false,
      reason: 'no-server-record',
      keepDocument: false,
    });
  });

  test('2) "indexer will walk through the ANY found URLs", with the parameters at the end of the list', () => {
    const conf = `FollowOutside yes\nPeriod 100\n${BOTH}Period 500\n`;
    expect(judge(conf, 'http://other/', onPage1).effects.period).toBe(500_000);
    expect(judge(conf, 'http://web/', onPage1).effects.period).toBe(100_000);
  });

  test('the records of a definition are compiled once, and those of another definition by themselves', () => {
    const parse = (conf: string) => parseIndexerConf(conf, 'indexer.conf').servers;
    const servers = parse('Server http://www/');
    const record = compileServers(servers)('http://www/page1.html');
    expect(record?.prefix).toBe('http://www/');
    expect(compileServers(servers)('http://www/page2.html')).toBe(record);
    expect(compileServers(parse('Server http://www/page'))('http://www/page1.html')?.prefix).toBe('http://www/page');
  });

  describe('3) DeleteNoServer no', () => {
    const conf = `DeleteNoServer no\n${BOTH}`;

    test('"indexer WILL follow the link http://www/page2.html but WILL NOT follow http://web/page2.html"', () => {
      expect(judge(conf, 'http://www/page2.html', onPage1).accepted).toBe(true);
      expect(judge(conf, 'http://web/page2.html', onPage1)).toMatchObject({
        accepted: false,
        reason: 'outside-server',
      });
    });

    test('a server is identified by scheme, host and port', () => {
      expect(judge(conf, 'https://www/page2.html', onPage1).reason).toBe('outside-server');
      expect(judge(conf, 'http://www:8080/page2.html', onPage1).reason).toBe('outside-server');
    });

    test('"URLs which are already in database will not be deleted even if they have not correspondent Server command"', () => {
      expect(judge(conf, 'http://gone/', { discoveredVia: 'stored' }).accepted).toBe(true);
    });

    test('4) a submitted URL starts on its server, listed or not, and a root that redirects is followed', () => {
      expect(
        judge(conf, 'http://new/path/to/some/page.html', { discoveredVia: 'root', from: undefined, hops: 0 }).accepted,
      ).toBe(true);
      expect(judge(conf, 'https://www/', { ...onPage1, discoveredVia: 'redirect', hops: 0 }).accepted).toBe(true);
      expect(judge(conf, 'https://www/', { ...onPage1, discoveredVia: 'redirect', hops: 1 }).reason).toBe(
        'outside-server',
      );
    });
  });

  test('both switches: followOutside governs links, deleteNoServer governs deletion', () => {
    const conf = `FollowOutside yes\nDeleteNoServer no\n${BOTH}`;
    expect(judge(conf, 'http://other/', onPage1).accepted).toBe(true);
    expect(judge(conf, 'http://other/', { discoveredVia: 'stored' }).accepted).toBe(true);
  });

  test('4) "It does not matter whether you have passed the root URL of the server or one of the internal pages"', () => {
    expect(getServerScope(toCrawlUrl('http://www/path/to/some/page.html'))).toBe('http://www/');
    expect(getServerScope(toCrawlUrl('http://www:8080/?q=1'))).toBe('http://www:8080/');
  });

  test('a record carries its parameters to the URL', () => {
    const conf = `
      Tag t
      Category c
      MaxHops 5
      ReadTimeOut 10
      DocTimeOut 60
      Robots no
      Index no
      MaxNetErrors 3
      NetErrorDelayTime 1h
      AuthBasic me:secret
      Server http://www/docs/ http://mirror/d/`;
    expect(judge(conf, 'http://www/docs/x?y').effects).toMatchObject({
      index: false,
      follow: true,
      fetchUrl: 'http://mirror/d/x?y',
      maxNetworkErrors: 3,
      networkErrorDelay: 3_600_000,
      options: {
        maxHops: 5,
        readTimeout: 10_000,
        totalTimeout: 60_000,
        obeyRobots: false,
        credentials: holding('me:secret'),
      },
      metas: [
        { name: 'tag', value: 't', scope: 'document' },
        { name: 'category', value: 'c', scope: 'document' },
      ],
    });
    expect(judge(conf, 'http://www/docs/x', { hops: 6 })).toMatchObject({
      reason: 'server-max-hops',
      detail: '6 links from the root, but only 5 are allowed',
    });
  });

  test('a record may be written in any case of scheme and host, and matches canonical URLs', () => {
    expect(judge('Server HTTP://WWW.Example.com:80/A%20b/', 'http://www.example.com/A%20b/c').accepted).toBe(true);
    expect(judge('Server http://www/é/', 'http://www/%C3%A9/x').accepted).toBe(true);
    expect(judge('Server http://www/News/', 'http://www/news/x').accepted).toBe(false);
  });
});

describe('credentials of a server record', () => {
  const credentials = (conf: string, url: string) => judge(conf, url).effects.options.credentials?.reveal();

  test('are for the next Server alone, and never in the empty record', () => {
    const conf = 'FollowOutside yes\nAuthBasic me:secret\nServer http://private.test/\nServer http://www/\n';
    expect(credentials(conf, 'http://private.test/x')).toBe('me:secret');
    for (const url of ['http://www/', 'http://foreign.example/']) {
      expect(judge(conf, url).accepted).toBe(true);
      expect(credentials(conf, url)).toBeUndefined();
    }
  });

  test.each([
    ['http://private.test', 'http://private.test.attacker.test/', undefined],
    ['http://private.test', 'http://private.test:8080/', undefined],
    ['http://private.test', 'http://private.test/a', 'me:secret'],
    ['http://private.test:80', 'http://private.test/a', 'me:secret'],
    ['http://private.test./a/', 'http://private.test/a/b', 'me:secret'],
    ['http://private.test http://mirror.test/', 'http://private.test/a', 'me:secret'],
    ['http://private.test http://mirror.test', 'http://private.test.attacker.test/', undefined],
  ])('of Server %s at %s: %s', (server, url, expected) => {
    const conf = `AuthBasic me:secret\nServer ${server}\n`;
    expect(judge(conf, url).accepted).toBe(true);
    expect(credentials(conf, url)).toBe(expected);
  });

  test('with an alias belong to the server that is requested', () => {
    const conf = 'AuthBasic me:secret\nServer http://www http://10.0.0.7\n';
    expect(judge(conf, 'http://www/a').effects).toMatchObject({
      fetchUrl: 'http://10.0.0.7/a',
      options: { credentials: holding('me:secret') },
    });
    expect(judge(conf, 'http://www.attacker.test/a').effects.options.credentials).toBeUndefined();
  });
});

test('a period of 0 counts as a second', () => {
  expect(judge('Period 0\nServer http://www/\n', 'http://www/').effects.period).toBe(1000);
});

test.each([
  ['http://www/', 'http://mirror'],
  ['http://www/', 'http://mirror/'],
  ['http://www', 'http://mirror'],
  ['http://www', 'http://mirror/'],
  ['http://www:80', 'http://mirror/'],
])('a URL of %s is requested from the mirror %s, with or without the slash at its end', (url, mirror) => {
  expect(judge(`Server ${url} ${mirror}\n`, 'http://www/a').effects.fetchUrl).toBe('http://mirror/a');
});
