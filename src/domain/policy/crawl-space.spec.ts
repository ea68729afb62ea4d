/** Sentences in quotes are from the reference system: OmniFind, "Global Web crawl space configuration". */
import { describe, expect, test } from 'vitest';
import { candidate, crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { compilePolicy } from './crawl-policy.js';
import { parseCrawlSpace } from './crawl-space-file.js';
import type { Candidate } from './verdict.js';

const rulesOf = (text: string, kind: 'local' | 'global' = 'local') => {
  const { rules, problems } = parseCrawlSpace(text, kind === 'local' ? 'crawl.rules' : 'global.rules', kind);
  expect(problems).toEqual([]);
  return rules;
};

function judge(local: string, url: string, parts: Partial<Candidate> = {}, global?: string) {
  const policy = compilePolicy(
    crawlerDefinition({ crawlSpace: { file: 'crawl.rules', rules: rulesOf(local) } }),
    global === undefined ? undefined : { file: 'global.rules', rules: rulesOf(global, 'global') },
  );
  return policy.judge(candidate(url, parts));
}

const stored = { discoveredVia: 'stored' } as const;

describe('crawl space', () => {
  test('"URLs that are not in the crawl space are discarded"', () => {
    const verdict = judge('forbid domain www.ibm.com', 'http://www.ibm.com/');
    expect(verdict).toMatchObject({ accepted: false, reason: 'crawl-space-domain', layer: 'crawl-space' });
    expect(verdict).toMatchObject({ status: undefined, keepDocument: false, place: { line: 1, column: 1 } });
  });

  test('the first matching rule wins, and no matching rule allows', () => {
    const rules = 'allow domain www.ibm.com\nforbid domain *.ibm.com';
    expect(judge(rules, 'http://www.ibm.com/').accepted).toBe(true);
    expect(judge(rules, 'http://sales.ibm.com/').accepted).toBe(false);
    expect(judge(rules, 'http://ibm.com/').accepted).toBe(true);
    expect(judge(rules, 'http://example.com/').accepted).toBe(true);
  });

  test.each([
    ['forbid domain WWW.IBM.COM', 'http://www.ibm.com/', true],
    ['forbid domain ibm.com', 'http://www.ibm.com/', false],
    ['forbid domain *ibm*', 'http://www.ibm.example/', true],
    ['forbid domain a.com:8080', 'http://a.com:8080/', true],
    ['forbid domain a.com:8080', 'http://a.com/', false],
    ['forbid domain a.com:80', 'http://a.com/', true],
    ['forbid domain a.com:80', 'https://a.com/', false],
    ['forbid domain a.com:443', 'https://a.com/', true],
    ['forbid domain bücher.example', 'http://xn--bcher-kva.example/', true],
    ['forbid prefix HTTP://A.com/Private/', 'http://a.com/Private/x', true],
    ['forbid prefix http://a.com/Private/', 'http://a.com/private/x', false],
    ['forbid prefix http://*/cgi-bin/', 'http://a.com/cgi-bin/x', true],
    ['forbid prefix http://*/cgi-bin/', 'http://a.com/x/cgi-bin/x', true],
    ['forbid prefix http://a.com/x?id=', 'http://a.com/x?id=1', true],
    ['forbid prefix http://a.com/x?id=', 'http://a.com/xyid=1', false],
    ['forbid prefix http://a.com/é/', 'http://a.com/%C3%A9/1', true],
  ])('%s and %s: excluded is %s', (rules, url, excluded) => {
    expect(judge(rules, url).accepted).toBe(!excluded);
  });

  describe('the four rules about URLs of the database', () => {
    test.each([
      ['forbid prefix http://www.ibm.com/', 'crawl-space-prefix'],
      ['forbid address 9.0.0.0 255.0.0.0', 'crawl-space-address'],
    ])('1. "excluded by a local prefix rule or address rule … 760 and it is removed": %s', (rules, reason) => {
      const at = { ...stored, address: '9.1.2.3' };
      const expected = { accepted: false, reason, status: 760, keepDocument: false };
      expect(judge(rules, 'http://www.ibm.com/', at)).toMatchObject(expected);
      expect(judge(rules, 'http://www.ibm.com/', at, 'allow domain www.ibm.com')).toMatchObject(expected);
    });

    test('2. "excluded by a local domain rule, and there is no global crawl space … 760"', () => {
      expect(judge('forbid domain www.ibm.com', 'http://www.ibm.com/', stored)).toMatchObject({
        reason: 'crawl-space-domain',
        detail: 'excluded by the rule "forbid domain www.ibm.com"',
        status: 760,
        keepDocument: false,
      });
    });

    test('3. "explicitly allowed by a rule in the global crawl space … 761 … not removed from the index"', () => {
      const verdict = judge('forbid domain www.ibm.com', 'http://www.ibm.com/', stored, 'allow domain *.ibm.com');
      expect(verdict).toMatchObject({
        accepted: false,
        reason: 'left-to-another-crawler',
        status: 761,
        keepDocument: true,
      });
    });

    test.each(['', 'allow domain other.com', 'forbid domain www.ibm.com\nallow domain *'])(
      '4. "not explicitly allowed by a rule in the global crawl space … 760": %j',
      (global) => {
        expect(judge('forbid domain www.ibm.com', 'http://www.ibm.com/', stored, global)).toMatchObject({
          reason: 'crawl-space-domain',
          status: 760,
          keepDocument: false,
        });
      },
    );
  });

  test.each([
    'forbid domain a.com\nforbid prefix http://a.com/x/',
    'forbid prefix http://a.com/x/\nforbid domain a.com',
  ])('an excluding prefix rule takes precedence over an excluding domain rule, whatever their order: %j', (local) => {
    const global = 'allow domain a.com';
    expect(judge(local, 'http://a.com/x/1', stored, global)).toMatchObject({
      status: 760,
      reason: 'crawl-space-prefix',
      keepDocument: false,
    });
    expect(judge(local, 'http://a.com/y', stored, global)).toMatchObject({ status: 761, keepDocument: true });
    const allowed = `allow domain a.com\n${local}`;
    expect(judge(allowed, 'http://a.com/x/1', stored, global).accepted).toBe(true);
  });

  test('an excluding address rule takes precedence over a domain rule, too', () => {
    const local = 'forbid domain a.com\nforbid address 10.0.0.0/8';
    const at = (address: string) => judge(local, 'http://a.com/', { ...stored, address }, 'allow domain a.com').status;
    expect(at('10.1.2.3')).toBe(760);
    expect(at('192.0.2.1')).toBe(761);
    expect(judge(local, 'http://a.com/', stored, 'allow domain a.com').needsAddress).toBe(true);
  });

  test('the global crawl space excludes nothing that the local one allows', () => {
    expect(judge('allow domain www.ibm.com', 'http://www.ibm.com/', {}, 'forbid domain *').accepted).toBe(true);
  });

  describe('address rules', () => {
    const rules = 'forbid address 10.0.0.0/8\nforbid domain b.com';

    test('wait for the address when they could decide differently from the rules after them', () => {
      expect(judge(rules, 'http://a.com/')).toMatchObject({ accepted: true, needsAddress: true });
      const ours = 'allow address 10.0.0.0/8\nforbid domain *';
      expect(judge(ours, 'http://a.com/')).toMatchObject({ accepted: true, needsAddress: true });
    });

    test('do not wait for the address when the outcome is the same either way', () => {
      const forbidden = { accepted: false, reason: 'crawl-space-domain', needsAddress: false };
      expect(judge(rules, 'http://b.com/')).toMatchObject(forbidden);
      const allowed = judge('allow address 10.0.0.0/8\nforbid domain b.com', 'http://a.com/');
      expect(allowed).toMatchObject({ accepted: true, needsAddress: false });
    });

    test('wait when the document of a forbidden host may belong to another crawler', () => {
      const global = 'allow domain b.com';
      expect(judge(rules, 'http://b.com/', stored, global)).toMatchObject({ accepted: true, needsAddress: true });
      const ours = 'forbid domain b.com\nallow address 10.0.0.0/8';
      expect(judge(ours, 'http://b.com/', stored, global)).toMatchObject({ keepDocument: true, needsAddress: false });
      expect(judge(rules, 'http://b.com/', { ...stored, address: '10.1.2.3' }, global).status).toBe(760);
      expect(judge(rules, 'http://b.com/', { ...stored, address: '192.0.2.1' }, global).status).toBe(761);
    });

    test('are skipped when the address cannot be resolved, and the rules after them decide', () => {
      const unknown = { address: null };
      expect(judge(rules, 'http://a.com/', unknown).accepted).toBe(true);
      expect(judge(rules, 'http://b.com/', unknown).reason).toBe('crawl-space-domain');
      const ours = 'allow address 10.0.0.0/8\nforbid domain *';
      expect(judge(ours, 'http://a.com/', unknown).reason).toBe('crawl-space-domain');
    });

    test('are decided when the address is known', () => {
      expect(judge(rules, 'http://a.com/', { address: '10.1.2.3' }).reason).toBe('crawl-space-address');
      expect(judge(rules, 'http://a.com/', { address: '192.0.2.1' })).toMatchObject({
        accepted: true,
        needsAddress: false,
      });
      expect(judge(rules, 'http://b.com/', { address: '192.0.2.1' }).reason).toBe('crawl-space-domain');
    });

    test('need no lookup for a host that is an address', () => {
      expect(judge(rules, 'http://10.1.2.3/').reason).toBe('crawl-space-address');
      expect(judge('forbid address ::1', 'http://[::1]/').reason).toBe('crawl-space-address');
    });

    test('need no lookup when a rule before them matches', () => {
      expect(judge(`allow domain a.com\n${rules}`, 'http://a.com/').needsAddress).toBe(false);
    });
  });
});
