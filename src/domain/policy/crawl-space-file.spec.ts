import { describe, expect, test } from 'vitest';
import { type CrawlSpaceKind, parseCrawlSpace } from './crawl-space-file.js';

const read = (text: string, kind: CrawlSpaceKind = 'local') => {
  const { rules, problems } = parseCrawlSpace(text, 'crawl.rules', kind);
  return {
    rules: rules.map(({ verdict, kind: of, target, place }) => [verdict, of, target, place.line]),
    problems: problems.map(({ place, message }) => [`${place.line}:${place.column}`, message]),
  };
};

describe('parseCrawlSpace', () => {
  test('reads one rule per line, with comments and blank lines', () => {
    const text =
      '# ours\n\nallow domain www.ibm.com\r\n  FORBID Prefix http://www.ibm.com/cgi-bin/  # scripts\nforbid domain *';
    expect(read(text)).toEqual({
      rules: [
        ['allow', 'domain', 'www.ibm.com', 3],
        ['forbid', 'prefix', 'http://www.ibm.com/cgi-bin/', 4],
        ['forbid', 'domain', '*', 5],
      ],
      problems: [],
    });
  });

  test('reads an address as IP, CIDR or IP NETMASK', () => {
    const text = 'forbid address 9.1.2.3\nforbid address 10.1.2.3/8\nallow address 172.16.5.4 255.240.0.0';
    expect(read(text).rules.map(([, , target]) => target)).toEqual(['9.1.2.3/32', '10.0.0.0/8', '172.16.0.0/12']);
  });

  test('reports all mistakes at once, with line and column', () => {
    const text = [
      'permit domain a.com',
      'allow hosts a.com',
      'allow domain',
      '  forbid address 300.1.1.1',
      'forbid domain http://a.com/',
      'forbid prefix a.com/x',
      'forbid domain a.com b.com',
      'allow',
    ].join('\n');
    expect(read(text).problems).toEqual([
      ['1:1', 'a rule must begin with allow or forbid, not "permit"'],
      ['2:7', 'allow must be followed by domain, address or prefix, not "hosts"'],
      ['3:7', 'allow domain must be followed by a target'],
      ['4:18', '"300.1.1.1" is not an address: write IP, IP/BITS or IP NETMASK'],
      ['5:15', '"http://a.com/" is not a host name: write a.com'],
      ['6:15', 'prefix "a.com/x" cannot match any URL: it must begin with http://, https:// or *'],
      ['7:21', 'unexpected "b.com": a rule consists of three words'],
      ['8:1', 'allow must be followed by domain, address or prefix, not the end of the line'],
    ]);
  });

  test('takes domain rules only in a global crawl space', () => {
    const { rules, problems } = read(
      'allow domain a.com\nforbid prefix http://a.com/\nallow address 9.1.1.1',
      'global',
    );
    expect(rules).toHaveLength(1);
    expect(problems.map(([place]) => place)).toEqual(['2:8', '3:7']);
  });

  test('keeps no user name and password of a prefix, so that none is shown', () => {
    const { rules, problems } = read('forbid prefix http://ann:pw@a.com/x\nforbid prefix ftp://ann:pw@a.com/');
    expect(rules).toEqual([['forbid', 'prefix', 'http://a.com/x', 1]]);
    expect(JSON.stringify(problems)).not.toContain('pw');
  });
});
