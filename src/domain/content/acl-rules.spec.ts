import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileAcl } from './acl.js';
import type { AclRule } from './acl-definition.js';

const rule = (prefix: string, ...allow: string[]): AclRule => ({ prefix, allow, deny: [`not-${allow.join()}`] });

const INTRANET = 'http://intranet.example';
const HR = rule(`${INTRANET}/hr/`, 'hr');

const readAllowed = (rules: readonly AclRule[], href: string): readonly string[] =>
  compileAcl({ default: ['everyone'], rules })({ href, headers: {}, metas: [] }).allow;

describe('the folded comparison of a page with rules', () => {
  it.each([
    '/hr/a',
    '//hr/b',
    '/./hr/c',
    '/x/../hr/d',
    '/%68r/e',
    '/hr%2ff',
    '/hr%2f%fff',
    '/hr;jsessionid=1/g',
    '/HR/h',
    '/hr?x=m',
    '/hr',
    '\\hr\\n',
    '/hr%00/q',
    '/ｈｒ/s',
    '/%2e/hr/r',
  ])('finds the rule for %s', (path) => {
    expect(readAllowed([HR, rule(`${INTRANET}/`, 'staff')], INTRANET + path)).toEqual(['hr']);
  });

  it.each([
    'https://intranet.example/hr/x',
    'http://www.intranet.example/hr/x',
    'http://intranet.example./hr/x',
    'http://INTRANET.example/hr/x',
    'http://user@intranet.example/hr/x',
    'http://intranet.example../hr/x',
    'http://www.www.intranet.example/hr/x',
  ])('finds the rule for %s', (href) => {
    expect(readAllowed([HR], href)).toEqual(['hr']);
  });

  it.each(['/x/..%2fhr/p', '/hr/..%2fopen/p', '/hr/..;/open/p', '/hr/%252e%252e%2fopen'])(
    'allows nobody by an encoded dot segment that leads elsewhere: %s',
    (path) => {
      const allowed = readAllowed(
        [HR, rule(`${INTRANET}/open/`, 'everyone'), rule(`${INTRANET}/x/`, 'x')],
        INTRANET + path,
      );
      expect(allowed).not.toContain('everyone');
      expect(allowed).not.toContain('x');
    },
  );

  it.each([
    ['another path of the host', `${INTRANET}/open`, []],
    ['a sibling folder', `${INTRANET}/hr-open/`, []],
    ['another port', `${INTRANET}:8080/hr/`, []],
    ['a path with an encoded question mark', `${INTRANET}/wiki%3Fspace=hr`, []],
    ['another host', 'http://intranet.example.net/hr/', ['everyone']],
  ])('does not take for the page of a rule %s', (_, href, allow) => {
    expect(readAllowed([HR, rule(`${INTRANET}/wiki?space=hr`, 'hr')], href)).toEqual(allow);
  });

  it.each([
    ['dots and blanks at the end of a name', '/hr./pay', '/hr%20/pay', '/hr.%20./pay', '/x/../hr.'],
    ['the default stream of a folder', '/hr::$INDEX_ALLOCATION/pay', '/hr:$I30/pay'],
    ['encodings of old servers', '/%u0068r/pay', '/%u0048%u0052/pay', '/%c1%a8r/pay', '/hr%3fpay', '/hr%23pay'],
    ['blanks around a name', '/hr+/pay', '/%20hr/pay', '/hr:/pay'],
    ['several encodings', '/%2568r/pay', '/%252fhr/pay', '/hr%25252fpay'],
    ['accents and invisible characters', '/h%C5%95/pay', '/h%C2%ADr/pay', '/h%E2%80%8Br/pay', '/hr%CC%81/pay'],
    ['invisible letters and marks', '/h%E3%85%A4r/pay', '/h%E1%85%9Fr/pay', '/hr%E2%83%9D/pay', '/h%E2%A0%80r/pay'],
    ['marks of the direction of a text', '/%E2%80%AEhr/pay', '/hr%E2%81%A9/pay', '/h%D8%9Cr/pay', '/%EF%BB%BFhr/pay'],
    ['letters of other alphabets that fold to it', '/%EF%BC%A8R/pay', '/%E2%84%8Br/pay'],
    ['tabs and line breaks', '/h\tr/pay', '/h\nr/pay', '/%09hr/pay', '/hr%0d%0a/pay'],
  ])('allows nobody whom the rule does not allow, by %s', (_, ...paths) => {
    for (const path of paths)
      expect(readAllowed([HR, rule(`${INTRANET}/`, 'everyone')], INTRANET + path), path).not.toContain('everyone');
  });

  describe('by the short name that Windows gives to a folder with a long one', () => {
    const personnel = [
      rule(`${INTRANET}/`, 'everyone'),
      rule(`${INTRANET}/personnel files/`, 'everyone', 'hr'),
      rule(`${INTRANET}/open/`, 'everyone', 'staff'),
      rule(`${INTRANET}/a.b.reports/ärzte-`, 'board'),
    ];

    it.each([
      '/PERSON~1/pay.html',
      '/person~12/',
      '/PE3F2A~1/pay.html',
      '/PERSON%7E1/x',
      '/%2550ERSON%257e1/x',
      '/x/../PERSON~1/x',
      '/_ERSON~1/x',
    ])('allows nobody whom the rule does not allow: %s', (path) => {
      expect(readAllowed([personnel[0]!, rule(`${INTRANET}/personnel files/`, 'hr')], INTRANET + path)).toEqual([]);
      expect(readAllowed(personnel, INTRANET + path)).toEqual(['everyone']);
    });

    it.each(['/ABREPO~1/_RZTE-~1.HTM', '/a.b.reports/RZTE~1', '/ABREPO~1/%C3%84RZTE-~1', '/ABREPO~1/ärzte-in'])(
      'also in the middle of a path, and for names that begin alike: %s',
      (path) => {
        const allowed = readAllowed(personnel, INTRANET + path);
        if (path.includes('/RZTE')) expect(allowed).toEqual(['everyone']);
        else expect(allowed).toEqual([]);
      },
    );

    it('does not narrow the rule of a folder that needs no short name', () => {
      expect(readAllowed(personnel, `${INTRANET}/open/readme~1.html`)).toEqual(['everyone', 'staff']);
    });

    it.each(['/OPEN~1/x', '/~jane1/x', '/people~archive/x', '/reader~1/x'])('not for other names: %s', (path) => {
      expect(readAllowed(personnel, INTRANET + path)).toEqual(['everyone']);
    });
  });

  it.each([
    'http://bücher.example/hr/x',
    'http://bu\u0308cher.example/hr/x',
    'http://BÜCHER.example/hr/x',
    'http://xn--bcher-kva.example/hr/x',
    'http://XN--BCHER-KVA.example/hr/x',
    'http://Xn--Bcher-Kva.example/hr/x',
    'http://bü\u00adcher.example/hr/x',
    'http://bü\u200bcher.example/hr/x',
    'http://bücher。example/hr/x',
    'http://ｂücher.example./hr/x',
    'http://b%C3%BCcher.example/hr/x',
  ])('finds the rule for a host with an accent: %s', (href) => {
    for (const host of ['bücher', 'bu\u0308cher', 'xn--bcher-kva', 'XN--bcher-KVA'])
      expect(readAllowed([rule(`http://${host}.example/hr/`, 'hr')], href), host).toEqual(['hr']);
    expect(readAllowed([rule('http://bü', 'hr')], href)).toEqual(['hr']);
  });

  it('does not mix up a host with an accent and one without', () => {
    expect(readAllowed([rule('http://bücher.example/', 'hr')], 'http://bucher.example/')).toEqual(['everyone']);
  });

  it('does not mix up folders that differ by a dot at the end', () => {
    const rules = [rule(`${INTRANET}/v1./`, 'a'), rule(`${INTRANET}/v2/`, 'b')];
    expect(readAllowed(rules, `${INTRANET}/v1./x`)).toEqual(['a']);
    expect(readAllowed(rules, `${INTRANET}/v2/x`)).toEqual(['b']);
  });

  it('finds the rule for a parameter wherever it stands in the query', () => {
    const rules = [rule(`${INTRANET}/wiki?space=hr`, 'hr'), rule(`${INTRANET}/`, 'everyone')];
    for (const query of ['?page=1&space=hr', '?x&%73pace=HR', '?a=1&space=hr-pay&b'])
      expect(readAllowed(rules, `${INTRANET}/wiki${query}`), query).not.toContain('everyone');
    expect(readAllowed(rules, `${INTRANET}/wiki?space=open`)).toEqual(['everyone']);
    const two = [
      rule(`${INTRANET}/wiki?space=hr`, 'hr'),
      rule(`${INTRANET}/wiki?space=pay`, 'pay'),
      rule(`${INTRANET}/`, 'everyone'),
    ];
    for (const space of ['hr', 'pay'])
      expect(readAllowed(two, `${INTRANET}/wiki?page=1&space=${space}`), space).not.toContain('everyone');
    const both = [rule(`${INTRANET}/?do=show&id=hr`, 'hr'), rule(`${INTRANET}/`, 'everyone')];
    expect(readAllowed(both, `${INTRANET}/?id=hr-pay&do=show`)).toEqual([]);
    expect(readAllowed(both, `${INTRANET}/?id=hr-pay&do=edit`)).toEqual(['everyone']);
  });

  it.each([
    'http://10.0.0.5/hr/',
    'http://10.0.0.5:8080/',
    'http://[fd00::5]/hr/',
    'http://localhost/hr/',
    'http://wiki.localhost/hr/',
    'http://intranet/hr/',
    'http://intranet.corp/hr/',
    'http://www.intranet.local./',
  ])('has no default for what may be another name of a host with rules: %s', (href) => {
    expect(readAllowed([HR], href)).toEqual([]);
  });

  it('has no default for the long name of a host whose rules give the short one', () => {
    expect(readAllowed([rule('http://intranet/hr/', 'hr')], 'http://intranet.example.com/hr/')).toEqual([]);
  });

  it('has no default for names below a host with rules, but for those below a domain', () => {
    const rules = [rule('http://wiki.example.com/hr/', 'hr'), rule('http://example.com/hr/', 'hr')];
    expect(readAllowed(rules, 'http://any.wiki.example.com/hr/')).toEqual([]);
    expect(readAllowed(rules, 'http://news.example.com/')).toEqual(['everyone']);
  });

  it('has the default for addresses as long as there are no rules', () => {
    expect(readAllowed([], 'http://10.0.0.5/')).toEqual(['everyone']);
  });

  it('covers the query if the prefix has one', () => {
    expect(readAllowed([rule(`${INTRANET}/wiki?space=hr`, 'hr')], `${INTRANET}/wiki/?space=%68R&page=1`)).toEqual([
      'hr',
    ]);
  });

  it('takes a prefix without a slash after the host for all hosts that begin so', () => {
    expect(readAllowed([rule('http://hr', 'hr')], 'http://hr.example/')).toEqual(['hr']);
    expect(readAllowed([rule('http://hr', 'hr')], 'http://hr/')).toEqual(['hr']);
  });

  it('allows only whom both rules allow if they are the same when folded', () => {
    const rules = [rule(`${INTRANET}/HR/`, 'hr', 'board'), rule(`https://www.intranet.example//hr/`, 'board', 'staff')];
    const acl = compileAcl({ default: [], rules })({ href: HR.prefix, headers: {}, metas: [] });
    expect(acl).toEqual({ allow: ['board'], deny: ['not-hr,board', 'not-board,staff'] });
  });
});

const name = fc.stringMatching(/^[a-z]{1,3}$/);
const path = fc.array(name, { minLength: 1, maxLength: 4 });

/** Of `a%2Fx/../b`, the part before `..` is one segment: such a URL is that of another page. */
const LITERAL_DOTS = 5;
/** A way to write a path segment. */
const spellings: readonly ((segment: string) => string)[] = [
  (segment) => segment,
  (segment) => segment.toUpperCase(),
  (segment) => segment.replaceAll(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`),
  (segment) => `/${segment}`,
  (segment) => `./${segment}`,
  (segment) => `x/../${segment}`,
  (segment) => `x%2f..%2F${segment}`,
  (segment) => `${segment};v=1`,
  (segment) => `${segment}%00`,
  (segment) => `${segment}.`,
  (segment) => `${segment}%20`,
  (segment) => segment.replaceAll(/./g, (char) => `%25${char.charCodeAt(0).toString(16)}`),
];

describe('access by any spelling of a page', () => {
  it('is never wider than by the plain one', () => {
    const rules = fc.array(
      fc.record({ path, allow: fc.subarray(['a', 'b', 'everyone']), end: fc.constantFrom('', '/') }),
      { minLength: 1, maxLength: 6 },
    );
    const hosts = fc.constantFrom('http://', 'https://', 'http://www.', 'https://WWW.');
    const style = fc.array(fc.nat(spellings.length - 1), { minLength: 4, maxLength: 4 });
    const separators = fc.constantFrom('/', '%2f', '//', '/%2e/');
    const ends = fc.constantFrom('', '/', '?x', '/?x', '#f');
    fc.assert(
      fc.property(rules, path, hosts, style, separators, ends, (records, page, scheme, styles, separator, end) => {
        fc.pre(separator !== '%2f' || !styles.slice(1, page.length).includes(LITERAL_DOTS));
        const definitions = records.map((record) => ({
          prefix: `http://in.example/${record.path.join('/')}${record.end}`,
          allow: record.allow,
          deny: [],
        }));
        const plain = readAllowed(definitions, `http://in.example/${page.join('/')}`);
        const segments = page.map((segment, i) => spellings[styles[i] ?? 0]?.(segment) ?? segment);
        const spelled = readAllowed(definitions, `${scheme}in.example/${segments.join(separator)}${end}`);
        expect(plain).toEqual(expect.arrayContaining([...spelled]));
      }),
    );
  });
});
