import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arbitraryCandidate,
  arbitraryDefinition,
  arbitraryRules,
  arbitraryUrl,
} from '../../../test/support/arbitrary-policy.js';
import {
  atom,
  candidate,
  crawlerDefinition,
  placeAt,
  ruleDefinition,
} from '../../../test/support/crawler-definition.js';
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { RuleDefinition } from '../crawl/policy-definition.js';
import { Secret } from '../secret.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import { compileExpression } from './matching/expression.js';
import { Subject } from './matching/subject.js';
import { REASONS } from './reasons.js';

const place = placeAt(1);
const global = { file: 'global.rules', rules: [{ verdict: 'allow', kind: 'domain', target: 'a.com', place }] } as const;

describe('the crawl policy', () => {
  test('explains the same verdict as it gives', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryCandidate, (crawler, each) => {
        const policy = compilePolicy(crawler, global);
        const { verdict, trace } = policy.explain(each);
        expect(verdict).toEqual(policy.judge(each));
        expect(REASONS).toHaveProperty(verdict.reason);
        expect(new Set(trace.map((step) => step.layer)).size).toBe(6);
      }),
      { numRuns: 300 },
    );
  });

  test('is not changed by a rule that matches nothing, wherever it stands', () => {
    const nothing = ruleDefinition(
      99,
      { type: 'length', field: 'url', minimum: 9, maximum: 8, place },
      { accept: false, index: false },
    );
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryCandidate, fc.nat(12), (crawler, each, at) => {
        const more = { ...crawler, rules: crawler.rules.toSpliced(at, 0, nothing) };
        expect(compilePolicy(more, global).judge(each)).toEqual(compilePolicy(crawler, global).judge(each));
      }),
      { numRuns: 150 },
    );
  });

  test('does not depend on the order of server records', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryCandidate, (crawler, each) => {
        if (!crawler.servers) return;
        const turned = { ...crawler, servers: { ...crawler.servers, records: crawler.servers.records.toReversed() } };
        expect(compilePolicy(turned, global).judge(each)).toEqual(compilePolicy(crawler, global).judge(each));
      }),
      { numRuns: 200 },
    );
  });

  test('finds the same rules through its index as by trying them all', () => {
    fc.assert(
      fc.property(
        arbitraryRules,
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        arbitraryUrl,
        (list, strange, plain) => {
          const crawler = crawlerDefinition({ rules: list });
          const policy = compilePolicy(crawler, undefined);
          const oracle = tryingAll(list);
          for (const text of [
            new URL(`http://a.com/${strange.replaceAll('#', '')}`).href,
            plain.replace('ftp', 'http'),
          ]) {
            const verdict = policy.judge(candidate(text));
            expect(verdict.accepted ? pick(verdict.effects) : 'rejected').toEqual(oracle(text));
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

interface Grants {
  readonly index: boolean;
  readonly follow: boolean;
  readonly priorityShift: number;
}

const pick = ({ index, follow, priorityShift }: Grants): Grants => ({ index, follow, priorityShift });

function tryingAll(list: readonly RuleDefinition[]): (text: string) => Grants | 'rejected' {
  const compiled = list.map(({ match, actions }) => ({ actions, ...compileExpression(match, []) }));
  return (text) => {
    const said = { accept: true, index: true, follow: true, priorityShift: 0 };
    for (const { actions, matches } of compiled) {
      if (!matches(new Subject(toCrawlUrl(text)))) continue;
      for (const aspect of ['accept', 'index', 'follow', 'priorityShift'] as const) {
        if (actions[aspect] !== undefined) Object.assign(said, { [aspect]: actions[aspect] });
      }
    }
    return said.accept ? pick(said) : 'rejected';
  };
}

describe('explain', () => {
  const rule = ruleDefinition(1, atom('path', 'prefix', '/private'), { accept: false });
  const { explain } = compilePolicy(
    crawlerDefinition({ rules: [rule], linkRules: { ...crawlerDefinition().linkRules, maxUrlLength: 10 } }),
    undefined,
  );

  test('shows every layer, those after the deciding one for information', () => {
    const { verdict, trace } = explain(candidate('http://a.com/private'));
    expect(verdict).toMatchObject({ reason: 'url-too-long', layer: 'link-rules' });
    expect(trace.map(({ layer, outcome }) => `${layer}: ${outcome}`)).toEqual([
      'link-rules: accept',
      'link-rules: reject',
      ...Array(5).fill('link-rules: accept'),
      'site-mode: not configured',
      'crawl-space: not configured',
      'server-records: not configured',
      'conditions: not configured',
      'crawl-rules: reject',
    ]);
  });

  test('counts the rules that do not match', () => {
    const none = (trace: readonly { outcome: string; test: string }[]) =>
      trace.flatMap(({ outcome, test }) => (outcome === 'no match' ? [test] : []));
    expect(none(explain(candidate('http://a.com/x')).trace)).toEqual(['1 of 1 rules']);
    expect(none(explain(candidate('http://a.com/private')).trace)).toEqual([]);
  });

  test('names the rule, its place and what it changes', () => {
    expect(explain(candidate('http://a.com/private')).trace.find((step) => step.effect)).toEqual({
      layer: 'crawl-rules',
      test: 'rule 1 (group "default"): path prefix "/private"',
      outcome: 'reject',
      reason: 'rule-ignored',
      place: rule.place,
      effect: 'accept=no',
    });
  });

  test('says what the defaults make of an accepted URL', () => {
    const effectOf = (parts: Partial<CrawlerDefinition>) =>
      compilePolicy(crawlerDefinition({ defaultAccept: true, ...parts }), undefined)
        .explain(candidate('http://a.com/'))
        .trace.findLast(({ layer }) => layer === 'crawl-rules');
    const all = { defaultIndex: true, defaultFollow: true };
    expect(effectOf(all)).toMatchObject({
      test: 'defaults for what no rule sets: accept, index, follow',
      outcome: 'set',
      effect: 'index=yes, follow=yes, priority shift 0',
    });
    expect(effectOf({ ...all, defaultIndex: false })?.effect).toContain('index=no, follow=yes');
    expect(effectOf({ ...all, defaultFollow: false })?.effect).toContain('index=yes, follow=no');
  });

  test('never shows a password', () => {
    const conditions = {
      defaultAllow: 'allow',
      options: {
        credentials: new Secret('me:s3cret'),
        proxy: 'http://me:s3cret@proxy/',
        headers: { Cookie: 's3cret' },
      },
      rules: [
        {
          kind: 'apply-for',
          test: { type: 'wildcard', field: 'host', value: 'a.com', caseSensitive: false },
          options: { headers: { Cookie: 's3cret' } },
          log: false,
          children: [],
          place,
        },
      ],
      place,
    } as const;
    const servers = {
      followOutside: true,
      deleteNoServer: true,
      records: [],
      defaults: { authentication: new Secret('me:s3cret') },
      place,
    };
    const { trace } = compilePolicy(crawlerDefinition({ conditions, servers }), undefined).explain(
      candidate('http://a.com/'),
    );
    expect(JSON.stringify(trace)).not.toContain('s3cret');
    expect(JSON.stringify(trace)).toContain('Cookie: (hidden)');
  });
});
